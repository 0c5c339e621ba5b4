/* What a student has done of the lessons, kept in a small text file of the user's between calls. */
#ifndef PTXI_CLI_LEARNED_H
#define PTXI_CLI_LEARNED_H
#include <stdbool.h>

enum { MAX_LESSONS = 100 };

struct learned_lesson {
	unsigned tries, hints; /* solutions that failed; hints shown */
	bool done;
};

struct learned {
	struct learned_lesson lesson[MAX_LESSONS + 1]; /* by number */
};

/* Reads the progress; without a file, or in a line that is not understood, nothing is done yet. */
void learned_read(struct learned *p);
/* Writes it; false if that is not possible. */
bool learned_write(const struct learned *p);

#endif
