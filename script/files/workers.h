/* Worker processes that check files, so that a file that crashes its worker does not affect the
 * others. */
#ifndef PTXI_SCRIPT_WORKERS_H
#define PTXI_SCRIPT_WORKERS_H
#include "script/files/checked.h"

struct workers_job {
	const struct check_request *request;
	char *const *path; /* [count] */
	const bool *named; /* [count], as in checked_run() */
	uint32_t count;
	uint64_t memory; /* bytes that a worker may allocate, 0: no limit */
	/* takes ownership of the result; files finish in any order */
	void (*finished)(void *self, uint32_t file, struct checked *result);
	/* or NULL; called at least five times a second: case NUMBER of OF is the running one that
	 * began first; NUMBER is CHECKED_FILE while its file is loaded */
	void (*going)(void *self, const struct check_running *r);
	void *self;
};
/* Checks all files, starting them in order, JOBS at a time. After an interrupt, no further file is
 * started; running ones may finish, but are killed after two seconds. */
void workers_run(const struct workers_job *job, unsigned jobs);

#endif
