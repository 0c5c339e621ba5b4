/* Object files (.ptxo): a module as bytes. docs/OBJECT.md is the format. */
#ifndef PTXI_IR_OBJECT_H
#define PTXI_IR_OBJECT_H
#include "base/text.h"
#include "diag/diag.h"
#include "ir/ir.h"

/* Writes M behind what is in OUT. PLACES: with the lines and spans of the source, for messages;
 * what is written before them does not depend on them. */
void ir_object_write(const struct ir_module *m, bool places, struct text *out);
/* Whether the bytes begin as an object does. */
bool ir_object_is(const char *bytes, size_t n);
/* The module of an object (its bytes are FILE's text), checked through and through: damaged,
 * foreign or contradictory bytes give a record in DIAGS and NULL. The module's source has the name
 * and the lines of the original file, its text is blank. */
struct ir_module *ir_object_read(struct source *file, struct diags *diags);

#endif
