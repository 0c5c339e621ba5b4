/* The table of the places that a module's text was compiled from. */
#ifndef PTXI_IR_ORIGINS_H
#define PTXI_IR_ORIGINS_H
#include "ir/ir.h"

/* Gives m->source the places that the module's .loc directives name; none if it has no .loc. */
void ir_origins(struct ir_module *m);
/* Follows calls from the user's code into functions of libraries; part of ir_origins. */
void ir_origin_calls(struct ir_module *m);

#endif
