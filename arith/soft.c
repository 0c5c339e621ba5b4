/* Exact conversions between number formats by integer arithmetic. See soft.h. */
#include "arith/soft.h"

/* meaning of the highest exponent; UNSIGNED: NAN_ONLY without a sign; POWERS: no fraction and no
 * sign; FIXED: no exponent, a two's complement integer of units */
enum specials { IEEE, NAN_ONLY, UNSIGNED, FINITE, POWERS, FIXED };

struct format {
	/* spare: unused bits below the fraction, zero */
	uint8_t exponent_bits, fraction_bits, specials, spare;
	int bias;
};

static struct format format_of(enum type type)
{
	switch ((int)type) {
	case TYPE_f64: return (struct format){11, 52, IEEE, 0, 1023};
	case TYPE_f32: return (struct format){8, 23, IEEE, 0, 127};
	case TYPE_tf32: return (struct format){8, 10, IEEE, 13, 127};
	case TYPE_f16: return (struct format){5, 10, IEEE, 0, 15};
	case TYPE_bf16: return (struct format){8, 7, IEEE, 0, 127};
	case TYPE_e5m2: return (struct format){5, 2, IEEE, 0, 15};
	case TYPE_e4m3: return (struct format){4, 3, NAN_ONLY, 0, 7};
	case TYPE_e3m2: return (struct format){3, 2, FINITE, 0, 3};
	case TYPE_e2m3: return (struct format){2, 3, FINITE, 0, 1};
	case TYPE_e2m1: return (struct format){2, 1, FINITE, 0, 1};
	case TYPE_ue5m3: return (struct format){5, 3, UNSIGNED, 0, 15};
	case TYPE_s2f6: return (struct format){0, 6, FIXED, 0, 0};
	default: return (struct format){8, 0, POWERS, 0, 127};
	}
}

struct soft soft_from_int(uint64_t bits, unsigned width, bool is_signed)
{
	const uint64_t x = width < 64 ? bits & (((uint64_t)1 << width) - 1) : bits;
	const bool negative = is_signed && x >> (width - 1) & 1;
	const uint64_t magnitude = negative ? (uint64_t)0 - x : x;
	return (struct soft){.negative = negative,
		.significand = width < 64 ? magnitude & (((uint64_t)1 << width) - 1) : magnitude};
}

struct soft soft_from_float(enum type type, uint64_t bits)
{
	const struct format f = format_of(type);
	const uint64_t x = bits >> f.spare, fraction = x & (((uint64_t)1 << f.fraction_bits) - 1);
	const uint64_t top = ((uint64_t)1 << f.exponent_bits) - 1,
		       exponent = x >> f.fraction_bits & top;
	struct soft s = {.from_f64 = type == TYPE_f64,
		.negative = x >> (f.exponent_bits + f.fraction_bits) & 1};
	if (f.specials == FIXED) {
		s = soft_from_int(bits, type_info[type].bits, true);
		s.exponent = -f.fraction_bits;
		return s;
	}
	s.negative &= f.specials != POWERS && f.specials != UNSIGNED;
	if (f.specials == POWERS) {
		s.nan = exponent == top;
		s.significand = 1;
		s.exponent = (int)exponent - f.bias;
		return s;
	}
	const bool nan_only = f.specials == NAN_ONLY || f.specials == UNSIGNED;
	if (exponent == top && (f.specials == IEEE || (nan_only && fraction == 7))) {
		s.infinite = f.specials == IEEE && fraction == 0;
		s.nan = !s.infinite;
		s.payload = fraction << (64 - f.fraction_bits);
		return s;
	}
	s.significand = exponent ? fraction | (uint64_t)1 << f.fraction_bits : fraction;
	s.exponent = (exponent ? (int)exponent : 1) - f.bias - f.fraction_bits;
	return s;
}

/* Whether rounding moves KEPT away from zero. REST: the DROP bits cut off. */
static bool rounds_away(
	const struct soft_rounding *r, bool negative, uint64_t kept, uint64_t rest, unsigned drop)
{
	const uint64_t half = drop > 64 ? UINT64_MAX : (uint64_t)1 << (drop - 1);
	switch (r->mode) {
	case SOFT_RN: return rest > half || (rest == half && kept & 1);
	case SOFT_RNA: return rest >= half;
	case SOFT_RM: return negative && rest;
	case SOFT_RP: return !negative && rest;
	case SOFT_RS: {
		const unsigned n = r->random_bits;
		const uint64_t head = drop >= 64 + n ? 0
			: drop > 64                  ? rest >> (drop - n < 64 ? drop - n : 63)
			: drop >= n                  ? rest >> (drop - n)
						     : rest << (n - drop);
		return (head + r->random) >> n;
	}
	case SOFT_RZ:
	default: return false;
	}
}

/* X shifted right by DROP bits and rounded. */
static uint64_t shift_rounded(
	uint64_t x, unsigned drop, bool negative, const struct soft_rounding *r)
{
	if (drop == 0)
		return x;
	const uint64_t kept = drop > 63 ? 0 : x >> drop;
	const uint64_t rest = drop > 63 ? x : x & (((uint64_t)1 << drop) - 1);
	return kept + (rest && rounds_away(r, negative, kept, rest, drop) ? 1 : 0);
}

