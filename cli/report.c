/* The report of grade and merge: on standard output, in a file, or in a folder with one file for
 * each student. */
#include "cli/report.h"
#include "cli/put.h"
#include <ptxi/status.h>
#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static void report_format(const struct cli *c, const struct graded *g, struct text *out)
{
	switch (c->format) {
	case FORMAT_JSON: report_json(g, out); break;
	case FORMAT_JUNIT: report_junit(g, out); break;
	case FORMAT_CSV: report_csv(g, out); break;
	case FORMAT_HTML: report_html(g, out); break;
	case FORMAT_TEXT:
	case FORMAT_TSV:
	case FORMAT_TAP:
	default: report_text(g, c->verbose, out); break;
	}
}

static bool is_folder(const char *path)
{
	struct stat s;

	return stat(path, &s) == 0 && S_ISDIR(s.st_mode);
}

bool report_possible(struct cli *c)
{
	const char *slash = c->output ? strrchr(c->output, '/') : NULL, *folder;

	if (!c->output || strcmp(c->output, "-") == 0)
		return true;
	if (is_folder(c->output) && c->format != FORMAT_HTML && c->format != FORMAT_JSON) {
		diag_plain(&c->diags, DIAG_L0202,
			"%s: is a folder; only html and json are written there, one file for each student",
			c->output);
		return false;
	}
	folder = !slash ? "."
		: slash == c->output
		? "/"
		: arena_text(&c->arena, c->output, (size_t)(slash - c->output));
	if (access(access(c->output, F_OK) == 0 ? c->output : folder, W_OK) == 0)
		return true;
	diag_plain(&c->diags, DIAG_L0207, "%s: %s", c->output, strerror(errno));
	return false;
}

static bool write_each(struct cli *c, const struct graded *g)
{
	const char *end = c->format == FORMAT_HTML ? ".html" : ".json";
	bool ok = true;

	for (uint32_t k = 0; k < g->students.count && ok; k++) {
		struct graded one;
		struct text t = {0};

		grade_only(g, k, &one);
		report_format(c, &one, &t);
		ok = file_write(arena_printf(&c->arena, "%s/%s", c->output,
					grade_file_name(g->students.data[k].name, end, &c->arena)),
			text_str(&t), t.len, &c->diags);
		text_free(&t);
		graded_free(&one);
	}
	return ok;
}

int report_write(struct cli *c, struct graded *g)
{
	struct text t = {0};
	uint32_t of, unfinished = graded_unfinished(g, &of);
	bool ok = true;

	if (c->for_students)
		graded_redact(g);
	if (c->output && is_folder(c->output)) {
		ok = write_each(c, g);
	} else {
		report_format(c, g, &t);
		if (c->output)
			ok = file_write(c->output, text_str(&t), t.len, &c->diags);
		else
			put(&t);
		text_free(&t);
	}
	if (unfinished)
		diag_help(&c->diags,
			diag_plain(&c->diags, DIAG_B0005,
				"interrupted: %u of %u submissions were not judged", unfinished,
				of),
			"'ptxi grade --continue=FILE' goes on from this report if it is JSON");
	return !ok ? PTXI_USAGE : unfinished ? PTXI_UNDECIDED : PTXI_OK;
}
