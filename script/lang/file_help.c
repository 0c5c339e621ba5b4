/* What to type instead, when a file is not what a command takes. The advice names files that exist
 * and commands that can be typed as they are. */
#include "script/lang/file_help.h"
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

enum { MOST_ENTRIES = 4096, MOST_PATH = 1024, NOT_NEAR = 99 };

static bool ends_with(const char *s, const char *end)
{
	size_t n = strlen(s), length = strlen(end);

	return n >= length && strcmp(s + n - length, end) == 0;
}

/* The length of the folder in PATH, with its slash. */
static size_t folder_length(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? (size_t)(slash - path) + 1 : 0;
}

/* Opens the folder that contains PATH. */
static DIR *folder_open(const char *path)
{
	char folder[MOST_PATH];
	size_t n = folder_length(path);

	if (n >= sizeof folder)
		return NULL;
	memcpy(folder, path, n);
	folder[n] = '\0';
	return opendir(n ? folder : ".");
}

static bool is_input(const char *name)
{
	return ends_with(name, ".ptx") || ends_with(name, ".ptxo") || ends_with(name, ".litmus");
}

/* The length of NAME without its extension. */
static size_t stem_length(const char *name)
{
	const char *dot = strrchr(name, '.');

	return dot && dot > name ? (size_t)(dot - name) : strlen(name);
}

/* How far NAME is from what was typed; NOT_NEAR if it is another name. */
static unsigned how_far(const char *typed, const char *name)
{
	size_t n = strlen(typed), stem = stem_length(typed);
	unsigned most = stem < 3 ? 0 : stem < 6 ? 1 : 2, far;

	if (is_input(name) && stem_length(name) == stem && strncmp(name, typed, stem) == 0)
		return 0;
	if (strcasecmp(typed, name) == 0)
		return 1;
	far = text_distance(typed, n, name, strlen(name), most + 1);
	return far <= most ? far : NOT_NEAR;
}

void file_help_missing(struct diags *diags, struct diag *d, const char *path)
{
	const char *typed = path + folder_length(path);
	DIR *folder = folder_open(path);
	char best[256] = "";
	unsigned least = NOT_NEAR;
	struct dirent *e;

	if (!folder) {
		if (folder_length(path) > 1)
			diag_help(diags, d, "there is no folder '%.*s'",
				(int)folder_length(path) - 1, path);
		return;
	}
	for (int k = 0; k < MOST_ENTRIES && (e = readdir(folder)); k++) {
		unsigned far = how_far(typed, e->d_name);

		/* Of equally near names the first in the alphabet, so that the answer does not
		 * depend on the order in the folder. */
		if (e->d_name[0] != '.' && strlen(e->d_name) < sizeof best &&
			(far < least || (far == least && *best && strcmp(e->d_name, best) < 0))) {
			least = far;
			strcpy(best, e->d_name);
		}
	}
	closedir(folder);
	if (*best)
		diag_help(diags, d, "did you mean %.*s%s?", (int)folder_length(path), path, best);
}

void file_help_directory(struct diags *diags, struct diag *d, const char *path)
{
	size_t n = strlen(path);
	const char *slash = n && path[n - 1] == '/' ? "" : "/";
	DIR *folder = opendir(path);
	char first[256] = "";
	struct dirent *e;

	for (int k = 0; folder && k < MOST_ENTRIES && (e = readdir(folder)); k++)
		if (is_input(e->d_name) && e->d_name[0] != '.' &&
			strlen(e->d_name) < sizeof first &&
			(!*first || strcmp(e->d_name, first) < 0))
			strcpy(first, e->d_name);
	if (folder)
		closedir(folder);
	if (*first)
		diag_help(diags, d, "'ptxi check %s' checks all its files; one of them is %s%s%s",
			path, path, slash, first);
	else
		diag_help(diags, d,
			"'ptxi check %s' checks the .ptx files of a directory and its subdirectories; none lies directly in this one",
			path);
}

void file_unwritable(struct diags *diags, const char *path, int error)
{
	struct diag *d = diag_plain(diags, DIAG_L0207, "%s: %s", path, strerror(error));
	size_t n = folder_length(path), length = strlen(path);
	char folder[MOST_PATH];
	struct stat s;

	if (error == EISDIR) {
		diag_help(diags, d, "name the file, too: %s%sNAME", path,
			length && path[length - 1] == '/' ? "" : "/");
		return;
	}
	if (error != ENOENT || n < 2 || n >= sizeof folder)
		return;
	memcpy(folder, path, n - 1);
	folder[n - 1] = '\0';
	if (stat(folder, &s) != 0)
		diag_help(diags, d, "the folder does not exist; create it: mkdir -p %s", folder);
}

static bool begins_with(const struct source *s, const char *bytes, size_t n)
{
	return s->len >= n && memcmp(s->text, bytes, n) == 0;
}

bool file_is_foreign(struct diags *diags, const struct source *s, const char *path)
{
	static const char *const cuda[] = {".cu", ".cuh", ".cpp", ".cc", ".cxx", ".c"};
	struct diag *d;

	for (size_t k = 0; k < sizeof cuda / sizeof cuda[0]; k++)
		if (ends_with(path, cuda[k])) {
			int n = (int)(strlen(path) - strlen(cuda[k]));

			d = diag_plain(diags, DIAG_L0209,
				"%s: this is C++; ptxi takes PTX, which a compiler makes from it",
				path);
			diag_help(diags, d,
				k == 0 ? "ptxi cc -S -o %.*s.ptx %s; with nvcc: see 'ptxi explain L0209'"
				       : "nvcc -ptx -lineinfo -arch=sm_90 -o %.*s.ptx %s; clang++ can, too: see 'ptxi explain L0209'",
				n, path, path);
			return true;
		}
	if (begins_with(s, "BC\xc0\xde", 4)) {
		d = diag_plain(diags, DIAG_L0209, "%s: this is LLVM bitcode; ptxi takes PTX", path);
		diag_help(diags, d, "llc -march=nvptx64 -mcpu=sm_90 -o FILE.ptx %s", path);
		return true;
	}
	if (!begins_with(s, "\177ELF", 4) && !begins_with(s, "\x50\xed\x55\xba", 4) &&
		!begins_with(s, "!<arch>\n", 8))
		return false;
	d = diag_plain(diags, DIAG_L0209, "%s: this is machine code; ptxi takes PTX", path);
	if (ends_with(path, ".cubin"))
		diag_help(diags, d,
			"a .cubin contains no PTX: compile its source again, with nvcc -ptx -lineinfo instead of -cubin");
	else
		diag_help(diags, d,
			"cuobjdump -ptx %s shows the PTX that an executable, an object or a .fatbin may contain",
			path);
	return true;
}
