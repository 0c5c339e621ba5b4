/* ptxi grade: grades a class of submissions. */
#include "base/pool.h"
#include "cli/interrupt.h"
#include "cli/progress.h"
#include "cli/report.h"
#include <ptxi/status.h>

int command_grade(struct cli *c)
{
	struct graded g;
	struct grade_request r = {.suite = c->files.data[0],
		.folder = c->files.data[1],
		.earlier = c->earlier,
		.jobs = c->jobs ? c->jobs : pool_processors(),
		.shard = c->shards ? c->shard : 1,
		.shards = c->shards ? c->shards : 1,
		.progress = progress_graded};
	int status = PTXI_USAGE;
	bool complete;

	if (!report_possible(c))
		return PTXI_USAGE;
	interrupts_watch(c);
	interrupts_work();
	r.interrupted = c->options.machine.interrupted;
	progress_begin(c, NULL, 0, &c->options);
	complete = grade_run(&r, &g, &c->diags);
	progress_end();
	if (complete) {
		interrupts_report();
		status = report_write(c, &g);
	}
	graded_free(&g);
	return status;
}
