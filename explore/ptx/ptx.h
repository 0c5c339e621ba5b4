/* PTX kernels as a program for the explorer: what is queued on a machine, thread by thread, with
 * the interpreter's own decoded code for everything that only touches registers, and events for
 * what touches memory or other threads. */
#ifndef PTXI_EXPLORE_PTX_H
#define PTXI_EXPLORE_PTX_H
#include "explore/search/explore.h"
#include "interp/machine.h"

/* A name for memory, for messages: NAME[index] of ELEMENT bytes each. */
struct explore_region {
	const char *name;
	uint64_t address, size;
	uint32_t element;
};

enum { PTX_MOST_LAUNCHES = 16 };

/* Bytes that the host writes when all launches before launch BEFORE (their number, when it is the
 * last) are over, and before that one; in pieces of ELEMENT bytes. */
struct explore_write {
	uint32_t before;
	uint8_t element;
	uint64_t address, size;
	const unsigned char *bytes;
};

/* What the host program says beside its launches. */
struct ptx_host {
	/* for each launch a set of earlier ones that it waits for beside those of its stream */
	const uint32_t *after;
	const struct explore_write *write; /* in the order of BEFORE */
	uint32_t nwrites;
};

/* The program of all launches that were queued on MACHINE with machine_launch() and have not run.
 * Its memory as it is now is the initial one; it is only read. Launches of one stream follow each
 * other, streams run concurrently. HOST or NULL: nothing more. Observables: memory by address;
 * registers by linear thread of the first launch and index in its function. NULL with records in
 * FINDINGS when the explorer cannot do this (code U...). Lives in ARENA; MACHINE outlives it and
 * must not run. */
const struct explore_program *ptx_program(struct machine *machine, const struct ptx_host *host,
	const struct observable *observable, uint32_t nobservables,
	const struct explore_options *options, struct arena *arena, struct diags *findings);
/* Names for its threads, instructions and memory. */
void ptx_names(const struct explore_program *p, const struct explore_region *region,
	uint32_t nregions, struct arena *arena, struct explore_names *out);
/* The span of an instruction (in the module's source), CTA and thread within the CTA, for
 * diagnostics. */
struct span ptx_span(const struct explore_program *p, uint32_t thread, uint32_t place);
void ptx_thread(const struct explore_program *p, uint32_t thread, uint32_t *cta, uint32_t *tid);
/* Counted from 1; 0: a write of the host. */
uint32_t ptx_launch_of(const struct explore_program *p, uint32_t thread);

#endif
