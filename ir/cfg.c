/* Building the control-flow graph: basic blocks in one pass over the instructions, then immediate
 * post-dominators by the iteration of Cooper, Harvey and Kennedy on the reversed graph. */
#include "ir/cfg.h"
#include "base/memory.h"
#include "base/vec.h"
#include <stdlib.h>
#include <string.h>

enum ending { GOES_ON, BRANCHES, LEAVES };

static bool call_returns(const struct ir_module *m, const struct ir_insn *in)
{
	const struct ir_operand *o = &m->operand[in->operand + 1];

	if (in->noperands > 1 && o->kind == IR_FUNC)
		return !m->func[o->index].noreturn;
	o = &m->operand[in->operand + 3];
	return in->noperands < 4 || o->kind != IR_TABLE || !m->table[o->index].noreturn;
}

static enum ending ending_of(const struct ir_module *m, const struct ir_insn *in)
{
	switch (ir_form(in)->opcode) {
	case OP_bra:
	case OP_brx: return BRANCHES;
	case OP_ret:
	case OP_exit:
	case OP_trap: return LEAVES;
	case OP_call: return call_returns(m, in) ? GOES_ON : LEAVES;
	default: return GOES_ON;
	}
}

static void mark_targets(const struct ir_module *m, const struct ir_func *f, uint8_t *begins)
{
	if (f->ninsns)
		begins[0] = 1;
	for (uint32_t i = 0; i < f->nlabels; i++)
		if (m->label[f->label + i].insn < f->ninsns)
			begins[m->label[f->label + i].insn] = 1;
	for (uint32_t i = 0; i + 1 < f->ninsns; i++)
		if (ending_of(m, &m->insn[f->insn + i]) != GOES_ON)
			begins[i + 1] = 1;
}

static void cut_blocks(struct ir_cfg *c, const struct ir_func *f, const uint8_t *begins)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < f->ninsns; i++)
		n += begins[i];
	c->nblocks = n;
	c->block = memory_zeroed(n + 1u, sizeof *c->block);
	c->block_of = memory_zeroed(f->ninsns + 1u, sizeof *c->block_of);
	n = UINT32_MAX;
	for (uint32_t i = 0; i < f->ninsns; i++) {
		if (begins[i])
			c->block[++n].first = i;
		c->block[n].count++;
		c->block_of[i] = n;
	}
	c->block_of[f->ninsns] = c->nblocks;
}

struct edges {
	VEC(uint32_t) to;
	/* by block: 1 + the last block with an edge to it, to avoid duplicate edges */
	uint32_t *last;
};

static void add_edge(struct ir_cfg *c, struct edges *e, struct ir_block *b, uint32_t to)
{
	uint32_t from = (uint32_t)(b - c->block) + 1;

	if (e->last[to] == from)
		return;
	e->last[to] = from;
	*vec_push(&e->to) = to;
	b->nsuccs++;
	c->block[to].npreds++;
}

static uint32_t target_block(const struct ir_cfg *c, const struct ir_func *f, uint32_t insn)
{
	return insn < f->ninsns ? c->block_of[insn] : c->nblocks;
}

static void add_targets(struct ir_cfg *c, struct edges *e, const struct ir_module *m,
	const struct ir_func *f, struct ir_block *b, const struct ir_insn *in)
{
	for (unsigned k = 0; k < in->noperands; k++) {
		const struct ir_operand *o = &m->operand[in->operand + k];

		if (o->kind == IR_LABEL)
			add_edge(c, e, b, target_block(c, f, o->index));
		else if (o->kind == IR_TABLE)
			for (uint32_t i = 0; i < m->table[o->index].ntargets; i++)
				add_edge(c, e, b,
					target_block(c, f,
						m->operand[m->table[o->index].target + i].index));
	}
}

static void connect_blocks(struct ir_cfg *c, const struct ir_module *m, const struct ir_func *f)
{
	struct edges e = {.last = memory_zeroed(c->nblocks + 1u, sizeof *e.last)};
	uint32_t at = 0;

	for (uint32_t n = 0; n < c->nblocks; n++) {
		struct ir_block *b = &c->block[n];
		const struct ir_insn *in = &m->insn[f->insn + b->first + b->count - 1];
		enum ending end = ending_of(m, in);

		b->succ = e.to.count;
		if (end == BRANCHES)
			add_targets(c, &e, m, f, b, in);
		else if (end == LEAVES)
			add_edge(c, &e, b, c->nblocks);
		if (end == GOES_ON || in->guard != IR_NONE)
			add_edge(c, &e, b, n + 1);
	}
	memory_drop(e.last);
	c->succ = e.to.data;
	c->pred = memory_zeroed(e.to.count + 1u, sizeof *c->pred);
	for (uint32_t n = 0; n <= c->nblocks; n++) {
		c->block[n].pred = at;
		at += c->block[n].npreds;
		c->block[n].npreds = 0;
	}
	for (uint32_t n = 0; n < c->nblocks; n++)
		for (uint32_t i = 0; i < c->block[n].nsuccs; i++) {
			struct ir_block *to = &c->block[c->succ[c->block[n].succ + i]];

			c->pred[to->pred + to->npreds++] = n;
		}
}

