/* cvt between all types in all roundings, registers wider than the types, packed and narrow
 * formats, cvt.pack, and mov's packing. */
#include "tests/unit/test_arith.h"
#include "tests/unit/test_arith_exact.h"
#include "tests/unit/test_arith_narrow.h"

#if !defined(HAVE_EXACT)
Test(arith_convert, exact, .disabled = true, .description = "this compiler has no 128-bit float") {}
#else
struct side {
	const char *name;
	unsigned bits;
	bool is_signed;
	const struct ref_format *format; /* NULL: an integer */
};
static const struct side sides[] = {{"u8", 8, false, NULL}, {"u16", 16, false, NULL},
	{"u32", 32, false, NULL}, {"u64", 64, false, NULL}, {"s8", 8, true, NULL},
	{"s16", 16, true, NULL}, {"s32", 32, true, NULL}, {"s64", 64, true, NULL},
	{"f16", 16, true, &ref_f16}, {"bf16", 16, true, &ref_bf16}, {"f32", 32, true, &ref_f32},
	{"f64", 64, true, &ref_f64}};
enum { SIDES = sizeof sides / sizeof *sides };

struct conversion {
	const struct side *to, *from;
	enum ref_mode mode;
	bool integral, ftz, sat, relu, satfinite;
};

static uint64_t ones(unsigned bits) { return bits < 64 ? ((uint64_t)1 << bits) - 1 : UINT64_MAX; }

static struct exact read_side(const struct side *s, uint64_t x)
{
	if (s->format)
		return exact_read(s->format, x & ones(s->bits));
	quad v = 0;
	for (unsigned i = 0; i < s->bits; i++)
		if (x >> i & 1)
			v += (s->is_signed && i + 1 == s->bits ? -1 : 1) * ref_scale(1, (int)i);
	return exact_number(v, 0);
}

static struct exact to_integral(struct exact x, enum ref_mode mode)
{
	if (x.class != REF_NUMBER)
		return x;
	int exponent;
	const unsigned __int128 m = exact_significand(x, &exponent);
	if (exponent >= 0)
		return x;
	const quad v = (quad)ref_drop(m, -exponent, x.negative, mode);
	return (struct exact){v == 0 ? REF_ZERO : REF_NUMBER, x.negative, x.negative ? -v : v, 0};
}

static uint64_t write_int(const struct side *s, const struct side *from, struct exact x)
{
	const quad high = ref_scale(1, (int)s->bits - s->is_signed) - 1,
		   low = s->is_signed ? -high - 1 : 0;
	if (x.class == REF_NAN)
		return s->bits == 64 || from->bits == 64 ? (uint64_t)1 << (s->bits - 1) : 0;
	if (x.class == REF_INFINITE)
		x.value = x.negative ? low : high;
	const quad v = x.value > high ? high : x.value < low ? low : x.value;
	return v < 0 ? (uint64_t)0 - (uint64_t)-v : (uint64_t)v;
}

/* The result for a NaN of FROM: conversions between 64-bit floats keep sign and payload, all others
 * give the canonical NaN. */
static uint64_t nan_to(const struct conversion *c, uint64_t x)
{
	const struct ref_format *to = c->to->format, *from = c->from->format;
	const uint64_t fraction = x & (((uint64_t)1 << (from->precision - 1)) - 1),
		       sign = x >> (from->bits - 1) & 1;
	const int up = (int)to->precision - (int)from->precision;
	if (c->from == c->to && from->bits >= 32 && !c->integral && !c->ftz)
		return x & ones(from->bits); /* a copy */
	if (from == &ref_bf16 && to == &ref_f32 && !c->ftz)
		return x << 16;
	if (from == &ref_f32 && c->ftz && to == &ref_f64)
		return 0x7fffffffe0000000;
	if (from != &ref_f64 && to != &ref_f64)
		return to->nan;
	return sign << (to->bits - 1) |
		(ones(to->bits - 1) ^ (((uint64_t)1 << (to->precision - 2)) - 1)) |
		(up < 0 ? fraction >> -up : fraction << up);
}

static uint64_t extend(const struct side *s, uint64_t x)
{
	x &= ones(s->bits);
	return !s->format && s->is_signed && s->bits < 64 && x >> (s->bits - 1) ? x | ~ones(s->bits)
										: x;
}

