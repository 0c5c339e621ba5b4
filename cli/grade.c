/* ptxi grade: grades a class of submissions. */
#include "base/pool.h"
#include "cli/interrupt.h"
#include "cli/put.h"
#include "cli/report.h"
#include <ptxi/status.h>
#include <unistd.h>

static void show_progress(void *self, uint32_t done, uint32_t of)
{
	struct text t = {0};

	(void)self;
	if (done < of)
		text_printf(&t, "\r\033[K[%u/%u]", done, of);
	else
		text_puts(&t, "\r\033[K");
	put_err(&t);
	text_free(&t);
}

int command_grade(struct cli *c)
{
	struct graded g;
	struct grade_request r = {.suite = c->files.data[0],
		.folder = c->files.data[1],
		.earlier = c->earlier,
		.jobs = c->jobs ? c->jobs : pool_processors(),
		.shard = c->shards ? c->shard : 1,
		.shards = c->shards ? c->shards : 1,
		.progress = isatty(2) && !c->quiet ? show_progress : NULL};
	int status = PTXI_USAGE;

	if (!report_possible(c))
		return PTXI_USAGE;
	interrupts_watch(c);
	interrupts_work();
	r.interrupted = c->options.machine.interrupted;
	if (grade_run(&r, &g, &c->diags)) {
		interrupts_report();
		status = report_write(c, &g);
	}
	graded_free(&g);
	return status;
}
