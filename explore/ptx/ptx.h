/* PTX kernels as a program for the explorer: the launches queued on a machine, thread by thread.
 * Ops that only touch registers run on the interpreter's own decoded code; everything that touches
 * memory or other threads becomes events. */
#ifndef PTXI_EXPLORE_PTX_H
#define PTXI_EXPLORE_PTX_H
#include "explore/search/explore.h"
#include "interp/machine.h"

/* A name for memory in messages: NAME[index], with elements of ELEMENT bytes. */
struct explore_region {
	const char *name;
	uint64_t address, size;
	uint32_t element;
};

enum { PTX_MAX_LAUNCHES = 64 };

/* A write of the host, in pieces of ELEMENT bytes, after all launches before launch number BEFORE
 * have ended and before that launch (BEFORE = number of launches: after the last one). */
struct explore_write {
	uint32_t before;
	uint8_t element;
	uint64_t address, size;
	const unsigned char *bytes;
};

/* The parts of the host program besides its launches. */
struct ptx_host {
	/* for each launch, the set of earlier ones that it waits for besides those of its stream;
	 * or NULL */
	const uint64_t *after;
	const struct explore_write *write; /* [nwrites] sorted by BEFORE */
	uint32_t nwrites;
};

/* The program of all launches queued on MACHINE with machine_launch() that have not run. MACHINE's
 * current memory is the initial memory and is only read. Launches in one stream are ordered;
 * streams run concurrently. HOST: NULL if there is nothing else. Observables: memory by address;
 * registers by linear thread of the first launch and index in its function. Returns NULL with
 * records in FINDINGS if the explorer cannot handle the launches (code U...). Allocated in ARENA;
 * MACHINE must outlive it and must not run. */
const struct explore_program *ptx_program(struct machine *machine, const struct ptx_host *host,
	const struct observable *observable, uint32_t nobservables,
	const struct explore_options *options, struct arena *arena, struct diags *findings);
/* Names of its threads, instructions and memory. */
void ptx_names(const struct explore_program *p, const struct explore_region *region,
	uint32_t nregions, struct arena *arena, struct explore_names *out);
/* For diagnostics: the span of an instruction in the module's source; a thread's CTA and its number
 * within the CTA. */
struct span ptx_span(const struct explore_program *p, uint32_t thread, uint32_t place);
/* The innermost call that leads to the instruction and is written in the user's own source; len 0:
 * none. */
struct span ptx_call_span(const struct explore_program *p, uint32_t thread, uint32_t place);
void ptx_thread(const struct explore_program *p, uint32_t thread, uint32_t *cta, uint32_t *tid);
/* The launch of THREAD, counted from 1; 0: a write of the host. */
uint32_t ptx_launch_of(const struct explore_program *p, uint32_t thread);

#endif
