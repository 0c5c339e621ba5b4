/* tensormap.replace and tensormap.cp_fenceproxy: they change a tensor map in memory.
 * (PTX ISA 9.7.10.29, 9.7.15.17) */
#include "arith/tensor_map.h"
#include "interp/memory/undefined.h"
#include "interp/state/exec.h"
#include "interp/state/weak_memory.h"
#include "interp/sync/gather.h"
#include "interp/sync/tensor.h"
#include <string.h>

static void image_store(struct warp *w, const struct op *op, unsigned lane,
	const struct sync_place *p, const unsigned char *image)
{
	for (unsigned k = 0; k < TENSOR_IMAGE; k += 8) {
		uint64_t v;

		memcpy(&v, image + k, 8);
		element_store(p->host + k, v, 8, __ATOMIC_RELAXED);
	}
	weak_memory_overwritten(w->machine, p->host, TENSOR_IMAGE);
	if (p->defined)
		memset(p->defined, 0xff, TENSOR_IMAGE);
	w->effect = 1;
	w->worker->stats.bytes_stored[access_space_index(p->space)] += TENSOR_IMAGE;
	tensor_report(w, op, lane, p, true);
}

static void image_load(struct warp *w, const struct op *op, unsigned lane,
	const struct sync_place *p, unsigned char *image)
{
	for (unsigned k = 0; k < TENSOR_IMAGE; k += 8) {
		uint64_t v = element_load(p->host + k, 8, __ATOMIC_RELAXED);

		memcpy(image + k, &v, 8);
	}
	tensor_report(w, op, lane, p, false);
}

static bool image_reach(struct warp *w, const struct op *op, unsigned lane,
	const struct op_address *a, unsigned how, struct sync_place *p)
{
	if (w->frame->defined && a->width)
		undefined_use(w, op, 1u << lane, a->place, "used as the address of a tensor map");
	return sync_reach(w, op, lane, a->space, sync_address_of(w, a, lane), TENSOR_IMAGE,
		TENSOR_ALIGN, how, p);
}

/* Whether VALUE is one that the field can have. */
static bool field_takes(const struct op_tensor_image *x, uint64_t value)
{
	switch ((enum tensor_field)x->field) {
	case FIELD_ADDRESS: return value % 16 == 0;
	case FIELD_RANK: return (uint32_t)value < TENSOR_DIMS;
	case FIELD_BOX: return (uint32_t)value - 1 < 256;
	case FIELD_STRIDE: return value % 16 == 0 && !(value >> 40);
	case FIELD_STEP: return (uint32_t)value - 1 < 8;
	case FIELD_DIM:
	case FIELD_TYPE:
	case FIELD_INTERLEAVE:
	case FIELD_SWIZZLE:
	case FIELD_ATOM:
	case FIELD_FILL: break;
	}
	return true;
}

enum flow exec_tensor_replace(struct warp *w, const struct op *op, uint32_t mask)
{
	const struct op_tensor_image *x = op->image;

	if (w->frame->defined)
		undefined_use(w, op, mask, op->at[0], "given to tensormap.replace");
	FOR_LANES(lane, mask) {
		uint64_t value = op_value(w, op, 0, lane);
		unsigned char image[TENSOR_IMAGE];
		struct sync_place p;

		if (!image_reach(w, op, lane, &x->at, ACCESS_READ | ACCESS_WRITE, &p))
			return FLOW_STOP;
		if (x->field == FIELD_STRIDE && x->ordinal > TENSOR_DIMS - 2)
			return fault(w, op, lane, DIAG_S0312,
				"a tensor of %d dimensions has %d strides", TENSOR_DIMS,
				TENSOR_DIMS - 1);
		if (!field_takes(x, value))
			return fault(w, op, lane, DIAG_S0312,
				"0x%llx is no value of this field of a tensor map",
				(unsigned long long)value);
		image_load(w, op, lane, &p, image);
		tensor_image_replace(image, (enum tensor_field)x->field, x->ordinal, value);
		image_store(w, op, lane, &p, image);
	}
	return FLOW_NEXT;
}

enum flow exec_tensor_publish(struct warp *w, const struct op *op, uint32_t mask)
{
	const struct op_tensor_image *x = op->image;
	unsigned lane = lane_first(mask);
	unsigned char image[TENSOR_IMAGE];
	struct sync_place to, from;

	if (!warp_together(w, op))
		return FLOW_SWITCH;
	if (mask != UINT32_MAX && sync_checks(w))
		finding(w, op, lane, DIAG_S0110,
			"only %d of the 32 lanes of warp %u execute this instruction together",
			__builtin_popcount(mask), w->index);
	if (!image_reach(w, op, lane, &x->from, ACCESS_READ, &from) ||
		!image_reach(w, op, lane, &x->at, ACCESS_WRITE, &to))
		return FLOW_STOP;
	image_load(w, op, lane, &from, image);
	image_store(w, op, lane, &to, image);
	return FLOW_NEXT;
}
