/* Random instructions of every opcode, target and version, generated from the instruction table;
 * some of them have one mistake. */
#ifndef PTXI_TESTS_INSTRUCTION_H
#define PTXI_TESTS_INSTRUCTION_H
#include "base/text.h"
#include "isa/isa.h"
#include <stdint.h>

struct instruction_target {
	const char *name, *arch; /* of .target, and of ptxas 13.0's -arch option */
	unsigned sm, ptx;        /* ptx: the first version that supports it */
};
enum { INSTRUCTION_TARGETS = 24, INSTRUCTION_VERSIONS = 30 };
extern const struct instruction_target instruction_targets[INSTRUCTION_TARGETS];
extern const unsigned instruction_versions[INSTRUCTION_VERSIONS]; /* 83: 8.3 */

/* Where an instruction is to be assembled: indices into the two tables. */
struct instruction_place {
	unsigned target, version;
};

void instruction_seed(uint64_t seed);
/* The opcode with number K, modulo their number, of those that can be used in an instruction by
 * itself. */
enum opcode instruction_opcode(unsigned k);
/* Appends an instruction of OP without its semicolon, for the kernel of kernel.h; half of them have
 * a mistake. */
struct instruction_place instruction_make(struct text *t, enum opcode op);

/* Writes the directives up to .address_size, and the variables that instructions name. */
void instruction_put_head(struct text *t, struct instruction_place place);
/* Writes one line: kernel kNUMBER with the registers and the instruction. */
void instruction_put_kernel(
	struct text *t, struct instruction_place place, const char *instruction, unsigned number);

#endif
