/* add, sub, mul and fma between packed formats (PTX ISA 9.7.5, 9.7.6) against exact results that
 * are rounded once. */
#include "tests/unit/test_arith.h"
#include "tests/unit/test_arith_narrow.h"

#if !defined(HAVE_EXACT)
Test(arith_mixed, exact, .disabled = true, .description = "this compiler has no 128-bit float") {}
#else
static struct exact negated(struct exact x)
{
	x.negative = !x.negative;
	x.value = -x.value;
	x.beyond = -x.beyond;
	return x;
}
static struct exact compute(char op, const struct exact x[3], enum ref_mode mode)
{
	return op == '+'    ? exact_add(x[0], x[1], mode)
		: op == '-' ? exact_add(x[0], negated(x[1]), mode)
		: op == '*' ? exact_mul(x[0], x[1])
			    : exact_add(exact_mul(x[0], x[1]), x[2], mode);
}

/* Pairs: the sources' formats and the result's. */
struct pairs {
	char op;
	const struct ref_format *source[3], *result;
	enum ref_mode mode;
	bool ftz;
};
static uint64_t ref_pairs(const uint64_t *in, const void *context)
{
	const struct pairs *k = context;
	uint64_t r = 0;
	for (unsigned h = 0; h < 2; h++) {
		struct exact x[3] = {0};
		for (unsigned i = 0; i < 3 && k->source[i]; i++) {
			const unsigned bits = k->source[i]->bits;
			x[i] = exact_read(
				k->source[i], in[i] >> h * bits & (((uint64_t)1 << bits) - 1));
			const quad least = ref_scale(1, k->source[i]->least);
			if (k->ftz && x[i].class == REF_NUMBER && x[i].value > -least &&
				x[i].value < least)
				x[i] = (struct exact){REF_ZERO, x[i].negative, 0, 0};
		}
		r |= exact_round(k->result, compute(k->op, x, k->mode), k->mode, k->ftz)
			<< h * k->result->bits;
	}
	return r;
}

Test(arith_mixed, pairs_of_floats)
{
	for (int bf = 0; bf < 2; bf++) {
		const struct ref_format *h = bf ? &ref_bf16 : &ref_f16, *f = &ref_f32;
		const char *t = bf ? "bf16x2" : "f16x2", *ftz = bf ? "" : ".ftz";
		for (int mode = REF_RN; mode <= REF_RP; mode++) {
			const enum ref_mode m = (enum ref_mode)mode;
			const struct pairs add = {'+', {h, f}, f, m, false},
					   sub = {'-', {h, f}, f, m, false},
					   fma = {'f', {h, f, f}, f, m, false};
			const char *words = fmt("%s.f32x2.%s.f32x2", ref_mode_name[mode], t),
				   *types = fmt("f32x2=%s,f32x2", t);
			check(fmt("add.%s", words), types, ref_pairs, &add);
			check(fmt("sub.%s", words), types, ref_pairs, &sub);
			check(fmt("fma.%s.f32x2", words), fmt("%s,f32x2", types), ref_pairs, &fma);
		}
		const struct pairs add = {'+', {f, f}, h, REF_RZ, !bf},
				   sub = {'-', {f, f}, h, REF_RZ, !bf},
				   mul = {'*', {f, f}, h, REF_RZ, !bf};
		const char *words = fmt("rz%s.%s.f32x2.f32x2", ftz, t),
			   *types = fmt("%s=f32x2,f32x2", t);
		check_times(fmt("add.%s", words), types, ref_pairs, &add, 200);
		check_times(fmt("sub.%s", words), types, ref_pairs, &sub, 200);
		check_times(fmt("mul.%s", words), types, ref_pairs, &mul, 200);
	}
	const struct pairs none = {'+', {&ref_f16, &ref_f32}, &ref_f32, REF_RN, false};
	check("add.f32x2.f16x2.f32x2", "f32x2=f16x2,f32x2", ref_pairs, &none);
}

