/* f32, f32x2 and f64: every rounding, .ftz, .sat, NaN and infinity against exact results; min, max
 * and the sign operations; the approximate functions against the manual's error bounds. */
#include "tests/unit/test_arith.h"
#include "tests/unit/test_arith_exact.h"
#include "arith/rounding.h"
#include <fenv.h>
#include <math.h>

#if !defined(HAVE_EXACT)
Test(arith_float, exact, .disabled = true, .description = "this compiler has no 128-bit float") {}
#else
struct form {
	char op; /* + - * f / r(cp) q(sqrt) */
	const struct ref_format *format;
	enum ref_mode mode;
	bool ftz, sat;
};

static uint64_t flush(const struct ref_format *f, uint64_t x)
{
	const uint64_t magnitude = x & (((uint64_t)1 << (f->bits - 1)) - 1);
	return magnitude >> (f->precision - 1) ? x : x ^ magnitude;
}
static bool is_nan(const struct ref_format *f, uint64_t x)
{
	return exact_read(f, x).class == REF_NAN;
}

/* f64 keeps a NaN source; with several, the hardware chooses one. */
static uint64_t nan_of(const struct form *k, const uint64_t *in)
{
	static const struct {
		char op;
		uint8_t order[3], count;
	} choice[] = {{'+', {1, 0}, 2}, {'-', {1, 0}, 2}, {'*', {1, 0}, 2}, {'f', {1, 2, 0}, 3},
		{'/', {0, 1}, 2}, {'r', {0}, 1}, {'q', {0}, 1}};
	if (k->format != &ref_f64)
		return k->format->nan;
	for (unsigned i = 0; i < sizeof choice / sizeof *choice; i++)
		for (unsigned j = 0; choice[i].op == k->op && j < choice[i].count; j++)
			if (is_nan(k->format, in[choice[i].order[j]]))
				return in[choice[i].order[j]] | (uint64_t)1 << 51;
	return k->format->nan;
}

static uint64_t ref_float(const uint64_t *in, const void *context)
{
	const struct form *k = context;
	const struct ref_format *f = k->format;
	struct exact x[3], r;
	for (unsigned i = 0; i < 3; i++)
		x[i] = exact_read(f, k->ftz ? flush(f, in[i]) : in[i]);
	switch (k->op) {
	case '+': r = exact_add(x[0], x[1], k->mode); break;
	case '-':
		x[1].negative ^= 1;
		x[1].value = -x[1].value;
		r = exact_add(x[0], x[1], k->mode);
		break;
	case '*': r = exact_mul(x[0], x[1]); break;
	case 'f': r = exact_add(exact_mul(x[0], x[1]), x[2], k->mode); break;
	case '/': r = exact_div(x[0], x[1]); break;
	case 'r': r = exact_div(exact_number(1, 0), x[0]); break;
	default: r = exact_sqrt(x[0]); break;
	}
	if (k->sat && (r.class == REF_NAN || r.negative))
		return 0;
	if (r.class == REF_NAN)
		return nan_of(k, in);
	const uint64_t bits = exact_round(f, r, k->mode, k->ftz),
		       one = (uint64_t)(-f->least + 1) << (f->precision - 1);
	return k->sat && bits > one ? one : bits;
}

static uint64_t ref_pair(const uint64_t *in, const void *context)
{
	const uint64_t low[] = {in[0] & 0xffffffff, in[1] & 0xffffffff, in[2] & 0xffffffff},
		       high[] = {in[0] >> 32, in[1] >> 32, in[2] >> 32};
	return ref_float(low, context) | ref_float(high, context) << 32;
}

static const struct {
	const char *name;
	char op;
	unsigned sources;
	bool sat, pair;
} ops[] = {{"add", '+', 2, true, true}, {"sub", '-', 2, true, true}, {"mul", '*', 2, true, true},
	{"fma", 'f', 3, true, true}, {"mad", 'f', 3, true, false}, {"div", '/', 2, false, false},
	{"rcp", 'r', 1, false, false}, {"sqrt", 'q', 1, false, false}};

