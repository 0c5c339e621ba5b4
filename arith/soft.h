/* Numbers of any format decomposed and composed by integer arithmetic: exact, with every rounding
 * mode; for conversions that have no loop of their own. */
#ifndef PTXI_ARITH_SOFT_H
#define PTXI_ARITH_SOFT_H
#include "isa/vocab.h"
#include <stdbool.h>
#include <stdint.h>

/* A number: significand * 2^exponent; zero has significand 0. */
struct soft {
	bool negative, nan, infinite, from_f64;
	int exponent;
	uint64_t significand;
	/* NaN: the fraction in the top of 64 bits; only used from and to f64 */
	uint64_t payload;
};

enum soft_round { SOFT_RN, SOFT_RZ, SOFT_RM, SOFT_RP, SOFT_RNA, SOFT_RS };

struct soft_rounding {
	enum soft_round mode;
	/* SOFT_RS: number of random bits that are added below the last place */
	unsigned random_bits;
	uint32_t random;
	bool satfinite; /* the greatest finite number instead of infinity, or of NaN on overflow */
};

struct soft soft_from_int(uint64_t bits, unsigned width, bool is_signed);
/* Decomposes one element of TYPE (f64 f32 tf32 f16 bf16 e4m3 e5m2 e2m1 e2m3 e3m2 ue8m0 ue5m3, and
 * the fixed-point s2f6). */
struct soft soft_from_float(enum type type, uint64_t bits);
/* Composes an element of TYPE with a single rounding, subnormal results included. A NaN becomes the
 * format's canonical one (the greatest number if the format has none), except that from f64 or to
 * f64 it keeps its sign and payload. Formats without a sign take the magnitude. */
uint64_t soft_to_float(enum type type, struct soft x, struct soft_rounding r);
/* The code BITS of TYPE (f32, f16, bf16), a subnormal one flushed to the zero of its sign. */
uint64_t soft_flush(enum type type, uint64_t bits);
/* Rounds to an integral value of the same sign. */
struct soft soft_integral(struct soft x, enum soft_round mode);
/* Clamps an integral value to WIDTH bits. NaN gives 0, but from f64 or to 64 bits only the top bit
 * set. */
uint64_t soft_to_int(struct soft x, unsigned width, bool is_signed);
#endif