static uint64_t ref_convert(const uint64_t *in, const void *context)
{
	const struct conversion *c = context;
	struct exact x = read_side(c->from, in[0]);
	if (c->ftz && c->from->format == &ref_f32 && x.class == REF_NUMBER && !(in[0] & 0x7f800000))
		x = (struct exact){REF_ZERO, x.negative, 0, 0};
	if (!c->to->format) {
		if (!c->from->format && !c->sat)
			return extend(c->to,
				x.negative ? (uint64_t)0 - (uint64_t)-x.value : (uint64_t)x.value);
		return extend(c->to, write_int(c->to, c->from, to_integral(x, c->mode)));
	}
	if (c->integral)
		x = to_integral(x, c->mode);
	if (x.class == REF_NAN && !c->sat)
		return nan_to(c, in[0]);
	if ((c->sat || c->relu) && (x.class == REF_NAN || x.negative))
		return 0;
	uint64_t r = exact_round(c->to->format, x, c->integral ? REF_RN : c->mode,
		c->ftz && c->to->format == &ref_f32);
	const uint64_t one = (uint64_t)(1 - c->to->format->least) << (c->to->format->precision - 1);
	if (c->sat && r > one)
		r = one;
	return r;
}

static const char *const integral_name[] = {"rni", "rzi", "rmi", "rpi"};

static void check_pair(const struct conversion *c, const char *words, const char *registers)
{
	check_times(fmt("cvt%s.%s.%s", words, c->to->name, c->from->name), registers, ref_convert,
		c, 24);
}

Test(arith_convert, integers)
{
	for (unsigned d = 0; d < 8; d++)
		for (unsigned s = 0; s < 8; s++)
			for (unsigned db = sides[d].bits / 8; db <= 8; db *= 2)
				for (unsigned sb = sides[s].bits / 8; sb <= 8; sb *= 2)
					for (int sat = 0; sat < 2; sat++) {
						const struct conversion c = {.to = &sides[d],
							.from = &sides[s],
							.sat = sat};
						check_times(fmt("cvt%s.%s.%s", sat ? ".sat" : "",
								    c.to->name, c.from->name),
							fmt("%s/%u=%s/%u", c.to->name, db,
								c.from->name, sb),
							ref_convert, &c, 4);
					}
}

Test(arith_convert, integers_to_floats)
{
	for (unsigned d = 8; d < SIDES; d++)
		for (unsigned s = 0; s < 8; s++)
			for (int mode = REF_RN; mode <= REF_RP; mode++)
				for (int sat = 0; sat < 2; sat++) {
					const struct conversion c = {.to = &sides[d],
						.from = &sides[s],
						.mode = (enum ref_mode)mode,
						.sat = sat};
					const char *words = fmt(
						".%s%s", ref_mode_name[mode], sat ? ".sat" : "");
					check_pair(
						&c, words, fmt("%s=%s", c.to->name, c.from->name));
					check_pair(&c, words,
						fmt("%s=%s/8", c.to->name, c.from->name));
				}
}

Test(arith_convert, floats_to_integers)
{
	for (unsigned d = 0; d < 8; d++)
		for (unsigned s = 8; s < SIDES; s++)
			for (int mode = REF_RN; mode <= REF_RP; mode++)
				for (int ftz = 0; ftz <= (sides[s].format == &ref_f32); ftz++)
					for (int sat = 0; sat < 2; sat++) {
						const struct conversion c = {.to = &sides[d],
							.from = &sides[s],
							.mode = (enum ref_mode)mode,
							.integral = true,
							.ftz = ftz,
							.sat = sat};
						const char *words = fmt(".%s%s%s",
							integral_name[mode], ftz ? ".ftz" : "",
							sat ? ".sat" : "");
						check_pair(&c, words,
							fmt("%s=%s", c.to->name, c.from->name));
						check_pair(&c, words,
							fmt("%s/8=%s", c.to->name, c.from->name));
					}
}

