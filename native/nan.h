/* Results of f32 arithmetic whose NaNs need not be canonical (nan.c). */
#ifndef PTXI_NATIVE_NAN_H
#define PTXI_NATIVE_NAN_H
#include "native/places.h"

/* What op AT, of WAY_LANES, may compute instead of its expression T; NULL: nothing else. */
const char *nan_expression(const struct writer *u, uint32_t at, const struct arith_text *t);
/* Op AT has been written: keeps u->nans. */
void nan_pass(struct writer *u, uint32_t at);

#endif
