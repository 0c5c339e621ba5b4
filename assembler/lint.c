/* Runs the warnings about valid PTX that is probably a mistake: those of each function, then those
 * of the module. */
#include "assembler/lint.h"
#include "base/memory.h"
#include <stdlib.h>

void assembler_lint(const struct ir_module *m, struct diags *diags)
{
	struct lint l = {.m = m, .diags = diags};

	for (uint32_t i = 0; i < m->nfuncs; i++) {
		l.f = &m->func[i];
		l.func = i;
		if (!l.f->ninsns)
			continue;
		ir_cfg_build(&l.cfg, m, i);
		l.block_variance = memory_zeroed(l.cfg.nblocks + 1u, 1);
		l.cause = memory_zeroed(l.cfg.nblocks + 1u, sizeof *l.cause);
		l.guard_variance = memory_zeroed(l.f->ninsns + 1u, 1);
		lint_flow(&l);
		lint_find_variance(&l);
		lint_sync(&l);
		lint_memory(&l);
		memory_drop(l.block_variance);
		memory_drop(l.cause);
		memory_drop(l.guard_variance);
		ir_cfg_free(&l.cfg);
	}
	l.f = NULL;
	lint_mbarriers(&l);
	lint_names(&l);
}
