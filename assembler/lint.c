/* Runs the warnings about valid PTX that is probably a mistake: those of each function, then those
 * of the module. */
#include "assembler/lint.h"
#include "base/memory.h"

static void add_use(void *arg, const struct ir_operand *reg, bool written)
{
	struct lint *l = arg;

	*vec_push(&l->uses) = (struct lint_use){
		reg->index & (UINT32_MAX >> 2), written, reg->aux != 0};
}

enum { USES = 4 }; /* of registers by an instruction */

/* Collects the uses of registers once, for all that look at them. */
static void find_uses(struct lint *l)
{
	l->uses.count = 0;
	/* nearly always enough: no copies of a long array */
	vec_reserve(&l->uses, (uint64_t)l->f->ninsns * USES + 1);
	l->use = LINT_ARRAY(l, uint32_t, l->f->ninsns);
	for (uint32_t i = 0; i < l->f->ninsns; i++) {
		l->use[i] = l->uses.count;
		ir_each_register(l->m, lint_insn(l, i), add_use, l);
	}
	l->use[l->f->ninsns] = l->uses.count;
}

enum { LARGE = 1 << 20 }; /* uses of a function whose memory the next steps may need */

void assembler_lint(const struct ir_module *m, struct diags *diags)
{
	struct lint l = {.m = m, .diags = diags};
	bool large, asks;

	for (uint32_t i = 0; i < m->nfuncs; i++) {
		l.f = &m->func[i];
		l.func = i;
		if (!l.f->ninsns)
			continue;
		ir_cfg_build(&l.cfg, m, i);
		find_uses(&l);
		l.block_variance = LINT_ARRAY(&l, uint8_t, l.cfg.nblocks);
		l.cause = LINT_ARRAY(&l, uint32_t, l.cfg.nblocks);
		l.guard_variance = LINT_ARRAY(&l, uint8_t, l.f->ninsns);
		lint_flow(&l);
		asks = lint_sync_asks(&l);
		if (asks)
			lint_find_variance(&l);
		lint_sync(&l, asks);
		lint_memory(&l);
		arena_clear(&l.scratch);
		ir_cfg_free(&l.cfg);
	}
	large = l.uses.cap > LARGE;
	vec_free(&l.uses);
	arena_free(&l.scratch);
	l.f = NULL;
	lint_mbarriers(&l);
	lint_names(&l);
	if (large)
		memory_return();
}