Test(arith_convert, floats)
{
	for (unsigned d = 8; d < SIDES; d++)
		for (unsigned s = 8; s < SIDES; s++)
			for (int mode = REF_RN; mode <= REF_RP; mode++)
				for (int ftz = 0; ftz <= (sides[s].format == &ref_f32 ||
								 sides[d].format == &ref_f32);
					ftz++)
					for (int sat = 0; sat < 2; sat++) {
						const char *flags = fmt("%s%s", ftz ? ".ftz" : "",
								   sat ? ".sat" : ""),
							   *registers = fmt("%s=%s", sides[d].name,
								   sides[s].name);
						struct conversion c = {.to = &sides[d],
							.from = &sides[s],
							.mode = (enum ref_mode)mode,
							.ftz = ftz,
							.sat = sat};
						if (d != s)
							check_pair(&c,
								fmt(".%s%s", ref_mode_name[mode],
									flags),
								registers);
						c.integral = true;
						if (d == s)
							check_pair(&c,
								fmt(".%s%s", integral_name[mode],
									flags),
								registers);
						c.integral = false;
						c.mode = REF_RN;
						if (mode == REF_RN &&
							(d == s || sides[d].bits > sides[s].bits))
							check_pair(&c, flags, registers);
					}
}

/* Two f32 into 16-bit halves, and single ones with .relu and .satfinite. */
struct packing {
	const struct ref_format *format;
	enum ref_mode mode;
	bool relu, satfinite, tf32;
};
static uint64_t half_of(const struct packing *k, uint64_t bits)
{
	const struct exact x = exact_read(&ref_f32, bits);
	if (x.class == REF_NAN)
		return 0x7fff;
	if (k->relu && x.negative)
		return 0;
	const uint64_t r = exact_round(k->format, x, k->mode, false),
		       infinity = (uint64_t)(3 - 2 * k->format->least)
		<< (k->format->precision - 1);
	return k->satfinite && (r & 0x7fff) == infinity ? r - 1 : r;
}
static uint64_t ref_one_half(const uint64_t *in, const void *context)
{
	return half_of(context, in[0]);
}
static uint64_t ref_two_halves(const uint64_t *in, const void *context)
{
	return half_of(context, in[0]) << 16 | half_of(context, in[1]);
}
static uint64_t ref_tf32(const uint64_t *in, const void *context)
{
	const struct packing *k = context;
	static const struct ref_format tf32 = {11, -126, 19, 0x3ffff};
	const struct exact x = exact_read(&ref_f32, in[0]);
	if (x.class == REF_NAN && k->mode == REF_RNA)
		return in[0] & 0xffffe000;
	return k->relu && x.negative && x.class != REF_NAN
		? 0
		: exact_round(&tf32, x, k->mode, false) << 13;
}

Test(arith_convert, halves)
{
	for (int bf = 0; bf < 2; bf++)
		for (int mode = REF_RN; mode <= REF_RZ; mode++)
			for (int relu = 0; relu < 2; relu++)
				for (int fin = 0; fin < 2; fin++) {
					const struct packing k = {bf ? &ref_bf16 : &ref_f16,
						(enum ref_mode)mode, relu, fin, false};
					const char *t = bf ? "bf16" : "f16",
						   *words = fmt("%s%s%s", ref_mode_name[mode],
							   relu ? ".relu" : "",
							   fin ? ".satfinite" : "");
					check_times(fmt("cvt.%s.%s.f32", words, t),
						fmt("%s=f32", t), ref_one_half, &k, 100);
					check_times(fmt("cvt.%s.%sx2.f32", words, t), "b32=f32,f32",
						ref_two_halves, &k, 100);
				}
	for (int relu = 0; relu < 2; relu++)
		for (int mode = REF_RN; mode <= REF_RZ; mode++) {
			const struct packing k = {.mode = (enum ref_mode)mode, .relu = relu};
			check_times(
				fmt("cvt.%s%s.tf32.f32", ref_mode_name[mode], relu ? ".relu" : ""),
				"b32=f32", ref_tf32, &k, 100);
		}
	const struct packing k = {.mode = REF_RNA};
	check_times("cvt.rna.tf32.f32", "b32=f32", ref_tf32, &k, 100);
}

