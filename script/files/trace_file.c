/* The output file of run --trace: created before the run, closed after it. */
#include "script/files/trace_file.h"
#include "script/lang/file_help.h"
#include "trace/trace.h"
#include <errno.h>
#include <string.h>
#include <sys/stat.h>

static bool trace_file_complain(const struct trace_file *t, struct diags *diags)
{
	file_unwritable(diags, t->path, errno);
	return false;
}

static bool same_file(const char *a, const char *b)
{
	struct stat x, y;

	return stat(a, &x) == 0 && stat(b, &y) == 0 && x.st_dev == y.st_dev && x.st_ino == y.st_ino;
}

bool trace_file_open(struct trace_file *t, const char *path, bool atomics,
	const char *const *inputs, uint32_t n, struct run_options *options, struct diags *diags)
{
	size_t len = strlen(path);
	bool viewer = len > 5 && strcmp(path + len - 5, ".json") == 0;

	if (options->on_gpu) {
		diag_plain(
			diags, DIAG_L0303, "--trace shows the interpreter's events, not a GPU's");
		return false;
	}
	for (uint32_t k = 0; k < n; k++)
		if (same_file(path, inputs[k])) {
			diag_plain(
				diags, DIAG_L0303, "--trace=%s would overwrite the program", path);
			return false;
		}
	t->path = path;
	t->file = strcmp(path, "-") == 0 ? stdout : fopen(path, "we");
	if (!t->file)
		return trace_file_complain(t, diags);
	t->trace = trace_new(t->file, viewer ? TRACE_CHROME : TRACE_LINES, atomics);
	trace_chain(t->trace, options->machine.trace);
	options->machine.trace = t->trace;
	return true;
}

int trace_file_pause(struct trace_file *t, const char **ending)
{
	*ending = trace_pause(t->trace);
	return fileno(t->file);
}

bool trace_file_close(struct trace_file *t, struct diags *diags)
{
	bool fine = trace_free(t->trace);

	if (t->file != stdout && fclose(t->file) != 0)
		fine = false;
	return fine || trace_file_complain(t, diags);
}
