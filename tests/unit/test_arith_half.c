/* f16 and bf16, alone and in pairs, against exact results rounded once: sums, products, fma (the
 * trap of double rounding), .ftz, .sat, .relu, .oob, min and max, signs; ex2 and tanh within the
 * manual's bounds. */
#include "tests/unit/test_arith.h"
#include "tests/unit/test_arith_exact.h"
#include <math.h>

#if !defined(HAVE_EXACT)
Test(arith_half, exact, .disabled = true, .description = "this compiler has no 128-bit float") {}
#else
struct form {
	const struct ref_format *format;
	char op;
	bool ftz, sat, relu, oob, nan, abs, max;
};

static uint64_t flush(const struct ref_format *f, uint64_t x)
{
	const uint64_t magnitude = x & 0x7fff;
	return magnitude >> (f->precision - 1) ? x : x ^ magnitude;
}
static bool is_nan(const struct ref_format *f, uint64_t x)
{
	return exact_read(f, x).class == REF_NAN;
}

static uint64_t ref_half(const uint64_t *in, const void *context)
{
	const struct form *k = context;
	const struct ref_format *f = k->format;
	struct exact x[3], r;
	for (unsigned i = 0; i < 3; i++)
		x[i] = exact_read(f, k->ftz ? flush(f, in[i]) : in[i]);
	if (k->oob && ((in[0] & 0x7fff) == 0x7ff7 || (in[1] & 0x7fff) == 0x7ff7))
		return 0;
	switch (k->op) {
	case '+': r = exact_add(x[0], x[1], REF_RN); break;
	case '-':
		x[1].negative ^= 1;
		x[1].value = -x[1].value;
		r = exact_add(x[0], x[1], REF_RN);
		break;
	case '*': r = exact_mul(x[0], x[1]); break;
	default: r = exact_add(exact_mul(x[0], x[1]), x[2], REF_RN); break;
	}
	if (k->sat && (r.class == REF_NAN || r.negative))
		return 0;
	if (k->relu && r.class != REF_NAN && r.negative)
		return 0;
	const uint64_t bits = exact_round(f, r, REF_RN, k->ftz);
	return k->sat && bits > 0x3c00 ? 0x3c00 : bits;
}

static int rank(uint64_t x) { return x & 0x8000 ? -(int)(x & 0x7fff) - 1 : (int)x; }
static uint64_t ref_order(const uint64_t *in, const void *context)
{
	const struct form *k = context;
	uint64_t a = k->ftz ? flush(k->format, in[0]) : in[0],
		 b = k->ftz ? flush(k->format, in[1]) : in[1];
	if (k->abs) {
		a &= 0x7fff;
		b &= 0x7fff;
	}
	const bool an = is_nan(k->format, a), bn = is_nan(k->format, b);
	if ((an && bn) || ((an || bn) && k->nan))
		return 0x7fff;
	const uint64_t r = an ? b : bn ? a : (rank(a) > rank(b)) == k->max ? a : b;
	return k->abs ? r | ((in[0] ^ in[1]) & 0x8000) : r;
}
static uint64_t ref_sign(const uint64_t *in, const void *context)
{
	const struct form *k = context;
	const uint64_t x = k->ftz ? flush(k->format, in[0]) : in[0];
	return is_nan(k->format, x) ? 0x7fff : k->op == 'n' ? x ^ 0x8000 : x & 0x7fff;
}

/* Applies a function of halves to both halves of a pair. */
struct both {
	reference *half;
	const void *context;
};
static uint64_t ref_both(const uint64_t *in, const void *context)
{
	const struct both *k = context;
	const uint64_t low[] = {in[0] & 0xffff, in[1] & 0xffff, in[2] & 0xffff},
		       high[] = {in[0] >> 16 & 0xffff, in[1] >> 16 & 0xffff, in[2] >> 16 & 0xffff};
	return k->half(low, k->context) | k->half(high, k->context) << 16;
}

