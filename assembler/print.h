/* Shared by the printer's files. */
#ifndef PTXI_ASSEMBLER_PRINT_H
#define PTXI_ASSEMBLER_PRINT_H
#include "assembler/assembler.h"
#include "base/text.h"
#include "ir/ir.h"

struct printer {
	const struct ir_module *m;
	const struct ir_func *f; /* being printed, or NULL */
	struct text *out;
	uint32_t label, loc, pragma, table;  /* the next of each in f */
	const struct assembler_names *names; /* for a body inside other text, or NULL */
	bool percent_variables;              /* a variable has a name that begins as registers do */
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
/* One parameter, without separator. */
void print_parameter(struct printer *p, const struct ir_var *v);
/* (a, b): N variables from FIRST. */
void print_parameters(struct printer *p, uint32_t first, uint32_t n, const char *separator);
#endif
