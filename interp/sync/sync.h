/* What the synchronisation instructions share: several addresses an instruction, places of any
 * length in shared or global memory, findings of --check=sync. */
#ifndef PTXI_INTERP_SYNC_H
#define PTXI_INTERP_SYNC_H
#include "interp/memory/access.h"
#include "interp/state/cluster.h"

/* Bytes that an instruction names. */
struct sync_place {
	uint16_t space;   /* W_shared or W_global */
	struct cta *cta;  /* shared: whose */
	uint32_t offset;  /* shared: in that CTA's memory */
	uint64_t address; /* as given */
	uint8_t *host, *defined;
};
/* The address of lane LANE. */
uint64_t sync_address_of(const struct warp *w, const struct op_address *a, unsigned lane);
/* N >= 1 bytes at ADDRESS, a multiple of ALIGN; HOW as access.h has it. False after a fault. */
bool sync_reach(struct warp *w, const struct op *op, unsigned lane, uint16_t space,
	uint64_t address, uint64_t n, unsigned align, unsigned how, struct sync_place *p);

/* Value of operand I of lane LANE, 32 bits. */
static inline uint32_t sync_value(
	const struct warp *w, const struct op *op, unsigned i, unsigned lane)
{
	return (uint32_t)op_value(w, op, i, lane);
}
/* While LANDING, faults and findings name an instruction that W is no longer at: its calls are not
 * told. Returns what to hand to the second. */
struct frame *sync_detach(struct warp *w);
void sync_attach(struct warp *w, struct frame *f);

#endif
