/* Random PTX kernels of 2 to 4 threads over a few words: every order and scope, fences, atoms,
 * dependencies, barriers, threads in lanes, warps, CTAs and clusters. Each has the //@ lines that
 * launch it and observe every register and word. */
#ifndef PTXI_TESTS_RANDOM_KERNEL_H
#define PTXI_TESTS_RANDOM_KERNEL_H
#include "base/rng.h"
#include "base/text.h"

/* A whole .ptx file. */
void random_kernel(struct rng *r, struct text *out);
/* The same, of threads that share data by flags, locks, counters and barriers: many are without a
 * race. */
void random_protocol(struct rng *r, struct text *out);
/* Two threads that copy asynchronously, and wait or do not. (random_copies.c) */
void random_copies(struct rng *r, struct text *out);

#endif
