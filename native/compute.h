/* Writes ops that access nothing but registers (compute.c): each function the way of way.c that is
 * named as it is. */
#ifndef PTXI_NATIVE_COMPUTE_H
#define PTXI_NATIVE_COMPUTE_H
#include "native/writer.h"

/* Gives up before op AT if the line that it extends wraps around in some lane. */
void put_wrap_test(struct writer *u, const struct op *op, uint32_t at);
void put_lanes(struct writer *u, const struct op *op, uint32_t at);
void put_copy(struct writer *u, const struct op *op);
void put_pack(struct writer *u, const struct op *op);
void put_unpack(struct writer *u, const struct op *op);
void put_param(struct writer *u, const struct op *op);
void put_sreg(struct writer *u, const struct op *op);

#endif
