/* The files that the PTX was compiled from. A .ptx file of a stranger may name any file: only those
 * below its own folder or below a folder of --source-path are read, and only source code. */
#include "script/lang/source_files.h"
#include "script/lang/init_file.h"
#include "script/lang/program.h"
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* ALL_BYTES: of all files together, since one file may have any number of names */
enum { MAX_BYTES = 16 << 20, ALL_BYTES = 64 << 20, MAX_COMPONENTS = 8 };

struct source_files {
	struct arena *arena;
	const char *folder; /* of the .ptx file */
	const char *const *source_path;
	unsigned n;
	size_t left; /* bytes that may still be read */
};

/* Whether the name ends as source code does. */
static bool is_code(const char *name)
{
	static const char *const ends[] = {"cu", "cuh", "h", "hh", "hpp", "hxx", "c", "cc", "cpp",
		"cxx", "inl", "inc", "ipp", "py"};
	const char *dot = strrchr(origin_base(name), '.');

	for (size_t k = 0; dot && k < sizeof ends / sizeof ends[0]; k++)
		if (strcmp(dot + 1, ends[k]) == 0)
			return true;
	return false;
}

static bool may_read(const struct source_files *f, const char *real)
{
	bool may = path_is_below(real, f->folder);

	for (unsigned k = 0; k < f->n && !may; k++)
		may = path_is_below(real, f->source_path[k]);
	return may;
}

/* The bytes read, at most N. */
static size_t read_bytes(int fd, char *to, size_t n)
{
	size_t done = 0;

	while (done < n) {
		ssize_t got = read(fd, to + done, n - done);

		if (got <= 0)
			break; /* the file has become shorter */
		done += (size_t)got;
	}
	return done;
}

/* The file PATH as a source called NAME, if it may be read. No memory is allocated while the file
 * is open, since that may end the call. */
static struct source *read_path(struct source_files *f, const char *path, const char *name)
{
	char real[PATH_MAX];
	struct stat st;
	char *text;
	size_t n;
	int fd;

	if (!realpath(path, real) || !is_code(real) || !may_read(f, real) ||
		lstat(real, &st) != 0 || !S_ISREG(st.st_mode) || st.st_size > MAX_BYTES ||
		(size_t)st.st_size > f->left)
		return NULL;
	f->left -= (size_t)st.st_size;
	text = arena_zalloc(f->arena, (size_t)st.st_size + 2, 1);
	fd = open(real, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	if (fd < 0)
		return NULL;
	n = read_bytes(fd, text, (size_t)st.st_size);
	close(fd);
	return memchr(text, 0, n) ? NULL : source_adopt(f->arena, name, text, n);
}

static bool is_separator(char c) { return c == '/' || c == '\\'; }

/* In FOLDER: NAME, then its last components, as many as possible first. */
static struct source *read_below(struct source_files *f, const char *folder, const char *name)
{
	const char *part[MAX_COMPONENTS];
	unsigned n = 0;
	struct source *s = NULL;

	for (size_t i = strlen(name); i-- > 0 && n < MAX_COMPONENTS;)
		if (!is_separator(name[i]) && (i == 0 || is_separator(name[i - 1])))
			part[n++] = name + i;
	while (n-- && !s) {
		char *path = arena_printf(f->arena, "%s/%s", folder, part[n]);

		for (char *c = path + strlen(folder); *c; c++)
			*c = is_separator(*c) ? '/' : *c;
		s = read_path(f, path, name);
	}
	return s;
}

static struct source *read_source(void *self, const char *name)
{
	struct source_files *f = self;
	struct source *s = NULL;

	if (!is_code(name))
		return NULL;
	if (*name == '/')
		s = read_path(f, name, name);
	if (!s)
		s = read_below(f, f->folder, name);
	for (unsigned k = 0; k < f->n && !s; k++)
		s = read_below(f, f->source_path[k], name);
	return s;
}

void source_files_open(struct source *s, const char *path, const char *const *source_path,
	unsigned n, struct arena *a)
{
	const char *slash = strrchr(path, '/');
	struct source_files *f;

	for (unsigned k = 0; k < n; k++)
		if (strcmp(source_path[k], "none") == 0)
			return;
	if (!s->origins)
		return;
	f = ARENA_NEW(a, struct source_files);
	*f = (struct source_files){.arena = a,
		.folder = slash ? arena_text(a, path, (size_t)(slash - path) + 1) : ".",
		.source_path = source_path,
		.n = n,
		.left = ALL_BYTES};
	s->origins->read = read_source;
	s->origins->self = f;
}
