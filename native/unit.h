/* Functions of a module as C, for a compiler of the system. The text depends only on the decoded
 * code and on the processor's vectors; nothing that a program chose stands in it but numbers. */
#ifndef PTXI_NATIVE_UNIT_H
#define PTXI_NATIVE_UNIT_H
#include "base/text.h"
#include "code/code.h"
#include "interp/native.h"

/* What every unit begins with. (generated) */
extern const char native_text[];

/* Functions of more ops stay with the interpreter: compilers take more than linear time. */
enum { NATIVE_MOST_OPS = 600 };

/* Appends function NAME, which runs C; VECTOR: bytes of a vector register. SILENT: C is a kernel
 * whose registers nobody reads after it has ended. ENTRY[c->nops] gets 1
 * for ops at which it can begin; *UNSET the registers that must be zero then. False: C is not
 * translated. */
bool native_unit_text(const struct code_func *c, const char *name, unsigned vector, bool silent,
	uint8_t *entry, struct native_unset *unset, struct text *out);

#endif
