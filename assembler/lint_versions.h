/* Which writes of a register reach a block, for the registers that several instructions write:
 * static single assignment without renaming. A version is a value such a register has: what reaches
 * the beginning of a block where it is read or handed on, or what a block leaves in it. */
#ifndef PTXI_ASSEMBLER_LINT_VERSIONS_H
#define PTXI_ASSEMBLER_LINT_VERSIONS_H
#include "assembler/lint.h"
#include "base/vec.h"

struct version {
	uint32_t reg, block;
	uint32_t next; /* 1 + the next one in the list of its block, 0 = none */
	/* at a beginning: the versions that come over its edges, versions.input[input..) */
	uint32_t input, ninputs;
	uint8_t variance; /* enum variance; SAME at first */
	bool leaves;      /* what the block leaves, not what reaches it */
	/* up to this variance those that it is an input of know of it; BY_LANE at first */
	uint8_t enough;
};

struct versions {
	uint32_t *reaches, *leaves; /* by block: 1 + the first version, 0 = none */
	VEC(struct version) all;
	VEC(uint32_t) input;
};

/* Every read that no write of its own block precedes finds a version in reaches[] of the block, if
 * more than one instruction of the function writes the register. In functions where that takes more
 * than some steps for each instruction the remaining registers have none. Memory from malloc. */
void lint_versions_find(struct versions *v, const struct lint *l);
void lint_versions_free(struct versions *v);

#endif
