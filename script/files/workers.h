/* Processes that check files: whatever a file does to its worker, the others are judged. */
#ifndef PTXI_SCRIPT_WORKERS_H
#define PTXI_SCRIPT_WORKERS_H
#include "script/files/checked.h"

struct workers_job {
	const struct check_request *request;
	char *const *path; /* [count] */
	const bool *named; /* [count] as in checked_run() */
	uint32_t count;
	uint64_t memory; /* bytes that a worker may have, 0: any */
	/* takes the result over; files end in any order */
	void (*finished)(void *self, uint32_t file, struct checked *result);
	void *self;
};
/* Checks all files in their order, JOBS at a time. After an interrupt none is begun; those that had
 * begun are finished, or given up two seconds later. */
void workers_run(const struct workers_job *job, unsigned jobs);

#endif
