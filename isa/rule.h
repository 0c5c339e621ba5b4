/* Declarations shared by the files of rules. The reporting functions are in rule_says.c, which all
 * of them use; the rules are for the table in rule.c. */
#ifndef PTXI_ISA_RULE_H
#define PTXI_ISA_RULE_H
#include "isa/check.h"

/* Reports that the row does not fit because of WORD or OPERAND (-1: neither); always returns
 * false. */
bool rule_says(struct miss *m, int word, int operand, const char *text, const char *help);

/* Checks that the PTX version and the target suffice for a part of the instruction; WORD: index of
 * the responsible word, or -1. */
bool rule_since(const struct view *v, struct miss *m, unsigned ptx, unsigned sm, int word);

bool rule_mov(const struct view *v, struct miss *m);
bool rule_mbarrier(const struct view *v, struct miss *m);
bool rule_cp_async(const struct view *v, struct miss *m);
bool rule_mm_vector(const struct view *v, struct miss *m);
bool rule_mm_fp8(const struct view *v, struct miss *m);
bool rule_fabric(const struct view *v, struct miss *m);
bool rule_sparse(const struct view *v, struct miss *m);
bool rule_surface(const struct view *v, struct miss *m);
bool rule_tex(const struct view *v, struct miss *m);
bool rule_texture(const struct view *v, struct miss *m);
bool rule_surface_query(const struct view *v, struct miss *m);
bool rule_tensor(const struct view *v, struct miss *m);
bool rule_prefetch_priority(const struct view *v, struct miss *m);
bool rule_wmma(const struct view *v, struct miss *m);
bool rule_mma(const struct view *v, struct miss *m);
bool rule_wgmma(const struct view *v, struct miss *m);
bool rule_matrix_count(const struct view *v, struct miss *m);
bool rule_tcgen05_ld(const struct view *v, struct miss *m);
bool rule_tcgen05_mma(const struct view *v, struct miss *m);
bool rule_tmem(const struct view *v, struct miss *m);
bool rule_columns(const struct view *v, struct miss *m);

#endif
