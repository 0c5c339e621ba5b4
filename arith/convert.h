/* The general conversions: kernels (see arith.h) whose control word is made here. */
#ifndef PTXI_ARITH_CONVERT_H
#define PTXI_ARITH_CONVERT_H
#include "arith/arith.h"

struct convert {
	uint8_t to, from; /* enum type */
	uint8_t mode;     /* enum soft_round */
	bool integral;    /* .rni and the like */
	bool ftz, sat, relu, satfinite;
	uint8_t to_bytes, from_bytes; /* of the registers */
};
uint64_t convert_control(const struct convert *c);

/* d, a, control; d, a, b, control; d, a, b, rbits, control; d, a, b, e, f, rbits, control. */
arith_kernel arith_convert1, arith_convert2, arith_convert3, arith_convert5;
/* cvt.pack: d, a, b {, c}, control; of the control word only `to` is used. */
arith_kernel arith_pack2, arith_pack3;
#endif
