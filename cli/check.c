/* ptxi check: the test runner. */
#include "cli/cases.h"
#include "cli/interrupt.h"
#include "cli/load.h"
#include "cli/progress.h"
#include "cli/put.h"
#include "script/litmus/repair.h"
#include <ptxi/status.h>

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

/* --repair: what would make FILE's cases right. */
static int repair_file(struct cli *c, const struct run_options *o, const char *file)
{
	struct program_request loaded = cli_request(c);
	struct program p;
	struct repair found;
	struct text text = {0};
	int status;

	loaded.path = file;
	loaded.no_warnings = true;
	load_begin(c, &loaded);
	program_load(&p, &loaded);
	load_end();
	struct repair_request r = {
		.program = &p, .loaded = &loaded, .options = *o, .jobs = c->jobs, .runs = true};

	r.options.machine.timeout = options_left(c).machine.timeout;
	progress_begin(c, "repair", 0, &r.options);
	r.progress = progress_listener() ? progress_explored : NULL;
	interrupts_work();
	repair_run(&r, &found);
	progress_end();
	interrupts_report();
	if (c->files.count > 1)
		text_printf(&text, "%s: ", file);
	repair_print(&r, &found, &text);
	put(&text);
	text_free(&text);
	status = found.status;
	repair_free(&found);
	program_free(&p);
	return status;
}

int command_check(struct cli *c)
{
	if (c->repair && (*c->repair || c->format != FORMAT_TEXT)) {
		diag_plain(&c->diags, DIAG_L0303,
			*c->repair ? "check --repair takes no condition"
				   : "check --repair and --format exclude each other");
		return PTXI_USAGE;
	}

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
	for (uint32_t k = 0; c->repair && status == PTXI_FAILED && k < c->files.count; k++)
		repair_file(c, &q.options, c->files.data[k]);
	return status;
}
