/* C source to a loaded library: through the system's compiler, or from a folder of the user's where
 * an earlier run has put it.
 *
 * The folder is $XDG_CACHE_HOME/ptxi or ~/.cache/ptxi. It must be the user's own, and nobody else
 * may write in it. A library is found by its key: what its caller makes the source from, this very
 * program (by the number that the linker gave it), the compiler and the processor. Files are named
 * by a hash of it, and the key beside a library must be the same byte for byte: a hash that
 * somebody has found a second key for loads nothing. */
#ifndef PTXI_BACKEND_COMPILED_H
#define PTXI_BACKEND_COMPILED_H
#include "base/text.h"
#include <stdbool.h>
#include <stddef.h>

/* The compiler at work on one source. */
struct compiling {
	char folder[512]; /* where it works */
	char base[64];    /* of the files, without suffix */
	char compiler[512];
	struct text key;
	int level;
	bool passing;    /* the folder is only for this source */
	int pid;         /* 0: no process */
	void *library;   /* when done: from dlopen */
	const char *why; /* what failed, or NULL */
};

/* Begins with a library for x86-64-v<LEVEL> whose source depends only on the N bytes at KEY. With
 * CACHE the folder is where it is searched for and kept. After it `library` or `why` is set, or
 * compiled_make() must be called. */
void compiled_begin(struct compiling *c, const char *key, size_t n, int level, bool cache);
/* Begins to compile TEXT. After it `why` is set, or a process runs. */
void compiled_make(struct compiling *c, const char *text, size_t n);
/* Looks whether the process has ended; true: it has, and `library` or `why` is set. */
bool compiled_poll(struct compiling *c);
/* Ends the process, if there is one, and removes files that nobody needs. */
void compiled_stop(struct compiling *c);

#endif
