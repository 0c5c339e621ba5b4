/* State shared by the files that warn: one function at a time, with its control-flow graph. */
#ifndef PTXI_ASSEMBLER_LINT_H
#define PTXI_ASSEMBLER_LINT_H
#include "assembler/assembler.h"
#include "base/vec.h"
#include "ir/cfg.h"

/* How much a value, or the reaching of an instruction, may vary among the threads of a CTA. */
enum variance { SAME, BY_WARP, BY_LANE };

/* A register that an instruction names. (A file has less than 4 GiB, so not 2^30 of them.) */
struct lint_use {
	uint32_t reg : 30, written : 1, part : 1; /* part: one component of it */
};

struct lint {
	const struct ir_module *m;
	struct diags *diags;
	const struct ir_func *f;
	uint32_t func;
	struct ir_cfg cfg;
	struct arena scratch; /* emptied after each function */
	/* those of the function, in order; an instruction's reads before its writes */
	VEC(struct lint_use) uses;
	uint32_t *use;           /* [instructions + 1] those of each: uses[use[i] .. use[i + 1]) */
	uint8_t *block_variance; /* enum variance of reaching each block */
	/* by block, where it varies: the branch that causes it, as an instruction of the
	 * function */
	uint32_t *cause;
	uint8_t *guard_variance; /* by instruction: enum variance of its guard */
};

static inline const struct ir_insn *lint_insn(const struct lint *l, uint32_t i)
{
	return &l->m->insn[l->f->insn + i];
}
static inline const struct ir_operand *lint_operand(
	const struct lint *l, const struct ir_insn *in, unsigned k)
{
	return &l->m->operand[in->operand + k];
}
static inline const char *lint_name(const struct lint *l, uint32_t symbol)
{
	return symbol_text(&l->m->symbols, symbol);
}
/* The uses of instruction I of the function: from here to those of I + 1. */
static inline const struct lint_use *lint_uses(const struct lint *l, uint32_t i)
{
	return l->uses.data + l->use[i];
}
#define LINT_ARRAY(l, type, n) ARENA_ARRAY(&(l)->scratch, type, (n) + 1u)
#define WARN(l, code, span, ...) \
	diag_report((l)->diags, DIAG_##code, (l)->m->source, (span), __VA_ARGS__)

/* lint_flow.c: registers never set, unreachable code */
void lint_flow(struct lint *l);
/* lint_variance.c: fills block_variance, guard_variance, cause */
void lint_find_variance(struct lint *l);
/* lint_sync.c: whether it needs the variance of anything, without which it is 0 */
bool lint_sync_asks(const struct lint *l);
/* barriers and warp operations in divergent code, membermasks (if lint_sync_asks), spinning on weak
 * loads */
void lint_sync(struct lint *l, bool asks);
/* lint_memory.c: constant addresses */
void lint_memory(struct lint *l);
/* lint_mbarrier.c: mbarrier counts, over the whole module */
void lint_mbarriers(struct lint *l);
/* lint_names.c: unused declarations, deprecated forms */
void lint_names(struct lint *l);

#endif
