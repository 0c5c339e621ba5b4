/* Decoding of asynchronous copies: cp.async, bulk copies, the groups of both, st.async, red.async,
 * st.bulk. (PTX ISA 9.7.10.28) */
#include "base/assert.h"
#include "code/decode.h"

static unsigned has_hint(const struct decoder *d) { return decode_has(d, W_L2__cache_hint); }

static struct op_async_operands *operands_new(struct decoder *d)
{
	return ARENA_NEW(d->arena, struct op_async_operands);
}

static void async_group(struct decoder *d, const struct ir_insn *i, bool bulk)
{
	struct op *op = decode_emit(
		d, decode_has(d, W_commit_group) ? KIND_COMMIT_GROUP : KIND_WAIT_GROUP);

	op->group.bulk = bulk;
	op->group.all = decode_has(d, W_wait_all);
	op->group.read = decode_has(d, W_read);
	op->group.keep = i->noperands ? (uint32_t)decode_operand(d, i, 0)->value : 0;
}

void decode_cp_async(struct decoder *d, const struct ir_insn *i)
{
	struct op_async_operands *x;
	const struct ir_operand *o = NULL;
	unsigned width = 4;
	uint32_t place = 0;
	struct op *op;

	if (decode_has(d, W_commit_group) || decode_has(d, W_wait_group) ||
		decode_has(d, W_wait_all)) {
		async_group(d, i, false);
		return;
	}
	x = operands_new(d);
	if (decode_has(d, W_mbarrier)) {
		x->bar = decode_op_address(d, decode_operand(d, i, 0),
			decode_has(d, W_shared) || decode_has(d, W_shared__cta) ? W_shared
										: W_NONE);
		x->bar.own = true;
		op = decode_emit(d, KIND_CP_ASYNC_ARRIVE);
		op->async = (struct op_async){.operands = x,
			.noinc = decode_has(d, W_noinc),
			.sem = SEM_RELEASE,
			.scope = SCOPE_CTA,
			.atomic = ATOMIC_NONE};
		return;
	}
	x->to = decode_op_address(d, decode_operand(d, i, 0), W_shared);
	x->to.own = true;
	x->from = decode_op_address(d, decode_operand(d, i, 1), W_global);
	if (i->noperands - has_hint(d) > 3) {
		o = decode_operand(d, i, 3);
		if (o->kind == IR_REG && !decode_reg_width(d, o->index))
			width = 0;
		place = decode_source(d, o, &width);
	}
	op = decode_emit(d, KIND_CP_ASYNC);
	op->async = (struct op_async){.operands = x,
		.bytes = (uint8_t)decode_operand(d, i, 2)->value,
		.atomic = ATOMIC_NONE,
		.source = !o    ? CP_WHOLE
			: width ? CP_SIZE
				: CP_IGNORE};
	if (o)
		decode_add(op, place, width);
}

static bool is_bulk_store(const struct decoder *d) { return decode_has(d, W_bulk_group); }

/* The destination and source state spaces are .shared::cluster.global, .shared::cta.global,
 * .shared::cluster.shared::cta or .global.shared::cta. */
static void bulk_addresses(struct decoder *d, const struct ir_insn *i, struct op_async_operands *x)
{
	bool store = is_bulk_store(d), load = !store && decode_has(d, W_global);

	x->to = decode_op_address(d, decode_operand(d, i, 0), store ? W_global : W_shared);
	x->from = decode_op_address(d, decode_operand(d, i, 1), load ? W_global : W_shared);
	if (!store)
		x->bar = decode_op_address(
			d, decode_operand(d, i, decode_has(d, W_ignore_oob) ? 5 : 3), W_shared);
	if (load && decode_has(d, W_shared__cta))
		x->to.own = x->bar.own = true;
	x->from.own = !load; /* the source .shared::cta */
}

static void st_bulk(struct decoder *d, const struct ir_insn *i)
{
	struct op_async_operands *x = operands_new(d);
	unsigned width = 8;
	uint32_t size = decode_source(d, decode_operand(d, i, 1), &width);
	struct op *op;

	x->to = decode_op_address(
		d, decode_operand(d, i, 0), decode_has(d, W_shared__cta) ? W_shared : W_NONE);
	x->to.own = true;
	op = decode_emit(d, KIND_ST_BULK);
	op->async = (struct op_async){.operands = x, .atomic = ATOMIC_NONE};
	decode_add(op, size, width);
}