struct narrowing {
	const struct narrow *format;
	const struct ref_format *from;
	bool relu;
};
static uint64_t narrow_code(const struct narrowing *k, uint64_t bits)
{
	const struct exact x = exact_read(k->from, bits);
	return k->relu && x.negative && x.class != REF_NAN
		? 0
		: narrow_round(k->format, x, REF_RN, true);
}
static uint64_t ref_narrow_f32(const uint64_t *in, const void *context)
{
	const struct narrowing *k = context;
	return narrow_code(k, in[0]) << k->format->stride | narrow_code(k, in[1]);
}
static uint64_t ref_narrow_f16(const uint64_t *in, const void *context)
{
	const struct narrowing *k = context;
	return narrow_code(k, in[0] >> 16) << k->format->stride | narrow_code(k, in[0] & 0xffff);
}
static uint64_t widen_code(const struct narrowing *k, uint64_t code)
{
	const struct narrow *n = k->format;
	const bool negative = code >> (n->bits - 1) & 1;
	const unsigned magnitude = (unsigned)code & ((1u << (n->bits - 1)) - 1);
	if (magnitude >= n->codes)
		return n->infinities && magnitude == n->codes ? k->relu && negative ? 0
				: negative                                          ? 0xfc00
										    : 0x7c00
							      : 0x7fff;
	if (k->relu && negative)
		return 0;
	const quad v = narrow_value(n, magnitude);
	return exact_round(&ref_f16,
		(struct exact){v == 0 ? REF_ZERO : REF_NUMBER, negative, negative ? -v : v, 0},
		REF_RN, false);
}
static uint64_t ref_widen(const uint64_t *in, const void *context)
{
	const struct narrowing *k = context;
	const uint64_t mask = ((uint64_t)1 << k->format->bits) - 1;
	return widen_code(k, in[0] >> k->format->stride & mask) << 16 | widen_code(k, in[0] & mask);
}

Test(arith_convert, narrow_formats)
{
	for (unsigned n = 0; n < sizeof narrows / sizeof *narrows; n++)
		for (int relu = 0; relu < 2; relu++) {
			const char *t = fmt("%sx2", narrows[n].name), *r = relu ? ".relu" : "";
			const struct narrowing single = {&narrows[n], &ref_f32, relu},
					       half = {&narrows[n], &ref_f16, relu};
			check_times(fmt("cvt.rn.satfinite%s.%s.f32", r, t), fmt("%s=f32,f32", t),
				ref_narrow_f32, &single, 60);
			if (n < 2)
				check_times(fmt("cvt.rn.satfinite%s.%s.f16x2", r, t),
					fmt("%s=f16x2", t), ref_narrow_f16, &half, 60);
			check_times(fmt("cvt.rn%s.f16x2.%s", r, t), fmt("f16x2=%s", t), ref_widen,
				&half, 200);
		}
}

/* ue8m0 consists of the exponent only. */
static uint64_t power_code(uint64_t bits, bool up, bool satfinite)
{
	const struct exact x = exact_read(&ref_f32, bits & 0x7fffffff);
	if (x.class == REF_NAN)
		return 0xff;
	for (unsigned code = 0; code < 0xff; code++) {
		const quad here = ref_scale(1, (int)code - 127), next = here * 2;
		if (x.class != REF_INFINITE && (up ? x.value <= here : x.value < next))
			return code;
	}
	return satfinite ? 0xfe : 0xff;
}
struct power {
	bool up, satfinite;
};
static uint64_t ref_power(const uint64_t *in, const void *context)
{
	const struct power *k = context;
	return power_code(in[0], k->up, k->satfinite) << 8 | power_code(in[1], k->up, k->satfinite);
}
static uint64_t ref_power_bf16(const uint64_t *in, const void *context)
{
	const struct power *k = context;
	return power_code(in[0] & 0xffff0000, k->up, k->satfinite) << 8 |
		power_code((in[0] & 0xffff) << 16, k->up, k->satfinite);
}
static uint64_t ref_from_power(const uint64_t *in, const void *context)
{
	uint64_t r = 0;
	(void)context;
	for (unsigned h = 0; h < 2; h++) {
		const uint64_t code = in[0] >> 8 * h & 0xff;
		r |= (code == 0xff ? 0x7fff
				   : exact_round(&ref_bf16,
					     exact_number(ref_scale(1, (int)code - 127), 0), REF_RN,
					     false))
			<< 16 * h;
	}
	return r;
}

