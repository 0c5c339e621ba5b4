/* Divergence analysis: which values, and which locations, vary among the threads of a CTA,
 * propagated from %tid and similar registers through registers and branches. There are two degrees,
 * because a barrier is affected by any threads that differ, an .aligned instruction only by lanes
 * of one warp. A register varies as the value last written to it: tracked instruction by
 * instruction within a block, by versions between blocks. */
#include "assembler/lint_versions.h"
#include <string.h>

struct walk {
	struct lint *l;
	uint32_t insn;
	uint8_t in; /* greatest variance of the values that the instruction reads */
	/* a value that was already used has changed: another round is needed */
	bool changed;
	bool whole, from_tid; /* the instruction writes unconditionally; it is mov of %tid.x */
	uint32_t *seen, gen;
	uint8_t *spread; /* by block: the variance of its branch that has been spread */
	struct versions versions;
	uint8_t *anywhere; /* by register: the greatest variance of all values written to it */
	uint8_t *looked;   /* by register: whether `anywhere` or `tid` has been used */
	/* by register: the visit of a block (NOW counts them) in which its value is known, so that
	 * writes elsewhere do not matter */
	uint32_t *here, now;
	uint8_t *local; /* by register: its variance in that visit */
	/* by register: kinds of values written to it: 1 = %tid.x, 2 = others, 3 = both */
	uint8_t *tid;
	VEC(uint32_t) todo;
};

static uint8_t variance_of_sreg(uint32_t sreg)
{
	const char *t = sreg_text(sreg);

	if (strcmp(t, "%tid") == 0 || strncmp(t, "%lane", 5) == 0)
		return BY_LANE;
	return strcmp(t, "%warpid") == 0 || strncmp(t, "%clock", 6) == 0 ||
			strncmp(t, "%globaltimer", 12) == 0
		? BY_WARP
		: SAME;
}

static uint8_t variance_of_register(const struct walk *w, uint32_t reg)
{
	if (w->here[reg] == w->now)
		return w->local[reg];
	w->looked[reg] = 1;
	return w->anywhere[reg];
}

static uint8_t variance_of_operand(const struct walk *w, const struct ir_operand *o)
{
	const struct lint *l = w->l;
	uint8_t v = SAME, e;

	switch (o->kind) {
	case IR_REG: return variance_of_register(w, o->index);
	case IR_SREG:
		return o->aux > 1 && strcmp(sreg_text(o->index), "%tid") == 0
			? BY_WARP
			: variance_of_sreg(o->index);
	case IR_ADDR: return o->aux == IR_BASE_REG ? variance_of_register(w, o->index) : SAME;
	case IR_VEC:
	case IR_LIST:
	case IR_PAIR:
		for (uint32_t i = 0; i < o->count; i++) {
			e = variance_of_operand(w, &l->m->operand[o->index + i]);
			v = e > v ? e : v;
		}
		return v;
	default: return SAME;
	}
}

/* Whether IN computes tid / 32 or similar, which is uniform within a warp (if the CTA's rows are
 * whole warps). */
static bool drops_lane(const struct walk *w, const struct ir_insn *in)
{
	const struct ir_operand *b = in->noperands >= 3 ? lint_operand(w->l, in, 2) : NULL;

	if (!b || b->kind != IR_IMM)
		return false;
	switch (ir_form(in)->opcode) {
	case OP_shr: return b->value >= 5 && b->value < 64;
	case OP_div: return b->value >= 32 && b->value % 32 == 0;
	case OP_and: return (b->value & 31) == 0;
	default: return false;
	}
}

static bool is_tid(const struct walk *w, const struct ir_insn *in)
{
	const struct ir_operand *a;

	if (ir_form(in)->opcode != OP_mov || in->guard != IR_NONE)
		return false;
	a = lint_operand(w->l, in, 1);
	return a->kind == IR_SREG && a->aux == 1 && strcmp(sreg_text(a->index), "%tid") == 0;
}

/* Whether IN is tid < 64 or similar, whose result is uniform within a warp. */
static bool cuts_between_warps(const struct walk *w, const struct ir_insn *in)
{
	const struct ir_module *m = w->l->m;
	const struct ir_operand *a, *b;

	if (ir_form(in)->opcode != OP_setp || in->noperands != 3)
		return false;
	a = lint_operand(w->l, in, 1);
	b = lint_operand(w->l, in, 2);
	if (b->kind != IR_IMM || a->kind != IR_REG)
		return false;
	w->looked[a->index] = 1;
	if (w->tid[a->index] != 1)
		return false;
	if (ir_has(m, in, W_lt) || ir_has(m, in, W_ge) || ir_has(m, in, W_lo) ||
		ir_has(m, in, W_hs))
		return b->value % 32 == 0;
	return (ir_has(m, in, W_le) || ir_has(m, in, W_gt) || ir_has(m, in, W_ls) ||
		       ir_has(m, in, W_hi)) &&
		b->value % 32 == 31;
}

