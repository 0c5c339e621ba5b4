/* C++ names of symbols (Itanium C++ ABI): _Z6reducePKiPi is reduce(int const*, int*). The text is
 * that of c++filt. Symbols are untrusted: length, nesting, work and output are limited. */
#ifndef PTXI_BASE_DEMANGLE_H
#define PTXI_BASE_DEMANGLE_H
#include "base/text.h"
#include <stdbool.h>

/* Limits of a symbol and of its C++ name; beyond them a symbol keeps its own name. */
enum { DEMANGLE_SYMBOL = 1 << 15, DEMANGLE_NAME = 1 << 16 };

/* Where the name of the function is in a C++ name: after its return type, before its
 * parameters. */
struct demangled {
	size_t at, len;
};

/* Appends the C++ name of SYMBOL; false, appending nothing, when SYMBOL does not encode one. PART
 * may be NULL; its AT counts from the appended text. */
bool demangle(struct text *out, const char *symbol, struct demangled *part);

#endif
