/* Translates the threads of a litmus test to PTX and places them in CTAs and clusters, both for a
 * single instance on the interpreter and for the hardware harness. */
#ifndef PTXI_SCRIPT_LITMUS_PTX_H
#define PTXI_SCRIPT_LITMUS_PTX_H
#include "base/arena.h"
#include "base/text.h"
#include "parser/litmus.h"

/* Where a thread runs, counted from 0: its GPU, the cluster in the GPU, the CTA in the cluster and
 * the warp in the CTA. */
struct litmus_seat {
	uint32_t gpu, cluster, rank, warp;
};

struct litmus_ptx {
	const struct litmus_test *test;
	const char *lacks;        /* what the test needs that PTX cannot express, or NULL */
	unsigned version, target; /* required PTX version and target: 60 (6.0), 70 (sm_70) */
	struct litmus_seat *seat; /* [nthreads] */
	/* GPUs, and the maximum of clusters per GPU, CTAs per cluster and warps per CTA */
	uint32_t gpus, clusters, ranks, warps;
	/* a CTA uses PTX barriers 0..nbarriers-1; every lane of a warp must reach each of them */
	uint32_t nbarriers;
	const struct litmus_barrier *barrier;
};

/* Fills P; memory comes from ARENA. */
void litmus_ptx_begin(struct litmus_ptx *p, const struct litmus_test *test, struct arena *arena);
/* Appends the statements of THREAD as a block. They expect the .global address of location K in
 * %loc<K> (64 bits), and store the registers that the test observes to [%out + 4 * index of the
 * observable]. */
void litmus_ptx_body(const struct litmus_ptx *p, uint32_t thread, struct text *out);
/* Appends a PTX file with directives that runs one instance. Variables m<K> are the locations;
 * elements o[K] are the observed registers. */
void litmus_ptx_file(const struct litmus_ptx *p, struct text *out);

#endif
