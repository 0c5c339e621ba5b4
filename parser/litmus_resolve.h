/* Shared by the files that resolve a .litmus file: names become numbers, and instructions are read
 * one by one. */
#ifndef PTXI_PARSER_LITMUS_RESOLVE_H
#define PTXI_PARSER_LITMUS_RESOLVE_H
#include "parser/litmus_ast.h"

struct litmus_resolver {
	struct litmus_parse *p;
	struct litmus_test *test;
	/* labels of the thread being read: names, and the instructions that they stand before */
	const char **label;
	uint32_t *label_at;
	uint32_t nlabels;
};

enum { MOST_LOCATIONS = 1024, MOST_REGISTERS = 1024 };

/* litmus_name.c */
/* Reports WHAT, and behind it NAME in quotes unless it is NULL; the file is no litmus test then. */
void litmus_wrong(struct litmus_parse *p, enum diag_code code, struct span span, const char *what,
	const char *name);
/* The number of the location NAME, or UINT32_MAX. */
uint32_t litmus_find_location(const struct litmus_test *t, const char *name);
/* The number of a location, which is new when nobody has named it before; 0 after a report that
 * there are too many. */
uint32_t litmus_location(struct litmus_resolver *r, const struct litmus_text *name);
/* The number of T's register NAME, with or without its %, or UINT32_MAX. */
uint32_t litmus_find_register(const struct litmus_thread *t, const char *name);
/* As litmus_location, of a register of thread T, with or without its %. */
uint32_t litmus_register(
	struct litmus_resolver *r, struct litmus_thread *t, const struct litmus_text *name);
/* Whether NAME is a register where T names it: %NAME, rN, or what T has as a register already.
 * Every other name is a location. */
bool litmus_is_register(
	const struct litmus_resolver *r, const struct litmus_thread *t, const char *name);
/* An operand that is a register or an integer. */
struct litmus_value litmus_operand_value(
	struct litmus_resolver *r, struct litmus_thread *t, const struct litmus_operand *o);

/* litmus_insn.c: appends the instruction in cell C to T, or reports what is wrong with it. */
void litmus_instruction(
	struct litmus_resolver *r, struct litmus_thread *t, const struct litmus_cell *c);

#endif
