/* Finds the test files below a directory. */
#include "base/memory.h"
#include "script/files/check.h"
#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { MAX_DEPTH = 64 };

static char *joined(const char *a, const char *b)
{
	size_t n = strlen(a), m = strlen(b);
	char *s = memory_resize(NULL, n + m + 2);

	while (n > 1 && a[n - 1] == '/')
		n--;
	memcpy(s, a, n);
	if (s[n - 1] != '/')
		s[n++] = '/';
	memcpy(s + n, b, m + 1);
	return s;
}

static bool is_test(const char *name)
{
	size_t n = strlen(name);

	return (n > 4 && strcmp(name + n - 4, ".ptx") == 0) ||
		(n > 7 && strcmp(name + n - 7, ".litmus") == 0);
}

static bool report_unreadable(struct diags *diags, const char *path, const char *why)
{
	diag_plain(diags, DIAG_L0203, "%s: %s", path, why);
	return false;
}

static bool folder_walk(struct file_list *l, const char *path, unsigned depth, struct diags *diags)
{
	DIR *d = depth < MAX_DEPTH ? opendir(path) : NULL;
	struct dirent *e;
	bool ok = true;

	if (!d)
		return report_unreadable(diags, path,
			depth < MAX_DEPTH ? strerror(errno) : "more than 64 nested directories");
	while ((e = readdir(d))) {
		char *name;
		struct stat s;

		if (e->d_name[0] == '.')
			continue;
		name = joined(path, e->d_name);
		if (lstat(name, &s) == 0 && S_ISDIR(s.st_mode)) {
			ok = folder_walk(l, name, depth + 1, diags) && ok;
		} else if (is_test(e->d_name)) {
			*vec_push(&l->name) = name;
			continue;
		}
		free(name);
	}
	closedir(d);
	return ok;
}

static int by_name(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

bool file_list_add(struct file_list *l, const char *path, struct diags *diags)
{
	uint32_t before = l->name.count;
	struct stat s;
	char *copy;
	bool ok;

	if (strcmp(path, "-") == 0 || stat(path, &s) != 0 || !S_ISDIR(s.st_mode)) {
		copy = memory_resize(NULL, strlen(path) + 1);
		strcpy(copy, path);
		*vec_push(&l->name) = copy; /* loading it will show whether it can be read */
		return true;
	}
	ok = folder_walk(l, path, 0, diags);
	if (l->name.count > before)
		qsort(l->name.data + before, l->name.count - before, sizeof *l->name.data, by_name);
	return ok;
}

void file_list_free(struct file_list *l)
{
	for (uint32_t k = 0; k < l->name.count; k++)
		free(l->name.data[k]);
	vec_free(&l->name);
}
