/* Warnings about registers that are read but set on no path, and about unreachable instructions. */
#include "assembler/lint.h"

struct flow {
	struct lint *l;
	uint32_t insn, steps;
	uint32_t block;
	uint32_t *ok; /* by register: 1 + the block in which it is known to be set */
	/* [registers + 1] its definitions are place[def[r] .. def[r + 1]), ascending */
	uint32_t *def;
	uint32_t *place;     /* instructions */
	bool *told;          /* by register */
	uint32_t *seen, gen; /* by block: value of gen when last visited */
	VEC(uint32_t) todo;
};

/* Groups the definitions by register, in the order of the instructions. */
static void sort_defs(struct flow *w)
{
	const struct lint *l = w->l;
	uint32_t nregs = l->f->nregs, n = l->uses.count;

	for (uint32_t k = 0; k < n; k++)
		w->def[l->uses.data[k].reg] += l->uses.data[k].written;
	for (uint32_t r = 1; r <= nregs; r++)
		w->def[r] += w->def[r - 1];
	w->place = LINT_ARRAY(w->l, uint32_t, w->def[nregs]);
	for (uint32_t i = l->f->ninsns; i-- > 0;)
		for (uint32_t k = l->use[i + 1]; k-- > l->use[i];)
			if (l->uses.data[k].written)
				w->place[--w->def[l->uses.data[k].reg]] = i;
}

/* Whether block B defines REG before instruction END. */
static bool defined_in(const struct flow *w, uint32_t reg, uint32_t b, uint32_t end)
{
	const struct ir_block *block = &w->l->cfg.block[b];
	uint32_t low = w->def[reg], high = w->def[reg + 1];

	while (low < high) {
		uint32_t middle = low + (high - low) / 2;

		if (w->place[middle] < block->first)
			low = middle + 1;
		else
			high = middle;
	}
	return low < w->def[reg + 1] && w->place[low] < end &&
		w->place[low] < block->first + block->count;
}

enum { STEPS = 4096, ALL_STEPS = 4000000 };

/* Whether a definition of REG may reach instruction INSN, by a backward search; true as well when
 * the search takes too long. */
static bool definition_reaches(struct flow *w, uint32_t reg, uint32_t insn)
{
	struct ir_cfg *c = &w->l->cfg;
	uint32_t start = c->block_of[insn], steps = 0;

	if (defined_in(w, reg, start, insn))
		return true;
	/* the instruction can be reached, and every path to another block leads through the first
	 */
	if (start && w->place[w->def[reg]] < c->block[0].count)
		return true;
	w->gen++;
	w->todo.count = 0;
	*vec_push(&w->todo) = start;
	while (w->todo.count) {
		const struct ir_block *b = &c->block[w->todo.data[--w->todo.count]];

		for (uint32_t i = 0; i < b->npreds; i++) {
			uint32_t p = c->pred[b->pred + i];

			if (w->seen[p] == w->gen)
				continue;
			if (++steps > STEPS || ++w->steps > ALL_STEPS)
				return true;
			w->seen[p] = w->gen;
			if (defined_in(w, reg, p, IR_NONE))
				return true;
			*vec_push(&w->todo) = p;
		}
	}
	return false;
}

/* Checks the read of a register not known to be set in this block. */
static void check_read(struct flow *w, uint32_t reg)
{
	struct lint *l = w->l;
	struct diag *d;

	if (w->told[reg])
		return;
	/* shfl only passes the value on: compilers move the padding of structures this way */
	if (ir_form(lint_insn(l, w->insn))->opcode == OP_shfl &&
		lint_operand(l, lint_insn(l, w->insn), 1)->kind == IR_REG &&
		lint_operand(l, lint_insn(l, w->insn), 1)->index == reg)
		return;
	if (w->def[reg] < w->def[reg + 1] && definition_reaches(w, reg, w->insn)) {
		w->ok[reg] = w->block + 1;
		return;
	}
	w->told[reg] = true;
	d = WARN(l, W0501, lint_insn(l, w->insn)->span,
		"'%s' is read here, but no path to this instruction sets it",
		lint_name(l, l->m->reg[l->f->reg + reg].name));
	diag_help(l->diags, d, "its value is undefined: set it first, for example with mov");
}

static void mark_formals(struct flow *w)
{
	const struct ir_func *f = w->l->f;

	for (uint32_t i = 0; i < f->nparams; i++)
		if (w->l->m->var[f->param + i].space == W_reg)
			w->told[w->l->m->var[f->param + i].offset] = true;
}

static void check_reads(struct flow *w)
{
	struct lint *l = w->l;

	for (uint32_t b = 0; b < l->cfg.nblocks; b++) {
		const struct ir_block *block = &l->cfg.block[b];

		w->block = b;
		for (uint32_t i = 0; block->reachable && i < block->count; i++) {
			w->insn = block->first + i;
			for (const struct lint_use *u = lint_uses(l, w->insn),
						   *end = lint_uses(l, w->insn + 1);
				u < end; u++) {
				if (w->ok[u->reg] == b + 1)
					continue;
				if (u->written)
					w->ok[u->reg] = b + 1;
				else
					check_read(w, u->reg);
			}
		}
	}
}

static bool is_padding(const struct ir_insn *in)
{
	switch (ir_form(in)->opcode) {
	case OP_ret:
	case OP_exit:
	case OP_bra:
	case OP_trap:
	case OP_brkpt:
	case OP_mov: /* compilers emit it after an exit in inline assembly */ return true;
	default: return false;
	}
}

static void check_unreachable(struct lint *l)
{
	bool before = true;

	for (uint32_t b = 0; b < l->cfg.nblocks; b++) {
		const struct ir_block *block = &l->cfg.block[b];
		uint32_t i = 0;

		while (i < block->count && is_padding(lint_insn(l, block->first + i)))
			i++;
		if (!block->reachable && before && i < block->count)
			diag_help(l->diags,
				WARN(l, W0502, lint_insn(l, block->first + i)->span,
					"unreachable instruction"),
				"%s",
				block->first
					? "the preceding code never falls through to here, and no branch leads here"
					: "");
		before = block->reachable || (before && i == block->count);
	}
}

void lint_flow(struct lint *l)
{
	struct flow w = {.l = l};
	struct arena_mark mark = arena_mark(&l->scratch);

	w.def = LINT_ARRAY(l, uint32_t, l->f->nregs);
	w.ok = LINT_ARRAY(l, uint32_t, l->f->nregs);
	w.told = LINT_ARRAY(l, bool, l->f->nregs);
	w.seen = LINT_ARRAY(l, uint32_t, l->cfg.nblocks);
	sort_defs(&w);
	mark_formals(&w);
	check_reads(&w);
	check_unreachable(l);
	arena_rewind(&l->scratch, mark);
	vec_free(&w.todo);
}
