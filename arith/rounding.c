/* Exact arithmetic in 128 bits; bits that do not fit are combined into one sticky bit at the low
 * end. See rounding.h. */
#include "arith/rounding.h"
#include <fenv.h>
#include <math.h>

typedef unsigned __int128 wide;

/* M * 2^EXPONENT with a 64-bit significand; if bits are cut off, the lowest bit is set to 1, which
 * is far below any bit that rounding examines. */
static struct soft narrow_wide(bool negative, wide m, int exponent)
{
	const uint64_t high = (uint64_t)(m >> 64);
	const int drop = high ? 64 - __builtin_clzll(high) : 0;
	const bool lost = drop && m << (128 - drop);

	return (struct soft){.negative = negative,
		.significand = (uint64_t)(m >> drop) | lost,
		.exponent = exponent + drop};
}

/* Shifts M so that its highest bit is bit TOP; M is not 0. */
static wide raise_to(wide m, int top, int *exponent)
{
	const uint64_t high = (uint64_t)(m >> 64);
	const int at = high ? 127 - __builtin_clzll(high) : 63 - __builtin_clzll((uint64_t)m);

	*exponent -= top - at;
	return m << (top - at);
}

/* The sum of two zeros, or of opposite equal numbers: for opposite signs -0 only when rounding
 * down. */
static struct soft zero_sum(bool negative_a, bool negative_b, enum soft_round mode)
{
	return (struct soft){.negative = negative_a == negative_b ? negative_a : mode == SOFT_RM};
}

/* X * 2^EX + Y * 2^EY, rounded in mode MODE when zero; X and Y have at most 107 bits. */
static struct soft exact_sum(bool nx, wide x, int ex, bool ny, wide y, int ey, enum soft_round mode)
{
	enum { TOP = 126 };

	if (!x || !y)
		return !x && !y ? zero_sum(nx, ny, mode)
			: x     ? narrow_wide(nx, x, ex)
				: narrow_wide(ny, y, ey);
	x = raise_to(x, TOP, &ex);
	y = raise_to(y, TOP, &ey);
	if (ex < ey || (ex == ey && x < y)) {
		const wide m = x;
		const int e = ex;
		const bool n = nx;
		x = y, ex = ey, nx = ny;
		y = m, ey = e, ny = n;
	}
	/* the smaller number has 19 bits below its last one before any bit is lost; then the larger
	 * one ends far above, and the sticky bit is below everything that is kept */
	const int shift = ex - ey;
	if (shift > TOP)
		y = 1;
	else if (shift > 0)
		y = y >> shift | ((y << (128 - shift)) != 0);
	if (nx != ny && x == y)
		return zero_sum(nx, ny, mode);
	return narrow_wide(nx, nx == ny ? x + y : x - y, ex);
}

static uint64_t round_soft(enum type type, struct soft x, enum soft_round mode)
{
	return soft_to_float(type, x, (struct soft_rounding){.mode = mode});
}

/* The canonical NaN of arithmetic; a conversion may keep a payload instead. */
static uint64_t canonical_nan(enum type type)
{
	return type == TYPE_f64 ? 0xfff8000000000000u : 0x7fffffffu;
}

static uint64_t round_result(enum type type, struct soft x, enum soft_round mode)
{
	return x.nan ? canonical_nan(type) : round_soft(type, x, mode);
}

static struct soft soft_infinity(bool negative)
{
	return (struct soft){.infinite = true, .negative = negative};
}

static bool is_zero(struct soft x) { return !x.significand && !x.infinite && !x.nan; }

struct soft soft_sum(struct soft x, struct soft y, enum soft_round mode)
{
	if (x.nan || y.nan || (x.infinite && y.infinite && x.negative != y.negative))
		return (struct soft){.nan = true};
	if (x.infinite || y.infinite)
		return soft_infinity(x.infinite ? x.negative : y.negative);
	return exact_sum(
		x.negative, x.significand, x.exponent, y.negative, y.significand, y.exponent, mode);
}

struct soft soft_product(struct soft x, struct soft y)
{
	const bool negative = x.negative != y.negative;

	if (x.nan || y.nan || (x.infinite && is_zero(y)) || (y.infinite && is_zero(x)))
		return (struct soft){.nan = true};
	if (x.infinite || y.infinite)
		return soft_infinity(negative);
	return narrow_wide(negative, (wide)x.significand * y.significand, x.exponent + y.exponent);
}

