/* The reference of the floating-point tests: results are computed exactly in 113 bits plus the sign
 * of the remainder, and then rounded once in integer arithmetic. */
#ifndef TEST_ARITH_EXACT_H
#define TEST_ARITH_EXACT_H
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#if defined(__SIZEOF_FLOAT128__)
#define HAVE_EXACT 1
__extension__ typedef __float128 quad;

enum ref_mode { REF_RN, REF_RZ, REF_RM, REF_RP, REF_RNA };
static const char *const ref_mode_name[] = {"rn", "rz", "rm", "rp", "rna"};

struct ref_format {
	unsigned precision; /* bits of significand, the implicit one included */
	int least;          /* exponent of the smallest normal number */
	unsigned bits;
	uint64_t nan;
};
static const struct ref_format ref_f16 = {11, -14, 16, 0x7fff}, ref_bf16 = {8, -126, 16, 0x7fff},
			       ref_f32 = {24, -126, 32, 0x7fffffff},
			       ref_f64 = {53, -1022, 64, 0xfff8000000000000};

enum ref_class { REF_ZERO, REF_NUMBER, REF_INFINITE, REF_NAN };
struct exact {
	enum ref_class class;
	bool negative;
	quad value; /* signed */
	int beyond; /* sign of (the exact value - value) */
};

/* X, which is zero or stays far from the limits of the exponent, times 2 to the power of BY. */
static inline quad ref_scale(quad x, int by)
{
	unsigned __int128 bits;
	memcpy(&bits, &x, sizeof bits);
	if (bits << 1)
		bits += (unsigned __int128)by << 112;
	memcpy(&x, &bits, sizeof x);
	return x;
}
static inline struct exact exact_number(quad v, int beyond)
{
	return (struct exact){v == 0 ? REF_ZERO : REF_NUMBER, v < 0, v, beyond};
}
static inline struct exact exact_read(const struct ref_format *f, uint64_t x)
{
	const unsigned fraction_bits = f->precision - 1;
	const uint64_t fraction = x & (((uint64_t)1 << fraction_bits) - 1);
	/* the exponent field of infinities: 2 * bias + 1, bias = 1 - least */
	const int top = 1 - 2 * f->least + 2;
	const int exponent = (int)(x >> fraction_bits &
		(((uint64_t)1 << (f->bits - f->precision)) - 1));
	const bool negative = x >> (f->bits - 1) & 1;
	if (exponent == top)
		return (struct exact){fraction ? REF_NAN : REF_INFINITE, negative, 0, 0};
	quad v = (quad)(fraction + (exponent ? (uint64_t)1 << fraction_bits : 0));
	v = ref_scale(v, (exponent ? exponent : 1) - 1 + f->least - (int)fraction_bits);
	return (struct exact){v == 0 ? REF_ZERO : REF_NUMBER, negative, negative ? -v : v, 0};
}

/* |X| as an integer of up to 117 bits times a power of two, with everything below folded into its
 * last bits. */
static inline unsigned __int128 exact_significand(struct exact x, int *exponent)
{
	unsigned __int128 bits;
	const quad v = x.negative ? -x.value : x.value;
	memcpy(&bits, &v, sizeof bits);
	const int e = (int)(bits >> 112 & 0x7fff);
	unsigned __int128 m = (bits & (((unsigned __int128)1 << 112) - 1)) |
		(e ? (unsigned __int128)1 << 112 : 0);
	*exponent = (e ? e : 1) - 16383 - 112 - 3;
	m <<= 3;
	const int beyond = x.negative ? -x.beyond : x.beyond;
	return beyond > 0 ? m | 1 : beyond < 0 ? m - 1 : m;
}

/* M / 2^DROP rounded to an integer in the given mode. */
static inline unsigned __int128 ref_drop(
	unsigned __int128 m, int drop, bool negative, enum ref_mode mode)
{
	if (drop <= 0)
		return m << -drop;
	if (drop > 126)
		drop = 126;
	const unsigned __int128 kept = m >> drop, rest = m - (kept << drop),
				half = (unsigned __int128)1 << (drop - 1);
	bool up = false;
	switch (mode) {
	case REF_RN: up = rest > half || (rest == half && (kept & 1)); break;
	case REF_RNA: up = rest >= half; break;
	case REF_RZ: break;
	case REF_RM: up = negative && rest; break;
	case REF_RP: up = !negative && rest; break;
	}
	return kept + up;
}

/* X rounded to F. FTZ: results that are still below the normal numbers after rounding with an
 * unbounded exponent become zero. */
