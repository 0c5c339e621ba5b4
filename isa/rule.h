/* What the files of rules share. */
#ifndef PTXI_ISA_RULE_H
#define PTXI_ISA_RULE_H
#include "isa/check.h"

/* The row does not fit because of WORD or OPERAND (-1: neither); always false. */
bool rule_says(struct miss *m, int word, int operand, const char *text, const char *help);

bool rule_mov(const struct view *v, struct miss *m);

#endif
