/* ptxi merge: joins the results of several runs of ptxi grade, or prints them in another format. */
#include "cli/report.h"
#include <ptxi/status.h>

int command_merge(struct cli *c)
{
	struct graded g;
	int status = PTXI_USAGE;

	if (!report_possible(c))
		return status;
	if (grade_merge(c->files.data, c->files.count, &g, &c->diags))
		status = report_write(c, &g);
	graded_free(&g);
	return status;
}