static const char *types_of(const char *t, unsigned sources)
{
	return sources == 1    ? fmt("%s=%s", t, t)
		: sources == 2 ? fmt("%s=%s,%s", t, t, t)
			       : fmt("%s=%s,%s,%s", t, t, t, t);
}

Test(arith_float, f32)
{
	for (unsigned o = 0; o < sizeof ops / sizeof *ops; o++)
		for (int mode = REF_RN; mode <= REF_RP; mode++)
			for (int ftz = 0; ftz < 2; ftz++)
				for (int sat = 0; sat <= (int)ops[o].sat; sat++) {
					const struct form k = {
						ops[o].op, &ref_f32, (enum ref_mode)mode, ftz, sat};
					const char *flags = fmt(
						"%s%s", ftz ? ".ftz" : "", sat ? ".sat" : "");
					check_times(fmt("%s.%s%s.f32", ops[o].name,
							    ref_mode_name[mode], flags),
						types_of("f32", ops[o].sources), ref_float, &k,
						100);
					if (mode == REF_RN && ops[o].sources == 2 && ops[o].sat)
						check(fmt("%s%s.f32", ops[o].name, flags),
							types_of("f32", 2), ref_float, &k);
					if (ops[o].pair && !sat)
						check(fmt("%s.%s%s.f32x2", ops[o].name,
							      ref_mode_name[mode], flags),
							types_of("f32x2", ops[o].sources), ref_pair,
							&k);
				}
}

Test(arith_float, f64)
{
	for (unsigned o = 0; o < sizeof ops / sizeof *ops; o++)
		for (int mode = REF_RN; mode <= REF_RP; mode++) {
			const struct form k = {
				ops[o].op, &ref_f64, (enum ref_mode)mode, false, false};
			check_times(fmt("%s.%s.f64", ops[o].name, ref_mode_name[mode]),
				types_of("f64", ops[o].sources), ref_float, &k, 60);
		}
}

/* Products and quotients just below the smallest normal number: hardware flushes those that are
 * still below it after rounding to 24 bits. */
Test(arith_float, tiny_results)
{
	static _Alignas(64) uint32_t a[32], b[32], d[32];
	for (int level = 1; level <= 4; level++) {
		struct instruction in;
		if (!level_here(level))
			continue;
		test_level = (uint8_t)level;
		for (int mode = REF_RN; mode <= REF_RP; mode++) {
			const struct form k = {'*', &ref_f32, (enum ref_mode)mode, true, false};
			read_instruction(
				fmt("mul.%s.ftz.f32", ref_mode_name[mode]), "f32=f32,f32", &in);
			for (uint32_t n = 0; n < 128; n++) {
				for (uint32_t i = 0; i < 32; i++) {
					const uint32_t step = 1 + n * 32 + i;
					a[i] = 0x20000000 + step;
					b[i] = (i & 1 ? 0xa0000000 : 0x20000000) - 2 * step;
				}
				void *v[] = {d, a, b};
				in.op.run(v, UINT32_MAX);
				for (uint32_t i = 0; i < 32; i++)
					cr_assert_eq(d[i],
						ref_float((uint64_t[]){a[i], b[i], 0}, &k),
						"mul.%s.ftz %#x %#x: %#x", ref_mode_name[mode],
						a[i], b[i], d[i]);
			}
		}
	}
}

struct order {
	const struct ref_format *format;
	bool max, ftz, nan, abs, third;
};

/* An integer that orders the numbers, -0 below +0. */
static int64_t rank(const struct ref_format *f, uint64_t x)
{
	const int64_t magnitude = (int64_t)(x & (((uint64_t)1 << (f->bits - 1)) - 1));
	return x >> (f->bits - 1) & 1 ? -magnitude - 1 : magnitude;
}
static uint64_t min_max(const struct order *k, uint64_t a, uint64_t b)
{
	const bool an = is_nan(k->format, a), bn = is_nan(k->format, b);
	if (an && bn)
		return k->format == &ref_f64 ? b | (uint64_t)1 << 51 : k->format->nan;
	if ((an || bn) && k->nan)
		return k->format->nan;
	if (an || bn)
		return an ? b : a;
	return (rank(k->format, a) > rank(k->format, b)) == k->max ? a : b;
}
static uint64_t ref_order(const uint64_t *in, const void *context)
{
	const struct order *k = context;
	const uint64_t sign = (uint64_t)1 << (k->format->bits - 1);
	uint64_t x[3];
	for (unsigned i = 0; i < 3; i++) {
		x[i] = k->ftz ? flush(k->format, in[i]) : in[i];
		if (k->abs)
			x[i] &= ~sign;
	}
	uint64_t r = min_max(k, x[0], x[1]);
	if (k->third)
		return min_max(k, r, x[2]);
	if (k->abs && !is_nan(k->format, r))
		r |= (in[0] ^ in[1]) & sign;
	return r;
}