/* The variance of an instruction's results. */
static uint8_t variance_of_insn(const struct walk *w, const struct ir_insn *in, uint32_t written)
{
	const struct lint *l = w->l;
	uint32_t traits = ir_form(in)->traits;
	uint8_t v = SAME, e;

	for (unsigned k = 0; k < in->noperands; k++) {
		if (k < 32 && written >> k & 1)
			continue;
		e = variance_of_operand(w, lint_operand(l, in, k));
		v = e > v ? e : v;
	}
	switch (ir_form(in)->opcode) {
	case OP_vote:
	case OP_redux:
	case OP_activemask: return BY_WARP;
	case OP_elect: return BY_LANE;
	case OP_shfl:
		return lint_operand(l, in, 2)->kind == IR_IMM && ir_has(l->m, in, W_idx) ? BY_WARP
											 : BY_LANE;
	case OP_bar:
	case OP_barrier: return SAME; /* bar.red has one result for all threads */
	default: break;
	}
	if (traits & TRAIT_ATOMIC)
		return BY_LANE;
	if (v == BY_LANE && (drops_lane(w, in) || cuts_between_warps(w, in)))
		return BY_WARP;
	return v;
}

static void raise_reg(struct walk *w, uint32_t reg, uint8_t v)
{
	uint8_t tid = w->tid[reg] | (w->from_tid ? 1 : 2);

	if (w->anywhere[reg] < v || w->tid[reg] != tid) {
		if (w->anywhere[reg] < v)
			w->anywhere[reg] = v;
		w->tid[reg] = tid;
		w->changed |= w->looked[reg];
	}
}

static void hold_variance(struct walk *w, uint32_t reg, uint8_t v)
{
	w->here[reg] = w->now;
	w->local[reg] = v;
}

static void raise_result(struct walk *w, const struct ir_operand *o)
{
	if (o->kind == IR_REG) {
		raise_reg(w, o->index, w->in);
		if (w->whole && !o->aux)
			hold_variance(w, o->index, w->in);
		else if (w->here[o->index] == w->now && w->local[o->index] < w->in)
			w->local[o->index] = w->in;
	} else if (o->kind == IR_VEC || o->kind == IR_LIST || o->kind == IR_PAIR) {
		for (uint32_t i = 0; i < o->count; i++)
			raise_result(w, &w->l->m->operand[o->index + i]);
	}
}

static void raise_results(struct walk *w, const struct ir_insn *in, uint32_t written)
{
	for (unsigned k = 0; written; k++, written >>= 1)
		if (written & 1)
			raise_result(w, lint_operand(w->l, in, k));
}

/* Gives all blocks between branch block B and its reconvergence point the variance of the
 * branch. */
static void spread_variance(struct walk *w, uint32_t b, uint8_t v)
{
	struct ir_cfg *c = &w->l->cfg;
	uint32_t stop = c->block[b].ipdom, branch = c->block[b].first + c->block[b].count - 1;

	if (w->spread[b] >= v)
		return;
	w->spread[b] = v;
	w->gen++;
	w->todo.count = 0;
	*vec_push(&w->todo) = b;
	while (w->todo.count) {
		const struct ir_block *at = &c->block[w->todo.data[--w->todo.count]];

		for (uint32_t i = 0; i < at->nsuccs; i++) {
			uint32_t s = c->succ[at->succ + i];

			if (s == stop || s == c->nblocks || w->seen[s] == w->gen)
				continue;
			w->seen[s] = w->gen;
			if (w->l->block_variance[s] < v) {
				w->l->block_variance[s] = v;
				w->l->cause[s] = branch;
				w->changed |= s <= b;
			}
			*vec_push(&w->todo) = s;
		}
	}
}

static bool block_waits(const struct lint *l, const struct ir_block *b)
{
	for (uint32_t i = 0; i < b->count; i++)
		if (ir_form(lint_insn(l, b->first + i))->traits & TRAIT_BARRIER)
			return true;
	return false;
}

/* Whether one side of the branch only exits. Barriers do not wait for exited threads, so the
 * remaining threads do not diverge because of it. */
static bool one_side_leaves(const struct lint *l, const struct ir_block *b)
{
	for (uint32_t i = 0; i < b->nsuccs; i++) {
		uint32_t s = l->cfg.succ[b->succ + i], hops = 0;

		while (s != l->cfg.nblocks && l->cfg.block[s].nsuccs == 1 && hops++ < 8 &&
			l->cfg.block[s].count <= 16 && !block_waits(l, &l->cfg.block[s]))
			s = l->cfg.succ[l->cfg.block[s].succ];
		if (s == l->cfg.nblocks)
			return true;
	}
	return false;
}

