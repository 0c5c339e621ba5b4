/* C source to a loaded library: through the system's compiler, or from a folder of the user's where
 * an earlier run has put it.
 *
 * The folder is $XDG_CACHE_HOME/ptxi or ~/.cache/ptxi. It must be the user's own, and nobody else
 * may write in it. Files are named by a hash of the source, the flags and the compiler, and the
 * source beside a library must be the same byte for byte: a hash that somebody has found a second
 * text for loads nothing. */
#ifndef PTXI_BACKEND_COMPILED_H
#define PTXI_BACKEND_COMPILED_H
#include <stdbool.h>
#include <stddef.h>

/* The compiler at work on one source. */
struct compiling {
	char folder[512]; /* where it works */
	char base[64];    /* of the files, without suffix */
	char compiler[512];
	bool passing;    /* the folder is only for this source */
	int pid;         /* 0: no process */
	void *library;   /* when done: from dlopen */
	const char *why; /* what failed, or NULL */
};

/* Begins to compile TEXT for x86-64-v<LEVEL>; CACHE: looks first whether the folder has it, and
 * keeps it there. After it either `library` or `why` is set, or a process runs. */
void compiled_begin(struct compiling *c, const char *text, size_t n, int level, bool cache);
/* Looks whether the process has ended; true: it has, and `library` or `why` is set. */
bool compiled_poll(struct compiling *c);
/* Ends the process, if there is one, and removes files that nobody needs. */
void compiled_stop(struct compiling *c);

#endif
