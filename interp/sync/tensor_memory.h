/* Tensor memory: of each CTA, 128 lanes of 512 columns of 32 bits, which warps allocate by columns.
 * (PTX ISA 9.7.18.1)
 *
 * Operations take effect when they are issued. What --check=sync knows of them is here: which are
 * complete, and which a fence and a synchronisation have ordered before later ones. It is lenient
 * as async_check.c is: every synchronisation of the CTA counts. */
#ifndef PTXI_INTERP_TENSOR_MEMORY_H
#define PTXI_INTERP_TENSOR_MEMORY_H
#include "arith/tensor_core.h"
#include "interp/state/keeper.h"
#include "interp/state/state.h"

struct tcgen_memory;
struct copy;

extern const struct keeper tcgen_memory_keeper;
struct tcgen_memory *tcgen_memory_of(struct cta *c);
/* The cell of LANE and COLUMN; and its undefined bits (--check=init). */
uint32_t *tcgen_cell(struct tcgen_memory *t, unsigned lane, unsigned column);
uint32_t *tcgen_undefined(struct tcgen_memory *t, unsigned lane, unsigned column);
/* The product of form F, made once. */
const struct warpgroup_product *tcgen_product(struct cta *c, const struct matrix_form *f);

/* Columns were allocated (at *COLUMN): false if there is no room. */
bool tcgen_allocate(
	struct warp *w, const struct op *op, unsigned n, bool exclusive, uint32_t *column);
/* Frees the allocation at ADDRESS; findings say why it cannot be. */
void tcgen_free(struct warp *w, const struct op *op, unsigned lane, uint32_t address, unsigned n);
void tcgen_relinquish(struct warp *w);
/* All instructions of a kernel have the same .cta_group; .cta_group::2 has a peer. NULL after a
 * fault; otherwise the peer of W's CTA, or W's CTA itself (.cta_group::1). */
struct cta *tcgen_peer(struct warp *w, const struct op *op, unsigned lane, bool pair);
/* The CTA ends: what is still allocated. */
void tcgen_at_exit(struct cta *c);

/* A new operation of lane LANE, for tcgen_access(). */
uint32_t tcgen_operation(struct warp *w, const struct op *op, unsigned lane, uint32_t signature);
/* It accesses LANES lanes from FIRST on (multiples of 16) and N columns from COLUMN on in C, which
 * is W's CTA or its peer. False after a fault: they are not allocated. */
bool tcgen_access(struct warp *w, const struct op *op, unsigned lane, struct cta *c,
	uint32_t operation, unsigned first, unsigned lanes, unsigned column, unsigned n,
	bool writes);
/* Part P of C, an operation of tcgen05, is complete. */
void tcgen_landed(const struct copy *c, uint32_t operation);
/* wait::ld, wait::st; the fences. */
void tcgen_waits(struct warp *w, unsigned what);
void tcgen_fence(struct warp *w, bool before);

#endif
