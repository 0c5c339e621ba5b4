/* Converts between values and elements of buffers of any PTX scalar type. */
#include "script/lang/scalar.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct value value_int(__int128 i) { return (struct value){.is_float = false, .i = i}; }

struct value value_float(double f) { return (struct value){.is_float = true, .f = f}; }

double value_double(struct value v) { return v.is_float ? v.f : (double)v.i; }

bool value_true(struct value v) { return v.is_float ? v.f != 0 : v.i != 0; }

void int128_print(__int128 i, struct text *out)
{
	char digits[48];
	unsigned n = sizeof digits;
	unsigned __int128 u = i < 0 ? -(unsigned __int128)i : (unsigned __int128)i;

	do {
		digits[--n] = (char)('0' + (unsigned)(u % 10));
		u /= 10;
	} while (u);
	if (i < 0)
		digits[--n] = '-';
	text_add(out, digits + n, sizeof digits - n);
}

static bool print_special(double f, bool json, struct text *out)
{
	const char *quote = json ? "\"" : "";

	if (isfinite(f))
		return false;
	text_printf(out, "%s%s%s", quote, isnan(f) ? "nan" : f < 0 ? "-inf" : "inf", quote);
	return true;
}

/* Integers below 1e16 are printed without an exponent, for readability. */
static bool print_whole(double f, struct text *out)
{
	if (f != floor(f) || fabs(f) >= 1e16)
		return false;
	text_printf(out, "%.0f", f);
	return true;
}

void value_print(struct value v, bool json, struct text *out)
{
	char s[40];

	if (!v.is_float) {
		int128_print(v.i, out);
		return;
	}
	if (print_special(v.f, json, out) || print_whole(v.f, out))
		return;
	for (int digits = 6; digits <= 17; digits++) {
		snprintf(s, sizeof s, "%.*g", digits, v.f);
		if (strtod(s, NULL) == v.f)
			break;
	}
	text_puts(out, s);
}

/* A small floating-point format: widths of exponent and mantissa, and whether it lacks infinities,
 * as e4m3 does. */
struct small {
	unsigned ebits, mbits;
	bool no_inf;
};

static bool small_format(enum type t, struct small *s)
{
	switch ((int)t) {
	case TYPE_f16: *s = (struct small){5, 10, false}; return true;
	case TYPE_bf16: *s = (struct small){8, 7, false}; return true;
	case TYPE_e5m2: *s = (struct small){5, 2, false}; return true;
	case TYPE_e4m3: *s = (struct small){4, 3, true}; return true;
	default: return false;
	}
}

static double small_decode(const struct small *s, unsigned bits)
{
	unsigned mantissa = bits & ((1u << s->mbits) - 1);
	unsigned exponent = bits >> s->mbits & ((1u << s->ebits) - 1);
	unsigned top = (1u << s->ebits) - 1;
	bool negative = bits >> (s->mbits + s->ebits) & 1;
	int bias = (1 << (s->ebits - 1)) - 1;
	double v;

	if (exponent == top && s->no_inf && mantissa == (1u << s->mbits) - 1)
		v = NAN;
	else if (exponent == top && !s->no_inf)
		v = mantissa ? NAN : INFINITY;
	else if (exponent == 0)
		v = ldexp(mantissa, 1 - bias - (int)s->mbits);
	else
		v = ldexp(mantissa | 1u << s->mbits, (int)exponent - bias - (int)s->mbits);
	return negative ? -v : v;
}

/* Rounds to nearest even. A value beyond the largest finite one becomes infinity, or NaN if the
 * format has no infinity. */
static unsigned small_encode(const struct small *s, double x)
{
	unsigned sign = signbit(x) ? 1u << (s->mbits + s->ebits) : 0;
	unsigned top = (1u << s->ebits) - 1;
	unsigned nan = s->no_inf ? (1u << (s->mbits + s->ebits)) - 1
				 : top << s->mbits | 1u << (s->mbits - 1);
	unsigned inf = s->no_inf ? nan : top << s->mbits;
	int bias = (1 << (s->ebits - 1)) - 1, e;
	unsigned bits;
	double q;

	if (isnan(x))
		return nan;
	if (isinf(x))
		return sign | inf;
	if (x == 0)
		return sign;
	frexp(x, &e);
	e = e - 1 < 1 - bias ? 1 - bias : e - 1;
	if (e > bias + 2)
		return sign | inf;
	q = nearbyint(ldexp(fabs(x), (int)s->mbits - e));
	if (q == ldexp(1, (int)s->mbits + 1)) {
		q /= 2;
		e++;
	}
	if (q < ldexp(1, (int)s->mbits))
		bits = (unsigned)q;
	else
		bits = (unsigned)(e + bias) << s->mbits | ((unsigned)q - (1u << s->mbits));
	return sign | (bits >= inf ? inf : bits);
}