static inline uint64_t exact_round(
	const struct ref_format *f, struct exact x, enum ref_mode mode, bool ftz)
{
	const uint64_t sign = x.negative ? (uint64_t)1 << (f->bits - 1) : 0;
	const unsigned fraction_bits = f->precision - 1;
	const uint64_t infinity = (uint64_t)(3 - 2 * f->least) << fraction_bits;
	if (x.class == REF_NAN)
		return f->nan;
	if (x.class == REF_INFINITE)
		return sign | infinity;
	if (x.class == REF_ZERO)
		return sign;
	int exponent, length = 0;
	const unsigned __int128 m = exact_significand(x, &exponent);
	while (length < 127 && m >> length)
		length++;
	const int top = exponent + length - 1;
	const int unit = top - (int)fraction_bits, lowest = f->least - (int)fraction_bits;
	unsigned __int128 n = ref_drop(m, unit - exponent, x.negative, mode);
	if (ftz &&
		(top < f->least - 1 ||
			(top == f->least - 1 && n < (unsigned __int128)1 << f->precision)))
		return sign;
	if (unit < lowest) {
		n = ref_drop(m, lowest - exponent, x.negative, mode);
		return sign | (uint64_t)n;
	}
	const uint64_t bits = (top - f->least + 1 >= 3 - 2 * f->least)
		? infinity + 1
		: ((uint64_t)(top - f->least) << fraction_bits) + (uint64_t)n;
	if (bits < infinity)
		return sign | bits;
	const bool away = mode == REF_RN || mode == REF_RNA || (mode == REF_RM && x.negative) ||
		(mode == REF_RP && !x.negative);
	return sign | (away ? infinity : infinity - 1);
}

static inline int quad_sign(quad x) { return x > 0 ? 1 : x < 0 ? -1 : 0; }

static inline struct exact exact_add(struct exact a, struct exact b, enum ref_mode mode)
{
	if (a.class == REF_NAN || b.class == REF_NAN ||
		(a.class == REF_INFINITE && b.class == REF_INFINITE && a.negative != b.negative))
		return (struct exact){.class = REF_NAN};
	if (a.class == REF_INFINITE || b.class == REF_INFINITE)
		return a.class == REF_INFINITE ? a : b;
	if (a.class == REF_ZERO && b.class == REF_ZERO) {
		const bool same = a.negative == b.negative;
		return (struct exact){REF_ZERO, same ? a.negative : mode == REF_RM, 0, 0};
	}
	if (a.class == REF_ZERO || b.class == REF_ZERO)
		return a.class == REF_ZERO ? b : a;
	const quad s = a.value + b.value, t = s - a.value,
		   lost = (a.value - (s - t)) + (b.value - t);
	if (s == 0)
		return (struct exact){REF_ZERO, mode == REF_RM, 0, 0};
	return exact_number(s, quad_sign(lost));
}
static inline struct exact exact_mul(struct exact a, struct exact b)
{
	const bool negative = a.negative != b.negative;
	if (a.class == REF_NAN || b.class == REF_NAN ||
		(a.class == REF_INFINITE && b.class == REF_ZERO) ||
		(a.class == REF_ZERO && b.class == REF_INFINITE))
		return (struct exact){.class = REF_NAN};
	if (a.class == REF_INFINITE || b.class == REF_INFINITE)
		return (struct exact){REF_INFINITE, negative, 0, 0};
	if (a.class == REF_ZERO || b.class == REF_ZERO)
		return (struct exact){REF_ZERO, negative, 0, 0};
	return exact_number(a.value * b.value, 0);
}
/* Only the first 60 bits of X, so that products with doubles are exact. */
static inline quad quad_cut(quad x)
{
	unsigned __int128 bits;
	memcpy(&bits, &x, sizeof bits);
	bits = bits >> 57 << 57;
	memcpy(&x, &bits, sizeof bits);
	return x;
}
static inline struct exact exact_div(struct exact a, struct exact b)
{
	const bool negative = a.negative != b.negative;
	if (a.class == REF_NAN || b.class == REF_NAN ||
		(a.class == b.class && (a.class == REF_ZERO || a.class == REF_INFINITE)))
		return (struct exact){.class = REF_NAN};
	if (a.class == REF_ZERO || b.class == REF_INFINITE)
		return (struct exact){REF_ZERO, negative, 0, 0};
	if (a.class == REF_INFINITE || b.class == REF_ZERO)
		return (struct exact){REF_INFINITE, negative, 0, 0};
	const quad q = quad_cut(a.value / b.value), rest = a.value - q * b.value;
	return exact_number(q, quad_sign(rest) * quad_sign(b.value));
}
static inline struct exact exact_sqrt(struct exact a)
{
	if (a.class == REF_NAN || (a.negative && a.class != REF_ZERO))
		return (struct exact){.class = REF_NAN};
	if (a.class != REF_NUMBER)
		return a;
	quad x = a.value, low = 0;
	int scale = 0;
	for (; x >= 4; x /= 4)
		scale++;
	for (; x < 1; x *= 4)
		scale--;
	quad r = (x + 1) / 2;
	for (unsigned i = 0; i < 12; i++)
		r = (r + x / r) / 2;
	low = quad_cut(r);
	const quad rest = x - low * low;
	return exact_number(ref_scale(low, scale), quad_sign(rest));
}
#endif
#endif
