/* The Debug Adapter Protocol (https://microsoft.github.io/debug-adapter-protocol): VS Code and
 * other editors debug with ptxi. Threads are warps, scopes are registers and memory, and an
 * expression that is typed into the console is a command of the debugger. */
#ifndef PTXI_DEBUG_DAP_H
#define PTXI_DEBUG_DAP_H
#include "debug/debug.h"

struct dap_request {
	int in; /* the file that messages come from */
	/* Loads the program PATH, and its case NAME ("": the first that launches something), into
	 * OUT, once. False: WHY says what is wrong. */
	bool (*load)(void *self, const char *path, const char *name, struct debug_request *out,
		struct text *why);
	void (*out)(void *self, const char *text, size_t n);
	void *self;
};

/* Talks until the other side ends. Returns the exit status. */
int dap_serve(const struct dap_request *r);

#endif