Test(arith_float, min_max)
{
	for (int max = 0; max < 2; max++) {
		const char *name = max ? "max" : "min";
		const struct order d = {.format = &ref_f64, .max = max};
		check_times(fmt("%s.f64", name), "f64=f64,f64", ref_order, &d, 200);
		for (int ftz = 0; ftz < 2; ftz++)
			for (int nan = 0; nan < 2; nan++)
				for (int abs = 0; abs < 2; abs++) {
					const struct order k = {&ref_f32, max, ftz, nan, abs,
								   false},
							   three = {&ref_f32, max, ftz, nan, abs,
								   true};
					const char *flags = fmt(
						"%s%s", ftz ? ".ftz" : "", nan ? ".NaN" : "");
					check_times(fmt("%s%s%s.f32", name, flags,
							    abs ? ".xorsign.abs" : ""),
						"f32=f32,f32", ref_order, &k, 100);
					check_times(
						fmt("%s%s%s.f32", name, flags, abs ? ".abs" : ""),
						"f32=f32,f32,f32", ref_order, &three, 100);
				}
	}
}

struct sign {
	const struct ref_format *format;
	char op;
	bool ftz;
};
static uint64_t ref_sign(const uint64_t *in, const void *context)
{
	const struct sign *k = context;
	const uint64_t sign = (uint64_t)1 << (k->format->bits - 1),
		       x = k->ftz ? flush(k->format, in[0]) : in[0];
	/* measured: f32 yields the canonical NaN, f64 the source NaN made quiet */
	if (k->op != 'c' && exact_read(k->format, in[0]).class == REF_NAN)
		return k->format == &ref_f64 ? in[0] | (uint64_t)1 << 51 : 0x7fffffff;
	return k->op == 'n'    ? x ^ sign
		: k->op == 'a' ? x & ~sign
			       : (in[0] & sign) | (in[1] & ~sign);
}
static uint64_t ref_test(const uint64_t *in, const void *context)
{
	const struct sign *k = context;
	const struct exact x = exact_read(k->format, in[0]);
	const bool small = x.class == REF_NUMBER && flush(k->format, in[0]) != in[0];
	switch (k->op) {
	case 'f': return x.class == REF_NUMBER || x.class == REF_ZERO;
	case 'i': return x.class == REF_INFINITE;
	case 'n': return x.class != REF_NAN;
	case 'N': return x.class == REF_NAN;
	case 'o': return x.class == REF_ZERO || (x.class == REF_NUMBER && !small);
	default: return small;
	}
}

Test(arith_float, signs_and_tests)
{
	static const struct {
		const char *name;
		char op;
	} tests[] = {{"finite", 'f'}, {"infinite", 'i'}, {"number", 'n'}, {"notanumber", 'N'},
		{"normal", 'o'}, {"subnormal", 's'}};
	for (int d = 0; d < 2; d++) {
		const struct ref_format *f = d ? &ref_f64 : &ref_f32;
		const char *t = d ? "f64" : "f32";
		for (int ftz = 0; ftz < 2 - d; ftz++) {
			const struct sign neg = {f, 'n', ftz}, abs = {f, 'a', ftz};
			check(fmt("neg%s.%s", ftz ? ".ftz" : "", t), types_of(t, 1), ref_sign,
				&neg);
			check(fmt("abs%s.%s", ftz ? ".ftz" : "", t), types_of(t, 1), ref_sign,
				&abs);
		}
		const struct sign copy = {f, 'c', false};
		check(fmt("copysign.%s", t), types_of(t, 2), ref_sign, &copy);
		for (unsigned i = 0; i < 6; i++) {
			const struct sign k = {f, tests[i].op, false};
			check(fmt("testp.%s.%s", tests[i].name, t), fmt("pred=%s", t), ref_test,
				&k);
		}
	}
}

