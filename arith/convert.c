/* cvt between any two types, lane by lane through soft.c: everything for which
 * arith/kernel/convert.def has no loop. (PTX ISA 9.7.10.24, 9.7.10.25) */
#include "arith/convert.h"
#include "arith/element.h"
#include "arith/fp.h"
#include "arith/soft.h"

static bool is_int(enum type t)
{
	return type_info[t].class == CLASS_UNSIGNED || type_info[t].class == CLASS_SIGNED;
}

/* Clamps floating-point values to [0, 1]. */
static struct soft saturate_soft(struct soft x)
{
	const struct soft zero = {0}, one = {.significand = 1};
	if (x.nan || x.negative || x.significand == 0)
		return x.infinite && !x.negative ? one : zero;
	const int top = 63 - __builtin_clzll(x.significand) + x.exponent;
	return top >= 0 ? one : x;
}

/* .rna.tf32 as hardware does it: adds half a unit to the bits unless they are a NaN; .satfinite
 * subtracts one unit if the exponent is no longer finite. */
static uint32_t to_tf32_away(uint32_t x, bool satfinite)
{
	const uint32_t r = (f32_isnan_bits(x) ? x : x + 0x1000) & 0xffffe000u;
	return satfinite && (r & 0x7f800000u) == 0x7f800000u ? r - 0x2000 : r;
}

/* X divided by the power of two CODE, a ue8m0, or multiplied by it. */
static struct soft scaled(struct soft x, uint8_t code, bool divide)
{
	const struct soft power = soft_from_float(TYPE_ue8m0, code);
	x.nan |= power.nan;
	x.exponent += divide ? -power.exponent : power.exponent;
	return x;
}

/* What one element needs besides its bits: random ones, a scale. */
struct extra {
	uint32_t random;
	unsigned random_bits;
	uint8_t scale;
};

static uint64_t convert_element(
	const struct convert *c, enum type to, enum type from, uint64_t bits, struct extra extra)
{
	struct soft x;
	if (c->mode == SOFT_RNA)
		return to_tf32_away((uint32_t)bits, c->satfinite);
	/* .scaled::n1 flushes subnormal sources; the manual does not name the zero's sign */
	if (c->scales == 1)
		bits = soft_flush(from, bits & (((uint64_t)1 << type_info[from].bits) - 1));
	if (c->ftz && from == TYPE_f32)
		bits = f32_isnan_bits((uint32_t)bits) ? F32_NAN : f32_flush_bits((uint32_t)bits);
	x = is_int(from)
		? soft_from_int(bits, type_info[from].bits, type_info[from].class == CLASS_SIGNED)
		: soft_from_float(from, bits);
	if (c->scales)
		x = scaled(x, extra.scale, to != TYPE_bf16);
	if (c->integral && !is_int(from))
		x = soft_integral(x, (enum soft_round)c->mode);
	if (is_int(to)) {
		if (!c->integral && !is_int(from))
			x = soft_integral(x, SOFT_RZ);
		if (is_int(from) && !c->sat) {
			const uint64_t magnitude = x.significand;
			return x.negative ? (uint64_t)0 - magnitude : magnitude;
		}
		return soft_to_int(x, type_info[to].bits, type_info[to].class == CLASS_SIGNED);
	}
	if (c->sat)
		x = saturate_soft(x);
	if (c->relu && !x.nan && x.negative)
		x = (struct soft){0};
	const struct soft_rounding r = {.mode = c->integral ? SOFT_RN : (enum soft_round)c->mode,
		.random_bits = extra.random_bits,
		.random = extra.random,
		.satfinite = c->satfinite};
	bits = soft_to_float(to, x, r);
	if (c->ftz && to == TYPE_f32 && !x.nan && !x.infinite) {
		/* tiny: less than 2^-126 when rounded with an unbounded exponent */
		x.exponent += 64;
		if ((soft_to_float(TYPE_f32, x, r) & 0x7f800000) < (uint64_t)65 << 23)
			bits &= 0x80000000u;
	}
	if (c->pzo && bits == (uint64_t)1 << (type_info[to].bits - 1))
		bits = 0;
	return bits;
}

static uint32_t reverse16(uint32_t x)
{
	uint32_t y = 0;
	for (unsigned i = 0; i < 16; i++)
		y |= (x >> i & 1) << (15 - i);
	return y;
}

/* The random bits of element K, counted from the low end. Two elements share half of the bits; the
 * upper one uses them in reverse order. */
static uint32_t random_of(enum type to, uint32_t bits, unsigned k, unsigned *count)
{
	*count = 16;
	if (to == TYPE_f16 || to == TYPE_bf16) {
		*count = to == TYPE_f16 ? 13 : 16;
		return bits >> 16 * k & ((1u << *count) - 1);
	}
	const uint32_t half = to != TYPE_e2m1
		? bits >> 16 * (k / 2) & 0xffff
		: (bits >> 8 * (k / 2) & 0xff) | (bits >> (16 + 8 * (k / 2)) & 0xff) << 8;
	return k & 1 ? reverse16(half) : half;
}

