/* What a unit is made from, so that one that was made before can be found without writing its
 * text. */
#ifndef PTXI_NATIVE_KEY_H
#define PTXI_NATIVE_KEY_H
#include "base/text.h"
#include "code/code.h"

/* The text of units' first part. (generated) */
extern const char native_text[];

/* What the text of C's unit depends on, and nothing else of C: everything else is 0. Free `op` of
 * it. */
struct code_func native_bare(const struct code_func *c);
/* BARE as bytes, the same in every run of this program: equal bytes, equal text. */
void native_key(const struct code_func *bare, struct text *out);

#endif
