/* ptxi check: the test runner. */
#include "cli/cases.h"
#include "cli/interrupt.h"
#include "cli/progress.h"
#include "cli/put.h"

static void put_results(void *self, const char *text, size_t n)
{
	(void)self;
	put_bytes(text, n);
}

static void put_errors(void *self, const char *text, size_t n)
{
	(void)self;
	put_err_bytes(text, n);
}

int command_check(struct cli *c)
{
	interrupts_watch(c);
	interrupts_report(); /* workers_run() bounds how long the workers take */

	struct check_request q = {
		.paths = c->files.data,
		.npaths = c->files.count,
		.program = cli_request(c),
		.options = c->options,
		.jobs = c->jobs,
		.format = c->format == FORMAT_JSON  ? CHECK_JSON
			: c->format == FORMAT_JUNIT ? CHECK_JUNIT
			: c->format == FORMAT_TAP   ? CHECK_TAP
						    : CHECK_TEXT,
		.color = c->color,
		.quiet = c->quiet,
		.verbose = c->verbose,
		.progress = progress_checking,
		.put = put_results,
		.err = put_errors,
	};

	int status;

	if (!(c->options.given & RUN_CHECK))
		q.options.machine.checks = CHECK_RACE | CHECK_INIT | CHECK_BOUNDS | CHECK_SYNC;
	progress_begin(c, NULL, 0, &q.options);
	if (!progress_listener())
		q.progress = NULL;
	status = check_run(&q);
	progress_end();
	return status;
}
