/* Object files (.ptxo): a module in binary form. docs/OBJECT.md defines the format. */
#ifndef PTXI_IR_OBJECT_H
#define PTXI_IR_OBJECT_H
#include "base/text.h"
#include "diag/diag.h"
#include "ir/ir.h"

/* Appends M to OUT. PLACES: include lines and spans of the source, for messages; the bytes before
 * them do not depend on them. */
void ir_object_write(const struct ir_module *m, bool places, struct text *out);
/* Whether the bytes begin with an object's magic number. */
bool ir_object_is(const char *bytes, size_t n);
enum { IR_OBJECT_HEADER = 48 }; /* bytes at least */
/* The number of bytes of the object at BYTES, as its header says; 0: no object begins here. */
uint64_t ir_object_size(const char *bytes);
/* Reads the module of an object, whose bytes are FILE's text. Everything is validated: damaged,
 * foreign or inconsistent bytes are reported to DIAGS and the result is NULL. The module's source
 * has the name and the lines of the original file; its text is blank. */
struct ir_module *ir_object_read(struct source *file, struct diags *diags);

#endif
