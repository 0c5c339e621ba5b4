/* Random instructions of every opcode, target and version, made from the instruction table; some of
 * them spoilt in one way. */
#ifndef PTXI_TESTS_INSTRUCTION_H
#define PTXI_TESTS_INSTRUCTION_H
#include "base/text.h"
#include "isa/isa.h"
#include <stdint.h>

struct instruction_target {
	const char *name, *arch; /* of .target, and what ptxas 13.0 is asked for */
	unsigned sm, ptx;        /* ptx: the first version that knows it */
};
enum { INSTRUCTION_TARGETS = 24, INSTRUCTION_VERSIONS = 30 };
extern const struct instruction_target instruction_targets[INSTRUCTION_TARGETS];
extern const unsigned instruction_versions[INSTRUCTION_VERSIONS]; /* 83: 8.3 */

/* The place of an instruction: indices into the two tables. */
struct instruction_place {
	unsigned target, version;
};

void instruction_seed(uint64_t seed);
/* Opcode K of all that have an instruction which stands alone, in turn. */
enum opcode instruction_opcode(unsigned k);
/* Appends an instruction of OP without its semicolon, for the kernel of kernel.h; half of them are
 * spoilt. */
struct instruction_place instruction_make(struct text *t, enum opcode op);

/* Up to and with .address_size, and the variables that instructions name. */
void instruction_put_head(struct text *t, struct instruction_place place);
/* A line: kernel kNUMBER with the registers, and the instruction. */
void instruction_put_kernel(
	struct text *t, struct instruction_place place, const char *instruction, unsigned number);

#endif
