/* Numbers of any format taken apart and put together by integers alone: exact, with every rounding;
 * for the conversions that no loop is written for. */
#ifndef PTXI_ARITH_SOFT_H
#define PTXI_ARITH_SOFT_H
#include "isa/vocab.h"
#include <stdbool.h>
#include <stdint.h>

/* significand * 2^exponent; zero has significand 0. */
struct soft {
	bool negative, nan, infinite, from_f64;
	int exponent;
	uint64_t significand;
	/* of a NaN, the fraction at the top of 64 bits; only f64 gives and takes it */
	uint64_t payload;
};

enum soft_round { SOFT_RN, SOFT_RZ, SOFT_RM, SOFT_RP, SOFT_RNA, SOFT_RS };

struct soft_rounding {
	enum soft_round mode;
	unsigned random_bits; /* SOFT_RS: that many random bits are added below the last place */
	uint32_t random;
	bool satfinite; /* no infinities: the greatest number instead */
};

struct soft soft_from_int(uint64_t bits, unsigned width, bool is_signed);
/* BITS of one element of floating-point TYPE (f64 f32 tf32 f16 bf16 e4m3 e5m2 e2m1 e2m3 e3m2
 * ue8m0). */
struct soft soft_from_float(enum type type, uint64_t bits);
/* Rounded once, subnormal results too; NaN is the format's canonical one (the greatest number where
 * it has none), but from f64 and to f64 it keeps sign and payload. */
uint64_t soft_to_float(enum type type, struct soft x, struct soft_rounding r);
/* To an integral value of the same sign. */
struct soft soft_integral(struct soft x, enum soft_round mode);
/* An integral value clamped into WIDTH bits; NaN: 0, but from f64 or into 64 bits the top bit
 * alone. */
uint64_t soft_to_int(struct soft x, unsigned width, bool is_signed);
#endif
