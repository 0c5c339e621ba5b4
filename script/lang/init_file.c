/* The file of a file("...") initialiser: its path, and whether a directive may read it. */
#include "script/lang/init_file.h"
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* A relative name is relative to the file that contains the directive. */
static char *file_name(const struct stmt *t, struct arena *arena)
{
	const char *slash = strrchr(t->source->name, '/');

	if (t->file[0] == '/' || !slash)
		return arena_printf(arena, "%s", t->file);
	return arena_printf(
		arena, "%.*s/%s", (int)(slash - t->source->name), t->source->name, t->file);
}

bool init_file_wrong(
	const struct stmt *t, struct arena *arena, struct diags *diags, const char *why)
{
	diag_report(diags, DIAG_L0201, t->source, t->value_span, "'%s' cannot be read: %s",
		file_name(t, arena), why);
	return false;
}

bool path_is_below(const char *path, const char *folder)
{
	char buffer[PATH_MAX], *real = realpath(folder, buffer);
	size_t n = real ? strlen(real) : 0;
	bool below = real && strncmp(path, real, n) == 0 &&
		(path[n] == '/' || (n == 1 && *real == '/'));

	return below;
}

/* Whether the file of T may be read; NAME is its path from realpath(). */
static bool may_read(
	const struct script *s, const struct stmt *t, const char *name, struct arena *arena)
{
	const char *slash = strrchr(t->source->name, '/');

	if (path_is_below(name,
		    slash ? arena_text(
				    arena, t->source->name, (size_t)(slash - t->source->name) + 1)
			  : "."))
		return true;
	for (unsigned k = 0; k < s->nallow; k++)
		if (path_is_below(name, s->allow[k]))
			return true;
	return false;
}

bool init_file_find(const struct script *s, struct stmt *t, struct arena *arena,
	struct diags *diags, uint64_t *size)
{
	const char *name = file_name(t, arena);
	char buffer[PATH_MAX], *real = realpath(name, buffer);
	struct stat st;
	struct diag *d;

	if (!real)
		return init_file_wrong(t, arena, diags, strerror(errno));
	t->path = arena_text(arena, real, strlen(real));
	if (!may_read(s, t, t->path, arena)) {
		d = diag_report(diags, DIAG_L0208, t->source, t->value_span,
			"'%s' is not below the folder of the file that contains this line",
			t->file);
		diag_help(diags, d, "--allow-files=DIR allows reading from a folder");
		return false;
	}
	if (stat(t->path, &st) != 0)
		return init_file_wrong(t, arena, diags, strerror(errno));
	if (!S_ISREG(st.st_mode))
		return init_file_wrong(t, arena, diags,
			S_ISDIR(st.st_mode) ? "it is a directory" : "it is not a regular file");
	*size = (uint64_t)st.st_size;
	return true;
}