struct mixed {
	const struct ref_format *half;
	char op;
	enum ref_mode mode;
	bool sat;
};
static uint64_t ref_mixed(const uint64_t *in, const void *context)
{
	const struct mixed *k = context;
	const struct exact a = exact_read(k->half, in[0]);
	struct exact b = k->op == 'f' ? exact_read(k->half, in[1]) : exact_read(&ref_f32, in[1]);
	if (k->op == '-') {
		b.negative ^= 1;
		b.value = -b.value;
	}
	const struct exact r = k->op == 'f'
		? exact_add(exact_mul(a, b), exact_read(&ref_f32, in[2]), k->mode)
		: exact_add(a, b, k->mode);
	const uint64_t bits = exact_round(&ref_f32, r, k->mode, false);
	return k->sat ? r.class == REF_NAN || r.negative ? 0
			: bits > 0x3f800000              ? 0x3f800000
							 : bits
		      : bits;
}

Test(arith_float, mixed)
{
	for (int bf = 0; bf < 2; bf++)
		for (int mode = REF_RN; mode <= REF_RP; mode++)
			for (int sat = 0; sat < 2; sat++) {
				const char *h = bf ? "bf16" : "f16",
					   *tail = fmt(".%s%s.f32.%s", ref_mode_name[mode],
						   sat ? ".sat" : "", h);
				const struct ref_format *half = bf ? &ref_bf16 : &ref_f16;
				const struct mixed add = {half, '+', (enum ref_mode)mode, sat},
						   sub = {half, '-', (enum ref_mode)mode, sat},
						   fma = {half, 'f', (enum ref_mode)mode, sat};
				check(fmt("add%s", tail), fmt("f32=%s,f32", h), ref_mixed, &add);
				check(fmt("sub%s", tail), fmt("f32=%s,f32", h), ref_mixed, &sub);
				check(fmt("fma%s", tail), fmt("f32=%s,%s,f32", h, h), ref_mixed,
					&fma);
			}
}
#endif

/* The approximate functions: F in long double, and the error bound in units of the last place or
 * absolute (its log2), over the range in the manual. */
struct approximation {
	const char *text;
	long double (*function)(long double);
	double low, high;
	double ulps, absolute;
};
static long double reciprocal(long double x) { return 1 / x; }
static long double reciprocal_root(long double x) { return 1 / sqrtl(x); }

static float unit_of(float x)
{
	int e;
	frexpf(x, &e);
	return ldexpf(1.0f, e - 24 < -149 ? -149 : e - 24);
}

Test(arith_float, approximations)
{
	static const struct approximation table[] = {
		{"rcp.approx.f32", reciprocal, 0x1p-126, 0x1p126, 1, 0},
		{"rcp.approx.ftz.f32", reciprocal, 0x1p-126, 0x1p125, 1, 0},
		{"sqrt.approx.f32", sqrtl, 0, 0x1.fp127, 1, 0},
		{"sqrt.approx.ftz.f32", sqrtl, 0x1p-126, 0x1.fp127, 1, 0},
		{"rsqrt.approx.f32", reciprocal_root, 0x1p-149, 0x1.fp127, 2, 0},
		{"rsqrt.approx.ftz.f32", reciprocal_root, 0x1p-126, 0x1.fp127, 2, 0},
		{"sin.approx.f32", sinl, -6.2831f, 6.2831f, 0, 0x1p-20},
		{"cos.approx.f32", cosl, -6.2831f, 6.2831f, 0, 0x1p-20},
		{"lg2.approx.f32", log2l, 0.5, 2, 0, 0x1p-22},
		{"lg2.approx.f32", log2l, 2, 0x1.fp127, 2, 0},
		{"ex2.approx.f32", exp2l, -125, 127, 2, 0},
		{"ex2.approx.ftz.f32", exp2l, -125, 127, 2, 0},
		{"tanh.approx.f32", tanhl, -100, 100, 1024, 0},
	};
	static _Alignas(64) float a[32], d[32];
	for (int level = 1; level <= 4; level++) {
		if (!level_here(level))
			continue;
		test_level = (uint8_t)level;
		for (unsigned t = 0; t < sizeof table / sizeof *table; t++) {
			const struct approximation *k = &table[t];
			struct instruction in;
			read_instruction(k->text, "f32=f32", &in);
			for (unsigned n = 0; n < 100; n++) {
				for (unsigned i = 0; i < 32; i++) {
					const double u = (double)(random64() >> 11) * 0x1p-53;
					const double log = k->low > 0 && n & 1
						? exp2(log2(k->low) +
							  u * (log2(k->high) - log2(k->low)))
						: k->low + u * (k->high - k->low);
					a[i] = (float)log;
				}
				void *v[] = {d, a};
				in.op.run(v, UINT32_MAX);
				for (unsigned i = 0; i < 32; i++) {
					const long double want = k->function((long double)a[i]),
							  error = fabsl((long double)d[i] - want);
					const long double allowed = k->absolute > 0
						? (long double)k->absolute
						: (long double)k->ulps *
							(long double)unit_of((float)want);
					cr_assert(error <= allowed, "%s of %a is %a, not %La",
						k->text, (double)a[i], (double)d[i], want);
				}
			}
		}
	}
}

