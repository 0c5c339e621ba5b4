/* Mistakes of the host program: findings at its own lines. */
#ifndef PTXI_CUDA_HOST_H
#define PTXI_CUDA_HOST_H
#include "cuda/place.h"
#include "cuda/work.h"
#include "diag/diag.h"

/* Prints a finding at AT; MESSAGE and HELP (or NULL) may have marks of places. The same code at
 * the same place is printed once, and counted each time. */
void host_finding(enum diag_code code, call_place at, const char *message, const char *help);

/* "kernel 'k(int*)'" */
void host_kernel(CUfunction f, struct text *out);

/* --- allocations (owned.c) --- */

enum owned_kind { OWNED_DEVICE, OWNED_ARRAY, OWNED_PINNED, OWNED_REGISTERED, OWNED_MANAGED };

struct owned {
	struct owned *next;
	uint64_t address, size;
	char *host; /* or NULL */
	enum owned_kind kind;
	CUdevice device; /* that was current */
	unsigned number; /* in order of creation */
	call_place made, freed;
	bool is_freed;
	_Atomic uint64_t *counted; /* NULL, or where its bytes count while it exists */
};

/* The number of the next allocation. */
unsigned owned_number(void);
void owned_add(const struct owned *o);
/* ADDRESS, where an allocation begins, is freed at PLACE. */
void owned_end(uint64_t address, call_place place);
/* A copy of the allocation that has the byte at ADDRESS: one that exists, otherwise one of the
 * last that were freed. */
bool owned_find(uint64_t address, struct owned *out);
/* The allocation of that number, or one of the last that were freed. */
bool owned_numbered(unsigned number, struct owned *out);
/* The same of allocations that the host has, too, and that exist. */
bool owned_find_visible(uint64_t address, struct owned *out);
/* How many allocations are managed. */
unsigned owned_managed(void);
/* Whether an allocation began at ADDRESS, and was freed. */
bool owned_was(uint64_t address);
/* "buffer `cudaMalloc` at bugs.cu:14", with a mark of the place. */
void owned_name(const struct owned *o, struct text *out);
/* Reports what was never freed. */
void owned_leaks(void);

/* Allocates SIZE bytes for O, of which the kind is given; FLAGS as those of ptxi_alloc(). Frees
 * what begins at ADDRESS, for CALLER. (memory.c) */
CUresult driver_alloc(CUdeviceptr *address, size_t size, unsigned flags, struct owned *o);
CUresult driver_dealloc(CUdeviceptr address, const char *caller);

/* --- what the host may not touch yet (touch.c) --- */

/* Catches accesses of the host; ENDS is called before one ends the program. */
void touch_begin(void (*ends)(void));
/* W was queued: until it has run, the host may not use managed memory that a kernel has, or pinned
 * memory that a copy writes. */
void touch_queued(const struct work *w);
/* Work will run; all of it has run, and what the host did in between is reported. */
void touch_runs(void);
void touch_ran(void);

/* --- launches that nobody waits for, errors that nobody looks at --- */

void host_launched(const struct work *w);
void host_waited(void);
/* A launch that is not made of calls which return its error fails with ERROR, called NAME; 0: the
 * program looks at the last error of the thread. For the runtime. */
__attribute__((visibility("default"))) void __ptxi_error(int error, const char *name);
/* Whether the default stream of calls of this thread is that of the thread; returns what was so. */
__attribute__((visibility("default"))) int __ptxi_per_thread(int is);
/* At the end of the program, when QUEUED items have not run. */
void host_ends(unsigned queued);

#endif
