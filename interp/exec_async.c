/* Asynchronous copies: what the instructions ask for, checked and queued. Landing is async.c's. (PTX ISA 9.7.9.25)
 *
 * op->extra: struct sync_operands: address[0] destination, [1] source, [2] mbarrier. The other operands are the op's. */
#include "interp/async.h"
#include "interp/exec.h"
#include "interp/limits.h"
#include "interp/mbarrier_table.h"
#include "interp/place.h"
#include "interp/undefined.h"
#include "interp/weak_memory.h"
#include <string.h>

static const struct sync_operands *operands(const struct op *op)
{
	return op->extra;
}

static bool reach(struct warp *w, const struct op *op, unsigned lane, unsigned k, uint64_t n, unsigned align, unsigned how, struct sync_place *p)
{
	const struct sync_address *a = &operands(op)->address[k];

	if (!sync_reach(w, op, lane, a->space, sync_address_of(w, a, lane), n ? n : 1, align, how, p))
		return false;
	if (!a->own || !p->cta || p->cta == w->cta)
		return true;
	fault(w, op, lane, DIAG_S0410, "0x%llx is in the shared memory of the CTA of rank %u of the cluster", (unsigned long long)p->address, p->cta->cluster_rank);
	return false;
}

/* Undefined registers decide something here. */
static void check_defined(struct warp *w, const struct op *op, uint32_t mask)
{
	if (!w->frame->defined)
		return;
	for (unsigned k = 0; k < 3; k++)
		if (operands(op)->address[k].width)
			undefined_use(w, op, mask, operands(op)->address[k].place, "used in the address of an asynchronous copy");
	for (unsigned k = op->ndests; k < op->noperands; k++)
		undefined_use(w, op, mask, op->at[k], "given to an asynchronous copy");
}

/* After C's parts could not be filled: nothing of it is to be done. The machine stops. */
static enum flow give_up(struct copy *c)
{
	for (uint32_t k = 0; k < c->nparts; k++)
		c->part[k].landed = 1;
	c->left = 0;
	return FLOW_STOP;
}

/* ---- cp.async ---- */

/* op: [src-size or ignore-src]; bytes: cp-size; flag[0]: 0 none, 1 src-size, 2 ignore-src. */
static enum flow exec_cp_async(struct warp *w, const struct op *op, uint32_t mask)
{
	struct warp_sync *s = warp_sync_of(w);
	struct copy *c;
	uint32_t n = 0;

	check_defined(w, op, mask);
	c = async_issue(w, op, COPY_CP, lanes_of(mask));
	if (!c)
		return FLOW_STOP;
	FOR_LANES(lane, mask)
	{
		struct copy_part *p = &c->part[n++];

		p->lane = (uint8_t)lane;
		p->bytes = p->take = op->bytes;
		p->group = s->group[0][lane];
		if (op->flag[0] == 1) {
			p->take = sync_value(w, op, 0, lane);
			if (p->take > p->bytes) {
				fault(w, op, lane, DIAG_S0308, "src-size %u of a copy of %u bytes: src-size must not be larger than the copy", p->take, p->bytes);
				return give_up(c);
			}
		} else if (op->flag[0] == 2 && sync_value(w, op, 0, lane)) {
			p->take = 0;
		}
		if (!reach(w, op, lane, 0, op->bytes, op->bytes, ACCESS_WRITE, &p->to))
			return give_up(c);
		if (p->take ? !reach(w, op, lane, 1, p->take, op->bytes, ACCESS_READ, &p->from) : false)
			return give_up(c);
	}
	async_issued(c);
	return FLOW_NEXT;
}

static enum flow exec_commit(struct warp *w, const struct op *op, uint32_t mask)
{
	struct warp_sync *s = warp_sync_of(w);

	FOR_LANES(lane, mask) s->group[op->flag[0]][lane]++;
	return FLOW_NEXT;
}

