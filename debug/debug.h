/* The debugger: runs one case of a file step by step, forwards and backwards. A step is one
 * instruction of one warp, and steps are numbered from 0 over the whole run. A run is
 * deterministic, so a step back is a run to an earlier step, from the nearest of a bounded number
 * of copies of the process. */
#ifndef PTXI_DEBUG_DEBUG_H
#define PTXI_DEBUG_DEBUG_H
#include "debug/trail.h"
#include "script/host/host.h"

struct debug_request {
	const struct ir_module *module;
	struct script_case *in; /* resolved */
	struct run_options options;
	const char *path;
	const struct trail *trail; /* NULL, or the schedule to begin with */
	/* The next command, or NULL at the end; *SHOW: print it before its output, with the prompt.
	 */
	const char *(*command)(void *self, bool *show);
	/* receives everything that is printed; called in several processes, one at a time, so it
	 * must write at once */
	void (*out)(void *self, const char *text, size_t n);
	void *self;
};

/* Debugs the case until the commands end or one of them says so. Returns the exit status: 2 if a
 * command was rejected. */
int debug_session(const struct debug_request *r);

#endif
