/* C++ names as people write them in //@ lines: reduce, ns::reduce<float>, reduce(const int*, int*).
 * Both sides are brought to one spelling before they are compared. */
#ifndef PTXI_SCRIPT_CPP_NAME_H
#define PTXI_SCRIPT_CPP_NAME_H
#include "base/text.h"
#include <stdbool.h>

/* How well a written name fits a symbol; a better fit wins. */
enum cpp_fit {
	CPP_NO,
	CPP_PART,   /* without the namespaces in front, and perhaps without template arguments */
	CPP_BARE,   /* all but the template arguments at its end */
	CPP_WHOLE,  /* the whole name; parameters, when written, are always compared */
	CPP_SYMBOL, /* the symbol itself */
};

/* Appends NAME in one spelling: no needless space, const after its type, literals without
 * suffix. */
void cpp_normal(const char *name, struct text *out);
enum cpp_fit cpp_fit(const char *written, const char *symbol);
/* Appends the part of SYMBOL's C++ name before the parameters (BARE: and template arguments); the
 * symbol if it has none. */
void cpp_short(const char *symbol, bool bare, struct text *out);

#endif
