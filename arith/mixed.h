/* Arithmetic on packed operands of different formats: kernels (see arith.h) and the encoding of
 * their control word. Each result is exact and then rounded once. (PTX ISA 9.7.5, 9.7.6) */
#ifndef PTXI_ARITH_MIXED_H
#define PTXI_ARITH_MIXED_H
#include "arith/arith.h"

enum mixed_op { MIXED_ADD, MIXED_SUB, MIXED_MUL, MIXED_FMA };

struct mixed {
	uint8_t op; /* enum mixed_op */
	/* enum type of destination and sources; all have as many elements */
	uint8_t type[4];
	uint8_t mode;        /* enum soft_round */
	bool ftz, satfinite; /* ftz: subnormal sources and results become zeros of the same sign */
};
uint64_t mixed_control(const struct mixed *m);

/* Operands: d, a, b, control; d, a, b, c, control. */
arith_kernel arith_mixed2, arith_mixed3;
#endif
