/* Moving values: zero-extension and truncation, packing and unpacking, predicate complement,
 * addresses of variables. */
#include "code/window.h"
#include "interp/state/exec.h"
#include <string.h>

/* Zero-extends or truncates from any width to any width. */
enum flow exec_resize(struct warp *w, const struct op *op, uint32_t mask)
{
	unsigned char *to = op_lanes(w, op, 0);
	const unsigned char *from = op_lanes(w, op, 1);
	unsigned tw = op->width[0], fw = op->width[1], n = tw < fw ? tw : fw;

	FOR_LANES(lane, mask) {
		memcpy(to + lane * tw, from + lane * fw, n);
		if (n < tw)
			memset(to + lane * tw + n, 0, tw - n);
	}
	return FLOW_NEXT;
}

/* Concatenates the sources, the first in the low bits, and splits the result among the
 * destinations: mov.b64 d, {a, b}, mov.b64 {a, b}, s, mov.v2 {a, b}, {c, d}. */
enum flow exec_regroup(struct warp *w, const struct op *op, uint32_t mask)
{
	FOR_LANES(lane, mask) {
		unsigned char value[16] = {0}; /* a copy: a source may also be a destination */
		unsigned at = 0;

		for (unsigned k = op->ndests; k < op->noperands; at += op->width[k++])
			memcpy(value + at,
				(const unsigned char *)op_lanes(w, op, k) + lane * op->width[k],
				op->width[k]);
		at = 0;
		for (unsigned k = 0; k < op->ndests; at += op->width[k++])
			memcpy((unsigned char *)op_lanes(w, op, k) + lane * op->width[k],
				value + at, op->width[k]);
	}
	return FLOW_NEXT;
}

/* Packs two 32-bit halves into a 64-bit register. */
enum flow exec_pack2(struct warp *w, const struct op *op, uint32_t mask)
{
	uint64_t *to = op_lanes(w, op, 0);
	const uint32_t *low = op_lanes(w, op, 1), *high = op_lanes(w, op, 2);

	if (mask == UINT32_MAX)
		EVERY_LANE(lane)
			to[lane] = (uint64_t)high[lane] << 32 | low[lane];
	else
		FOR_LANES(lane, mask)
			to[lane] = (uint64_t)high[lane] << 32 | low[lane];
	return FLOW_NEXT;
}

enum flow exec_unpack2(struct warp *w, const struct op *op, uint32_t mask)
{
	uint32_t *low = op_lanes(w, op, 0), *high = op_lanes(w, op, 1);
	const uint64_t *from = op_lanes(w, op, 2);

	if (mask == UINT32_MAX)
		EVERY_LANE(lane) {
			low[lane] = (uint32_t)from[lane];
			high[lane] = (uint32_t)(from[lane] >> 32);
		}
	else
		FOR_LANES(lane, mask) {
			uint64_t value = from[lane];

			low[lane] = (uint32_t)value;
			high[lane] = (uint32_t)(value >> 32);
		}
	return FLOW_NEXT;
}

enum flow exec_complement(struct warp *w, const struct op *op, uint32_t mask)
{
	uint32_t *to = op_lanes(w, op, 0);
	const uint32_t *from = op_lanes(w, op, 1);

	*to = (*to & ~mask) | (~*from & mask);
	return FLOW_NEXT;
}

/* The address of a variable in the frame or in dynamic shared memory, which begins at the end of
 * the kernel's static shared memory. */
enum flow exec_address(struct warp *w, const struct op *op, uint32_t mask)
{
	uint64_t base = op->address.dynamic
		? w->cta->launch->code->shared_end + MEMORY_RANK_BITS(w->cta->cluster_rank)
		: w->frame->local_base,
		 value = base + (uint64_t)op->address.offset;
	unsigned char *to = op_lanes(w, op, 0);
	unsigned width = op->width[0];

	FOR_LANES(lane, mask)
		memcpy(to + lane * width, &value, width);
	return FLOW_NEXT;
}

/* createpolicy: an opaque value, equal for equal policies. */
enum flow exec_policy(struct warp *w, const struct op *op, uint32_t mask)
{
	FOR_LANES(lane, mask)
		op_set(w, op, 0, lane, op->policy.value);
	return FLOW_NEXT;
}
