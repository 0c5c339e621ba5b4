/* Where the parts of ptxi are that are files of their own: beside the program in a build folder, or
 * where `make install` puts them. */
#include "cli/compile.h"
#include "base/text.h"
#include <glob.h>
#include <string.h>
#include <unistd.h>

const char *installed_folder(struct cli *c, const char *const *places, unsigned n, const char *file)
{
	char self[4096];
	ssize_t length = readlink("/proc/self/exe", self, sizeof self - 1);
	const char *found = NULL;

	if (length <= 0)
		return NULL;
	self[length] = '\0';
	*strrchr(self, '/') = '\0';
	for (unsigned k = 0; k < n && !found; k++) {
		glob_t g;

		if (!glob(arena_printf(&c->arena, "%s%s/%s", self, places[k], file), 0, NULL, &g)) {
			char *path = arena_text(&c->arena, g.gl_pathv[0], strlen(g.gl_pathv[0]));

			path[strlen(path) - strlen(file) - 1] = '\0';
			found = path;
		}
		globfree(&g);
	}
	return found;
}

const char *driver_folder(struct cli *c)
{
	static const char *const places[] = {
		"", "/../lib/ptxi", "/../lib*/*/ptxi", "/../lib64/ptxi"};

	return installed_folder(c, places, sizeof places / sizeof places[0], "libcuda.so.1");
}