/* Their special values, from the manual's tables. */
Test(arith_float, special_values)
{
	static const struct {
		const char *text;
		uint32_t in, out;
	} table[] = {
		{"rcp.approx.f32", 0xff800000, 0x80000000},
		{"rcp.approx.f32", 0x80000000, 0xff800000},
		{"rcp.approx.f32", 0, 0x7f800000},
		{"rcp.approx.f32", 0x7f800000, 0},
		{"rcp.approx.f32", 0x7fc12345, 0x7fffffff},
		{"rcp.approx.ftz.f32", 0x00000001, 0x7f800000},
		{"rcp.approx.ftz.f32", 0x807fffff, 0xff800000},
		{"rcp.approx.f32", 0x00200000, 0x7f800000},
		{"sqrt.approx.f32", 0xff800000, 0x7fffffff},
		{"sqrt.approx.f32", 0x80000000, 0x80000000},
		{"sqrt.approx.f32", 0x7f800000, 0x7f800000},
		{"sqrt.approx.f32", 0xbf800000, 0x7fffffff},
		{"sqrt.approx.ftz.f32", 0x80000001, 0x80000000},
		{"rsqrt.approx.f32", 0x80000000, 0xff800000},
		{"rsqrt.approx.f32", 0, 0x7f800000},
		{"rsqrt.approx.f32", 0x7f800000, 0},
		{"rsqrt.approx.f32", 0xbf800000, 0x7fffffff},
		{"rsqrt.approx.ftz.f32", 0x00000001, 0x7f800000},
		{"sin.approx.f32", 0x80000000, 0x80000000},
		{"sin.approx.f32", 0x7f800000, 0x7fffffff},
		{"sin.approx.ftz.f32", 0x80000001, 0x80000000},
		{"cos.approx.f32", 0, 0x3f800000},
		{"cos.approx.f32", 0xff800000, 0x7fffffff},
		{"lg2.approx.f32", 0, 0xff800000},
		{"lg2.approx.f32", 0x80000000, 0xff800000},
		{"lg2.approx.f32", 0xbf800000, 0x7fffffff},
		{"lg2.approx.f32", 0x7f800000, 0x7f800000},
		{"lg2.approx.ftz.f32", 0x00000001, 0xff800000},
		{"ex2.approx.f32", 0xff800000, 0},
		{"ex2.approx.f32", 0x80000000, 0x3f800000},
		{"ex2.approx.f32", 0x7f800000, 0x7f800000},
		{"ex2.approx.ftz.f32", 0x00000001, 0x3f800000},
		{"ex2.approx.ftz.f32", 0xc2fe0000, 0},
		{"tanh.approx.f32", 0xff800000, 0xbf800000},
		{"tanh.approx.f32", 0x80000000, 0x80000000},
		{"tanh.approx.f32", 0x7fc00000, 0x7fffffff},
	};
	static _Alignas(64) uint32_t a[32], d[32];
	for (int level = 1; level <= 4; level++)
		for (unsigned t = 0; level_here(level) && t < sizeof table / sizeof *table; t++) {
			struct instruction in;
			test_level = (uint8_t)level;
			read_instruction(table[t].text, "f32=f32", &in);
			for (unsigned i = 0; i < 32; i++)
				a[i] = table[t].in;
			in.op.run((void *[]){d, a}, UINT32_MAX);
			cr_assert(d[0] == table[t].out && d[31] == table[t].out,
				"%s of %#x is %#x, not %#x", table[t].text, table[t].in, d[0],
				table[t].out);
		}
}

