/* The assembler: from the syntax tree to the IR. It resolves names, matches instructions against
 * the table, checks types, and evaluates constants and directives. */
#ifndef PTXI_ASSEMBLER_ASSEMBLER_H
#define PTXI_ASSEMBLER_ASSEMBLER_H
#include "diag/diag.h"
#include "ir/ir.h"

struct assemble_options {
	const char *target; /* "sm_90a": overrides .target; NULL = as written */
	/* like ptxas -arch: the target to generate code for; .target is kept and must be
	 * compatible. NULL: no check */
	const char *arch;
	unsigned ptx; /* overrides .version (major * 10 + minor); 0 = as written */
};

/* Parses and assembles SOURCE. All errors of the file are reported to DIAGS; returns NULL if there
 * was one. Free the module with ir_module_free. */
struct ir_module *assemble(
	struct source *source, const struct assemble_options *options, struct diags *diags);
/* Reports warnings (codes W05xx) about valid code that is probably a mistake. Separate from
 * assembling, so that running a file does not pay for it. */
void assembler_lint(const struct ir_module *m, struct diags *diags);
/* Appends module M as canonical PTX. */
void assembler_print(const struct ir_module *m, struct text *out);

/* How to write a function's body when it is embedded in other text. */
struct assembler_names {
	void *client;
	/* the name of a register that holds the address of the module's variable VAR */
	const char *(*variable)(void *client, uint32_t var);
	/* replacement for a special register and its component (%tid.y: component 2; 0: none);
	 * NULL: print it unchanged */
	const char *(*special)(void *client, unsigned sreg, unsigned component);
	/* the label that ret and exit branch to */
	const char *end;
};
/* Appends the register declarations and statements of F, renamed by NAMES: the text between the
 * braces. */
void assembler_print_body(const struct ir_module *m, const struct ir_func *f,
	const struct assembler_names *names, struct text *out);

#endif
