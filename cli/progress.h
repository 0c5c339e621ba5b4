/* What a student has done of the lessons, kept in a small text file of the user's between calls. */
#ifndef PTXI_CLI_PROGRESS_H
#define PTXI_CLI_PROGRESS_H
#include <stdbool.h>

enum { MAX_LESSONS = 100 };

struct lesson_progress {
	unsigned tries, hints; /* solutions that failed; hints shown */
	bool done;
};

struct progress {
	struct lesson_progress lesson[MAX_LESSONS + 1]; /* by number */
};

/* Reads the progress; without a file, or in a line that is not understood, nothing is done yet. */
void progress_read(struct progress *p);
/* Writes it; false if that is not possible. */
bool progress_write(const struct progress *p);

#endif