static void check_both(const char *head, const char *t, unsigned sources, reference *ref,
	const struct form *k, unsigned times)
{
	const struct both pair = {ref, k};
	for (unsigned packed = 0; packed < 2; packed++) {
		const char *type = fmt("%s%s", t, packed ? "x2" : "");
		check_times(fmt("%s.%s", head, type),
			sources == 1           ? fmt("%s=%s", type, type)
				: sources == 2 ? fmt("%s=%s,%s", type, type, type)
					       : fmt("%s=%s,%s,%s", type, type, type, type),
			packed ? ref_both : ref, packed ? (const void *)&pair : k, times);
	}
}

static const struct {
	const char *name;
	char op;
	unsigned sources;
} ops[] = {{"add", '+', 2}, {"sub", '-', 2}, {"mul", '*', 2}, {"fma", 'f', 3}};

Test(arith_half, f16)
{
	for (unsigned o = 0; o < 4; o++)
		for (int ftz = 0; ftz < 2; ftz++)
			for (int sat = 0; sat < 2; sat++) {
				const struct form k = {.format = &ref_f16,
					.op = ops[o].op,
					.ftz = ftz,
					.sat = sat};
				check_both(fmt("%s.rn%s%s", ops[o].name, ftz ? ".ftz" : "",
						   sat ? ".sat" : ""),
					"f16", ops[o].sources, ref_half, &k, 200);
				if (o < 3 && !sat)
					check_both(fmt("%s%s", ops[o].name, ftz ? ".ftz" : ""),
						"f16", 2, ref_half, &k, 40);
			}
	for (int ftz = 0; ftz < 2; ftz++) {
		const struct form k = {.format = &ref_f16, .op = 'f', .ftz = ftz, .relu = true};
		check_both(fmt("fma.rn%s.relu", ftz ? ".ftz" : ""), "f16", 3, ref_half, &k, 200);
	}
}

Test(arith_half, bf16)
{
	for (unsigned o = 0; o < 4; o++) {
		const struct form k = {.format = &ref_bf16, .op = ops[o].op};
		check_both(fmt("%s.rn", ops[o].name), "bf16", ops[o].sources, ref_half, &k, 300);
		if (o < 3)
			check_both(ops[o].name, "bf16", 2, ref_half, &k, 40);
	}
	const struct form k = {.format = &ref_bf16, .op = 'f', .relu = true};
	check_both("fma.rn.relu", "bf16", 3, ref_half, &k, 300);
}

Test(arith_half, out_of_bounds)
{
	for (int bf = 0; bf < 2; bf++)
		for (int relu = 0; relu < 2; relu++) {
			const struct form k = {.format = bf ? &ref_bf16 : &ref_f16,
				.op = 'f',
				.relu = relu,
				.oob = true};
			check_both(fmt("fma.rn.oob%s", relu ? ".relu" : ""), bf ? "bf16" : "f16", 3,
				ref_half, &k, 100);
		}
}

/* Sums whose exact value is very close to a halfway point of the format: rounding to float or
 * double first gives a wrong result. */
Test(arith_half, double_rounding)
{
	static _Alignas(64) uint16_t a[32], b[32], c[32], d[32];
	for (int level = 1; level <= 4; level++)
		for (int bf = 0; level_here(level) && bf < 2; bf++) {
			const struct ref_format *f = bf ? &ref_bf16 : &ref_f16;
			const struct form k = {.format = f, .op = 'f'};
			const uint16_t one = bf ? 0x3f80 : 0x3c00,
				       unit = (uint16_t)(1u << (f->precision - 1));
			struct instruction in;
			test_level = (uint8_t)level;
			read_instruction(fmt("fma.rn.%s", bf ? "bf16" : "f16"),
				bf ? "bf16=bf16,bf16,bf16" : "f16=f16,f16,f16", &in);
			for (unsigned n = 0; n < 400; n++) {
				for (unsigned i = 0; i < 32; i++) {
					/* (1 + x)(1 + y) has bits far below, c is of any
					 * magnitude */
					a[i] = (uint16_t)(one + random64() % unit);
					b[i] = (uint16_t)(one +
						(random64() % unit & (i & 1 ? unit >> 1 : 0xffff)));
					c[i] = (uint16_t)random64();
					if (i % 4 == 0)
						c[i] = (uint16_t)((c[i] & 0x8000) |
							random64() % (2u * unit));
				}
				in.op.run((void *[]){d, a, b, c}, UINT32_MAX);
				for (unsigned i = 0; i < 32; i++)
					cr_assert_eq(d[i],
						ref_half((uint64_t[]){a[i], b[i], c[i]}, &k),
						"%s %#x * %#x + %#x = %#x", bf ? "bf16" : "f16",
						a[i], b[i], c[i], d[i]);
			}
		}
}