/* op->imm: groups that may stay under way; flag[0]: 0 cp.async, 1 bulk; flag[1]: all; flag[2]: .read */
static enum flow exec_wait(struct warp *w, const struct op *op, uint32_t mask)
{
	return async_wait(w, op, mask, op->flag[0], (uint64_t)op->imm, op->flag[1], op->flag[2]) ? FLOW_NEXT : FLOW_STOP;
}

/* flag[0]: .noinc */
static enum flow exec_cp_async_arrive(struct warp *w, const struct op *op, uint32_t mask)
{
	struct copy *c = async_issue(w, op, COPY_ARRIVE, lanes_of(mask));
	uint32_t n = 0;

	if (!c)
		return FLOW_STOP;
	FOR_LANES(lane, mask)
	{
		struct copy_part *p = &c->part[n++];

		p->lane = (uint8_t)lane;
		if (!reach(w, op, lane, 2, 8, 8, ACCESS_READ | ACCESS_WRITE, &p->bar) || (!op->flag[0] && !mbarrier_do_raise(w, op, lane, &p->bar)))
			return give_up(c);
	}
	async_issued(c);
	return FLOW_NEXT;
}

static unsigned has_hint(const struct decoder *d)
{
	return decode_has(d, W_L2__cache_hint);
}

static void decode_group(struct decoder *d, const struct ir_insn *i, unsigned which)
{
	struct op *op;

	if (decode_has(d, W_commit_group)) {
		op = decode_emit(d, exec_commit);
	} else {
		op = decode_emit(d, exec_wait);
		op->flag[1] = decode_has(d, W_wait_all);
		op->flag[2] = decode_has(d, W_read);
		op->imm = i->noperands ? (int64_t)(uint32_t)decode_operand(d, i, 0)->value : 0;
	}
	op->flag[0] = (uint8_t)which;
}

void decode_cp_async(struct decoder *d, const struct ir_insn *i)
{
	struct sync_operands *x;
	const struct ir_operand *o = NULL;
	unsigned width = 4;
	uint32_t place = 0;
	struct op *op;

	if (decode_has(d, W_commit_group) || decode_has(d, W_wait_group) || decode_has(d, W_wait_all)) {
		decode_group(d, i, 0);
		return;
	}
	x = sync_operands_new(d);
	if (decode_has(d, W_mbarrier)) {
		x->address[2] = sync_decode_address(d, decode_operand(d, i, 0), decode_has(d, W_shared) || decode_has(d, W_shared__cta) ? W_shared : W_NONE);
		x->address[2].own = 1;
		op = decode_emit(d, exec_cp_async_arrive);
		op->extra = x;
		op->flag[0] = decode_has(d, W_noinc);
		op->sem = W_release;
		op->scope = W_cta;
		return;
	}
	x->address[0] = sync_decode_address(d, decode_operand(d, i, 0), W_shared);
	x->address[0].own = 1;
	x->address[1] = sync_decode_address(d, decode_operand(d, i, 1), W_global);
	if (i->noperands - has_hint(d) > 3) {
		o = decode_operand(d, i, 3);
		if (o->kind == IR_REG && !decode_reg_width(d, o->index))
			width = 0;
		place = decode_source(d, o, &width);
	}
	op = decode_emit(d, exec_cp_async);
	op->extra = x;
	op->bytes = (uint8_t)decode_operand(d, i, 2)->value;
	if (o) {
		decode_add(op, place, width);
		op->flag[0] = width ? 1 : 2;
	}
}

/* ---- bulk copies ---- */

static bool check_size(struct warp *w, const struct op *op, unsigned lane, uint32_t bytes)
{
	if (bytes % 16 == 0 && bytes <= 1048560)
		return true;
	fault(w, op, lane, DIAG_S0307, "bulk copy of %u bytes: the size must be a multiple of 16 up to 1048560", bytes);
	return false;
}

static void check_bar(struct warp *w, const struct op *op, unsigned lane, const struct copy_part *p)
{
	struct mbarrier_record *r = p->bar.cta != w->cta && sync_checks(w) ? mbarrier_find(p->bar.cta, p->bar.offset, false) : NULL;

	if (r)
		mbarrier_check_order(w, op, lane, p->bar.cta, r);
	if (p->bar.cta != p->to.cta && sync_checks(w))
		finding(w, op, lane, DIAG_S0311, "the destination is in the CTA of rank %u, but the mbarrier is in the one of rank %u", p->to.cta->cluster_rank,
			p->bar.cta->cluster_rank);
}

