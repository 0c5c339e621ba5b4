/* The scalar atomic operations and redux.sync. */
#include "tests/unit/test_arith.h"
#include "tests/unit/test_arith_exact.h"

static uint64_t low_bits(uint64_t x, unsigned bits)
{
	return bits < 64 ? x & (((uint64_t)1 << bits) - 1) : x;
}

Test(arith_atomic, integers)
{
	static const struct {
		enum type type;
		unsigned bits;
		bool is_signed;
	} types[] = {{TYPE_u32, 32, false}, {TYPE_s32, 32, true}, {TYPE_u64, 64, false},
		{TYPE_s64, 64, true}, {TYPE_b32, 32, false}, {TYPE_b64, 64, false},
		{TYPE_b16, 16, false}};
	for (unsigned t = 0; t < 7; t++)
		for (unsigned n = 0; n < 2000; n++) {
			const enum type y = types[t].type;
			const unsigned bits = types[t].bits;
			const uint64_t a = random_value("b64"), b = n % 3 ? random_value("b64") : a,
				       c = random64(), x = low_bits(a, bits), z = low_bits(b, bits);
			const uint64_t flip = types[t].is_signed ? (uint64_t)1 << (bits - 1) : 0;
			cr_assert_eq(
				arith_atomic(ATOMIC_ADD, y, false, a, b, c), low_bits(x + z, bits));
			cr_assert_eq(arith_atomic(ATOMIC_AND, y, false, a, b, c), (x & z));
			cr_assert_eq(arith_atomic(ATOMIC_OR, y, false, a, b, c), (x | z));
			cr_assert_eq(arith_atomic(ATOMIC_XOR, y, false, a, b, c), (x ^ z));
			cr_assert_eq(arith_atomic(ATOMIC_EXCH, y, false, a, b, c), z);
			cr_assert_eq(arith_atomic(ATOMIC_CAS, y, false, a, b, c),
				x == z ? low_bits(c, bits) : x);
			cr_assert_eq(arith_atomic(ATOMIC_MIN, y, false, a, b, c),
				(x ^ flip) < (z ^ flip) ? x : z);
			cr_assert_eq(arith_atomic(ATOMIC_MAX, y, false, a, b, c),
				(x ^ flip) > (z ^ flip) ? x : z);
		}
}

Test(arith_atomic, wrapping_counters)
{
	static const uint32_t cases[][4] = {{7, 5, 0, 5}, {5, 5, 0, 4}, {4, 5, 5, 3}, {0, 5, 1, 5},
		{9, 5, 0, 5}, {0, 0, 0, 0}, {0xffffffff, 0xffffffff, 0, 0xfffffffe},
		{0, 0xffffffff, 1, 0xffffffff}};
	for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
		cr_assert_eq(arith_atomic(ATOMIC_INC, TYPE_u32, false, cases[i][0], cases[i][1], 0),
			cases[i][2]);
		cr_assert_eq(arith_atomic(ATOMIC_DEC, TYPE_u32, false, cases[i][0], cases[i][1], 0),
			cases[i][3]);
	}
}

#if defined(HAVE_EXACT)
static uint64_t sum(const struct ref_format *f, uint64_t a, uint64_t b, bool ftz)
{
	const uint64_t exponent = (((uint64_t)1 << (f->bits - f->precision)) - 1)
		<< (f->precision - 1),
		       sign = (uint64_t)1 << (f->bits - 1);
	if (ftz && !(a & exponent))
		a &= sign;
	if (ftz && !(b & exponent))
		b &= sign;
	const struct exact r = exact_add(exact_read(f, a), exact_read(f, b), REF_RN);
	if (r.class == REF_NAN && f == &ref_f64 && exact_read(f, b).class == REF_NAN)
		return b; /* unchanged, as measured on hardware */
	if (r.class == REF_NAN && f == &ref_f64 && exact_read(f, a).class == REF_NAN)
		return a;
	return exact_round(f, r, REF_RN, ftz);
}
static uint64_t order(const struct ref_format *f, uint64_t a, uint64_t b, bool max)
{
	const uint64_t sign = (uint64_t)1 << (f->bits - 1);
	const int64_t x = a & sign ? -(int64_t)(a & ~sign) - 1 : (int64_t)a,
		      y = b & sign ? -(int64_t)(b & ~sign) - 1 : (int64_t)b;
	const bool an = exact_read(f, a).class == REF_NAN, bn = exact_read(f, b).class == REF_NAN;
	return an && bn ? f->nan : an ? b : bn ? a : (x > y) == max ? a : b;
}

