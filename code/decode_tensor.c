/* Decoding of copies through tensor maps, and of the instructions that change a map.
 * (PTX ISA 9.7.10.28.5, 9.7.10.29, 9.7.15.17) */
#include "arith/tensor_map.h"
#include "base/assert.h"
#include "code/decode.h"

/* The elements of list O, or O itself; at most MOST. Returns their number. */
static uint8_t list_places(struct decoder *d, const struct ir_operand *o, unsigned most,
	uint32_t *place, uint8_t *width)
{
	const struct ir_operand *e = o;
	unsigned n = 1, bytes = most > 3 ? 4 : 2; /* of a constant */

	if (o->kind == IR_VEC) {
		e = &d->module->operand[o->index];
		n = o->count;
	}
	assert(n <= most);
	for (unsigned k = 0; k < n; k++) {
		unsigned w = bytes;

		place[k] = decode_source(d, &e[k], &w);
		width[k] = (uint8_t)w;
	}
	return (uint8_t)n;
}

static uint8_t dims_of(const struct decoder *d)
{
	static const uint16_t words[] = {W_1d, W_2d, W_3d, W_4d, W_5d};

	for (unsigned k = 0; k < 5; k++)
		if (decode_has(d, (enum word)words[k]))
			return (uint8_t)(k + 1);
	never();
}

static enum tensor_mode mode_of(const struct decoder *d)
{
	if (decode_has(d, W_tile__gather4) || decode_has(d, W_tile__scatter4))
		return TENSOR_FOUR;
	if (decode_has(d, W_im2col) || decode_has(d, W_im2col_no_offs))
		return TENSOR_IM2COL;
	if (decode_has(d, W_im2col__w) || decode_has(d, W_im2col_no_offs__w))
		return TENSOR_W;
	return decode_has(d, W_im2col__w__128) ? TENSOR_W128 : TENSOR_TILE;
}

/* The values between the map and the coordinates. */
static void put_overrides(struct decoder *d, const struct ir_operand *map, struct op_tensor *t)
{
	const struct ir_operand *list = ir_further(map), *o = &d->module->operand[list->index];
	unsigned width = 8;

	if (!decode_has(d, W_override__global_address))
		return;
	t->overrides = list->count > 2 ? 2 : 1;
	t->address = decode_source(d, &o[0], &width);
	t->address_width = (uint8_t)width;
	if (t->overrides == 1)
		return;
	list_places(d, &o[1], 5, t->size, t->size_width);
	if (t->dims == 1)
		return;
	list_places(d, &o[2], 4, t->stride, t->stride_width);
	width = 2;
	t->upper_strides = decode_source(d, &o[3], &width);
	t->upper_width = (uint8_t)width;
}

