/* Instructions about clusters and grids: mapa, getctarank, griddepcontrol, setmaxnreg, clusterlaunchcontrol; and multimem, which on one device has one replica.
 */
#include "interp/async.h"
#include "interp/exec.h"
#include "interp/place.h"
#include "interp/schedule.h"
#include <string.h>

/* ---- mapa, getctarank (PTX ISA 9.7.9.22, 9.7.9.23) ---- */

/* op: d, a, rank; flag[0]: addresses are generic */
static enum flow exec_mapa(struct warp *w, const struct op *op, uint32_t mask)
{
	uint32_t n = w->cta->cluster->n;

	FOR_LANES(lane, mask)
	{
		uint64_t a = op_value(w, op, 1, lane), rank = sync_value(w, op, 2, lane), window = op->flag[0] ? MEMORY_SHARED_WINDOW : 0;

		if (op->flag[0] && a >> MEMORY_SLOT_SHIFT != MEMORY_SHARED_WINDOW >> MEMORY_SLOT_SHIFT) {
			if (sync_checks(w))
				finding(w, op, lane, DIAG_S0407, "0x%llx is not an address in shared memory", (unsigned long long)a);
			op_set(w, op, 0, lane, a);
			continue;
		}
		if (rank >= n && sync_checks(w))
			finding(w, op, lane, DIAG_S0401, "rank %llu does not exist: the cluster has %u CTA%s", (unsigned long long)rank, n, n == 1 ? "" : "s");
		op_set(w, op, 0, lane, window + (rank >= n ? (uint64_t)MEMORY_RANK_NONE << MEMORY_RANK_SHIFT : MEMORY_RANK_BITS(rank)) + cluster_offset(a));
	}
	return FLOW_NEXT;
}

static enum flow exec_getctarank(struct warp *w, const struct op *op, uint32_t mask)
{
	FOR_LANES(lane, mask)
	{
		uint64_t a = op_value(w, op, 1, lane), offset = a;

		if (op->flag[0] && access_generic(a, &offset) != W_shared) {
			if (sync_checks(w))
				finding(w, op, lane, DIAG_S0407, "0x%llx is not an address in shared memory", (unsigned long long)a);
			offset = 0;
		}
		uint32_t rank = (uint32_t)(offset >> MEMORY_RANK_SHIFT) & 0xff;

		op_set(w, op, 0, lane, rank ? rank - MEMORY_RANK_FIRST : w->cta->cluster_rank);
	}
	return FLOW_NEXT;
}

void decode_mapa(struct decoder *d, const struct ir_insn *i)
{
	bool rank = ir_form(i)->opcode == OP_getctarank;
	unsigned bytes = type_bytes(decode_type(d)), dw = rank ? 4 : bytes, aw = bytes, bw = 4;
	uint32_t a = decode_source(d, decode_operand(d, i, 1), &aw), b = rank ? 0 : decode_source(d, decode_operand(d, i, 2), &bw);
	uint32_t to = decode_dest(d, decode_operand(d, i, 0), &dw);
	struct op *op = decode_emit(d, rank ? exec_getctarank : exec_mapa);

	decode_add(op, to, dw);
	decode_add(op, a, aw);
	if (!rank)
		decode_add(op, b, bw);
	op->ndests = 1;
	op->flag[0] = !decode_has(d, W_shared__cluster);
}

/* ---- griddepcontrol, setmaxnreg ---- */

/* Grids of a stream follow each other completely here, which programmatic dependent launch allows: so what .wait waits for has happened, and .launch_dependents
 * has nothing to start. (9.7.13.13) */
void decode_griddep(struct decoder *d, const struct ir_insn *i)
{
	(void)i;
	decode_emit(d, exec_nothing);
}

/* Registers are not counted here: a kernel gets all it names. The warp must execute it together. (9.7.19.5) */
static enum flow exec_setmaxnreg(struct warp *w, const struct op *op, uint32_t mask)
{
	if (!warp_together(w, op))
		return FLOW_SWITCH;
	if (mask != w->live && sync_checks(w))
		finding(w, op, lane_first(mask), DIAG_S0406, "only %d of this warp's %d live threads execute setmaxnreg together", __builtin_popcount(mask),
			__builtin_popcount(w->live));
	return FLOW_NEXT;
}

void decode_setmaxnreg(struct decoder *d, const struct ir_insn *i)
{
	(void)i;
	decode_emit(d, exec_setmaxnreg);
}

/* ---- clusterlaunchcontrol (9.7.13.17): the answer is opaque; here x, y, z of the first CTA in 32 bits each, then 1 when a cluster was cancelled ---- */

static void answer(struct warp *w, uint64_t value[2])
{
	struct launch *l = w->cta->launch;
	uint64_t unit;

	value[0] = value[1] = 0;
	if (!schedule_cancel(w->machine->schedule, l, &unit))
		return;
	uint32_t c[3], n[3];

	for (unsigned k = 0; k < 3; k++) {
		c[k] = l->ask.cluster[k] ? l->ask.cluster[k] : 1;
		n[k] = l->ask.grid[k] / c[k];
	}
	value[0] = unit % n[0] * c[0] | (unit / n[0] % n[1] * c[1]) << 32;
	value[1] = unit / n[0] / n[1] * c[2] | UINT64_C(1) << 32;
}