static void find_reachable(struct ir_cfg *c)
{
	VEC(uint32_t) todo = {0};

	if (c->nblocks) {
		c->block[0].reachable = true;
		*vec_push(&todo) = 0;
	}
	while (todo.count) {
		const struct ir_block *b = &c->block[todo.data[--todo.count]];

		for (uint32_t i = 0; i < b->nsuccs; i++) {
			struct ir_block *to = &c->block[c->succ[b->succ + i]];

			if (!to->reachable) {
				to->reachable = true;
				*vec_push(&todo) = (uint32_t)(to - c->block);
			}
		}
	}
	vec_free(&todo);
}

/* Fills LIST with the blocks in postorder of the reversed graph, starting at the exit, and order[b]
 * with the index of block b in LIST, or IR_NONE if b cannot reach the exit. Returns the length of
 * LIST. */
static uint32_t postorder_from_exit(const struct ir_cfg *c, uint32_t *order, uint32_t *list)
{
	struct frame {
		uint32_t block, next;
	};
	VEC(struct frame) stack = {0};
	uint8_t *seen = memory_zeroed(c->nblocks + 1u, 1);
	uint32_t n = 0;

	memset(order, 0xff, (c->nblocks + 1u) * sizeof *order);
	*vec_push(&stack) = (struct frame){c->nblocks, 0};
	seen[c->nblocks] = 1;
	while (stack.count) {
		struct frame *top = &stack.data[stack.count - 1];
		const struct ir_block *b = &c->block[top->block];

		if (top->next < b->npreds) {
			uint32_t p = c->pred[b->pred + top->next++];

			if (!seen[p]) {
				seen[p] = 1;
				*vec_push(&stack) = (struct frame){p, 0};
			}
		} else {
			list[n] = top->block;
			order[top->block] = n++;
			stack.count--;
		}
	}
	vec_free(&stack);
	memory_drop(seen);
	return n;
}

static uint32_t common_post_dominator(
	const struct ir_cfg *c, const uint32_t *order, uint32_t a, uint32_t b)
{
	while (a != b) {
		while (order[a] < order[b])
			a = c->block[a].ipdom;
		while (order[b] < order[a])
			b = c->block[b].ipdom;
	}
	return a;
}

static bool improve_post_dominator(struct ir_cfg *c, const uint32_t *order, uint32_t n)
{
	struct ir_block *b = &c->block[n];
	uint32_t best = IR_NONE;

	for (uint32_t i = 0; i < b->nsuccs; i++) {
		uint32_t s = c->succ[b->succ + i];

		if (order[s] != IR_NONE && c->block[s].ipdom != IR_NONE)
			best = best == IR_NONE ? s : common_post_dominator(c, order, best, s);
	}
	if (best == b->ipdom)
		return false;
	b->ipdom = best;
	return true;
}

static void find_post_dominators(struct ir_cfg *c)
{
	uint32_t *order = memory_zeroed(c->nblocks + 1u, sizeof *order),
		 *list = memory_zeroed(c->nblocks + 1u, sizeof *list), n;
	bool changed = true;

	for (uint32_t i = 0; i < c->nblocks; i++)
		c->block[i].ipdom = IR_NONE;
	c->block[c->nblocks].ipdom = c->nblocks;
	n = postorder_from_exit(c, order, list);
	while (changed) {
		changed = false;
		for (uint32_t i = n - 1; i-- > 0;)
			changed |= improve_post_dominator(c, order, list[i]);
	}
	for (uint32_t i = 0; i < c->nblocks; i++)
		if (c->block[i].ipdom == IR_NONE)
			c->block[i].ipdom = c->nblocks;
	memory_drop(order);
	memory_drop(list);
}

void ir_cfg_build(struct ir_cfg *c, const struct ir_module *m, uint32_t func)
{
	const struct ir_func *f = &m->func[func];
	uint8_t *begins = memory_zeroed(f->ninsns + 1u, 1);

	*c = (struct ir_cfg){0};
	mark_targets(m, f, begins);
	cut_blocks(c, f, begins);
	connect_blocks(c, m, f);
	find_reachable(c);
	find_post_dominators(c);
	memory_drop(begins);
}

void ir_cfg_free(struct ir_cfg *c)
{
	memory_drop(c->block);
	memory_drop(c->succ);
	memory_drop(c->pred);
	memory_drop(c->block_of);
	*c = (struct ir_cfg){0};
}