/* Sets the operation, type and element size of a reduction. */
static void set_reduction(const struct decoder *d, struct op_async *a)
{
	enum type t = decode_type(d);

	a->atomic = (uint8_t)decode_atomic_operation(d);
	a->type = (uint8_t)t;
	a->bytes = (uint8_t)type_bytes(t);
}

void decode_bulk(struct decoder *d, const struct ir_insn *i)
{
	bool wide = decode_has(d, W_multicast__cluster__32b),
	     multicast = wide || decode_has(d, W_multicast__cluster) ||
		decode_has(d, W_multicast__cluster__16b),
	     masked = decode_has(d, W_cp_mask), ignores = decode_has(d, W_ignore_oob);
	unsigned width = 4, mw = wide || ignores ? 4 : 2, rw = 4;
	struct op_async_operands *x;
	uint32_t size, mask = 0, right = 0;
	struct op *op;

	if (decode_has(d, W_commit_group) || decode_has(d, W_wait_group)) {
		async_group(d, i, true);
		return;
	}
	if (decode_has(d, W_prefetch)) { /* only a hint */
		decode_emit(d, KIND_NOTHING);
		return;
	}
	if (ir_form(i)->opcode == OP_st) {
		st_bulk(d, i);
		return;
	}
	x = operands_new(d);
	bulk_addresses(d, i, x);
	size = decode_source(d, decode_operand(d, i, 2), &width);
	if (multicast)
		mask = decode_source(d, decode_operand(d, i, 4), &mw);
	else if (masked)
		mask = decode_source(d, decode_operand(d, i, i->noperands - 1u), &mw);
	if (ignores) {
		mask = decode_source(d, decode_operand(d, i, 3), &mw);
		right = decode_source(d, decode_operand(d, i, 4), &rw);
	}
	op = decode_emit(d, KIND_BULK);
	op->async = (struct op_async){.operands = x,
		.signals = !is_bulk_store(d),
		.multicast = multicast,
		.wide = wide,
		.masked = masked,
		.ignores = ignores,
		.reports = (uint8_t)decode_validity(d),
		.sem = SEM_RELAXED,
		.scope = SCOPE_CLUSTER,
		.strong = decode_has(d, W_relaxed) && !decode_has(d, W_reduce),
		.data_scope = (uint8_t)decode_scope(d, SCOPE_SYS),
		.atomic = ATOMIC_NONE};
	decode_add(op, size, width);
	if (multicast || masked || ignores)
		decode_add(op, mask, mw);
	if (ignores)
		decode_add(op, right, rw);
	if (decode_has(d, W_reduce))
		set_reduction(d, &op->async);
}

static void async_value(struct decoder *d, const struct ir_insn *i, bool red)
{
	bool signals = decode_has(d, W_mbarrier__complete_tx__bytes);
	const struct ir_operand *v = decode_operand(d, i, 1), *e = v;
	unsigned n = 1, bytes = type_bytes(decode_type(d));
	struct op_async_operands *x = operands_new(d);
	struct op *op;

	x->to = decode_op_address(d, decode_operand(d, i, 0),
		signals                           ? W_shared
			: decode_has(d, W_global) ? W_global
						  : W_NONE);
	if (signals)
		x->bar = decode_op_address(d, decode_operand(d, i, 2), W_shared);
	if (v->kind == IR_VEC) {
		e = &d->module->operand[v->index];
		n = v->count;
	}
	assert(n <= 4);
	for (unsigned k = 0; k < n; k++) {
		unsigned width = bytes;

		x->place[k] = decode_source(d, &e[k], &width);
		x->width[k] = (uint8_t)width;
	}
	op = decode_emit(d, KIND_ASYNC_VALUE);
	op->async = (struct op_async){.operands = x,
		.atomic = ATOMIC_NONE,
		.signals = signals,
		.sem = signals ? SEM_RELAXED : SEM_RELEASE,
		.scope = decode_has(d, W_sys)  ? SCOPE_SYS
			: decode_has(d, W_gpu) ? SCOPE_GPU
					       : SCOPE_CLUSTER};
	if (red)
		set_reduction(d, &op->async);
	op->async.bytes = (uint8_t)bytes;
	op->async.vector = (uint8_t)n;
}

void decode_st_async(struct decoder *d, const struct ir_insn *i) { async_value(d, i, false); }

void decode_red_async(struct decoder *d, const struct ir_insn *i) { async_value(d, i, true); }
