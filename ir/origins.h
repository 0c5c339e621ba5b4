/* The table of the places that a module's text was compiled from. */
#ifndef PTXI_IR_ORIGINS_H
#define PTXI_IR_ORIGINS_H
#include "ir/ir.h"

/* Where the .loc directives and the functions of a rejected module end in the text: it lacks the
 * instructions with mistakes. */
struct ir_loc_text {
	const uint32_t *loc;  /* [nlocs] */
	const uint32_t *func; /* [nfuncs] */
};

/* Gives m->source the places that the module's .loc directives name; none if it has no .loc.
 * REJECTED: NULL for a complete module; otherwise only functions, .loc, .file and sections need be
 * there. */
void ir_origins(struct ir_module *m, const struct ir_loc_text *rejected);
/* Follows calls from the user's code into functions of libraries; part of ir_origins. */
void ir_origin_calls(struct ir_module *m);

#endif