/* div.approx and div.full: within two units; for large divisors the quotient is zero, or NaN if the
 * dividend is an infinity. */
Test(arith_float, approximate_division)
{
	static _Alignas(64) float a[32], b[32], d[32];
	static const char *const texts[] = {
		"div.approx.f32", "div.approx.ftz.f32", "div.full.f32", "div.full.ftz.f32"};
	for (int level = 1; level <= 4; level++)
		for (unsigned t = 0; level_here(level) && t < 4; t++) {
			struct instruction in;
			test_level = (uint8_t)level;
			read_instruction(texts[t], "f32=f32,f32", &in);
			for (unsigned n = 0; n < 100; n++) {
				for (unsigned i = 0; i < 32; i++) {
					a[i] = ldexpf(1.0f + (float)(random64() >> 41) * 0x1p-23f,
						(int)(random64() % 100) - 50);
					b[i] = ldexpf(1.0f + (float)(random64() >> 41) * 0x1p-23f,
						       (int)(random64() % 100) - 50) *
						(random64() & 1 ? 1.0f : -1.0f);
				}
				in.op.run((void *[]){d, a, b}, UINT32_MAX);
				for (unsigned i = 0; i < 32; i++)
					cr_assert(
						fabs((double)d[i] - (double)a[i] / (double)b[i]) <=
							2 * (double)unit_of(d[i]),
						"%s %a %a %a", texts[t], (double)a[i], (double)b[i],
						(double)d[i]);
			}
			for (unsigned i = 0; i < 32; i++) {
				a[i] = i & 1 ? INFINITY : 0x1p100f;
				b[i] = 0x1p127f;
			}
			in.op.run((void *[]){d, a, b}, UINT32_MAX);
			if (t < 2)
				cr_assert(d[0] == 0 && d[1] != d[1], "%s", texts[t]);
		}
}

#if defined(HAVE_EXACT)
/* --- rounding in integer arithmetic, compared with the processor's own --- */

/* The processor's result, with its rounding mode set for this operation. */
static uint64_t by_processor(enum type type, char op, const uint64_t *in, int mode)
{
	volatile double d[3], rd = 0;
	volatile float f[3], rf = 0;
	uint64_t bits = 0;
	for (unsigned k = 0; k < 3; k++) {
		const uint32_t low = (uint32_t)in[k];
		float x;
		double y;
		memcpy(&x, &low, sizeof x);
		memcpy(&y, &in[k], sizeof y);
		f[k] = x;
		d[k] = y;
	}
	fesetround(mode);
	if (type == TYPE_f32) {
		rf = op == '+'      ? f[0] + f[1]
			: op == '*' ? f[0] * f[1]
			: op == '/' ? f[0] / f[1]
			: op == 'q' ? sqrtf(f[0])
				    : fmaf(f[0], f[1], f[2]);
		const float x = rf;
		memcpy(&bits, &x, sizeof x);
	} else {
		rd = op == '+'      ? d[0] + d[1]
			: op == '*' ? d[0] * d[1]
			: op == '/' ? d[0] / d[1]
			: op == 'q' ? sqrt(d[0])
				    : fma(d[0], d[1], d[2]);
		const double x = rd;
		memcpy(&bits, &x, sizeof x);
	}
	fesetround(FE_TONEAREST);
	return bits;
}

static uint64_t by_integers(enum type type, char op, const uint64_t *in, enum soft_round mode)
{
	switch (op) {
	case '+': return rounded_sum(type, in[0], in[1], mode);
	case '*': return rounded_product(type, in[0], in[1], mode);
	case '/': return rounded_quotient(type, in[0], in[1], mode);
	case 'q': return rounded_root(type, in[0], mode);
	default: return rounded_fused(type, in[0], in[1], in[2], mode);
	}
}

