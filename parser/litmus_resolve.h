/* State shared by the files that resolve a .litmus file: names become numbers, and instructions are
 * read one by one. */
#ifndef PTXI_PARSER_LITMUS_RESOLVE_H
#define PTXI_PARSER_LITMUS_RESOLVE_H
#include "parser/litmus_ast.h"

struct litmus_resolver {
	struct litmus_parse *p;
	struct litmus_test *test;
	/* [nlabels] labels of the current thread: names, and the instructions they precede */
	const char **label;
	uint32_t *label_at;
	uint32_t nlabels;
};

enum { MAX_LOCATIONS = 1024, MAX_REGISTERS = 1024 };

/* litmus_name.c */
/* Reports WHAT, followed by NAME in quotes unless it is NULL, and marks the file as invalid. */
void litmus_wrong(struct litmus_parse *p, enum diag_code code, struct span span, const char *what,
	const char *name);
/* The index of location NAME, or UINT32_MAX. */
uint32_t litmus_find_location(const struct litmus_test *t, const char *name);
/* The index of a location, which is created if it is new; 0 after a report that there are too
 * many. */
uint32_t litmus_location(struct litmus_resolver *r, const struct litmus_text *name);
/* The index of T's register NAME, with or without its %, or UINT32_MAX. */
uint32_t litmus_find_register(const struct litmus_thread *t, const char *name);
/* As litmus_location, for a register of thread T, with or without its %. */
uint32_t litmus_register(
	struct litmus_resolver *r, struct litmus_thread *t, const struct litmus_text *name);
/* Whether NAME is a register in thread T: %NAME, rN, or a name that T already has as a register.
 * Every other name is a location. */
bool litmus_is_register(
	const struct litmus_resolver *r, const struct litmus_thread *t, const char *name);
/* The value of an operand that must be a register or an integer. */
struct litmus_value litmus_operand_value(
	struct litmus_resolver *r, struct litmus_thread *t, const struct litmus_operand *o);

/* litmus_insn.c: appends the instruction in cell C to T, or reports an error. */
void litmus_instruction(
	struct litmus_resolver *r, struct litmus_thread *t, const struct litmus_cell *c);

#endif
