/* The file is $XDG_STATE_HOME/ptxi/lessons, or ~/.local/state/ptxi/lessons. Each line is "LESSON
 * TRIES HINTS DONE", numbers. */
#include "cli/learned.h"
#include "base/text.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* The name of the file; false: the user has no home. */
static bool file_name(struct text *out)
{
	const char *state = getenv("XDG_STATE_HOME"), *home = getenv("HOME");

	/* the specification: a relative path is ignored */
	if (state && state[0] == '/')
		text_printf(out, "%s/ptxi/lessons", state);
	else if (home && home[0] == '/')
		text_printf(out, "%s/.local/state/ptxi/lessons", home);
	else
		return false;
	return true;
}

void learned_read(struct learned *p)
{
	struct text name = {0};
	char line[100];
	FILE *f = file_name(&name) ? fopen(text_str(&name), "r") : NULL;

	*p = (struct learned){0};
	for (unsigned k = 0; f && k < 1000 && fgets(line, sizeof line, f); k++) {
		unsigned lesson, tries, hints, done;

		if (sscanf(line, "%4u %9u %9u %1u", &lesson, &tries, &hints, &done) == 4 &&
			lesson <= MAX_LESSONS)
			p->lesson[lesson] = (struct learned_lesson){tries, hints, done == 1};
	}
	if (f)
		fclose(f);
	text_free(&name);
}

/* Makes the folders above a file. */
static bool make_folders(char *name)
{
	for (char *slash = strchr(name + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
		bool made;

		*slash = 0;
		made = mkdir(name, 0777) == 0 || errno == EEXIST;
		*slash = '/';
		if (!made)
			return false;
	}
	return true;
}

bool learned_write(const struct learned *p)
{
	struct text name = {0};
	bool ok = file_name(&name) && make_folders(name.data);
	FILE *f = ok ? fopen(name.data, "w") : NULL;

	for (unsigned k = 1; f && k <= MAX_LESSONS; k++) {
		const struct learned_lesson *l = &p->lesson[k];

		if (l->tries || l->hints || l->done)
			fprintf(f, "%u %u %u %u\n", k, l->tries, l->hints, l->done);
	}
	ok = f && fclose(f) == 0;
	text_free(&name);
	return ok;
}