Test(arith_atomic, floats)
{
	static const struct {
		enum type type;
		const char *name;
		const struct ref_format *format;
		bool pair;
	} types[] = {{TYPE_f32, "f32", &ref_f32, false}, {TYPE_f64, "f64", &ref_f64, false},
		{TYPE_f16, "f16", &ref_f16, false}, {TYPE_bf16, "bf16", &ref_bf16, false},
		{TYPE_f16x2, "f16x2", &ref_f16, true}, {TYPE_bf16x2, "bf16x2", &ref_bf16, true}};
	for (unsigned t = 0; t < 6; t++)
		for (unsigned n = 0; n < 5000; n++) {
			const struct ref_format *f = types[t].format;
			const uint64_t a = random_value(types[t].name),
				       b = random_value(types[t].name);
			for (int ftz = 0; ftz <= (types[t].type == TYPE_f32); ftz++) {
				uint64_t want = types[t].pair
					? sum(f, a & 0xffff, b & 0xffff, ftz) |
						sum(f, a >> 16, b >> 16, ftz) << 16
					: sum(f, a, b, ftz);
				cr_assert_eq(arith_atomic(ATOMIC_ADD, types[t].type, ftz, a, b, 0),
					want, "%s %#llx + %#llx", types[t].name,
					(unsigned long long)a, (unsigned long long)b);
			}
			for (int max = 0; max < 2 && types[t].type != TYPE_f64; max++) {
				const uint64_t want = types[t].pair
					? order(f, a & 0xffff, b & 0xffff, max) |
						order(f, a >> 16, b >> 16, max) << 16
					: order(f, a, b, max);
				cr_assert_eq(arith_atomic(max ? ATOMIC_MAX : ATOMIC_MIN,
						     types[t].type, false, a, b, 0),
					want, "%s", types[t].name);
			}
		}
}

Test(arith_atomic, redux_floats)
{
	uint32_t lanes[32];
	for (unsigned n = 0; n < 2000; n++) {
		const uint32_t mask = (uint32_t)random64() & (uint32_t)random64();
		const bool abs = n & 1, nan = n & 2, max = n & 4;
		uint64_t want = 0;
		bool first = true, some_nan = false;
		for (unsigned i = 0; i < 32; i++)
			lanes[i] = (uint32_t)random_value("f32");
		for (unsigned i = 0; i < 32; i++) {
			const uint64_t x = abs ? lanes[i] & 0x7fffffff : lanes[i];
			if (!(mask >> i & 1))
				continue;
			some_nan |= exact_read(&ref_f32, x).class == REF_NAN;
			want = first ? x : order(&ref_f32, want, x, max);
			first = false;
		}
		if ((nan && some_nan) || exact_read(&ref_f32, want).class == REF_NAN)
			want = 0x7fffffff;
		if (mask)
			cr_assert_eq(arith_redux(max ? ATOMIC_MAX : ATOMIC_MIN, TYPE_f32, abs, nan,
					     lanes, mask),
				want);
	}
}
#endif

Test(arith_atomic, redux_integers)
{
	static const enum atomic ops[] = {
		ATOMIC_ADD, ATOMIC_MIN, ATOMIC_MAX, ATOMIC_AND, ATOMIC_OR, ATOMIC_XOR};
	uint32_t lanes[32];
	for (unsigned n = 0; n < 3000; n++) {
		const enum atomic op = ops[n % 6];
		const bool is_signed = n & 8;
		const uint32_t mask = n % 4 == 3 ? UINT32_MAX : (uint32_t)random64() | 1u << n % 32;
		int64_t r = 0;
		bool first = true;
		for (unsigned i = 0; i < 32; i++)
			lanes[i] = (uint32_t)random_value("b32");
		for (unsigned i = 0; i < 32; i++) {
			const int64_t x = is_signed ? (int64_t)(int32_t)lanes[i]
						    : (int64_t)lanes[i];
			if (!(mask >> i & 1))
				continue;
			r = first                  ? x
				: op == ATOMIC_ADD ? r + x
				: op == ATOMIC_MIN ? (r < x ? r : x)
				: op == ATOMIC_MAX ? (r > x ? r : x)
				: op == ATOMIC_AND ? (r & x)
				: op == ATOMIC_OR  ? (r | x)
						   : (r ^ x);
			first = false;
		}
		cr_assert_eq(
			arith_redux(op, is_signed ? TYPE_s32 : TYPE_u32, false, false, lanes, mask),
			(uint32_t)r);
	}
}
