/* Warnings about misplaced synchronisation: barriers that not all threads reach, .aligned in
 * divergent code, membermasks without the executing lane, spinning on weak loads. */
#include "assembler/lint.h"
#include <string.h>

static const char *variance_text(uint8_t v) { return v == BY_LANE ? "lanes of a warp" : "warps"; }

/* The variance of reaching instruction I and of its guard, and the location that causes it. */
static uint8_t variance_at(const struct lint *l, uint32_t i, struct span *cause)
{
	const struct ir_insn *in = lint_insn(l, i);
	uint32_t b = l->cfg.block_of[i];
	uint8_t v = l->block_variance[b];

	if (v)
		*cause = lint_insn(l, l->cause[b])->span;
	if (in->guard != IR_NONE && l->guard_variance[i] > v) {
		v = l->guard_variance[i];
		*cause = in->span;
	}
	return v;
}

/* Whether IN waits for all threads of the CTA: bar.sync a or barrier.sync a without a thread count
 * (.arrive always has one). */
static bool waits_for_all(const struct lint *l, const struct ir_insn *in)
{
	unsigned op = ir_form(in)->opcode, plain = ir_has(l->m, in, W_red) ? 3 : 1;

	return (op == OP_bar || op == OP_barrier) &&
		(ir_has(l->m, in, W_sync) || ir_has(l->m, in, W_red)) &&
		!ir_has(l->m, in, W_warp) && !ir_has(l->m, in, W_cluster) && in->noperands == plain;
}

static bool is_aligned(const struct lint *l, const struct ir_insn *in)
{
	return ir_has(l->m, in, W_aligned) ||
		(ir_form(in)->opcode == OP_bar && !ir_has(l->m, in, W_warp));
}

static void check_barrier(struct lint *l, uint32_t i)
{
	const struct ir_insn *in = lint_insn(l, i);
	struct span cause = {0, 0};
	uint8_t v = variance_at(l, i, &cause);
	struct diag *d;

	if (v && waits_for_all(l, in)) {
		d = WARN(l, W0503, in->span,
			"this barrier waits for all threads of the CTA, but only some reach it");
		diag_label(l->diags, d, l->m->source, cause, "%s diverge here", variance_text(v));
		diag_help(l->diags, d,
			"make every thread reach the barrier: branch around the work only");
	} else if (v == BY_LANE && is_aligned(l, in)) {
		d = WARN(l, W0504, in->span,
			".aligned promises that all lanes of the warp execute this together, but they may have diverged");
		diag_label(l->diags, d, l->m->source, cause, "lanes of a warp diverge here");
	}
}

/* The membermask operand (m in the table row): the last operand of vote, shfl, match, redux, elect
 * and bar.warp.sync; NULL for others. */
static const struct ir_operand *membermask(const struct lint *l, const struct ir_insn *in)
{
	switch (ir_form(in)->opcode) {
	case OP_vote:
	case OP_shfl:
	case OP_match:
	case OP_redux:
	case OP_elect: break;
	case OP_bar:
		if (ir_has(l->m, in, W_warp))
			break;
		return NULL;
	default: return NULL;
	}
	if (!ir_has(l->m, in, W_sync) || !in->noperands)
		return NULL;
	return lint_operand(l, in, in->noperands - 1u);
}

/* All that check_barrier and check_membermask look at. */
bool lint_sync_asks(const struct lint *l)
{
	for (uint32_t i = 0; i < l->f->ninsns; i++) {
		const struct ir_insn *in = lint_insn(l, i);
		unsigned op = ir_form(in)->opcode;

		if (op == OP_bar || op == OP_barrier || membermask(l, in) ||
			ir_has(l->m, in, W_aligned))
			return true;
	}
	return false;
}

static uint32_t threads_given(const struct ir_func *f)
{
	return f->reqntid[0] ? f->reqntid[0] * f->reqntid[1] * f->reqntid[2] : 0;
}

static void check_membermask(struct lint *l, uint32_t i)
{
	const struct ir_insn *in = lint_insn(l, i);
	const struct ir_operand *mask = membermask(l, in);
	struct span cause;
	uint32_t missing;

	if (!mask || mask->kind != IR_IMM)
		return;
	missing = ~(uint32_t)mask->value;
	if (!(uint32_t)mask->value)
		WARN(l, W0509, in->span, "the membermask is 0: the executing lane is never in it");
	else if (missing && threads_given(l->f) >= 32 && variance_at(l, i, &cause) != BY_LANE)
		diag_help(l->diags,
			WARN(l, W0509, in->span,
				"all lanes of the warp execute this, but the membermask 0x%08x omits %u of them",
				(uint32_t)mask->value, (unsigned)__builtin_popcount(missing)),
			"a lane that executes this must be in its own mask: use 0xffffffff, or branch first");
}

/* A loop from block HEAD to the branch at the end of block TAIL, contiguous. */
struct loop {
	struct lint *l;
	uint32_t first, last; /* instructions */
};