void decode_tensor(struct decoder *d, const struct ir_insn *i)
{
	bool store = decode_has(d, W_bulk_group), offsets,
	     wide = decode_has(d, W_multicast__cluster__32b),
	     multicast = wide || decode_has(d, W_multicast__cluster) ||
		decode_has(d, W_multicast__cluster__16b);
	const struct ir_operand *map = decode_operand(d, i, store ? 0 : 1), *list;
	struct op_async_operands *x;
	struct op_tensor *t;
	unsigned width = wide ? 4 : 2;
	uint32_t mask = 0;
	struct op *op;

	/* only hints */
	if (decode_has(d, W_prefetch) || ir_form(i)->opcode == OP_applypriority) {
		decode_emit(d, KIND_NOTHING);
		return;
	}
	x = ARENA_NEW(d->all->arena, struct op_async_operands);
	t = ARENA_NEW(d->all->arena, struct op_tensor);
	x->tensor = t;
	t->store = store;
	t->dims = dims_of(d);
	t->mode = (uint8_t)mode_of(d);
	t->pair = decode_has(d, W_cta_group__2);
	offsets = !store && tensor_mode_unrolls((enum tensor_mode)t->mode);
	t->map = decode_op_address(d, map, W_NONE);
	list = ir_further(map);
	t->nat = list_places(
		d, &d->module->operand[list->index + list->count - 1u], 5, t->at, t->at_width);
	put_overrides(d, map, t);
	if (offsets)
		t->noffset = list_places(d, decode_operand(d, i, 3), 3, t->offset, t->offset_width);
	if (store) {
		x->from = decode_op_address(d, decode_operand(d, i, 1), W_shared);
		x->from.own = true;
	} else {
		x->to = decode_op_address(d, decode_operand(d, i, 0), W_shared);
		x->bar = decode_op_address(d, decode_operand(d, i, 2), W_shared);
		x->to.own = x->bar.own = decode_has(d, W_shared__cta);
	}
	if (multicast)
		mask = decode_source(d, decode_operand(d, i, offsets ? 4 : 3), &width);
	op = decode_emit(d, KIND_TENSOR);
	op->async = (struct op_async){.operands = x,
		.signals = !store,
		.multicast = multicast,
		.wide = wide,
		.reports = (uint8_t)decode_validity(d),
		.sem = SEM_RELAXED,
		.scope = SCOPE_CLUSTER,
		.data_scope = SCOPE_GPU,
		.atomic = ATOMIC_NONE};
	if (decode_has(d, W_reduce))
		op->async.atomic = (uint8_t)decode_atomic_operation(d);
	if (multicast)
		decode_add(op, mask, width);
}

static enum tensor_field field_of(const struct decoder *d)
{
	static const uint16_t words[] = {[FIELD_ADDRESS] = W_global_address,
		[FIELD_RANK] = W_rank,
		[FIELD_BOX] = W_box_dim,
		[FIELD_DIM] = W_global_dim,
		[FIELD_STRIDE] = W_global_stride,
		[FIELD_STEP] = W_element_stride,
		[FIELD_TYPE] = W_elemtype,
		[FIELD_INTERLEAVE] = W_interleave_layout,
		[FIELD_SWIZZLE] = W_swizzle_mode,
		[FIELD_ATOM] = W_swizzle_atomicity,
		[FIELD_FILL] = W_fill_mode};

	for (unsigned k = 0; k < sizeof words / sizeof *words; k++)
		if (decode_has(d, (enum word)words[k]))
			return (enum tensor_field)k;
	never();
}

/* tensormap.cp_fenceproxy: a copy, then a release fence. */
static void publish(struct decoder *d, const struct ir_insn *i)
{
	struct op_tensor_image *x = ARENA_NEW(d->all->arena, struct op_tensor_image);
	struct op *op;

	x->at = decode_op_address(d, decode_operand(d, i, 0), W_global);
	x->from = decode_op_address(d, decode_operand(d, i, 1), W_shared);
	op = decode_emit(d, KIND_TENSOR_PUBLISH);
	op->image = x;
	op = decode_emit(d, KIND_FENCE);
	op->fence.sem = SEM_RELEASE;
	op->fence.scope = (uint8_t)decode_scope(d, SCOPE_GPU);
	op->fence.one_way = true;
}

void decode_tensormap(struct decoder *d, const struct ir_insn *i)
{
	struct op_tensor_image *x;
	unsigned width = 8;
	uint32_t value;
	struct op *op;

	if (decode_has(d, W_cp_fenceproxy)) {
		publish(d, i);
		return;
	}
	x = ARENA_NEW(d->all->arena, struct op_tensor_image);
	x->field = (uint8_t)field_of(d);
	x->at = decode_op_address(d, decode_operand(d, i, 0),
		decode_has(d, W_shared__cta)      ? W_shared
			: decode_has(d, W_global) ? W_global
						  : W_NONE);
	if (i->noperands > 2)
		x->ordinal = (uint8_t)decode_operand(d, i, 1)->value;
	value = decode_source(d, decode_operand(d, i, i->noperands - 1u), &width);
	op = decode_emit(d, KIND_TENSOR_REPLACE);
	op->image = x;
	decode_add(op, value, width);
}