/* flag[0]: multicast to all CTAs of the cluster */
static enum flow exec_try_cancel(struct warp *w, const struct op *op, uint32_t mask)
{
	const struct sync_operands *x = op->extra;
	uint32_t n = op->flag[0] ? w->cta->cluster->n : 1, k = 0;
	struct copy *c = async_issue(w, op, COPY_CANCEL, n * lanes_of(mask));

	if (!c)
		return FLOW_STOP;
	FOR_LANES(lane, mask)
	{
		uint64_t value[2], at = sync_address_of(w, &x->address[0], lane), bar = sync_address_of(w, &x->address[2], lane);

		answer(w, value);
		for (uint32_t rank = 0; rank < n; rank++) {
			struct copy_part *p = &c->part[k++];
			uint64_t to = op->flag[0] ? MEMORY_RANK_BITS(rank) : 0;

			p->lane = (uint8_t)lane;
			p->bytes = 16;
			p->signals = true;
			memcpy(p->value, value, 16);
			if (!sync_reach(w, op, lane, x->address[0].space, at + to, 16, 16, ACCESS_WRITE, &p->to) ||
			    !sync_reach(w, op, lane, x->address[2].space, bar + to, 8, 8, ACCESS_READ | ACCESS_WRITE, &p->bar)) {
				c->left = 0;
				return FLOW_STOP;
			}
		}
	}
	async_issued(c);
	return FLOW_NEXT;
}

/* imm: 0 is_canceled, 1 v4, 2.. x, y, z */
static enum flow exec_query_cancel(struct warp *w, const struct op *op, uint32_t mask)
{
	const unsigned char *from = op_lanes(w, op, op->ndests);

	FOR_LANES(lane, mask)
	{
		uint32_t v[4];

		memcpy(v, from + lane * 16, 16);
		if (op->imm == 0) {
			op_set(w, op, 0, lane, v[3] & 1);
			continue;
		}
		if (!(v[3] & 1) && sync_checks(w))
			finding(w, op, lane, DIAG_S0408, "the response says that no CTA was cancelled, so there is no first CTA");
		for (unsigned k = 0; k < op->ndests; k++)
			op_set(w, op, k, lane, op->imm == 1 ? (k < 3 ? v[k] : 0) : v[op->imm - 2]);
	}
	return FLOW_NEXT;
}

static void decode_query(struct decoder *d, const struct ir_insn *i)
{
	const struct ir_operand *to = decode_operand(d, i, 0);
	bool vector = decode_has(d, W_get_first_ctaid);
	unsigned n = vector && to->kind == IR_VEC ? to->count : 1, width[4], fw = 16;
	uint32_t from = decode_source(d, decode_operand(d, i, 1), &fw), place[4];
	struct op *op;

	if (n > 4)
		n = 4;
	for (unsigned k = 0; k < n; k++) {
		width[k] = decode_has(d, W_is_canceled) ? 0 : 4;
		place[k] = decode_dest(d, vector && to->kind == IR_VEC ? &d->module->operand[to->index + k] : to, &width[k]);
	}
	op = decode_emit(d, exec_query_cancel);
	for (unsigned k = 0; k < n; k++)
		decode_add(op, place[k], width[k]);
	op->ndests = (uint8_t)n;
	decode_add(op, from, fw);
	op->imm = decode_has(d, W_is_canceled) ? 0 : vector ? 1 : decode_has(d, W_get_first_ctaid__x) ? 2 : decode_has(d, W_get_first_ctaid__y) ? 3 : 4;
}

void decode_clc(struct decoder *d, const struct ir_insn *i)
{
	struct sync_operands *x;
	struct op *op;

	if (!decode_has(d, W_try_cancel)) {
		decode_query(d, i);
		return;
	}
	x = sync_operands_new(d);
	x->address[0] = sync_decode_address(d, decode_operand(d, i, 0), decode_has(d, W_shared__cta) ? W_shared : W_NONE);
	x->address[2] = sync_decode_address(d, decode_operand(d, i, 1), decode_has(d, W_shared__cta) ? W_shared : W_NONE);
	op = decode_emit(d, exec_try_cancel);
	op->extra = x;
	op->flag[0] = decode_has(d, W_multicast__cluster__all);
	op->sem = W_relaxed;
	op->scope = W_cluster;
}

/* ---- multimem (9.7.9.13): a multicast address stands for the same bytes on several devices; on one device it is an ordinary address, reducing over one
 * replica is loading it ---- */

void decode_multimem(struct decoder *d, const struct ir_insn *i)
{
	if (decode_has(d, W_ld_reduce))
		decode_ld(d, i);
	else if (decode_has(d, W_st))
		decode_st(d, i);
	else
		decode_red(d, i);
}
