/* The printer's state, shared by the files that print. */
#ifndef PTXI_ASSEMBLER_PRINT_H
#define PTXI_ASSEMBLER_PRINT_H
#include "assembler/assembler.h"
#include "base/text.h"
#include "ir/ir.h"

struct printer {
	const struct ir_module *m;
	const struct ir_func *f; /* being printed, or NULL */
	struct text *out;
	uint32_t label, loc, pragma, table;  /* index of the next one in f */
	const struct assembler_names *names; /* for a body inside other text, or NULL */
	/* some variable's name begins with % as registers' names do */
	bool percent_variables;
};

static inline const char *print_name(const struct printer *p, uint32_t symbol)
{
	return symbol ? symbol_text(&p->m->symbols, symbol) : "_";
}
/* print_insn.c */
void print_body(struct printer *p);
/* print_decl.c */
void print_variable(struct printer *p, const struct ir_var *v);
void print_registers(struct printer *p);
/* Prints one parameter, without a separator. */
void print_parameter(struct printer *p, const struct ir_var *v);
/* Prints the N variables from FIRST as (a, b). */
void print_parameters(struct printer *p, uint32_t first, uint32_t n, const char *separator);
#endif
