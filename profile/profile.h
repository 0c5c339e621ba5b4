/* The profile of run --stats=lines: what each instruction cost, by counters of an observer. A
 * machine without it runs no code of this module. */
#ifndef PTXI_PROFILE_PROFILE_H
#define PTXI_PROFILE_PROFILE_H
#include <stdint.h>

struct machine;

/* Of one instruction, or the sum of several. */
struct profile_count {
	uint64_t warps;    /* warp instructions */
	uint64_t lanes;    /* lanes that were there, added up, also those whose guard is false */
	uint64_t branches; /* divergent: lanes of the warp went different ways */
	/* Loads and stores of shared memory: passes over its 32 banks of 4 bytes that they took,
	 * and that they take without bank conflicts */
	uint64_t passes, passes_least;
	/* Accesses to global memory: sectors of 32 bytes that they touched, and that their
	 * distinct bytes fill */
	uint64_t sectors, sectors_least;
};

/* Attaches the observer to M, before its first launch. */
void profile_attach(struct machine *m);
/* The counters [module->ninsns], or NULL without the observer. They belong to it. */
const struct profile_count *profile_of(struct machine *m);
/* Frees what profile_attach() allocated, if it was called; before machine_free(). */
void profile_detach(struct machine *m);

#endif