bool scalar_usable(enum type t)
{
	unsigned bits = t > TYPE_NONE && t < TYPE_COUNT ? type_info[t].bits : 0;

	return bits >= 8 && bits <= 128 && (bits & (bits - 1)) == 0 &&
		type_info[t].class != CLASS_OPAQUE;
}

bool scalar_is_float(enum type t)
{
	return t == TYPE_f16 || t == TYPE_bf16 || t == TYPE_tf32 || t == TYPE_f32 ||
		t == TYPE_f64 || t == TYPE_e4m3 || t == TYPE_e5m2;
}

enum type scalar_find(const char *name, size_t len)
{
	enum type t = word_type(word_find(name, len));

	return scalar_usable(t) ? t : TYPE_NONE;
}

const char *scalar_nearest(const char *name, size_t len)
{
	static const struct {
		char c[9], ptx[4];
	} names[] = {{"int", "s32"}, {"int32", "s32"}, {"uint", "u32"}, {"unsigned", "u32"},
		{"float", "f32"}, {"double", "f64"}, {"half", "f16"}, {"char", "s8"},
		{"short", "s16"}, {"long", "s64"}, {"uint32", "u32"}, {"uint64", "u64"},
		{"int64", "s64"}, {"byte", "u8"}, {"bool", "u8"}, {"float32", "f32"},
		{"float64", "f64"}, {"size_t", "u64"}};
	const char *best = NULL;
	unsigned least = 2;

	for (size_t k = 0; k < sizeof names / sizeof names[0]; k++)
		if (strlen(names[k].c) == len && memcmp(names[k].c, name, len) == 0)
			return names[k].ptx;
	for (int t = TYPE_NONE + 1; t < TYPE_COUNT; t++) {
		unsigned d;

		if (!scalar_usable((enum type)t))
			continue;
		d = text_distance(name, len, type_info[t].name, strlen(type_info[t].name), 2);
		if (d < least) {
			least = d;
			best = type_info[t].name;
		}
	}
	return best;
}

static unsigned __int128 load_bits(const void *bytes, unsigned n)
{
	const unsigned char *b = bytes;
	unsigned __int128 u = 0;

	for (unsigned k = n; k-- > 0;)
		u = u << 8 | b[k];
	return u;
}

static void store_bits(void *bytes, unsigned n, unsigned __int128 u)
{
	unsigned char *b = bytes;

	for (unsigned k = 0; k < n; k++, u >>= 8)
		b[k] = (unsigned char)u;
}

struct value scalar_load(enum type t, const void *bytes)
{
	unsigned n = type_bytes(t);

	if (n == 4 && type_info[t].class == CLASS_UNSIGNED) { /* most of all */
		uint32_t w;

		memcpy(&w, bytes, sizeof w);
		return value_int(w);
	}
	unsigned __int128 u = load_bits(bytes, n);
	struct small s;

	if (small_format(t, &s))
		return value_float(small_decode(&s, (unsigned)u));
	if (t == TYPE_f32 || t == TYPE_tf32) {
		uint32_t w = (uint32_t)u;
		float f;

		memcpy(&f, &w, sizeof f);
		return value_float(f);
	}
	if (t == TYPE_f64) {
		uint64_t w = (uint64_t)u;
		double f;

		memcpy(&f, &w, sizeof f);
		return value_float(f);
	}
	if (type_info[t].class == CLASS_SIGNED && n < 16 && (u >> (8 * n - 1) & 1))
		u |= ~(unsigned __int128)0 << (8 * n);
	return value_int((__int128)u);
}

bool scalar_look(enum type t, const void *bytes, uint64_t n, struct scalar_survey *out)
{
	const unsigned width = type_bytes(t), unused = 64 - 8 * width;
	const bool is_signed = type_info[t].class == CLASS_SIGNED;
	const unsigned char *p = bytes;
	int64_t least = INT64_MAX, most = INT64_MIN, sum = 0;
	uint64_t others = 0;

	if ((!is_signed && type_info[t].class != CLASS_UNSIGNED) || width > 4 || n > INT32_MAX)
		return false;
	for (const unsigned char *end = p + n * width; p != end; p += width) {
		uint16_t half;
		uint32_t word = *p;

		if (width == 4) {
			memcpy(&word, p, 4);
		} else if (width == 2) {
			memcpy(&half, p, 2);
			word = half;
		}
		int64_t v = is_signed ? (int64_t)((uint64_t)word << unused) >> unused
				      : (int64_t)word;

		least = v < least ? v : least;
		most = v > most ? v : most;
		sum += v;
		others += v != 0;
	}
	*out = (struct scalar_survey){least, most, sum, others};
	return true;
}