/* Whether the branch looks like `if (i >= n) return;`: its condition is not a comparison with a
 * constant, as in `if (t < 16) barrier;`. */
static bool checks_bounds(const struct lint *l, const struct ir_block *b)
{
	uint32_t guard = lint_insn(l, b->first + b->count - 1)->guard;

	for (uint32_t i = b->count - 1; guard != IR_NONE && i-- > 0;) {
		const struct ir_insn *in = lint_insn(l, b->first + i);
		const struct ir_operand *d = in->noperands ? lint_operand(l, in, 0) : NULL;

		if (d && d->kind == IR_REG && d->index == guard)
			return ir_form(in)->opcode != OP_setp ||
				lint_operand(l, in, 2)->kind != IR_IMM;
	}
	return false;
}

static void raise_version(struct walk *w, struct version *a, uint8_t v)
{
	if (a->variance < v) {
		a->variance = v;
		w->changed |= v > a->enough;
	}
}

/* Computes the variance of the registers that reach block B. */
static void enter_versions(struct walk *w, uint32_t b)
{
	struct versions *v = &w->versions;

	for (uint32_t n = v->reaches[b]; n; n = v->all.data[n - 1].next) {
		struct version *a = &v->all.data[n - 1];

		for (uint32_t i = 0; i < a->ninputs; i++)
			raise_version(w, a, v->all.data[v->input.data[a->input + i]].variance);
		for (uint32_t i = 0; i < a->ninputs; i++) {
			struct version *from = &v->all.data[v->input.data[a->input + i]];

			from->enough = a->variance < from->enough ? a->variance : from->enough;
		}
		hold_variance(w, a->reg, a->variance);
	}
}

static void leave_versions(struct walk *w, uint32_t b)
{
	struct versions *v = &w->versions;

	for (uint32_t n = v->leaves[b]; n; n = v->all.data[n - 1].next)
		raise_version(
			w, &v->all.data[n - 1], variance_of_register(w, v->all.data[n - 1].reg));
}

static void visit_block(struct walk *w, uint32_t b)
{
	struct lint *l = w->l;
	const struct ir_block *block = &l->cfg.block[b];
	const struct ir_insn *last = lint_insn(l, block->first + block->count - 1);
	uint8_t v;

	w->now++;
	enter_versions(w, b);
	for (uint32_t i = 0; i < block->count; i++) {
		const struct ir_insn *in = lint_insn(l, block->first + i);
		uint32_t written = ir_written(l->m, in);

		w->in = variance_of_insn(w, in, written);
		if (l->block_variance[b] > w->in)
			w->in = l->block_variance[b];
		if (in->guard != IR_NONE) {
			l->guard_variance[block->first + i] = variance_of_register(w, in->guard);
			if (variance_of_register(w, in->guard) > w->in)
				w->in = variance_of_register(w, in->guard);
		}
		w->whole = in->guard == IR_NONE;
		w->from_tid = is_tid(w, in);
		raise_results(w, in, written);
	}
	leave_versions(w, b);
	v = last->guard != IR_NONE                ? variance_of_register(w, last->guard)
		: ir_form(last)->opcode == OP_brx ? variance_of_operand(w, lint_operand(l, last, 0))
						  : SAME;
	if (v && block->nsuccs > 1 &&
		!((block->ipdom == l->cfg.nblocks || (l->f->is_entry && checks_bounds(l, block))) &&
			one_side_leaves(l, block)))
		spread_variance(w, b, v);
}

void lint_find_variance(struct lint *l)
{
	struct walk w = {.l = l};
	struct arena_mark mark = arena_mark(&l->scratch);
	unsigned rounds = 0;

	lint_versions_find(&w.versions, l);
	w.seen = LINT_ARRAY(l, uint32_t, l->cfg.nblocks);
	w.tid = LINT_ARRAY(l, uint8_t, l->f->nregs);
	w.here = LINT_ARRAY(l, uint32_t, l->f->nregs);
	w.local = LINT_ARRAY(l, uint8_t, l->f->nregs);
	w.spread = LINT_ARRAY(l, uint8_t, l->cfg.nblocks);
	w.looked = LINT_ARRAY(l, uint8_t, l->f->nregs);
	w.anywhere = LINT_ARRAY(l, uint8_t, l->f->nregs);
	do {
		w.changed = false;
		for (uint32_t b = 0; b < l->cfg.nblocks; b++)
			visit_block(&w, b);
	} while (w.changed && ++rounds < 20 && (uint64_t)rounds * l->f->ninsns < 20000000);
	lint_versions_free(&w.versions);
	arena_rewind(&l->scratch, mark);
	vec_free(&w.todo);
}