uint64_t convert_control(const struct convert *c)
{
	const uint64_t flags = (c->integral ? 1u : 0) | (c->ftz ? 2u : 0) | (c->sat ? 4u : 0) |
		(c->relu ? 8u : 0) | (c->satfinite ? 16u : 0) | (c->pzo ? 32u : 0) |
		(uint64_t)c->scales << 6;
	return c->to | (uint64_t)c->from << 8 | (uint64_t)c->mode << 16 | flags << 24 |
		(uint64_t)c->to_bytes << 32 | (uint64_t)c->from_bytes << 40;
}

static struct convert control_read(const void *word)
{
	const uint64_t x = *(const uint64_t *)word;
	return (struct convert){.to = (uint8_t)x,
		.from = (uint8_t)(x >> 8),
		.mode = (uint8_t)(x >> 16),
		.integral = x >> 24 & 1,
		.ftz = x >> 25 & 1,
		.sat = x >> 26 & 1,
		.relu = x >> 27 & 1,
		.satfinite = x >> 28 & 1,
		.pzo = x >> 29 & 1,
		.scales = x >> 30 & 3,
		.to_bytes = (uint8_t)(x >> 32),
		.from_bytes = (uint8_t)(x >> 40)};
}

static uint64_t extend_element(enum type t, uint64_t x)
{
	const unsigned bits = type_info[t].bits;
	if (bits >= 64)
		return x;
	x &= ((uint64_t)1 << bits) - 1;
	return type_info[t].class == CLASS_SIGNED && x >> (bits - 1) ? x | UINT64_MAX << bits : x;
}

enum third { NO_OPERAND, RANDOM_BITS, SCALES };

/* The part of the operand THIRD that belongs to element K of a lane. */
static struct extra extra_of(const struct convert *c, enum third third, enum type to,
	const void *lanes, unsigned i, unsigned k)
{
	struct extra x = {0};
	if (third == RANDOM_BITS)
		x.random = random_of(to, ((const uint32_t *)lanes)[i], k, &x.random_bits);
	if (third == SCALES)
		x.scale = (uint8_t)(lane_load(lanes, c->scales, i) >> (c->scales == 2 ? 8 * k : 0));
	return x;
}

/* Converts 32 lanes. V: destination, SOURCES sources, then the operand THIRD if there is one, then
 * the control word. The first source holds the upper element. */
static inline void convert_lanes(void *const *v, uint32_t mask, unsigned sources, enum third third)
{
	const struct convert c = control_read(v[1 + sources + (third != NO_OPERAND)]);
	const struct elements to = elements_of((enum type)c.to),
			      from = elements_of((enum type)c.from);
	for (unsigned i = 0; i < 32; i++) {
		uint64_t result = 0;
		if (!(mask >> i & 1))
			continue;
		for (unsigned k = 0; k < to.count; k++) {
			const uint64_t bits = sources > 1
				? lane_load(v[sources - k], c.from_bytes, i)
				: lane_load(v[1], c.from_bytes, i) >> k * from.stride;
			const uint64_t x = extend_element(to.type,
				convert_element(&c, to.type, from.type, bits,
					extra_of(&c, third, to.type, v[1 + sources], i, k)));
			result |= to.count == 1
				? x
				: (x & (((uint64_t)1 << to.stride) - 1)) << k * to.stride;
		}
		lane_store(v[0], c.to_bytes, i, result);
	}
}
void arith_convert1(void *const *v, uint32_t mask) { convert_lanes(v, mask, 1, NO_OPERAND); }
void arith_convert2(void *const *v, uint32_t mask) { convert_lanes(v, mask, 2, NO_OPERAND); }
void arith_convert3(void *const *v, uint32_t mask) { convert_lanes(v, mask, 2, RANDOM_BITS); }
void arith_convert5(void *const *v, uint32_t mask) { convert_lanes(v, mask, 4, RANDOM_BITS); }
void arith_scale1(void *const *v, uint32_t mask) { convert_lanes(v, mask, 1, SCALES); }
void arith_scale2(void *const *v, uint32_t mask) { convert_lanes(v, mask, 2, SCALES); }

static inline void pack_lanes(void *const *v, uint32_t mask, const uint32_t *c, const void *control)
{
	const enum type to = (enum type)control_read(control).to;
	const unsigned bits = type_info[to].bits;
	const bool is_signed = type_info[to].class == CLASS_SIGNED;
	const uint32_t *a = v[1], *b = v[2];
	uint32_t *d = v[0];
	for (unsigned i = 0; i < 32; i++) {
		if (!(mask >> i & 1))
			continue;
		const uint64_t x = soft_to_int(soft_from_int(a[i], 32, true), bits, is_signed),
			       y = soft_to_int(soft_from_int(b[i], 32, true), bits, is_signed);
		d[i] = (uint32_t)(y | x << bits) | (c ? c[i] << 2 * bits : 0);
	}
}
void arith_pack2(void *const *v, uint32_t mask) { pack_lanes(v, mask, NULL, v[3]); }
void arith_pack3(void *const *v, uint32_t mask) { pack_lanes(v, mask, v[3], v[4]); }
