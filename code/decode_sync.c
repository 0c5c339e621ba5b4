/* Decoding of fences, barrier.cluster, mbarriers, and the instructions for clusters and grids. */
#include "base/assert.h"
#include "code/decode.h"

/* --- fences (PTX ISA 9.7.15.4) --- */

static void proxy_fence(struct decoder *d, bool one_way)
{
	struct op *op = decode_emit(d, KIND_PROXY_FENCE);
	struct op_fence *f = &op->fence;
	bool async = decode_has(d, W_async),
	     one = decode_has(d, W_shared__cta) || decode_has(d, W_shared__cluster),
	     global = decode_has(d, W_global);

	f->proxy = decode_has(d, W_alias) ? FENCE_ALIAS : async ? FENCE_ASYNC : FENCE_OTHER;
	f->one_way = one_way;
	f->clusters = decode_has(d, W_shared__cluster);
	if (async && (global || !one))
		f->covers |= PROXY_GLOBAL;
	/* ::read: what was read may be overwritten; stores are not made visible */
	if ((async && !global) ||
		(decode_has(d, W_async__generic) &&
			!decode_has(d, W_sync_restrict__shared__cluster__read)))
		f->covers |= PROXY_SHARED;
}

/* fence.proxy.tensormap::generic.acquire [a], 128 */
static void tensor_map_fence(struct decoder *d, const struct ir_insn *i)
{
	struct op_address *map = ARENA_NEW(d->all->arena, struct op_address);
	struct op *op;

	*map = decode_op_address(d, decode_operand(d, i, 0), W_NONE);
	op = decode_emit(d, KIND_PROXY_FENCE);
	op->fence.proxy = FENCE_OTHER;
	op->fence.one_way = true;
	op->fence.covers = PROXY_TENSOR_MAP;
	op->fence.map = map;
}

void decode_fence(struct decoder *d, const struct ir_insn *i)
{
	bool membar = ir_form(i)->opcode == OP_membar;
	bool one_way = decode_has(d, W_tensormap__generic) || decode_has(d, W_async__generic) ||
		decode_has(d, W_sync_restrict__shared__cta) ||
		decode_has(d, W_sync_restrict__shared__cluster);

	/* .alias.release, .async::generic.release: a proxy fence, then a release fence; .acquire:
	 * after an acquire fence. The fence orders accesses of two proxies only; here, all. */
	bool proxy = decode_has(d, W_proxy), release = decode_has(d, W_release),
	     both = (decode_has(d, W_alias) || decode_has(d, W_async__generic)) &&
		(release || decode_has(d, W_acquire));

	if (decode_has(d, W_tensormap__generic) && i->noperands) {
		tensor_map_fence(d, i);
		return;
	}
	if (decode_has(d, W_generic__fabric) || decode_has(d, W_fabric__generic) ||
		decode_has(d, W_fabric__fabric)) { /* there are no accesses of the fabric's proxy */
		struct op *none = decode_emit(d, KIND_PROXY_FENCE);

		none->fence.proxy = FENCE_OTHER;
		none->fence.one_way = true;
		return;
	}
	if (proxy && (!both || release))
		proxy_fence(d, one_way);
	if (proxy && !both)
		return;
	struct op *op = decode_emit(d, KIND_FENCE);

	op->fence.sem = (uint8_t)decode_sem(d, membar ? SEM_SC : SEM_ACQ_REL);
	op->fence.scope = (uint8_t)decode_scope(d, SCOPE_GPU); /* membar.gl */
	op->fence.init = decode_has(d, W_mbarrier_init);
	op->fence.one_way = one_way;
	if (proxy && !release)
		proxy_fence(d, one_way);
}

/* --- barrier.cluster (9.7.15.3) --- */

void decode_barrier_cluster(struct decoder *d, const struct ir_insn *i)
{
	bool wait = decode_has(d, W_wait);
	struct op *op = decode_emit(d, wait ? KIND_CLUSTER_WAIT : KIND_CLUSTER_ARRIVE);

	(void)i;
	op->cluster.aligned = decode_has(d, W_aligned);
	op->cluster.sem = wait ? SEM_ACQUIRE : decode_has(d, W_relaxed) ? SEM_RELAXED : SEM_RELEASE;
}

/* --- mbarrier (9.7.15.16) --- */

static void pending_count(struct decoder *d, const struct ir_insn *i)
{
	unsigned tw = 4, fw = 8;
	uint32_t from = decode_source(d, decode_operand(d, i, 1), &fw),
		 to = decode_dest(d, decode_operand(d, i, 0), &tw);
	struct op *op = decode_emit(d, KIND_PENDING_COUNT);

	decode_add(op, to, tw);
	decode_add(op, from, fw);
	op->ndests = 1;
}

