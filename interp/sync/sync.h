/* What the synchronisation instructions share: one address per lane, byte ranges of any length
 * in shared or global memory, and the switch between an operation's issue and its completion. */
#ifndef PTXI_INTERP_SYNC_H
#define PTXI_INTERP_SYNC_H
#include "interp/memory/access.h"
#include "interp/state/cluster.h"

/* A byte range named by an instruction. */
struct sync_place {
	uint16_t space;   /* W_shared or W_global */
	struct cta *cta;  /* shared memory: the CTA that owns it */
	uint32_t offset;  /* shared memory: in that CTA's window */
	uint64_t address; /* as the instruction gave it */
	uint8_t *host, *defined;
};
/* The address of lane LANE. */
uint64_t sync_address_of(const struct warp *w, const struct op_address *a, unsigned lane);
/* Resolves N >= 1 bytes at ADDRESS, which must be a multiple of ALIGN; HOW is a set of the
 * ACCESS_ flags of access.h. False after a fault. */
bool sync_reach(struct warp *w, const struct op *op, unsigned lane, uint16_t space,
	uint64_t address, uint64_t n, unsigned align, unsigned how, struct sync_place *p);

/* The address of P in its state space. */
static inline uint64_t sync_window_address(const struct sync_place *p)
{
	return p->space == W_shared ? MEMORY_RANK_BITS(p->cta->cluster_rank) + p->offset
				    : p->address;
}

/* Lane LANE has written N bytes at P, in shared memory: observers are told, EACH bytes at a time.
 */
void sync_written(struct warp *w, const struct op *op, unsigned lane, const struct sync_place *p,
	uint64_t n, unsigned each);

/* N bytes at the same offset as P in the shared memory of the CTA of rank RANK. */
bool sync_reach_in_cta(struct warp *w, const struct op *op, unsigned lane,
	const struct sync_place *p, uint32_t rank, uint64_t n, struct sync_place *out);
/* Checks the ctaMask RANKS of lane LANE. False after a fault: it names CTAs that do not exist. */
bool sync_ranks_exist(struct warp *w, const struct op *op, unsigned lane, uint32_t ranks);

/* The low 32 bits of operand I in lane LANE. */
static inline uint32_t sync_value(
	const struct warp *w, const struct op *op, unsigned i, unsigned lane)
{
	return (uint32_t)op_value(w, op, i, lane);
}
/* An operation that completes after its instruction: between the two calls, faults and findings
 * of W leave out the call chain, because W has moved on. NOWHERE is a frame without a
 * caller, of which only user_call is set. sync_detach() returns the frame to pass to
 * sync_attach(). */
struct frame *sync_detach(struct warp *w, struct frame *nowhere);
void sync_attach(struct warp *w, struct frame *f);

#endif