/* The last instruction of the loop that sets REG, or IR_NONE. */
static uint32_t setter(const struct loop *p, uint32_t reg)
{
	for (uint32_t i = p->last + 1; i-- > p->first;)
		for (const struct lint_use *u = lint_uses(p->l, i), *end = lint_uses(p->l, i + 1);
			u < end; u++)
			if (u->written && u->reg == reg)
				return i;
	return IR_NONE;
}

static bool weak_load(const struct lint *l, const struct ir_insn *in)
{
	const struct ir_operand *a = in->noperands == 2 ? lint_operand(l, in, 1) : NULL;

	if (ir_form(in)->opcode != OP_ld || (ir_form(in)->traits & TRAIT_STRONG) ||
		ir_has(l->m, in, W_volatile) || !a || a->kind != IR_ADDR)
		return false;
	return !ir_has(l->m, in, W_local) && !ir_has(l->m, in, W_param) &&
		!ir_has(l->m, in, W_const);
}

/* Traces a register back through the loop to a weak load from an address that does not change;
 * IR_NONE if there is none. */
static uint32_t weak_source(const struct loop *p, uint32_t reg, unsigned hops)
{
	uint32_t at = setter(p, reg);
	const struct ir_insn *in = at == IR_NONE ? NULL : lint_insn(p->l, at);
	uint32_t source = IR_NONE;

	if (!in || !hops)
		return IR_NONE;
	if (weak_load(p->l, in)) {
		const struct ir_operand *a = lint_operand(p->l, in, 1);

		return a->aux != IR_BASE_REG || setter(p, a->index) == IR_NONE ? at : IR_NONE;
	}
	if (ir_form(in)->traits & (TRAIT_LOAD | TRAIT_ATOMIC | TRAIT_CONVERGENT | TRAIT_VOLATILE))
		return IR_NONE;
	for (unsigned k = 1; k < in->noperands; k++) {
		const struct ir_operand *o = lint_operand(p->l, in, k);
		uint32_t s;

		if (o->kind == IR_SREG)
			return IR_NONE;
		if (o->kind != IR_REG || setter(p, o->index) == IR_NONE)
			continue;
		s = weak_source(p, o->index, hops - 1);
		if (s == IR_NONE)
			return IR_NONE;
		source = s;
	}
	return source;
}

/* Whether the loop has only loads and arithmetic, so that it ends only through another thread's
 * action. */
static bool only_waits(const struct loop *p)
{
	for (uint32_t i = p->first; i <= p->last; i++) {
		const struct ir_insn *in = lint_insn(p->l, i);

		if ((ir_form(in)->traits &
			    (TRAIT_STORE | TRAIT_ATOMIC | TRAIT_FENCE | TRAIT_BARRIER |
				    TRAIT_ASYNC)) ||
			ir_form(in)->opcode == OP_call)
			return false;
	}
	return true;
}

static void check_loop(struct lint *l, uint32_t branch, uint32_t target)
{
	const struct ir_insn *in = lint_insn(l, branch);
	struct loop p = {.l = l, .first = target, .last = branch};
	uint32_t load, jumps = 0;
	struct diag *d;

	if (in->guard == IR_NONE || branch - target > 32 || !only_waits(&p))
		return;
	for (uint32_t i = target; i < branch; i++)
		jumps += (ir_form(lint_insn(l, i))->traits & TRAIT_FLOW) != 0;
	load = jumps ? IR_NONE : weak_source(&p, in->guard, 6);
	if (load == IR_NONE)
		return;
	d = WARN(l, W0507, lint_insn(l, load)->span,
		"this loop waits for a value that a weak load reads: it may never observe another thread's store");
	diag_label(l->diags, d, l->m->source, in->span, "the loop's branch");
	diag_help(l->diags, d,
		"use ld.acquire.gpu (or ld.relaxed and a fence after the loop), at a scope that includes the thread that stores");
}

/* The last instruction of a block may be the branch of a loop. */
static void check_branch(struct lint *l, uint32_t i)
{
	const struct ir_insn *in = lint_insn(l, i);

	if (ir_form(in)->opcode == OP_bra && in->noperands &&
		lint_operand(l, in, 0)->kind == IR_LABEL && lint_operand(l, in, 0)->index <= i)
		check_loop(l, i, lint_operand(l, in, 0)->index);
}

void lint_sync(struct lint *l, bool asks)
{
	for (uint32_t b = 0; b < l->cfg.nblocks; b++) {
		const struct ir_block *block = &l->cfg.block[b];
		uint32_t end = block->first + block->count;

		if (!block->reachable)
			continue;
		for (uint32_t i = block->first; asks && i < end; i++) {
			if (l->block_variance[b] || l->guard_variance[i])
				check_barrier(l, i);
			check_membermask(l, i);
		}
		check_branch(l, end - 1);
	}
}