static void store_float(enum type t, double f, void *bytes)
{
	struct small s;

	if (small_format(t, &s)) {
		store_bits(bytes, type_bytes(t), small_encode(&s, f));
	} else if (t == TYPE_f32 || t == TYPE_tf32) {
		float g = (float)f;
		uint32_t w;

		memcpy(&w, &g, sizeof w);
		store_bits(bytes, 4, w);
	} else {
		uint64_t w;

		memcpy(&w, &f, sizeof w);
		store_bits(bytes, 8, w);
	}
}

/* The floating-point type as which a floating-point value is stored in an untyped element. */
static enum type float_of_bits(enum type t)
{
	return t == TYPE_b16    ? TYPE_f16
		: t == TYPE_b32 ? TYPE_f32
		: t == TYPE_b64 ? TYPE_f64
				: TYPE_NONE;
}

enum scalar_fit scalar_store(enum type t, struct value v, void *bytes)
{
	unsigned bits = type_info[t].bits;
	__int128 one = 1, low, high;

	if (v.is_float && float_of_bits(t) != TYPE_NONE)
		t = float_of_bits(t);
	if (scalar_is_float(t)) {
		double f = value_double(v);
		unsigned char b[8];

		store_float(t, f, b);
		if (isfinite(f) && !isfinite(scalar_load(t, b).f))
			return SCALAR_RANGE;
		memcpy(bytes, b, type_bytes(t));
		return SCALAR_FITS;
	}
	if (v.is_float)
		return SCALAR_FRACTION;
	if (bits < 128) {
		low = -(one << (bits - 1));
		high = type_info[t].class == CLASS_SIGNED ? (one << (bits - 1)) - 1
							  : (one << bits) - 1;
		if (v.i < low || v.i > high)
			return SCALAR_RANGE;
	}
	store_bits(bytes, bits / 8, (unsigned __int128)v.i);
	return SCALAR_FITS;
}

static __int128 truncated(double f, enum type t)
{
	unsigned bits = type_info[t].bits < 127 ? type_info[t].bits : 126;
	bool is_signed = type_info[t].class == CLASS_SIGNED;
	__int128 one = 1, low = is_signed ? -(one << (bits - 1)) : 0,
		 high = is_signed ? (one << (bits - 1)) - 1 : (one << bits) - 1;

	if (isnan(f))
		return 0;
	if (f <= (double)low)
		return low;
	return f >= (double)high ? high : (__int128)f;
}

void scalar_cast(enum type t, struct value v, void *bytes)
{
	if (scalar_is_float(t))
		store_float(t, value_double(v), bytes);
	else
		store_bits(bytes, type_bytes(t),
			(unsigned __int128)(v.is_float ? truncated(v.f, t) : v.i));
}

void scalar_range(enum type t, struct text *out)
{
	unsigned bits = type_info[t].bits;
	__int128 one = 1;
	struct small s;

	if (scalar_is_float(t)) {
		double max = t == TYPE_f64 ? 1.7976931348623157e308 : 3.4028234663852886e38;

		if (small_format(t, &s))
			max = small_decode(&s,
				(((1u << s.ebits) - 1) << s.mbits) - (s.no_inf ? 0 : 1) +
					(s.no_inf ? (1u << s.mbits) - 2 : 0));
		text_printf(out, "-%g to %g", max, max);
		return;
	}
	if (bits >= 128) {
		text_puts(out, "0 to 2^128-1");
		return;
	}
	int128_print(type_info[t].class == CLASS_SIGNED ? -(one << (bits - 1)) : 0, out);
	text_puts(out, " to ");
	int128_print(
		type_info[t].class == CLASS_SIGNED ? (one << (bits - 1)) - 1 : (one << bits) - 1,
		out);
}

void scalar_print(enum type t, const void *bytes, bool json, struct text *out)
{
	struct value v = scalar_load(t, bytes);
	unsigned char again[16];
	char s[40];

	if (!v.is_float) {
		if (type_info[t].bits == 128) {
			unsigned __int128 u = (unsigned __int128)v.i;

			text_printf(out, "%s0x%016llx%016llx%s", json ? "\"" : "",
				(unsigned long long)(u >> 64), (unsigned long long)u,
				json ? "\"" : "");
			return;
		}
		int128_print(v.i, out);
		return;
	}
	if (print_special(v.f, json, out) || print_whole(v.f, out))
		return;
	for (int digits = 1; digits <= 17; digits++) {
		snprintf(s, sizeof s, "%.*g", digits, v.f);
		store_float(t, strtod(s, NULL), again);
		if (memcmp(again, bytes, type_bytes(t)) == 0)
			break;
	}
	text_puts(out, s);
}