/* The same offsets in the CTA of rank RANK. */
static bool in_cta(struct warp *w, const struct op *op, unsigned lane, const struct sync_place *p, uint32_t rank, uint64_t n, struct sync_place *out)
{
	return sync_reach(w, op, lane, W_shared, MEMORY_RANK_BITS(rank) + p->offset, n ? n : 1, 8, ACCESS_WRITE, out);
}

static bool fill_multicast(struct warp *w, const struct op *op, unsigned lane, struct copy *c, uint32_t *n, const struct copy_part *like, uint32_t ranks)
{
	FOR_LANES(rank, ranks)
	{
		struct copy_part *p = &c->part[(*n)++];

		*p = *like;
		if (!in_cta(w, op, lane, &like->to, rank, like->bytes, &p->to) || !in_cta(w, op, lane, &like->bar, rank, 8, &p->bar))
			return false;
		check_bar(w, op, lane, p);
	}
	return true;
}

/* The ranks of the cluster that lane LANE's ctaMask names; a fault when there is none such. */
static bool ranks_of(struct warp *w, const struct op *op, unsigned lane, uint32_t *ranks)
{
	uint32_t n = w->cta->cluster->n;

	*ranks = sync_value(w, op, 1, lane) & 0xffff;
	if (*ranks >> n == 0)
		return true;
	fault(w, op, lane, DIAG_S0401, "ctaMask 0x%x names CTAs that do not exist: the cluster has %u", *ranks, n);
	return false;
}

static uint32_t parts_of(struct warp *w, const struct op *op, uint32_t mask)
{
	uint32_t n = 0, ranks;

	if (!op->flag[1])
		return lanes_of(mask);
	FOR_LANES(lane, mask)
	{
		if (!ranks_of(w, op, lane, &ranks))
			return UINT32_MAX;
		n += (uint32_t)__builtin_popcount(ranks);
	}
	return n;
}

/* op: size, [ctaMask or byteMask]; flag[0]: completes an mbarrier, otherwise a bulk group; flag[1]: multicast; flag[2]: cp_mask; operation: of reductions, with
 * type and bytes of an element */
static enum flow exec_bulk(struct warp *w, const struct op *op, uint32_t mask)
{
	struct warp_sync *s = warp_sync_of(w);
	uint32_t n = 0, parts = parts_of(w, op, mask), ranks = 0;
	struct copy *c;

	check_defined(w, op, mask);
	if (parts == UINT32_MAX)
		return FLOW_STOP;
	c = async_issue(w, op, op->flag[0] ? COPY_BULK : COPY_GROUP, parts);
	if (!c)
		return FLOW_STOP;
	FOR_LANES(lane, mask)
	{
		struct copy_part p = {.lane = (uint8_t)lane, .byte_mask = 0xffff, .group = s->group[1][lane], .signals = op->flag[0]};

		p.bytes = p.take = sync_value(w, op, 0, lane);
		if (!check_size(w, op, lane, p.bytes))
			return give_up(c);
		if (op->flag[2])
			p.byte_mask = (uint16_t)sync_value(w, op, 1, lane);
		if (!reach(w, op, lane, 0, p.bytes, 16, ACCESS_WRITE, &p.to) || !reach(w, op, lane, 1, p.bytes, 16, ACCESS_READ, &p.from))
			return give_up(c);
		if (p.signals) {
			if (!reach(w, op, lane, 2, 8, 8, ACCESS_READ | ACCESS_WRITE, &p.bar))
				return give_up(c);
			check_bar(w, op, lane, &p);
		}
		if (!op->flag[1])
			c->part[n++] = p;
		else if (!ranks_of(w, op, lane, &ranks) || !fill_multicast(w, op, lane, c, &n, &p, ranks))
			return give_up(c);
	}
	async_issued(c);
	return FLOW_NEXT;
}

