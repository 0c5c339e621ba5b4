/* Whether registers of lanes that have exited may hold anything. */
#ifndef PTXI_CODE_LOOSE_H
#define PTXI_CODE_LOOSE_H
#include "code/code.h"

/* Whether nothing but instructions looks at registers while C, which is a kernel, runs: it calls
 * nothing, and none of them polls, after which all registers of a group are compared with what they
 * were before. C is decoded. */
bool code_is_quiet(const struct code_func *c);
/* Whether C has an op of KIND. */
bool code_has(const struct code_func *c, enum op_kind kind);
/* Whether, besides, no lane reads what another one has. */
static inline bool code_is_loose(const struct code_func *c)
{
	return code_is_quiet(c) && !code_has(c, KIND_SHFL);
}

#endif