Test(arith_convert, powers_of_two)
{
	for (int up = 0; up < 2; up++)
		for (int fin = 0; fin < 2; fin++) {
			const struct power k = {up, fin};
			check(fmt("cvt.%s%s.ue8m0x2.f32", up ? "rp" : "rz",
				      fin ? ".satfinite" : ""),
				"ue8m0x2=f32,f32", ref_power, &k);
			check(fmt("cvt.%s%s.ue8m0x2.bf16x2", up ? "rp" : "rz",
				      fin ? ".satfinite" : ""),
				"ue8m0x2=bf16x2", ref_power_bf16, &k);
		}
	check("cvt.rn.bf16x2.ue8m0x2", "bf16x2=ue8m0x2", ref_from_power, NULL);
}

/* Scales: sources are divided by them, results multiplied. */
static struct exact times_power(struct exact x, unsigned code, int sign)
{
	if (code == 0xff)
		x.class = REF_NAN;
	if (x.class == REF_NUMBER)
		x.value = ref_scale(x.value, sign * ((int)code - 127));
	return x;
}
struct scaling {
	const struct narrow *format;
	const struct ref_format *from;
	enum ref_mode mode;
	bool relu, satfinite, scaled;
};
static uint64_t scaled_code(const struct scaling *k, uint64_t bits, unsigned scale)
{
	struct exact x = exact_read(k->from, bits);
	const quad least = ref_scale(1, k->from->least);
	if (k->scaled && x.value > -least && x.value < least && x.class == REF_NUMBER)
		x = (struct exact){REF_ZERO, x.negative, 0, 0};
	if (k->scaled)
		x = times_power(x, scale & 0xff, -1);
	return k->relu && x.negative && x.class != REF_NAN
		? 0
		: narrow_round(k->format, x, k->mode, k->satfinite);
}
static uint64_t ref_scaled_f32(const uint64_t *in, const void *context)
{
	const struct scaling *k = context;
	return scaled_code(k, in[0], (unsigned)in[2]) << k->format->stride |
		scaled_code(k, in[1], (unsigned)in[2]);
}
static uint64_t ref_scaled_half(const uint64_t *in, const void *context)
{
	const struct scaling *k = context;
	return scaled_code(k, in[0] >> 16, (unsigned)in[1]) << k->format->stride |
		scaled_code(k, in[0] & 0xffff, (unsigned)in[1]);
}
static uint64_t ref_widen_scaled(const uint64_t *in, const void *context)
{
	const struct scaling *k = context;
	uint64_t r = 0;
	for (unsigned h = 0; h < 2; h++) {
		struct exact x = narrow_read(
			k->format, in[0] >> h * k->format->stride & ((1u << k->format->bits) - 1));
		if (k->scaled)
			x = times_power(x, in[1] >> 8 * h & 0xff, 1);
		uint64_t bits = exact_round(k->from, x, REF_RN, false);
		if (k->satfinite && (bits & 0x7fff) == 0x7f80)
			bits--;
		if (k->relu && bits >> 15)
			bits = 0;
		r |= (x.class == REF_NAN ? 0x7fff : bits) << 16 * h;
	}
	return r;
}

Test(arith_convert, scaled)
{
	for (unsigned n = 0; n < sizeof narrows / sizeof *narrows; n++)
		for (int relu = 0; relu < 2; relu++) {
			const char *t = fmt("%sx2", narrows[n].name), *r = relu ? ".relu" : "";
			for (int mode = REF_RN; mode <= REF_RZ; mode++) {
				const char *words = fmt("cvt.%s.satfinite%s.scaled::n1::ue8m0.%s",
					ref_mode_name[mode], r, t);
				struct scaling k = {&narrows[n], &ref_f32, (enum ref_mode)mode,
					relu, true, true};
				check_times(fmt("%s.f32", words), fmt("%s=f32,f32,u8", t),
					ref_scaled_f32, &k, 60);
				k.from = &ref_f16;
				check_times(fmt("%s.f16x2", words), fmt("%s=f16x2,u8", t),
					ref_scaled_half, &k, 60);
				k.from = &ref_bf16;
				check_times(fmt("%s.bf16x2", words), fmt("%s=bf16x2,u8", t),
					ref_scaled_half, &k, 60);
			}
			for (int fin = 0; fin < 2; fin++) {
				const struct scaling k = {
					&narrows[n], &ref_bf16, REF_RN, relu, fin, true};
				check_times(fmt("cvt.rn%s%s.scaled::n2::ue8m0.bf16x2.%s", r,
						    fin ? ".satfinite" : "", t),
					fmt("bf16x2=%s,u16", t), ref_widen_scaled, &k, 60);
			}
		}
}