static enum mbarrier_what mbarrier_operation(const struct decoder *d)
{
	if (decode_has(d, W_arrive) || decode_has(d, W_arrive_drop))
		return MBARRIER_ARRIVE;
	return decode_has(d, W_init)            ? MBARRIER_INIT
		: decode_has(d, W_inval)        ? MBARRIER_INVAL
		: decode_has(d, W_expect_tx)    ? MBARRIER_EXPECT_TX
		: decode_has(d, W_complete_tx)  ? MBARRIER_COMPLETE_TX
		: decode_has(d, W_check_layout) ? MBARRIER_CHECK_LAYOUT
						: MBARRIER_WAIT;
}

/* The memory order when the instruction names none. */
static enum sem default_sem(enum mbarrier_what what)
{
	switch (what) {
	case MBARRIER_INIT:
	case MBARRIER_INVAL:
	case MBARRIER_CHECK_LAYOUT: return SEM_WEAK;
	case MBARRIER_EXPECT_TX:
	case MBARRIER_COMPLETE_TX: return SEM_RELAXED;
	case MBARRIER_ARRIVE: return SEM_RELEASE;
	case MBARRIER_WAIT: return SEM_ACQUIRE;
	}
	return SEM_WEAK;
}

/* Whether the object must be in the executing CTA's own shared memory. SINK: the instruction
 * returns no state. */
static bool requires_own_cta(const struct decoder *d, enum mbarrier_what what, bool sink)
{
	bool named = decode_has(d, W_shared__cta) || decode_has(d, W_shared);

	switch (what) {
	case MBARRIER_INIT:
	case MBARRIER_INVAL:
	case MBARRIER_CHECK_LAYOUT:
	case MBARRIER_WAIT: return true;
	case MBARRIER_EXPECT_TX:
	case MBARRIER_COMPLETE_TX: return named;
	case MBARRIER_ARRIVE: return named || !sink || decode_has(d, W_noComplete);
	}
	return true;
}

/* The number of operands for reportValue. */
static unsigned report_value(
	const struct decoder *d, const struct ir_insn *i, enum mbarrier_what what)
{
	return what == MBARRIER_WAIT && decode_operand(d, i, 1)->kind != IR_ADDR;
}

/* The operand waitComplete, alone or before |reportPredicate. */
static const struct ir_operand *completes(const struct decoder *d, const struct ir_insn *i)
{
	const struct ir_operand *o = decode_operand(d, i, 0);

	return o->kind == IR_PAIR ? &d->module->operand[o->index] : o;
}

/* The payload report of a wait: false and 0, before the wait itself, which may set the predicate.
 * The value stays 0: copies that report change it "in an idempotent way". Returns the place of the
 * predicate, or 0. (9.7.15.16.7) */
static uint32_t no_report(struct decoder *d, const struct ir_insn *i)
{
	const struct ir_operand *o = decode_operand(d, i, 0);
	unsigned width = 0;
	uint32_t predicate = 0;

	if (o->kind == IR_PAIR) {
		uint32_t to = predicate = decode_dest(d, &d->module->operand[o->index + 1], &width);
		struct op *op = decode_emit(d, KIND_COMPLEMENT);

		decode_add(op, to, 0);
		decode_add(op, decode_constant(d, 1, 0), 0);
		op->ndests = 1;
	}
	if (report_value(d, i, MBARRIER_WAIT)) {
		width = 1;
		uint32_t to = decode_dest(d, decode_operand(d, i, 1), &width);

		decode_resize(d, to, width, decode_constant(d, 0, width), width);
	}
	return predicate;
}

void decode_mbarrier(struct decoder *d, const struct ir_insn *i)
{
	enum mbarrier_what what = mbarrier_operation(d);
	bool answers = what == MBARRIER_WAIT || what == MBARRIER_CHECK_LAYOUT,
	     multicast = decode_has(d, W_multicast__cluster__32b);
	unsigned dest = what == MBARRIER_ARRIVE || answers, dw = answers ? 0 : 8,
		 vw = what == MBARRIER_WAIT && !decode_has(d, W_parity) ? 8 : 4, lw = 4,
		 at = dest + report_value(d, i, what), nvalues = i->noperands - at - 1 - multicast;
	bool last = multicast || nvalues > 1, /* a time hint or ctaMask */
		shared = decode_has(d, W_shared) || decode_has(d, W_shared__cta) ||
		decode_has(d, W_shared__cluster);
	struct op_address *address;
	uint32_t to = 0, value = 0, other = 0, report = 0;
	struct op *op;

	if (decode_has(d, W_pending_count)) {
		pending_count(d, i);
		return;
	}
	address = ARENA_NEW(d->arena, struct op_address);
	*address = decode_op_address(d, decode_operand(d, i, at), shared ? W_shared : W_NONE);
	if (nvalues)
		value = decode_source(d, decode_operand(d, i, at + 1), &vw);
	else
		value = decode_constant(d, 1, vw);
	if (last)
		other = decode_source(d, decode_operand(d, i, i->noperands - 1u), &lw);
	if (what == MBARRIER_WAIT)
		report = no_report(d, i);
	if (dest)
		to = decode_dest(d, completes(d, i), &dw);
	op = decode_emit(d, KIND_MBARRIER);
	op->mbarrier = (struct op_mbarrier){.address = address,
		.what = (uint8_t)what,
		.sem = (uint8_t)decode_sem(d, default_sem(what)),
		.scope = (uint8_t)decode_scope(d, SCOPE_CTA),
		.own = requires_own_cta(d, what, !dest || decode_operand(d, i, 0)->kind == IR_SINK),
		.drop = decode_has(d, W_arrive_drop),
		.no_complete = decode_has(d, W_noComplete),
		.expects = what == MBARRIER_ARRIVE && decode_has(d, W_expect_tx),
		.parity = decode_has(d, W_parity),
		.tries = decode_has(d, W_try_wait),
		.conditional = decode_has(d, W_phase_type__conditional),
		.report = report,
		.v1 = decode_has(d, W_layout__v1),
		.multicast = multicast};
	if (dest)
		decode_add(op, to, dw);
	op->ndests = (uint8_t)dest;
	decode_add(op, value, vw);
	if (last)
		decode_add(op, other, lw);
}

