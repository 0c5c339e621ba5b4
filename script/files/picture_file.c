/* The output file of --picture: created before the work, written after it. */
#include "script/files/picture_file.h"
#include "script/lang/file_help.h"
#include "trace/trace.h"
#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static bool write_picture(struct picture_file *p, const char *input)
{
	struct text svg = {0};
	bool fine;

	picture_svg(&p->picture, input, &svg);
	fine = fwrite(text_str(&svg), 1, svg.len, p->file) == svg.len && fflush(p->file) == 0;
	text_free(&svg);
	return fine;
}

/* Whether what is written can be replaced later. */
static bool is_plain(FILE *f)
{
	struct stat s;

	return fstat(fileno(f), &s) == 0 && S_ISREG(s.st_mode);
}

bool picture_file_open(struct picture_file *p, const char *path, struct diags *diags)
{
	size_t n = strlen(path);
	bool out = strcmp(path, "-") == 0;

	*p = (struct picture_file){.path = path};
	if (!out && (n < 5 || strcmp(path + n - 4, ".svg") != 0)) {
		struct diag *d = diag_plain(
			diags, DIAG_L0303, "invalid value '%.80s' of --picture", path);

		diag_help(diags, d, "pictures are SVG files, so their names end in .svg");
		return false;
	}
	p->file = out ? stdout : fopen(path, "we");
	if (!p->file || (!out && is_plain(p->file) && !write_picture(p, path))) {
		file_unwritable(diags, path, errno);
		if (p->file)
			fclose(p->file);
		return false;
	}
	return true;
}

bool picture_file_record(struct picture_file *p, struct run_options *options, struct diags *diags)
{
	if (options->on_gpu) {
		diag_plain(
			diags, DIAG_L0303, "--picture shows the interpreter's events, not a GPU's");
		return false;
	}
	p->trace = trace_new(NULL, TRACE_PICTURE, true);
	trace_chain(p->trace, options->machine.trace);
	options->machine.trace = p->trace;
	return true;
}

void picture_file_begins(struct picture_file *p, const char *name, uint64_t runs)
{
	trace_case_begins(p->trace, name, runs);
}

void picture_file_ends(struct picture_file *p) { trace_case_ends(p->trace, &p->picture); }

bool picture_file_close(struct picture_file *p, const char *input, struct diags *diags)
{
	bool fine = p->file == stdout || !is_plain(p->file) ||
		(fseek(p->file, 0, SEEK_SET) == 0 && ftruncate(fileno(p->file), 0) == 0);

	fine = fine && write_picture(p, input);
	if (p->file != stdout && fclose(p->file) != 0)
		fine = false;
	picture_free(&p->picture);
	if (p->trace)
		trace_free(p->trace);
	if (!fine)
		file_unwritable(diags, p->path, errno);
	return fine;
}