Test(arith_convert, ue5m3)
{
	static const enum ref_mode modes[] = {REF_RN, REF_RZ, REF_RP};
	for (unsigned m = 0; m < 3; m++)
		for (int fin = 0; fin < 2; fin++)
			for (int scale = 0; scale < (modes[m] == REF_RP ? 1 : 2); scale++) {
				const char *words = fmt("cvt.%s%s%s.ue5m3x2",
						   ref_mode_name[modes[m]], fin ? ".satfinite" : "",
						   scale ? ".scaled::n1::ue8m0" : ""),
					   *u = scale ? ",u8" : "";
				struct scaling k = {&ue5m3, &ref_f32, modes[m], false, fin, scale};
				check_times(fmt("%s.f32", words), fmt("ue5m3x2=f32,f32%s", u),
					ref_scaled_f32, &k, 60);
				k.from = &ref_f16;
				check_times(fmt("%s.f16x2", words), fmt("ue5m3x2=f16x2%s", u),
					ref_scaled_half, &k, 60);
				k.from = &ref_bf16;
				check_times(fmt("%s.bf16x2", words), fmt("ue5m3x2=bf16x2%s", u),
					ref_scaled_half, &k, 60);
			}
	const struct scaling half = {&ue5m3, &ref_f16, REF_RN, false, false, false},
			     bf = {&ue5m3, &ref_bf16, REF_RN, false, false, true};
	check("cvt.rn.f16x2.ue5m3x2", "f16x2=ue5m3x2", ref_widen_scaled, &half);
	check("cvt.rn.scaled::n2::ue8m0.bf16x2.ue5m3x2", "bf16x2=ue5m3x2,u16", ref_widen_scaled,
		&bf);
}

/* s2f6: units of 2^-6, from -128 to 127 of them; no NaN and no infinity. */
static uint64_t fixed_code(const struct scaling *k, uint64_t bits, unsigned scale)
{
	struct exact x = exact_read(k->from, bits);
	if (k->scaled)
		x = times_power(x, scale & 0xff, -1);
	if (x.class == REF_NAN)
		return 0x7f;
	if (x.class == REF_ZERO || (k->relu && x.negative))
		return 0;
	if (x.class == REF_INFINITE)
		return x.negative ? 0x80 : 0x7f;
	x.value = ref_scale(x.value, 6);
	if (x.value >= 127 || x.value <= -128)
		return x.value > 0 ? 0x7f : 0x80;
	int low = -129;
	while ((quad)(low + 1) <= x.value)
		low++;
	const quad rest = x.value - low;
	const int r = k->mode == REF_RZ ? low + (x.negative && rest != 0)
					: low + (rest > 0.5 || (rest == 0.5 && low % 2 != 0));
	return (uint64_t)r & 0xff;
}
static uint64_t ref_fixed_f32(const uint64_t *in, const void *context)
{
	return fixed_code(context, in[0], (unsigned)in[2] >> 8) << 8 |
		fixed_code(context, in[1], (unsigned)in[2]);
}
static uint64_t ref_fixed_bf16(const uint64_t *in, const void *context)
{
	return fixed_code(context, in[0] >> 16, (unsigned)in[1] >> 8) << 8 |
		fixed_code(context, in[0] & 0xffff, (unsigned)in[1]);
}
static uint64_t ref_from_fixed(const uint64_t *in, const void *context)
{
	const struct scaling *k = context;
	uint64_t r = 0;
	for (unsigned h = 0; h < 2; h++) {
		const int code = (int8_t)(in[0] >> 8 * h);
		struct exact x = exact_number(ref_scale(code, -6), 0);
		if (k->scaled)
			x = times_power(x, in[1] >> 8 * h & 0xff, 1);
		uint64_t bits = exact_round(&ref_bf16, x, REF_RN, false);
		if (k->satfinite && (bits & 0x7fff) == 0x7f80)
			bits--;
		if (k->relu && bits >> 15)
			bits = 0;
		r |= (x.class == REF_NAN ? 0x7fff : bits) << 16 * h;
	}
	return r;
}