/* f16 times bf16: the second factor is rounded to the format of the first. */
static uint64_t ref_crossed(const uint64_t *in, const void *context)
{
	const struct ref_format *h = context, *other = h == &ref_f16 ? &ref_bf16 : &ref_f16;
	uint64_t r = 0;
	for (unsigned i = 0; i < 2; i++) {
		const struct exact a = exact_read(h, in[0] >> 16 * i & 0xffff);
		const uint64_t b = exact_round(
			h, exact_read(other, in[1] >> 16 * i & 0xffff), REF_RN, false);
		r |= exact_round(h, exact_mul(a, exact_read(h, b)), REF_RN, false) << 16 * i;
	}
	return r;
}

Test(arith_mixed, f16_times_bf16)
{
	check("mul.bf16x2.bf16x2.f16x2", "bf16x2=bf16x2,f16x2", ref_crossed, &ref_bf16);
	check("mul.f16x2.f16x2.bf16x2", "f16x2=f16x2,bf16x2", ref_crossed, &ref_f16);
}

/* Fours: .e4m3x4 and the like, and ue8m0 (NULL). */
struct fours {
	char op;
	const struct narrow *source[3], *result;
	unsigned stride[3];
	bool satfinite;
};
static uint64_t ref_fours(const uint64_t *in, const void *context)
{
	const struct fours *k = context;
	uint64_t r = 0;
	for (unsigned e = 0; e < 4; e++) {
		struct exact x[3] = {0};
		for (unsigned i = 0; i < (k->op == 'f' ? 3 : 2); i++) {
			const uint64_t bits = in[i] >> e * k->stride[i];
			if (k->source[i])
				x[i] = narrow_read(
					k->source[i], bits & ((1u << k->source[i]->bits) - 1));
			else if ((bits & 0xff) == 0xff)
				x[i].class = REF_NAN;
			else
				x[i] = exact_number(ref_scale(1, (int)(bits & 0xff) - 127), 0);
		}
		r |= narrow_round(k->result, compute(k->op, x, REF_RN), REF_RN, k->satfinite)
			<< 8 * e;
	}
	return r;
}

Test(arith_mixed, fours_of_small_floats)
{
	static const struct {
		const char *name;
		const struct narrow *format;
		unsigned stride;
	} types[] = {{"e4m3x4", &narrows[0], 8}, {"e5m2x4", &narrows[1], 8},
		{"e2m1x4", &narrows[2], 4}, {"e2m1p4x4", &narrows[2], 8},
		{"e2m3x4", &narrows[3], 8}, {"e3m2x4", &narrows[4], 8}, {"ue8m0x4", NULL, 8}};
	enum { TYPES = sizeof types / sizeof *types };
	for (unsigned d = 0; d < 2; d++)
		for (int fin = 0; fin < 2; fin++)
			for (unsigned a = 0; a < TYPES; a++) {
				const char *words = fmt("%s%s.%s", fin ? "rn.satfinite." : "",
					types[d].name, types[a].name);
				for (unsigned minus = 0; minus < 2; minus++) {
					const struct fours k = {"+-" [minus],
						{ types[a].format, types[d].format },
						types[d].format, {types[a].stride, 8}, fin};
					check_times(fmt("%s.%s", minus ? "sub" : "add", words),
						fmt("%s=%s,%s", types[d].name, types[a].name,
							types[d].name),
						ref_fours, &k, 10);
				}
				for (unsigned b = 0; b < TYPES; b++) {
					const struct fours mul = {'*',
						{types[a].format, types[b].format}, types[d].format,
						{types[a].stride, types[b].stride}, fin};
					struct fours fma = {'f',
						{types[a].format, types[b].format, types[d].format},
						types[d].format,
						{types[a].stride, types[b].stride, 8}, fin};
					check_times(fmt("mul.%s.%s", words, types[b].name),
						fmt("%s=%s,%s", types[d].name, types[a].name,
							types[b].name),
						ref_fours, &mul, 5);
					check_times(fmt("fma.%s.%s", words, types[b].name),
						fmt("%s=%s,%s,%s", types[d].name, types[a].name,
							types[b].name, types[d].name),
						ref_fours, &fma, 5);
				}
			}
}
#endif
