/* Executes one case of a script the way a host program would, and reports the result. */
#ifndef PTXI_SCRIPT_HOST_H
#define PTXI_SCRIPT_HOST_H
#include "backend/backend.h"
#include "script/lang/options.h"
#include "script/verdict/report.h"

struct host_request {
	const struct ir_module *module;
	struct script_case *in; /* resolved; the run stores the addresses of its objects in it */
	struct run_options options;
	/* as `check` does: expected findings are not failures, and other schedules are tried */
	bool judge;
	/* judge: number of cases that share the deadline, including this one; runs under other
	 * schedules leave time for the rest. 0 means 1 */
	unsigned cases_left;
	/* judge: the file and its options as arguments of `ptxi run`, for the command that
	 * reproduces a run; NULL: unknown */
	const char *arguments;
	/* contents of the buffer NAME in place of its first SIZE initial bytes, or NULL: for
	 * no buffer, or for those for which it returns NULL */
	const void *(*given)(void *self, const char *name, uint64_t *size);
	/* called for each buffer or variable when an execution ends, or NULL */
	void (*final)(void *self, const char *name, const void *bytes, uint64_t size);
	/* called as kernels print, or NULL */
	void (*output)(void *self, const char *text, size_t n);
	/* called by any host thread when one of several runs has ended, or NULL */
	void (*ran)(void *self);
	/* called for each print directive, or NULL */
	void (*show)(void *self, const struct printed *p);
	/* Opens a backend other than the one in OPTIONS, or NULL. Only the explorer sets it, whose
	 * backend records the case instead of running it. */
	bool (*open)(void *self, const struct backend_request *r, struct backend *out);
	/* called with the case's backend once it is open, whose functions it may wrap, or NULL */
	void (*opened)(void *self, struct backend *b);
	void *self;
};
/* Applies the set directives of IN to OUT, which holds the command line's options. */
void host_set_options(const struct script_case *in, struct run_options *out);
/* Runs the case once, or options.runs times. */
void host_run(const struct host_request *r, struct report *out);
/* The options in effect for the case, including those from its directives. */
void host_options(const struct host_request *r, struct run_options *out);

#endif
