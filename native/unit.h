/* Functions of a module as C, for a compiler of the system. The text depends only on the decoded
 * code and on the processor's vectors; nothing that a program chose stands in it but numbers. */
#ifndef PTXI_NATIVE_UNIT_H
#define PTXI_NATIVE_UNIT_H
#include "base/text.h"
#include "code/code.h"

/* Functions of more ops stay with the interpreter: compilers take more than linear time. */
enum { NATIVE_MOST_OPS = 600 };

/* Appends function NAME, which runs the function that BARE was made of (key.h); VECTOR: bytes of a
 * vector register. SILENT: it is a kernel whose registers nobody reads after it has ended. With it
 * come NAME_entry[BARE->nops], 1 for ops at which it can begin, and NAME_unset, a struct
 * native_unset. False: it is not translated. */
bool native_unit_text(const struct code_func *bare, const char *name, unsigned vector, bool silent,
	struct text *out);

#endif