Test(arith_convert, fixed_point)
{
	for (int scale = 0; scale < 2; scale++)
		for (int relu = 0; relu < 2; relu++) {
			const char *tail = fmt("%s%s", relu ? ".relu" : "",
					   scale ? ".scaled::n2::ue8m0" : ""),
				   *u = scale ? ",u16" : "";
			for (int mode = REF_RN; mode <= REF_RZ; mode++) {
				struct scaling k = {
					NULL, &ref_f32, (enum ref_mode)mode, relu, true, scale};
				check_times(fmt("cvt.%s.satfinite%s.s2f6x2.f32",
						    ref_mode_name[mode], tail),
					fmt("s2f6x2=f32,f32%s", u), ref_fixed_f32, &k, 60);
				k.from = &ref_bf16;
				check_times(fmt("cvt.%s.satfinite%s.s2f6x2.bf16x2",
						    ref_mode_name[mode], tail),
					fmt("s2f6x2=bf16x2%s", u), ref_fixed_bf16, &k, 60);
			}
			for (int fin = 0; fin < 2; fin++) {
				const struct scaling k = {
					NULL, &ref_bf16, REF_RN, relu, fin, scale};
				check_times(fmt("cvt.rn%s%s.bf16x2.s2f6x2", fin ? ".satfinite" : "",
						    tail),
					fmt("bf16x2=s2f6x2%s", u), ref_from_fixed, &k, 60);
			}
		}
}

/* Stochastic rounding yields one of the two neighbours: the lower one without random bits, and the
 * upper one with the probability given by the fraction. */
static uint64_t ref_stochastic(const uint64_t *in, const void *context)
{
	const struct packing *k = context;
	uint64_t r = 0;
	for (unsigned h = 0; h < 2; h++) {
		const uint64_t bits = in[1 - h],
			       random = in[2] >> 16 * h & (k->format == &ref_f16 ? 0x1fff : 0xffff);
		const struct exact x = exact_read(&ref_f32, bits);
		struct packing down = *k, up = *k;
		down.mode = REF_RZ;
		up.mode = x.negative ? REF_RM : REF_RP;
		const uint64_t low = half_of(&down, bits), high = half_of(&up, bits);
		uint64_t pick = low;
		if (low != high) {
			const bool over = (low & 0x7fff) ==
				(k->format == &ref_f16 ? 0x7bffu : 0x7f7fu);
			const quad a = exact_read(k->format, low).value,
				   b = over ? 0 : exact_read(k->format, high).value;
			const quad unit = over ? ref_scale(1, k->format == &ref_f16 ? 5 : 120) *
					(x.negative ? -1 : 1)
					       : b - a;
			const quad fraction = (x.value - a) / unit;
			const unsigned n = k->format == &ref_f16 ? 13 : 16;
			const uint64_t head = fraction >= 1
				? ones(n) + 1
				: (uint64_t)(fraction * ref_scale(1, (int)n));
			pick = (head + random) >> n ? high : low;
		}
		r |= pick << 16 * h;
	}
	return r;
}