Test(arith_half, order_and_sign)
{
	for (int bf = 0; bf < 2; bf++)
		for (int ftz = 0; ftz < 2 - bf; ftz++) {
			const struct ref_format *f = bf ? &ref_bf16 : &ref_f16;
			const char *t = bf ? "bf16" : "f16", *z = ftz ? ".ftz" : "";
			for (int max = 0; max < 2; max++)
				for (int nan = 0; nan < 2; nan++)
					for (int abs = 0; abs < 2; abs++) {
						const struct form k = {.format = f,
							.ftz = ftz,
							.nan = nan,
							.abs = abs,
							.max = max};
						check_both(fmt("%s%s%s%s", max ? "max" : "min", z,
								   nan ? ".NaN" : "",
								   abs ? ".xorsign.abs" : ""),
							t, 2, ref_order, &k, 100);
					}
			const struct form neg = {.format = f, .op = 'n', .ftz = ftz},
					  abs = {.format = f, .op = 'a', .ftz = ftz};
			check_both(fmt("neg%s", z), t, 1, ref_sign, &neg, 100);
			check_both(fmt("abs%s", z), t, 1, ref_sign, &abs, 100);
		}
}

/* Every f16 and bf16: ex2 within 2^-9.9 (bf16: 2^-7) of the result, tanh within 2^-10.9 (2^-8). */
Test(arith_half, functions)
{
	static const struct {
		const char *text, *types;
		const struct ref_format *format;
		double (*function)(double);
		double bound;
	} table[] = {{"ex2.approx.f16", "f16=f16", &ref_f16, exp2, 0x1p-9},
		{"tanh.approx.f16", "f16=f16", &ref_f16, tanh, 0x1p-10},
		{"ex2.approx.ftz.bf16", "bf16=bf16", &ref_bf16, exp2, 0x1p-7},
		{"tanh.approx.bf16", "bf16=bf16", &ref_bf16, tanh, 0x1p-8}};
	static _Alignas(64) uint16_t a[32], d[32];
	for (int level = 1; level <= 4; level++)
		for (unsigned t = 0; level_here(level) && t < 4; t++) {
			struct instruction in;
			const struct ref_format *f = table[t].format;
			test_level = (uint8_t)level;
			read_instruction(table[t].text, table[t].types, &in);
			for (unsigned n = 0; n < 65536; n += 32) {
				for (unsigned i = 0; i < 32; i++)
					a[i] = (uint16_t)(n + i);
				in.op.run((void *[]){d, a}, UINT32_MAX);
				for (unsigned i = 0; i < 32; i++) {
					const struct exact x = exact_read(f,
								   f == &ref_bf16 && t == 2
									   ? flush(f, a[i])
									   : a[i]),
							   y = exact_read(f, d[i]);
					if (x.class == REF_NAN) {
						cr_assert_eq(d[i], 0x7fff);
						continue;
					}
					const double want = table[t].function(
						x.class == REF_INFINITE
							? x.negative ? -INFINITY : INFINITY
							: (double)x.value);
					const double greatest = f == &ref_f16 ? 65520 : 0x1.ffp127,
						     smallest = f == &ref_f16 ? 0x1p-24 : 0x1p-126;
					if (fabs(want) >= greatest)
						cr_assert(y.class == REF_INFINITE, "%s %#x -> %#x",
							table[t].text, a[i], d[i]);
					else
						cr_assert(fabs((double)y.value - want) <=
								fabs(want) * table[t].bound +
									smallest,
							"%s %#x -> %#x", table[t].text, a[i], d[i]);
				}
			}
		}
}
#endif
