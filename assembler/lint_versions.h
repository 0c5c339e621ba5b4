/* Which writes of a register reach a block, for registers that several instructions write: static
 * single assignment without renaming. A version is a value of such a register: the one that reaches
 * the start of a block where it is read or passed on, or the one that a block leaves in it. */
#ifndef PTXI_ASSEMBLER_LINT_VERSIONS_H
#define PTXI_ASSEMBLER_LINT_VERSIONS_H
#include "assembler/lint.h"
#include "base/vec.h"

struct version {
	uint32_t reg, block;
	uint32_t next; /* 1 + the next one in the list of its block, 0 = none */
	/* at the start of a block: the versions that reach it over its incoming edges,
	 * versions.input[input..) */
	uint32_t input, ninputs;
	uint8_t variance; /* enum variance; SAME at first */
	bool leaves;      /* the value after the block, not the one that reaches it */
	/* every version that uses this one as an input already has at least this variance; BY_LANE
	 * at first */
	uint8_t enough;
};

struct versions {
	uint32_t *reaches, *leaves; /* by block: 1 + the first version, 0 = none */
	VEC(struct version) all;
	VEC(uint32_t) input;
};

/* Fills V for the current function. Every read not preceded by a write in its own block finds a
 * version in reaches[] of the block, if more than one instruction of the function writes the
 * register. When a function exceeds a limit of steps per instruction, its remaining registers have
 * no versions. Free with lint_versions_free. */
void lint_versions_find(struct versions *v, struct lint *l);
void lint_versions_free(struct versions *v);

#endif
