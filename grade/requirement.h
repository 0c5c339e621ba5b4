/* A structural requirement of an exercise, such as `atoms <= 2`: how many instructions of a kind
 * the launched kernels contain. */
#ifndef PTXI_GRADE_REQUIREMENT_H
#define PTXI_GRADE_REQUIREMENT_H
#include "base/vec.h"
#include "ir/ir.h"

enum relation { RELATION_EQ, RELATION_NE, RELATION_LT, RELATION_LE, RELATION_GT, RELATION_GE };
enum { MAX_REQUIREMENT_WORDS = 8 };

/* The instructions that a word of a requirement stands for: those of a group, or those with an
 * opcode and all of the words. */
struct instruction_kind {
	const struct instruction_group *group; /* or NULL */
	uint16_t opcode;                       /* enum opcode; OP_NONE: any */
	uint16_t word[MAX_REQUIREMENT_WORDS];  /* enum word */
	uint8_t nwords;
};
/* Reads "mbarrier.try_wait", "cp.async", "shared", ".add" or a group ("atoms"). Returns false if
 * the table of instructions has no such word; *NEAREST is then a similar one, or NULL. */
bool instruction_kind_parse(const char *text, struct instruction_kind *out, const char **nearest);
/* Appends the names of the groups, for messages: "atoms, barriers ...". */
void instruction_groups(struct text *out);

bool relation_parse(const char *text, enum relation *out);
bool relation_holds(enum relation r, uint64_t count, uint64_t bound);

/* The instructions of M that can be reached from the KERNELS (indices of functions): those of the
 * kernels and of every function that they may call, without what no path of the control-flow graph
 * reaches. Returns indices into M->insn. */
struct reached {
	VEC(uint32_t) insn;
};
void reached_find(
	struct reached *r, const struct ir_module *m, const uint32_t *kernels, uint32_t n);
void reached_free(struct reached *r);
/* How many of the instructions are of KIND. */
uint64_t reached_count(
	const struct reached *r, const struct ir_module *m, const struct instruction_kind *kind);

#endif