/* The code after the greatest one is infinity, or NaN in formats that have no infinity. */
static uint64_t overflow_bits(
	const struct format *f, bool negative, const struct soft_rounding *r, uint64_t greatest)
{
	const bool finite = f->specials == FINITE || r->satfinite || r->mode == SOFT_RZ ||
		(r->mode == SOFT_RM && !negative) || (r->mode == SOFT_RP && negative);
	return finite ? greatest : greatest + 1;
}

/* ue8m0: the exponent of the magnitude, rounded up to the next one with SOFT_RP, at least
 * 2^-127. */
static uint64_t to_power(struct soft x, const struct soft_rounding *r)
{
	if (x.nan)
		return 0xff;
	if (x.infinite)
		return r->satfinite ? 0xfe : 0xff;
	if (x.significand == 0)
		return 0;
	const int shift = __builtin_clzll(x.significand);
	const int e = x.exponent + 63 - shift;
	const bool more = (x.significand << shift) << 1;
	if (e < -127)
		return 0;
	const int code = e + 127 + (more && r->mode == SOFT_RP);
	return code > 0xfe ? r->satfinite ? 0xfe : 0xff : (uint64_t)code;
}

/* The number of units that is nearest to X in the rounding mode, clamped to BITS. */
static uint64_t to_fixed(struct soft x, int fraction_bits, unsigned bits, enum soft_round mode)
{
	if (x.nan)
		return ((uint64_t)1 << (bits - 1)) - 1;
	x.exponent += fraction_bits;
	return soft_to_int(soft_integral(x, mode), bits, true);
}

uint64_t soft_to_float(enum type type, struct soft x, struct soft_rounding r)
{
	const struct format f = format_of(type);
	if (f.specials == POWERS)
		return to_power(x, &r);
	if (f.specials == FIXED)
		return to_fixed(x, f.fraction_bits, type_info[type].bits, r.mode);
	if (f.specials == UNSIGNED)
		x.negative = false;
	const unsigned width = f.exponent_bits + f.fraction_bits;
	const uint64_t top = (uint64_t)1 << width, last = ((uint64_t)1 << f.exponent_bits) - 1;
	const uint64_t greatest = f.specials == IEEE ? (last << f.fraction_bits) - 1
		: f.specials == FINITE               ? top - 1
						     : top - 2;
	uint64_t bits;
	if (x.nan) {
		if (type != TYPE_f64 && !x.from_f64)
			return (f.specials == FINITE ? greatest : top - 1) << f.spare;
		/* quiet, with its sign and as much of its payload as fits */
		return ((x.negative ? top : 0) | last << f.fraction_bits |
			       (uint64_t)1 << (f.fraction_bits - 1) |
			       x.payload >> (64 - f.fraction_bits))
			<< f.spare;
	}
	if (x.infinite) {
		bits = f.specials != FINITE && !r.satfinite ? greatest + 1 : greatest;
	} else if (x.significand == 0) {
		bits = 0;
	} else {
		const int shift = __builtin_clzll(x.significand);
		const int e = x.exponent + 63 - shift, least = 1 - f.bias;
		const bool small = e < least;
		if (e > f.bias + 1) {
			bits = overflow_bits(&f, x.negative, &r, greatest);
		} else {
			const int drop = (small ? least : e) - f.fraction_bits - (e - 63);
			const uint64_t kept = shift_rounded(x.significand << shift,
				drop > 200 ? 200 : (unsigned)drop, x.negative, &r);
			bits = small ? kept
				     : ((uint64_t)(e + f.bias) << f.fraction_bits) + kept -
					((uint64_t)1 << f.fraction_bits);
			if (bits > greatest)
				bits = overflow_bits(&f, x.negative, &r, greatest);
		}
	}
	return (bits | (x.negative ? top : 0)) << f.spare;
}

uint64_t soft_flush(enum type type, uint64_t bits)
{
	const struct format f = format_of(type);
	const uint64_t sign = (uint64_t)1 << (f.exponent_bits + f.fraction_bits);
	return (bits & (sign - 1)) >> f.fraction_bits ? bits : bits & sign;
}

struct soft soft_integral(struct soft x, enum soft_round mode)
{
	if (x.nan || x.infinite || x.exponent >= 0 || x.significand == 0)
		return x;
	const struct soft_rounding r = {.mode = mode};
	x.significand = shift_rounded(x.significand,
		(unsigned)-x.exponent > 200 ? 200 : (unsigned)-x.exponent, x.negative, &r);
	x.exponent = 0;
	return x;
}

uint64_t soft_to_int(struct soft x, unsigned width, bool is_signed)
{
	const uint64_t ones = width < 64 ? ((uint64_t)1 << width) - 1 : UINT64_MAX;
	const uint64_t high = is_signed ? ones >> 1 : ones, low = is_signed ? (ones >> 1) + 1 : 0;
	if (x.nan)
		return width == 64 || x.from_f64 ? (uint64_t)1 << (width - 1) : 0;
	const bool big = x.infinite || (x.significand && x.exponent > 63) ||
		(x.significand && x.exponent > 0 && x.exponent > __builtin_clzll(x.significand));
	const uint64_t magnitude = big ? UINT64_MAX
				       : x.significand << (x.significand ? x.exponent : 0);
	if (x.negative)
		return big || magnitude > low ? low : ((uint64_t)0 - magnitude) & ones;
	return big || magnitude > high ? high : magnitude;
}