Test(arith_convert, stochastic)
{
	for (int bf = 0; bf < 2; bf++) {
		const struct packing k = {.format = bf ? &ref_bf16 : &ref_f16};
		struct instruction in;
		/* values in the format's range; beyond it the result is an infinity or the greatest
		 * number, depending on the rounding of the overflow */
		static _Alignas(64) uint32_t a[32], b[32], r[32], d[32];
		test_level = 0;
		read_instruction(
			fmt("cvt.rs.%sx2.f32", bf ? "bf16" : "f16"), "b32=f32,f32,b32", &in);
		for (unsigned n = 0; n < 200; n++) {
			for (unsigned i = 0; i < 32; i++) {
				/* also far below the least number */
				const uint32_t least = n % 2 ? 127 - 20 : 0,
					       many = 127 + 14 - least;
				a[i] = (uint32_t)(random64() & 0x807fffff) |
					(uint32_t)(least + random64() % many) << 23;
				b[i] = (uint32_t)(random64() & 0x807fffff) |
					(uint32_t)(least + random64() % many) << 23;
				r[i] = n == 0 ? 0 : n % 4 == 2 ? UINT32_MAX : (uint32_t)random64();
			}
			in.op.run((void *[]){d, a, b, r, &in.op.control}, UINT32_MAX);
			for (unsigned i = 0; i < 32; i++)
				cr_assert_eq(d[i],
					ref_stochastic((uint64_t[]){a[i], b[i], r[i]}, &k),
					"%#x %#x %#x -> %#x", a[i], b[i], r[i], d[i]);
		}
	}
	static const char *const four[] = {"e4m3", "e5m2", "e2m1", "e2m3", "e3m2"};
	for (unsigned f = 0; f < 5; f++) {
		static _Alignas(64) uint32_t a[4][32], r[32], d[32];
		struct instruction in;
		test_level = 0;
		read_instruction(fmt("cvt.rs.satfinite.%sx4.f32", four[f]),
			fmt("%sx4=f32,f32,f32,f32,b32", four[f]), &in);
		for (unsigned k = 0; k < 4; k++)
			for (unsigned i = 0; i < 32; i++)
				a[k][i] = k == 0 ? 0x3f800000
					: k == 1 ? 0xc0000000
					: k == 2 ? 0x40000000
						 /* 1 -2 2 1.3: only the last is between */
						 : 0x3fa66666;
		for (unsigned i = 0; i < 32; i++)
			r[i] = i & 1 ? UINT32_MAX : 0;
		in.op.run((void *[]){d, a[0], a[1], a[2], a[3], r, &in.op.control}, UINT32_MAX);
		const struct narrow *n = &narrows[f];
		for (unsigned i = 0; i < 2; i++) {
			const uint64_t word = in.bytes[0] == 2 ? ((uint16_t *)d)[i] : d[i],
				       mask = ((uint64_t)1 << n->bits) - 1;
			const quad want[] = {1, 2, 2};
			for (unsigned k = 0; k < 3; k++)
				cr_assert(narrow_value(n,
						  (unsigned)(word >> (3 - k) * n->stride &
							  (mask >> 1))) == want[k],
					"%s element %u", four[f], k);
			const quad last = narrow_value(n, (unsigned)(word & mask));
			cr_assert(i ? last > (quad)1.3 : last < (quad)1.3, "%s", four[f]);
		}
	}
}

struct pack {
	unsigned bits;
	bool is_signed, third;
};
static uint64_t ref_pack(const uint64_t *in, const void *context)
{
	const struct pack *k = context;
	uint64_t field[2];
	for (unsigned i = 0; i < 2; i++) {
		const int64_t x = (int32_t)in[i], high = (int64_t)ones(k->bits - k->is_signed),
			      low = k->is_signed ? -high - 1 : 0;
		field[i] = (uint64_t)(x > high ? high : x < low ? low : x) & ones(k->bits);
	}
	return field[0] << k->bits | field[1] | (k->third ? in[2] << 2 * k->bits : 0);
}

Test(arith_convert, pack)
{
	for (unsigned bits = 2; bits <= 16; bits *= 2)
		for (int s = 0; s < 2; s++) {
			const struct pack k = {bits, s, bits < 16};
			check(fmt("cvt.pack.sat.%c%u.s32%s", s ? 's' : 'u', bits,
				      bits < 16 ? ".b32" : ""),
				bits < 16 ? "b32=s32,s32,b32" : "b32=s32,s32", ref_pack, &k);
		}
}

static uint64_t ref_copy(const uint64_t *in, const void *context)
{
	(void)context;
	return in[0];
}

Test(arith_convert, moves)
{
	static const char *const types[] = {"b16", "b32", "b64", "u16", "s32", "u64", "f32", "f64",
		"f16", "bf16", "f16x2", "pred"};
	for (unsigned i = 0; i < sizeof types / sizeof *types; i++)
		check(fmt("mov.%s", types[i]), fmt("%s=%s", types[i], types[i]), ref_copy, NULL);
	check("mov.pred", "pred=pred", ref_copy, NULL);
}
#endif