/* Observers see 8 bytes at a time. */
static void tell_st_bulk(struct warp *w, const struct op *op, unsigned lane, const struct sync_place *p, uint64_t n)
{
	uint64_t address[LANES];
	struct access_event e = {.warp = w, .op = op, .mask = 1u << lane, .address = address, .space = W_shared, .bytes = 8, .writes = 1};

	for (uint64_t k = 0; w->machine->interest & INTEREST_ACCESS && k < n; k += 8) {
		address[lane] = p->offset + k;
		observers_access(w->machine, &e);
	}
}

/* st.bulk: zeroes, at once: no completion is to be waited for. op: size */
static enum flow exec_st_bulk(struct warp *w, const struct op *op, uint32_t mask)
{
	check_defined(w, op, mask);
	FOR_LANES(lane, mask)
	{
		uint64_t n = op_value(w, op, 0, lane);
		struct sync_place p;

		if (limits_reached(w->machine))
			return FLOW_STOP;
		if (n % 8)
			return fault(w, op, lane, DIAG_S0307, "st.bulk of %llu bytes: the size must be a multiple of 8", (unsigned long long)n);
		if (!reach(w, op, lane, 0, n, 8, ACCESS_WRITE, &p))
			return FLOW_STOP;
		for (uint64_t k = 0; k < n; k++)
			w->effect |= p.host[k] != 0;
		memset(p.host, 0, n);
		weak_memory_overwritten(w->machine, p.host, n);
		if (p.defined)
			memset(p.defined, 0xff, n);
		w->worker->stats.bytes_stored[1] += n;
		tell_st_bulk(w, op, lane, &p, n);
	}
	return FLOW_NEXT;
}

/* Operation, type and element of a reduction. */
static void set_reduction(const struct decoder *d, struct op *op)
{
	static const uint16_t operations[] = {W_add, W_min, W_max, W_inc, W_dec, W_and, W_or, W_xor};

	op->operation = (uint16_t)decode_which(d, operations, 8);
	op->type = (uint16_t)decode_type(d);
	op->bytes = (uint8_t)type_bytes((enum type)op->type);
}

static bool is_bulk_store(const struct decoder *d)
{
	return decode_has(d, W_bulk_group);
}

/* Destination and source spaces: .shared::cluster.global, .shared::cta.global, .shared::cluster.shared::cta, .global.shared::cta. */
static void bulk_addresses(struct decoder *d, const struct ir_insn *i, struct sync_operands *x)
{
	bool store = is_bulk_store(d), load = !store && decode_has(d, W_global);

	x->address[0] = sync_decode_address(d, decode_operand(d, i, 0), store ? W_global : W_shared);
	x->address[1] = sync_decode_address(d, decode_operand(d, i, 1), load ? W_global : W_shared);
	if (!store)
		x->address[2] = sync_decode_address(d, decode_operand(d, i, 3), W_shared);
	if (load && decode_has(d, W_shared__cta))
		x->address[0].own = x->address[2].own = 1;
	x->address[1].own = !load; /* the source .shared::cta */
}

static void decode_st_bulk(struct decoder *d, const struct ir_insn *i)
{
	struct sync_operands *x = sync_operands_new(d);
	unsigned width = 8;
	uint32_t size = decode_source(d, decode_operand(d, i, 1), &width);
	struct op *op;

	x->address[0] = sync_decode_address(d, decode_operand(d, i, 0), decode_has(d, W_shared__cta) ? W_shared : W_NONE);
	x->address[0].own = 1;
	op = decode_emit(d, exec_st_bulk);
	op->extra = x;
	decode_add(op, size, width);
}