/* --- clusters and grids --- */

/* mapa, getctarank (9.7.10.26, 9.7.10.27) */
void decode_mapa(struct decoder *d, const struct ir_insn *i)
{
	bool rank = ir_form(i)->opcode == OP_getctarank;
	unsigned bytes = type_bytes(decode_type(d)), dw = rank ? 4 : bytes, aw = bytes, bw = 4;
	uint32_t a = decode_source(d, decode_operand(d, i, 1), &aw),
		 b = rank ? 0 : decode_source(d, decode_operand(d, i, 2), &bw);
	uint32_t to = decode_dest(d, decode_operand(d, i, 0), &dw);
	struct op *op = decode_emit(d, rank ? KIND_GETCTARANK : KIND_MAPA);

	decode_add(op, to, dw);
	decode_add(op, a, aw);
	if (!rank)
		decode_add(op, b, bw);
	op->ndests = 1;
	op->mapa.generic = !decode_has(d, W_shared__cluster);
}

/* clusterlaunchcontrol.query_cancel (9.7.15.19) */
static void query_cancel(struct decoder *d, const struct ir_insn *i)
{
	const struct ir_operand *to = decode_operand(d, i, 0);
	bool canceled = decode_has(d, W_is_canceled), vector = decode_has(d, W_get_first_ctaid);
	unsigned n = vector && to->kind == IR_VEC ? to->count : 1, width[4], fw = 16;
	uint32_t from = decode_source(d, decode_operand(d, i, 1), &fw), place[4];
	struct op *op;

	assert(n <= 4);
	for (unsigned k = 0; k < n; k++) {
		width[k] = canceled ? 0 : 4;
		place[k] = decode_dest(d,
			vector && to->kind == IR_VEC ? &d->module->operand[to->index + k] : to,
			&width[k]);
	}
	op = decode_emit(d, KIND_QUERY_CANCEL);
	for (unsigned k = 0; k < n; k++)
		decode_add(op, place[k], width[k]);
	op->ndests = op->noperands;
	decode_add(op, from, fw);
	op->query.what = canceled                     ? QUERY_CANCELED
		: vector                              ? QUERY_VECTOR
		: decode_has(d, W_get_first_ctaid__x) ? QUERY_X
		: decode_has(d, W_get_first_ctaid__y) ? QUERY_Y
						      : QUERY_Z;
}

void decode_clc(struct decoder *d, const struct ir_insn *i)
{
	struct op_async_operands *x;
	struct op *op;
	enum word space = decode_has(d, W_shared__cta) ? W_shared : W_NONE;

	if (!decode_has(d, W_try_cancel)) {
		query_cancel(d, i);
		return;
	}
	x = ARENA_NEW(d->arena, struct op_async_operands);
	x->to = decode_op_address(d, decode_operand(d, i, 0), space);
	x->bar = decode_op_address(d, decode_operand(d, i, 1), space);
	op = decode_emit(d, KIND_TRY_CANCEL);
	op->async = (struct op_async){.operands = x,
		.multicast = decode_has(d, W_multicast__cluster__all),
		.sem = SEM_RELAXED,
		.scope = SCOPE_CLUSTER,
		.atomic = ATOMIC_NONE};
}

/* A multicast address denotes the same bytes on several devices; with one device it is an ordinary
 * address, and reducing over the single replica is a load. (9.7.10.15) */
void decode_multimem(struct decoder *d, const struct ir_insn *i)
{
	if (decode_has(d, W_ld_reduce))
		decode_ld(d, i);
	else if (decode_has(d, W_st))
		decode_st(d, i);
	else
		decode_red(d, i);
}
