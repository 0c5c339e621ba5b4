/* Runs one case of a script as a host program, and reports the result. */
#ifndef PTXI_SCRIPT_HOST_H
#define PTXI_SCRIPT_HOST_H
#include "backend/backend.h"
#include "script/lang/options.h"
#include "script/verdict/report.h"

struct host_request {
	const struct ir_module *module;
	struct script_case *in; /* resolved; addresses of its objects are written */
	struct run_options options;
	/* check: findings that are expected are no failures, needs lines are obeyed, other
	 * schedules are tried */
	bool judge;
	/* judge: that share the deadline, this one included; further runs leave them their time. 0:
	 * 1 */
	unsigned cases_left;
	/* judge: the file and its options as for `ptxi run`, to name a run by; NULL: not known */
	const char *arguments;
	void (*output)(void *self, const char *text, size_t n); /* as kernels print, or NULL */
	void (*show)(void *self, const struct printed *p);      /* as print lines come, or NULL */
	/* Another backend than options name, or NULL (the explorer: nothing runs). */
	bool (*open)(void *self, const struct backend_request *r, struct backend *out);
	void *self;
};
/* What the set lines of IN say, over the defaults of the command line in OUT. */
void host_set_options(const struct script_case *in, struct run_options *out);
/* Runs the case once, or as often as options.runs says. */
void host_run(const struct host_request *r, struct report *out);
/* The options that the case has, by its own lines too. */
void host_options(const struct host_request *r, struct run_options *out);

#endif
