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
	uint8_t scales;               /* elements of ue8m0 in the scale operand: 0 none, 1 or 2 */
	uint8_t to_bytes, from_bytes; /* bytes per lane of the registers */
};
uint64_t convert_control(const struct convert *c);

/* Operands: d, a, control; d, a, b, control; d, a, b, rbits, control; d, a, b, e, f, rbits,
 * control; d, a, scale, control; d, a, b, scale, control. */
arith_kernel arith_convert1, arith_convert2, arith_convert3, arith_convert5, arith_scale1,
	arith_scale2;
/* cvt.pack: d, a, b {, c}, control; only `to` of the control word is used. */
arith_kernel arith_pack2, arith_pack3;
#endif
