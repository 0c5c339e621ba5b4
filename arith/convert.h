/* The general conversions: kernels (see arith.h) and the encoding of their control word. */
#ifndef PTXI_ARITH_CONVERT_H
#define PTXI_ARITH_CONVERT_H
#include "arith/arith.h"

struct convert {
	uint8_t to, from; /* enum type */
	uint8_t mode;     /* enum soft_round */
	bool integral;    /* .rni, .rzi, .rmi or .rpi */
	bool ftz, sat, relu, satfinite;
	bool pzo;                     /* a result of -0 is +0 */
	uint8_t to_bytes, from_bytes; /* bytes per lane of the registers */
};
uint64_t convert_control(const struct convert *c);

/* Operands: d, a, control; d, a, b, control; d, a, b, rbits, control; d, a, b, e, f, rbits,
 * control. */
arith_kernel arith_convert1, arith_convert2, arith_convert3, arith_convert5;
/* cvt.pack: d, a, b {, c}, control; only `to` of the control word is used. */
arith_kernel arith_pack2, arith_pack3;
#endif
