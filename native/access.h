/* Writes loads and stores (access.c). */
#ifndef PTXI_NATIVE_ACCESS_H
#define PTXI_NATIVE_ACCESS_H
#include "native/writer.h"

/* An atomic operation on an integer. */
void put_atomic(struct writer *u, const struct op *op, uint32_t at);
void put_access(struct writer *u, const struct op *op, uint32_t at);
/* Whether the load at AT prefetches; then was<AT> has the address of its last row, or 0. */
bool looks_ahead(const struct writer *u, uint32_t at);

#endif
