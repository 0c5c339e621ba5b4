/* The assembler: names, table, types, constants, directives, lowering; from the AST to the IR. */
#ifndef PTXI_ASSEMBLER_ASSEMBLER_H
#define PTXI_ASSEMBLER_ASSEMBLER_H
#include "diag/diag.h"
#include "ir/ir.h"

struct assemble_options {
	const char *target; /* "sm_90a": overrides .target; NULL = as written */
	/* as ptxas -arch: what the code is for; .target stays and has to fit it. NULL: no matter */
	const char *arch;
	unsigned ptx; /* overrides .version (major * 10 + minor); 0 = as written */
};

/* Parses and assembles SOURCE. NULL when there was an error; every error of the file is in
 * DIAGS. */
struct ir_module *assemble(
	struct source *source, const struct assemble_options *options, struct diags *diags);
/* Warnings (codes W05xx) about what is valid and probably a mistake; not part of assembling, so
 * that running a file costs nothing for it. */
void assembler_lint(const struct ir_module *m, struct diags *diags);
/* Canonical PTX of a module. */
void assembler_print(const struct ir_module *m, struct text *out);

/* How a function's body reads inside other text. */
struct assembler_names {
	void *client;
	/* a register that holds the address of the module's variable VAR */
	const char *(*variable)(void *client, uint32_t var);
	/* in place of %tid.y (component 2; 0: none); NULL: as it is */
	const char *(*special)(void *client, unsigned sreg, unsigned component);
	/* a label: where ret and exit go */
	const char *end;
};
/* The registers and statements of a function, with other names; the text between the braces. */
void assembler_print_body(const struct ir_module *m, const struct ir_func *f,
	const struct assembler_names *names, struct text *out);

#endif
