/* Analyses of a function's graph of single ops: where lanes that diverge at a branch reconverge in
 * lockstep (the branch's immediate post-dominator, by the iteration of Cooper, Harvey and Kennedy),
 * and which ops can be reached. */
#include "code/reconverge.h"
#include "base/assert.h"
#include "base/memory.h"
#include <stdlib.h>

struct graph {
	const struct code_func *code;
	/* [count] ops in post-order of the reversed graph, the virtual exit (nops) last */
	uint32_t *order;
	uint32_t *number; /* [nops + 1] index in order; NO_PC: the op cannot reach the exit */
	uint32_t *idom;   /* [nops + 1] */
	uint32_t *pred_at, *pred; /* predecessors of op k: pred[pred_at[k] .. pred_at[k + 1]) */
	uint32_t count;
};

enum leads { LEADS_ON, LEADS_TARGET, LEADS_TABLE, LEADS_OUT };
static const uint8_t leads_of[KIND_COUNT] = {
#define IN_LOOP(NAME, leads) [KIND_##NAME] = LEADS_##leads,
#define KIND(NAME, executor, leads) [KIND_##NAME] = LEADS_##leads,
#include "code/op_kind.def"
};

/* The J-th successor of op K, NO_PC after the last one (nops is the virtual exit). */
static uint32_t successors(const struct graph *g, uint32_t k, uint32_t j)
{
	const struct op *op = &g->code->op[k];
	enum leads leads = (enum leads)leads_of[op->kind];

	if (leads == LEADS_ON || op_is_guarded(op)) {
		if (j == 0)
			return k + 1;
		j--;
	}
	switch (leads) {
	case LEADS_ON: return NO_PC;
	case LEADS_TARGET: return j == 0 ? op->branch.target : NO_PC;
	case LEADS_TABLE: return j < op->table->count ? op->table->target[j] : NO_PC;
	case LEADS_OUT: return j == 0 ? g->code->nops : NO_PC;
	}
	return NO_PC;
}

static void predecessors(struct graph *g)
{
	uint32_t n = g->code->nops, s;

	for (uint32_t k = 0; k < n; k++)
		for (uint32_t j = 0; (s = successors(g, k, j)) != NO_PC; j++)
			g->pred_at[s + 1]++;
	for (uint32_t k = 0; k <= n; k++)
		g->pred_at[k + 1] += g->pred_at[k];
	g->pred = memory_zeroed(g->pred_at[n + 1] + 1, sizeof *g->pred);
	uint32_t *at = memory_zeroed(n + 1, sizeof *at);

	for (uint32_t k = 0; k < n; k++)
		for (uint32_t j = 0; (s = successors(g, k, j)) != NO_PC; j++)
			g->pred[g->pred_at[s] + at[s]++] = k;
	memory_drop(at);
}

/* Depth-first search over predecessors from the exit, without recursion. */
static void number_ops(struct graph *g)
{
	uint32_t n = g->code->nops, depth = 0;
	uint32_t *stack = memory_zeroed(n + 2, sizeof *stack),
		 *next = memory_zeroed(n + 2, sizeof *next);
	uint8_t *seen = memory_zeroed(n + 2, 1);

	stack[depth++] = n;
	seen[n] = 1;
	while (depth) {
		uint32_t k = stack[depth - 1], i = g->pred_at[k] + next[k];

		if (i < g->pred_at[k + 1]) {
			uint32_t p = g->pred[i];

			next[k]++;
			if (!seen[p]) {
				seen[p] = 1;
				stack[depth++] = p;
			}
		} else {
			assert(g->count <= n && g->number[k] == NO_PC);
			g->number[k] = g->count;
			g->order[g->count++] = k;
			depth--;
		}
	}
	memory_drop(stack);
	memory_drop(next);
	memory_drop(seen);
}

static uint32_t common_dominator(const struct graph *g, uint32_t a, uint32_t b)
{
	while (a != b) {
		while (g->number[a] < g->number[b])
			a = g->idom[a];
		while (g->number[b] < g->number[a])
			b = g->idom[b];
	}
	return a;
}

static void solve_dominators(struct graph *g)
{
	uint32_t n = g->code->nops;
	bool changed = true;

	g->idom[n] = n;
	while (changed) {
		changed = false;
		for (uint32_t i = g->count - 1; i-- > 0;) {
			uint32_t k = g->order[i], best = NO_PC, s;

			for (uint32_t j = 0; (s = successors(g, k, j)) != NO_PC; j++)
				if (g->number[s] != NO_PC && g->idom[s] != NO_PC)
					best = best == NO_PC ? s : common_dominator(g, best, s);
			if (best != g->idom[k]) {
				g->idom[k] = best;
				changed = true;
			}
		}
	}
}

void code_reconverge(struct code_func *c)
{
	uint32_t n = c->nops;
	struct graph g = {.code = c,
		.order = memory_zeroed(n + 1, sizeof *g.order),
		.number = memory_zeroed(n + 1, sizeof *g.number),
		.idom = memory_zeroed(n + 1, sizeof *g.idom),
		.pred_at = memory_zeroed(n + 3, sizeof *g.pred_at)};

	for (uint32_t k = 0; k <= n; k++)
		g.number[k] = g.idom[k] = NO_PC;
	predecessors(&g);
	number_ops(&g);
	solve_dominators(&g);
	for (uint32_t k = 0; k < n; k++) /* NO_PC for an op that never reaches the exit */
		c->op[k].reconverge = g.idom[k] == NO_PC || g.idom[k] == n ? NO_PC : g.idom[k];
	memory_drop(g.order);
	memory_drop(g.number);
	memory_drop(g.idom);
	memory_drop(g.pred_at);
	memory_drop(g.pred);
}

bool code_reaches(const struct code_func *c, uint32_t from, bool (*test)(const struct op *op))
{
	struct graph g = {.code = c};
	uint32_t *todo = memory_zeroed(c->nops + 1, sizeof *todo), n = 0, s;
	uint8_t *seen = memory_zeroed(c->nops + 1, 1);
	bool found = false;

	if (from < c->nops) {
		todo[n++] = from;
		seen[from] = 1;
	}
	while (n && !found) {
		uint32_t k = todo[--n];

		if (k == c->nops)
			continue;
		found = test(&c->op[k]);
		for (uint32_t j = 0; (s = successors(&g, k, j)) != NO_PC; j++)
			if (!seen[s]) {
				seen[s] = 1;
				todo[n++] = s;
			}
	}
	memory_drop(todo);
	memory_drop(seen);
	return found;
}