/* Random bits; few bits, with results that are exact or halfway; values near the ends of the range;
 * near 1, where sums cancel; edge values. */
static uint64_t any_float(enum type type)
{
	const unsigned fraction = type == TYPE_f32 ? 23 : 52, width = type == TYPE_f32 ? 32 : 64;
	const uint64_t r = random64(), sign = (r & 1) << (width - 1),
		       ones = ((uint64_t)1 << fraction) - 1, top = type == TYPE_f32 ? 0xff : 0x7ff;
	const uint64_t cut = random64() & ones & ~(ones >> random64() % (fraction + 1));
	switch (r >> 60) {
	case 0:
	case 1:
	case 2:
	case 3: return r >> (64 - width);
	case 4:
	case 5: return sign | (random64() % 3) << fraction | (r >> 8 & ones);
	case 6: return sign | (top - 1 - random64() % 3) << fraction | (r >> 8 & ones);
	case 7:
	case 8: return sign | (top / 2 - 30 + random64() % 60) << fraction | cut;
	case 9:
	case 10: return sign | (top / 2) << fraction | (r >> 8 & ones);
	case 11: return sign | random64() % top << fraction | cut;
	case 12: return sign | (top / 4 + random64() % 8) << fraction | cut;
	case 13: return sign | random64() % 3 << fraction | (r >> 8 & 3);
	default: {
		static const uint64_t f32[] = {0, 1, 0x7fffff, 0x800000, 0x3f800000, 0x3f7fffff,
			0x3f800001, 0x7f7fffff, 0x7f800000, 0x7fc00000, 0x7f800001, 0x33800000,
			0x1fffffff};
		const uint64_t d = PICK(edge_f64);
		return type == TYPE_f32 ? sign | PICK(f32) : d;
	}
	}
}

/* A processor of this kind rounds in the mode that is set, as the test below requires; the query
 * does not change its mode. */
Test(arith_float, asking_how_the_processor_rounds)
{
	static const int modes[] = {FE_TONEAREST, FE_TOWARDZERO, FE_DOWNWARD, FE_UPWARD};

	for (unsigned m = 0; m < 4; m++) {
		fesetround(modes[m]);
		const bool needed = rounding_needed();
		const int after = fegetround();

		fesetround(FE_TONEAREST);
		cr_assert_eq(after, modes[m]);
#if defined(__x86_64__)
		cr_assert(m != 0 || !needed);
#endif
		(void)needed;
	}
}

Test(arith_float, rounded_by_integers)
{
	static const int modes[] = {FE_TONEAREST, FE_TOWARDZERO, FE_DOWNWARD, FE_UPWARD};
	static const enum type types[] = {TYPE_f32, TYPE_f64};
	uint64_t compared = 0;
	if (rounding_needed())
		cr_skip_test(
			"this machine cannot set its rounding mode, so there is nothing to compare with");
	for (unsigned t = 0; t < 2; t++)
		for (const char *op = "+*/qf"; *op; op++)
			for (unsigned n = 0; n < 100000; n++) {
				const uint64_t in[3] = {any_float(types[t]), any_float(types[t]),
					any_float(types[t])};
				for (unsigned m = 0; m < 4; m++) {
					const uint64_t want = by_processor(
							       types[t], *op, in, modes[m]),
						       got = by_integers(types[t], *op, in,
							       (enum soft_round)m);
					const struct ref_format *f = types[t] == TYPE_f32
						? &ref_f32
						: &ref_f64;
					cr_assert(got == want || (is_nan(f, want) && got == f->nan),
						"%c.%s in %s of %#llx %#llx %#llx: %#llx, and the processor has %#llx",
						*op, ref_mode_name[m], t ? "f64" : "f32",
						(unsigned long long)in[0],
						(unsigned long long)in[1],
						(unsigned long long)in[2], (unsigned long long)got,
						(unsigned long long)want);
					compared++;
				}
			}
	cr_assert_eq(compared, 4000000u);
}
#endif