void decode_bulk(struct decoder *d, const struct ir_insn *i)
{
	bool multicast = decode_has(d, W_multicast__cluster), masked = decode_has(d, W_cp_mask);
	unsigned width = 4, mw = 2;
	struct sync_operands *x;
	uint32_t size, mask = 0;
	struct op *op;

	if (decode_has(d, W_commit_group) || decode_has(d, W_wait_group)) {
		decode_group(d, i, 1);
		return;
	}
	if (decode_has(d, W_prefetch)) { /* a hint */
		decode_emit(d, exec_nothing);
		return;
	}
	if (ir_form(i)->opcode == OP_st) {
		decode_st_bulk(d, i);
		return;
	}
	x = sync_operands_new(d);
	bulk_addresses(d, i, x);
	size = decode_source(d, decode_operand(d, i, 2), &width);
	if (multicast)
		mask = decode_source(d, decode_operand(d, i, 4), &mw);
	else if (masked)
		mask = decode_source(d, decode_operand(d, i, i->noperands - 1u), &mw);
	op = decode_emit(d, exec_bulk);
	op->extra = x;
	decode_add(op, size, width);
	if (multicast || masked)
		decode_add(op, mask, mw);
	op->flag[0] = !is_bulk_store(d);
	op->flag[1] = multicast;
	op->flag[2] = masked;
	op->sem = W_relaxed;
	op->scope = W_cluster;
	if (decode_has(d, W_reduce))
		set_reduction(d, op);
}

/* ---- st.async, red.async ---- */

/* vector elements of op->bytes; values in extra->place; flag[0]: completes an mbarrier */
static enum flow exec_value(struct warp *w, const struct op *op, uint32_t mask)
{
	const struct sync_operands *x = op->extra;
	uint32_t n = 0, bytes = (uint32_t)op->bytes * op->vector;
	struct copy *c;

	check_defined(w, op, mask);
	c = async_issue(w, op, COPY_VALUE, lanes_of(mask));
	if (!c)
		return FLOW_STOP;
	FOR_LANES(lane, mask)
	{
		struct copy_part *p = &c->part[n++];

		p->lane = (uint8_t)lane;
		p->bytes = bytes;
		p->signals = op->flag[0];
		for (unsigned e = 0; e < op->vector; e++) {
			uint64_t v = register_get(op_place(w, x->place[e]), lane, x->width[e]);

			memcpy((unsigned char *)p->value + e * op->bytes, &v, op->bytes);
		}
		if (!reach(w, op, lane, 0, bytes, bytes, ACCESS_WRITE, &p->to))
			return give_up(c);
		if (!p->signals)
			continue;
		if (!reach(w, op, lane, 2, 8, 8, ACCESS_READ | ACCESS_WRITE, &p->bar))
			return give_up(c);
		check_bar(w, op, lane, p);
	}
	async_issued(c);
	return FLOW_NEXT;
}

static void decode_value(struct decoder *d, const struct ir_insn *i, bool red)
{
	bool signals = decode_has(d, W_mbarrier__complete_tx__bytes);
	const struct ir_operand *v = decode_operand(d, i, 1), *e = v;
	unsigned n = 1, bytes = type_bytes(decode_type(d));
	struct sync_operands *x = sync_operands_new(d);
	struct op *op;

	x->address[0] = sync_decode_address(d, decode_operand(d, i, 0), signals ? W_shared : decode_has(d, W_global) ? W_global : W_NONE);
	if (signals)
		x->address[2] = sync_decode_address(d, decode_operand(d, i, 2), W_shared);
	if (v->kind == IR_VEC) {
		e = &d->module->operand[v->index];
		n = v->count;
	}
	for (unsigned k = 0; k < n && k < 4; k++) {
		unsigned width = bytes;

		x->place[k] = decode_source(d, &e[k], &width);
		x->width[k] = (uint8_t)width;
	}
	op = decode_emit(d, exec_value);
	op->extra = x;
	if (red)
		set_reduction(d, op);
	op->bytes = (uint8_t)bytes;
	op->vector = (uint8_t)n;
	op->flag[0] = signals;
	op->sem = signals ? W_relaxed : W_release;
	op->scope = decode_has(d, W_sys) ? W_sys : decode_has(d, W_gpu) ? W_gpu : W_cluster;
}

void decode_st_async(struct decoder *d, const struct ir_insn *i)
{
	decode_value(d, i, false);
}

void decode_red_async(struct decoder *d, const struct ir_insn *i)
{
	decode_value(d, i, true);
}
