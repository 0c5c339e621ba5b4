/* One process for each submission, with limits that the system enforces; several side by side. */
#ifndef PTXI_GRADE_SANDBOX_H
#define PTXI_GRADE_SANDBOX_H
#include "grade/result.h"
#include "grade/submission.h"
#include "grade/suite.h"

struct sandbox_request {
	struct suite *suite;
	const char *path; /* the folder of the submissions */
	const struct submissions *submissions;
	struct graded *graded; /* the results go to its students */
	unsigned jobs;
	const _Atomic int *interrupted;                           /* or NULL */
	void (*progress)(void *self, uint32_t done, uint32_t of); /* or NULL */
	void *self;
};
/* Judges all submissions, or those that it can until the user interrupts; the others are
 * GRADED_UNFINISHED, also if no process can be made (reported to DIAGS). */
void sandbox_run(const struct sandbox_request *r, struct diags *diags);

#endif
