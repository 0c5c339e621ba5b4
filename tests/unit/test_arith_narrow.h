/* The formats of 4 to 8 bits for the tests of arith: a value is rounded to the code with the
 * nearest value, found by trying all codes. */
#ifndef TEST_ARITH_NARROW_H
#define TEST_ARITH_NARROW_H
#include "tests/unit/test_arith_exact.h"
#if defined(HAVE_EXACT)

struct narrow {
	const char *name;
	unsigned bits, fraction;
	int bias;
	unsigned codes; /* finite magnitudes */
	unsigned stride;
	bool infinities, has_nan, is_unsigned;
};
static const struct narrow narrows[] = {{"e4m3", 8, 3, 7, 0x7f, 8, false, true, false},
	{"e5m2", 8, 2, 15, 0x7c, 8, true, true, false},
	{"e2m1", 4, 1, 1, 8, 4, false, false, false}, {"e2m3", 6, 3, 1, 32, 8, false, false, false},
	{"e3m2", 6, 2, 3, 32, 8, false, false, false}};
static const struct narrow ue5m3
	__attribute__((unused)) = {"ue5m3", 8, 3, 15, 0xff, 8, false, true, true};

static inline quad narrow_value(const struct narrow *n, unsigned code)
{
	const unsigned fraction = code & ((1u << n->fraction) - 1), exponent = code >> n->fraction;
	const quad unit = ref_scale(1, (exponent ? (int)exponent : 1) - n->bias - (int)n->fraction);
	return (quad)(fraction + (exponent ? 1u << n->fraction : 0)) * unit;
}

static inline struct exact narrow_read(const struct narrow *n, uint64_t bits)
{
	const unsigned sign = n->is_unsigned ? n->bits : n->bits - 1;
	const bool negative = !n->is_unsigned && bits >> sign & 1;
	const unsigned code = (unsigned)bits & ((1u << sign) - 1);
	if (code >= n->codes)
		return (struct exact){
			n->infinities && code == n->codes ? REF_INFINITE : REF_NAN, negative, 0, 0};
	const quad v = narrow_value(n, code);
	return (struct exact){v == 0 ? REF_ZERO : REF_NUMBER, negative, negative ? -v : v, 0};
}

/* X in mode MODE; beyond the greatest number infinity or NaN unless SATFINITE or rounded towards
 * zero. */
static inline uint64_t narrow_round(
	const struct narrow *n, struct exact x, enum ref_mode mode, bool satfinite)
{
	const unsigned greatest = n->codes - 1;
	const bool negative = x.negative && !n->is_unsigned;
	const uint64_t sign = negative ? 1u << (n->bits - 1) : 0;
	if (x.class == REF_NAN)
		return n->is_unsigned ? 0xff : n->has_nan ? 0x7f : greatest;
	const quad v = x.value < 0 ? -x.value : x.value;
	const int beyond = x.value < 0 ? -x.beyond : x.beyond;
	const bool up = mode == REF_RP && !negative;
	unsigned code = 0;
	/* the greatest code that is not above v, with one more to see an overflow */
	while (code <= greatest && x.class != REF_INFINITE &&
		(narrow_value(n, code + 1) < v || (narrow_value(n, code + 1) == v && beyond >= 0)))
		code++;
	if (x.class == REF_INFINITE) {
		code = greatest + 1;
	} else {
		const quad low = v - narrow_value(n, code), high = narrow_value(n, code + 1) - v;
		const bool inexact = low != 0 || beyond != 0;
		const int nearer = low > high || (low == high && beyond > 0) ? 1
			: low < high || beyond < 0                           ? -1
									     : 0;
		if (up ? inexact : mode == REF_RN && (nearer > 0 || (nearer == 0 && code % 2)))
			code++;
		if (code > greatest && mode == REF_RZ)
			code = greatest;
	}
	if (code > greatest)
		code = satfinite || !n->has_nan ? greatest : greatest + 1;
	return code | sign;
}
#endif
#endif
