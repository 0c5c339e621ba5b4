/* Open values, which may be any value. They count as known, have the value 0, and make values
 * computed from them open. Where one decides something, the thread stops with a fault. */
#include "explore/ptx/open.h"
#include "base/assert.h"
#include <string.h>

void ptx_mark_open(struct ptx_bench *b, struct ptx_state *s, uint16_t slot, uint8_t why)
{
	const struct ptx_slot *o = &b->code->slot[slot];
	void *lanes = b->regs + o->at;
	ptx_mark_slot(b, s, slot, true, false);
	row_put(ptx_open(b->code, s), slot);
	if (o->width == 16)
		memset((char *)lanes + b->lane * 16u, 0, 16);
	else
		register_set(lanes, b->lane, o->width, 0);
	s->open |= why;
}

void ptx_refuse_open(const struct ptx_state *s, struct action *a)
{
#define DECIDES \
	" where it determines a branch, an address, a value for other threads or an observed register"
	switch (s->open) {
	case PTX_OPEN_CLOCK: a->text = "a clock, which may have any value," DECIDES; break;
	case PTX_OPEN_PRINT:
		a->text = "the result of vprintf, which is unknown to the explorer," DECIDES;
		break;
	case PTX_OPEN_LANE:
		a->text =
			"what shfl reads from a lane that does not take part, which may be any value," DECIDES;
		break;
	default:
		a->text =
			"an unknown value (of a clock, vprintf's result, or an absent lane)" DECIDES;
		break;
	}
#undef DECIDES
	a->kind = ACTION_FAULT;
	a->unsupported = true;
}

static bool any_open(const struct ptx_bench *b, struct ptx_state *s, const struct ptx_op *o)
{
	for (const uint16_t *k = o->source; *k != PTX_NO_SLOT; k++) {
		if (row_has(ptx_open(b->code, s), *k))
			return true;
	}
	return false;
}

bool ptx_open_decides(
	const struct ptx_bench *b, struct ptx_state *s, const struct op *op, const struct ptx_op *o)
{
	if (!b->code->has_open || o->class == PTX_NOTHING || o->class == PTX_OPEN ||
		o->class == PTX_PRINT)
		return false;
	return o->class == PTX_LOAD || o->class == PTX_STORE || o->class == PTX_CALL ||
			o->class == PTX_RETURN
		? ptx_place_open(b, s, op->guard)
		: any_open(b, s, o);
}

bool ptx_selects_closed(const struct ptx_bench *b, struct ptx_state *s, const struct op *op)
{
	if (op->insn == IR_NONE || ir_form(&b->code->module->insn[op->insn])->opcode != OP_selp)
		return false;
	assert(op->noperands == 4);
	if (!ptx_place_known(b, s, op->at[3]) || ptx_place_open(b, s, op->at[3]) ||
		ptx_place_open(b, s, op->guard))
		return false;
	return !ptx_place_open(
		b, s, op->at[register_get(op_lanes(&b->warp, op, 3), b->lane, 0) ? 1 : 2]);
}

bool ptx_open_observed(const struct explore_program *p, uint32_t thread,
	const struct ptx_code *code, struct ptx_state *s)
{
	for (uint32_t k = 0; k < p->nobservables; k++) {
		const struct observable *o = &p->observable[k];
		uint16_t slot = o->kind == OBSERVE_REGISTER && o->thread == thread
			? ptx_slot_at(&code->part[0], code->code->reg_at[o->reg])
			: PTX_NO_SLOT;
		if (slot != PTX_NO_SLOT && row_has(ptx_open(code, s), slot))
			return true;
	}
	return false;
}
