/* The threads of a litmus test as PTX statements, and their placement: for one instance on the
 * interpreter, and for the thousands of the hardware harness. */
#ifndef PTXI_SCRIPT_LITMUS_PTX_H
#define PTXI_SCRIPT_LITMUS_PTX_H
#include "base/arena.h"
#include "base/text.h"
#include "parser/litmus.h"

/* Where a thread sits, all counted from 0: cluster of its GPU, CTA of its cluster, warp of its
 * CTA. */
struct litmus_seat {
	uint32_t gpu, cluster, rank, warp;
};

struct litmus_ptx {
	const struct litmus_test *test;
	const char *lacks;        /* what of the test PTX cannot say, or NULL */
	unsigned version, target; /* what its instructions need: 60 (6.0), 70 */
	struct litmus_seat *seat; /* [nthreads] */
	/* most of each: clusters of a GPU, CTAs of a cluster, warps of a CTA */
	uint32_t gpus, clusters, ranks, warps;
	/* PTX barriers 0..nbarriers-1 are used in a CTA; a whole warp must come to each */
	uint32_t nbarriers;
	const struct litmus_barrier *barrier;
};

/* Lives in ARENA. */
void litmus_ptx_begin(struct litmus_ptx *p, const struct litmus_test *test, struct arena *arena);
/* The statements of THREAD in a block of its own. They find the address of location K, in .global
 * space, in %loc<K> (64 bits), and store the registers that the test observes to [%out + 4 * index
 * of the observable]. */
void litmus_ptx_body(const struct litmus_ptx *p, uint32_t thread, struct text *out);
/* A PTX file that runs one instance, with its //@ lines: variables m<K> are the locations, o<K> the
 * observables that are registers. */
void litmus_ptx_file(const struct litmus_ptx *p, struct text *out);

#endif
