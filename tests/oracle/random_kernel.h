/* Random PTX kernels of 2 to 4 threads on a few words: every order and scope, fences, atoms,
 * dependencies, barriers, threads in lanes, warps, CTAs and clusters. Each has the //@ lines that
 * launch it and observe every register and word. */
#ifndef PTXI_TESTS_RANDOM_KERNEL_H
#define PTXI_TESTS_RANDOM_KERNEL_H
#include "base/rng.h"
#include "base/text.h"

/* A whole .ptx file. */
void random_kernel(struct rng *r, struct text *out);
/* The same, with threads that share data by flags, locks, counters and barriers; many have no
 * race. */
void random_protocol(struct rng *r, struct text *out);
/* Two threads with asynchronous copies, with and without waits for them. (random_copies.c) */
void random_copies(struct rng *r, struct text *out);

#endif