struct soft soft_fused(struct soft x, struct soft y, struct soft z, enum soft_round mode)
{
	const bool negative = x.negative != y.negative;

	if (x.nan || y.nan || x.infinite || y.infinite || z.nan || z.infinite)
		return soft_sum(soft_product(x, y), z, mode);
	return exact_sum(negative, (wide)x.significand * y.significand, x.exponent + y.exponent,
		z.negative, z.significand, z.exponent, mode);
}

uint64_t rounded_sum(enum type type, uint64_t a, uint64_t b, enum soft_round mode)
{
	return round_result(
		type, soft_sum(soft_from_float(type, a), soft_from_float(type, b), mode), mode);
}

uint64_t rounded_product(enum type type, uint64_t a, uint64_t b, enum soft_round mode)
{
	return round_result(
		type, soft_product(soft_from_float(type, a), soft_from_float(type, b)), mode);
}

uint64_t rounded_fused(enum type type, uint64_t a, uint64_t b, uint64_t c, enum soft_round mode)
{
	return round_result(type,
		soft_fused(soft_from_float(type, a), soft_from_float(type, b),
			soft_from_float(type, c), mode),
		mode);
}

uint64_t rounded_quotient(enum type type, uint64_t a, uint64_t b, enum soft_round mode)
{
	const struct soft x = soft_from_float(type, a), y = soft_from_float(type, b);
	const bool negative = x.negative != y.negative, none = is_zero(x), by_none = is_zero(y);
	int ex = x.exponent, ey = y.exponent;

	if (x.nan || y.nan || (x.infinite && y.infinite) || (none && by_none))
		return canonical_nan(type);
	if (x.infinite || by_none)
		return round_soft(type, soft_infinity(negative), mode);
	if (none || y.infinite)
		return round_soft(type, (struct soft){.negative = negative}, mode);
	const wide n = raise_to(x.significand, 126, &ex), d = raise_to(y.significand, 63, &ey);
	return round_soft(
		type, narrow_wide(negative, n / d << 1 | (n % d != 0), ex - ey - 1), mode);
}

uint64_t rounded_root(enum type type, uint64_t a, enum soft_round mode)
{
	const struct soft x = soft_from_float(type, a);
	int e = x.exponent;

	if (x.nan || (x.negative && (x.significand || x.infinite)))
		return canonical_nan(type);
	if (x.infinite || !x.significand)
		return round_soft(type, x, mode);
	wide rest = raise_to(x.significand, 126, &e), root = 0;
	if (e & 1) {
		rest >>= 1; /* exact: the lowest bits are zeros */
		e++;
	}
	for (wide bit = (wide)1 << 126; bit; bit >>= 2) {
		if (rest >= root + bit) {
			rest -= root + bit;
			root = root >> 1 | bit;
		} else {
			root >>= 1;
		}
	}
	return round_soft(type, narrow_wide(false, root << 1 | (rest != 0), e / 2 - 1), mode);
}

bool rounding_needed(void)
{
	static const int modes[] = {FE_TOWARDZERO, FE_DOWNWARD, FE_UPWARD};
	/* results of 1 + tiny, -1 - tiny, 1 + tiny in these modes */
	static const float sums[] = {1.0f, -0x1.000002p0f, 0x1.000002p0f};
	const int old = fegetround();
	bool needed = false;

	for (unsigned k = 0; k < 3; k++) {
		volatile float one = k == 1 ? -1.0f : 1.0f, little = k == 1 ? -0x1p-30f : 0x1p-30f;
		const bool set = fesetround(modes[k]) == 0;
		volatile float r = one + little;
		needed |= !set || r != sums[k];
	}
	fesetround(old);
	/* a product whose last bits decide an exact half, and a difference of doubles that consists
	 * only of the rounding error of their product */
	volatile float a = 0x1.02cp0f, b = 0x1.47acp0f, c = -0x1.30e6a2p-63f, f = fmaf(a, b, c);
	volatile double x = 1.0 + 0x1p-30, y = 1.0 - 0x1p-30, z = -1.0, d = fma(x, y, z);
	return needed || f != 0x1.4b3118p0f || d != -0x1p-60;
}
