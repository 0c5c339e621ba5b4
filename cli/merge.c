/* ptxi merge: joins the results of several runs of ptxi grade, or prints them in another format; or
 * those of ptxi explore --shard, and prints what one run would have printed. */
#include "cli/parts.h"
#include "cli/put.h"
#include "cli/report.h"
#include <ptxi/status.h>

/* Explores as the command line says that made the parts, but takes their results. That line comes
 * from a file, so it may do nothing but explore a file. */
static int merge_explored(struct cli *c)
{
	static char name[] = "ptxi", command[] = "explore";
	struct parts parts;
	struct cli of = {.parts = &parts};
	VEC(char *) words = {0};
	int status = PTXI_USAGE;

	if (!parts_read(c, &parts)) {
		parts_free(&parts);
		return status;
	}
	*vec_push(&words) = name;
	*vec_push(&words) = command;
	for (uint32_t k = 0; k < parts.words.count; k++)
		*vec_push(&words) = (char *)(uintptr_t)parts.words.data[k];
	of.options.machine.seed = 1;
	if (options_read(&of, (int)words.count, words.data) && of.command == COMMAND_EXPLORE &&
		of.files.count == 1 && !of.help && !of.version && !of.shards) {
		of.color = c->color;
		of.color_err = c->color_err;
		status = command_explore(&of);
	} else if (!of.diags.errors) {
		diag_plain(&c->diags, DIAG_L0506, "%s is not a part of an exploration",
			c->files.data[0]);
	}
	put_diags(c, &of.diags);
	vec_free(&words);
	parts_free(&parts);
	cli_free(&of);
	return status;
}

static bool are_explored(struct cli *c)
{
	struct arena arena = {0};
	struct diags unused = {0};
	bool are = c->files.count && parts_are(file_read(c->files.data[0], &arena, &unused));

	diags_free(&unused);
	arena_free(&arena);
	return are;
}

int command_merge(struct cli *c)
{
	struct graded g;
	int status = PTXI_USAGE;

	if (are_explored(c))
		return merge_explored(c);
	if (!report_possible(c))
		return status;
	if (grade_merge(c->files.data, c->files.count, &g, &c->diags))
		status = report_write(c, &g);
	graded_free(&g);
	return status;
}
