/* Backward data flow over a thread of a litmus test, iterated to the fixed point: live registers,
 * reachable writes, loop heads. */
#include "explore/litmus/flow.h"
#include "model/relation.h"
#include <string.h>

static void use_register(uint64_t *row, const struct litmus_value *v)
{
	if (v->is_register)
		row_put(row, v->index);
}

static void flow_through(
	const struct litmus_test *test, const struct litmus_insn *i, struct litmus_flow *f)
{
	bool writes = i->op == LITMUS_STORE || i->op == LITMUS_ATOM || i->op == LITMUS_RED;
	if (i->op == LITMUS_LOAD || i->op == LITMUS_ATOM || i->op == LITMUS_ALU)
		row_drop(f->live, i->dst);
	if (i->op == LITMUS_STORE || i->op == LITMUS_ALU || i->op == LITMUS_BRANCH ||
		i->op == LITMUS_ATOM || i->op == LITMUS_RED)
		use_register(f->live, &i->a);
	if (i->op != LITMUS_LOAD && i->op != LITMUS_STORE)
		use_register(f->live, &i->b);
	use_register(f->live, &i->c);
	if (writes)
		row_put(f->writes, test->location[i->location].phys);
}

struct litmus_flow *litmus_flow(const struct litmus_test *test, uint32_t thread, uint32_t reg_words,
	uint32_t location_words, uint32_t *nheads, struct arena *arena)
{
	const struct litmus_thread *t = &test->thread[thread];
	struct litmus_flow *f = ARENA_ARRAY(arena, struct litmus_flow, t->ninsns + 2),
			   *scratch = &f[t->ninsns + 1];
	for (uint32_t k = 0; k <= t->ninsns + 1; k++) {
		f[k].live = ARENA_ARRAY(arena, uint64_t, reg_words);
		f[k].writes = ARENA_ARRAY(arena, uint64_t, location_words);
	}
	for (uint32_t k = 0; k < test->nobserved; k++) {
		if (test->observed[k].kind == LITMUS_TERM_REG && test->observed[k].thread == thread)
			row_put(f[t->ninsns].live, test->observed[k].index);
	}
	for (bool changed = true; changed;) {
		changed = false;
		for (uint32_t k = t->ninsns; k-- > 0;) {
			const struct litmus_insn *i = &t->insn[k];
			const struct litmus_flow *next =
				&f[i->op == LITMUS_GOTO ? i->target : k + 1];
			memcpy(scratch->live, next->live, reg_words * sizeof *next->live);
			memcpy(scratch->writes, next->writes,
				location_words * sizeof *next->writes);
			if (i->op == LITMUS_BRANCH) {
				row_or(scratch->live, f[i->target].live, reg_words);
				row_or(scratch->writes, f[i->target].writes, location_words);
			}
			flow_through(test, i, scratch);
			if (memcmp(scratch->live, f[k].live, reg_words * sizeof *f[k].live) != 0 ||
				memcmp(scratch->writes, f[k].writes,
					location_words * sizeof *f[k].writes) != 0) {
				memcpy(f[k].live, scratch->live, reg_words * sizeof *f[k].live);
				memcpy(f[k].writes, scratch->writes,
					location_words * sizeof *f[k].writes);
				changed = true;
			}
		}
	}
	uint32_t heads = 0;
	for (uint32_t k = 0; k < t->ninsns; k++) {
		const struct litmus_insn *i = &t->insn[k];
		if ((i->op == LITMUS_BRANCH || i->op == LITMUS_GOTO) && i->target <= k &&
			!f[i->target].loop_head) {
			f[i->target].loop_head = true;
			f[i->target].head = heads++;
		}
	}
	if (heads > *nheads)
		*nheads = heads;
	return f;
}
