/* The video instructions against the manual's pseudo-code, part by part. */
#include "tests/unit/test_arith.h"

typedef __int128 wide;

struct form {
	const char *op;
	bool d, a, b, sat, wrap, po, negate_a, negate_c;
	const char *second, *compare;
	unsigned shift, simd;
	char part[4][8]; /* of d, a, b */
};

static wide select_part(uint32_t x, const char *part, bool is_signed)
{
	const unsigned bits = part[0] == 0 ? 32
		: part[0] == 'h'           ? 16
					   : 8,
		       at = part[0] ? bits * (unsigned)(part[1] - '0') : 0;
	const uint64_t field = (uint64_t)x >> at & (((uint64_t)1 << bits) - 1);
	return is_signed && field >> (bits - 1) ? (wide)field - ((wide)1 << bits) : (wide)field;
}
static wide clamp(wide x, unsigned bits, bool is_signed)
{
	const wide high = ((wide)1 << (bits - is_signed)) - 1, low = is_signed ? -high - 1 : 0;
	return x < low ? low : x > high ? high : x;
}
static bool holds(const char *compare, wide a, wide b)
{
	return strcmp(compare, "eq") == 0    ? a == b
		: strcmp(compare, "ne") == 0 ? a != b
		: strcmp(compare, "lt") == 0 ? a < b
		: strcmp(compare, "le") == 0 ? a <= b
		: strcmp(compare, "gt") == 0 ? a > b
					     : a >= b;
}
static wide operate(const struct form *k, wide a, wide b)
{
	if (strcmp(k->op, "add") == 0)
		return a + b;
	if (strcmp(k->op, "sub") == 0)
		return a - b;
	if (strcmp(k->op, "absdiff") == 0)
		return a < b ? b - a : a - b;
	if (strcmp(k->op, "min") == 0)
		return a < b ? a : b;
	if (strcmp(k->op, "max") == 0)
		return a > b ? a : b;
	if (strcmp(k->op, "avrg") == 0) {
		wide sum = a + b + (a + b >= 0);
		return sum >= 0 ? sum / 2 : -((-sum + 1) / 2);
	}
	if (strcmp(k->op, "set") == 0)
		return holds(k->compare, a, b);
	const int n = k->wrap ? (int)(b % 32) : b > 32 ? 32 : (int)b;
	wide r = a;
	for (int i = 0; i < n; i++)
		r = strcmp(k->op, "shl") == 0 ? r * 2 : r >= 0 ? r / 2 : -((-r + 1) / 2);
	return r;
}

static uint64_t ref_scalar(const uint64_t *in, const void *context)
{
	const struct form *k = context;
	const uint32_t a = (uint32_t)in[0], b = (uint32_t)in[1], c = (uint32_t)in[2];
	if (strcmp(k->op, "mad") == 0) {
		const bool is_signed = k->a || k->b || k->negate_a || k->negate_c,
			   middle = k->a || k->b || k->negate_a;
		wide r = select_part(a, k->part[1], k->a) * select_part(b, k->part[2], k->b),
		     third = middle ? (wide)(int32_t)c : (wide)c;
		r = (k->negate_a ? -r : r) + (k->negate_c ? -third : third) + k->po;
		for (unsigned i = 0; i < k->shift; i++)
			r = r >= 0 ? r / 2 : -((-r + 1) / 2);
		return (uint32_t)(k->sat ? clamp(r, 32, is_signed) : r);
	}
	wide r = operate(k, select_part(a, k->part[1], k->a), select_part(b, k->part[2], k->b));
	const unsigned bits = k->part[0][0] == 0 ? 32 : k->part[0][0] == 'h' ? 16 : 8;
	if (k->sat)
		r = clamp(r, bits, k->d);
	const uint32_t x = (uint32_t)r;
	if (k->second && strcmp(k->second, "add") == 0)
		return x + c;
	if (k->second) {
		const bool less = k->d ? (int32_t)x < (int32_t)c : x < c;
		return less == (strcmp(k->second, "min") == 0) ? x : c;
	}
	if (bits == 32)
		return x;
	const uint32_t at = bits * (uint32_t)(k->part[0][1] - '0'),
		       field = ((1u << bits) - 1) << at;
	return (c & ~field) | (x << at & field);
}

static uint64_t ref_simd(const uint64_t *in, const void *context)
{
	const struct form *k = context;
	const unsigned n = k->simd, bits = 32 / n;
	const uint64_t both = (in[1] & 0xffffffff) << 32 | (in[0] & 0xffffffff);
	uint32_t d = (uint32_t)in[2];
	for (unsigned e = 0; e < n; e++) {
		wide x[2];
		for (unsigned s = 0; s < 2; s++) {
			const char *select = k->part[1 + s];
			const unsigned from = *select ? (unsigned)(select[n - e] - '0') : s * n + e;
			const uint64_t field = both >> from * bits & ((1u << bits) - 1);
			x[s] = (s ? k->b : k->a) && field >> (bits - 1)
				? (wide)field - ((wide)1 << bits)
				: (wide)field;
		}
		wide r = operate(k, x[0], x[1]);
		if (k->sat)
			r = clamp(r, bits, k->d);
		if (*k->part[0] && !strchr(k->part[0] + 1, (int)('0' + e)))
			continue;
		const uint32_t field = ((1u << bits) - 1) << e * bits;
		d = k->second ? d + (uint32_t)r : (d & ~field) | ((uint32_t)r << e * bits & field);
	}
	return d;
}

static const char *const parts[] = {"", "b0", "b2", "b3", "h0", "h1"};
static const char *const comparisons[] = {"eq", "ne", "lt", "le", "gt", "ge"};

static void part(struct form *k, unsigned i, const char *text)
{
	snprintf(k->part[i], sizeof k->part[i], "%s", text);
}
static const char *operand(const struct form *k, unsigned i, bool negated)
{
	return fmt("%sb32%s%s", negated ? "-" : "", *k->part[i] ? "." : "", k->part[i]);
}
static const char *sign(bool s) { return s ? "s32" : "u32"; }

static void check_scalar(struct form *k, bool third)
{
	const bool set = strcmp(k->op, "set") == 0, shift = strncmp(k->op, "sh", 2) == 0,
		   mad = strcmp(k->op, "mad") == 0;
	const char *types = set ? fmt("%s.%s", sign(k->a), sign(k->b))
				: fmt("%s.%s.%s", sign(k->d), sign(k->a), sign(k->b));
	const char *text = fmt("v%s.%s%s%s%s%s%s%s%s%s", k->op, types, k->po ? ".po" : "",
		k->sat ? ".sat" : "",
		mad && k->shift == 7            ? ".shr7"
			: mad && k->shift == 15 ? ".shr15"
						: "",
		shift ? k->wrap ? ".wrap" : ".clamp" : "", set ? "." : "", set ? k->compare : "",
		k->second ? "." : "", k->second ? k->second : "");
	check_times(text,
		fmt("%s=%s,%s%s%s", operand(k, 0, false), operand(k, 1, k->negate_a),
			operand(k, 2, false), third ? "," : "",
			third ? operand(k, 3, k->negate_c) : ""),
		ref_scalar, k, 4);
}

Test(arith_video, scalar)
{
	static const char *const ops[] = {
		"add", "sub", "absdiff", "min", "max", "shl", "shr", "set"};
	static const char *const seconds[] = {"add", "min", "max"};
	for (unsigned o = 0; o < 8; o++)
		for (unsigned signs = 0; signs < 8; signs++)
			for (int sat = 0; sat < (o == 7 ? 1 : 2); sat++)
				for (unsigned n = 0; n < 24; n++) {
					struct form k = {.op = ops[o],
						.d = signs & 1,
						.a = signs & 2,
						.b = o == 5 || o == 6 ? false : signs & 4,
						.sat = sat,
						.wrap = n & 1,
						.compare = comparisons[n % 6]};
					if (o == 7)
						k.d = false;
					part(&k, 1, parts[random64() % 6]);
					part(&k, 2, parts[random64() % 6]);
					if (n % 3 == 0)
						k.second = seconds[n / 3 % 3];
					else if (n % 3 == 1)
						part(&k, 0, parts[1 + n % 5]);
					check_scalar(&k, n % 3 != 2);
				}
}

Test(arith_video, multiply_add)
{
	for (unsigned signs = 0; signs < 8; signs++)
		for (int sat = 0; sat < 2; sat++)
			for (unsigned n = 0; n < 24; n++) {
				struct form k = {.op = "mad",
					.d = signs & 1,
					.a = signs & 2,
					.b = signs & 4,
					.sat = sat,
					.po = n % 4 == 1,
					.negate_a = n % 4 == 2,
					.negate_c = n % 4 == 3,
					.shift = n % 3 == 0  ? 0
						: n % 3 == 1 ? 7
							     : 15};
				part(&k, 1, parts[random64() % 6]);
				part(&k, 2, parts[random64() % 6]);
				check_scalar(&k, true);
			}
}

Test(arith_video, simd)
{
	static const char *const ops[] = {"add", "sub", "avrg", "absdiff", "min", "max", "set"};
	static const char *const masks2[] = {"", "h0", "h1", "h10"};
	static const char *const masks4[] = {
		"", "b0", "b10", "b2", "b21", "b3", "b30", "b32", "b310", "b3210"};
	for (unsigned simd = 2; simd <= 4; simd += 2)
		for (unsigned o = 0; o < 7; o++)
			for (unsigned signs = 0; signs < 8; signs++)
				for (unsigned n = 0; n < 12; n++) {
					struct form k = {.op = ops[o],
						.d = signs & 1,
						.a = signs & 2,
						.b = signs & 4,
						.sat = n % 3 == 1 && o < 6,
						.second = n % 3 == 2 ? "add" : NULL,
						.compare = comparisons[n % 6],
						.simd = simd};
					for (unsigned s = 1; s <= 2 && n > 3; s++)
						for (unsigned i = 0; i <= simd; i++)
							k.part[s][i] = (char)(i == 0
									? simd == 2 ? 'h' : 'b'
									: '0' +
										(char)(random64() %
											(2 * simd)));
					part(&k, 0,
						simd == 2 ? masks2[random64() % 4]
							  : masks4[random64() % 10]);
					const bool set = o == 6;
					check_times(
						fmt("v%s%u.%s.%s%s%s%s%s%s%s", k.op, simd,
							set ? sign(k.a) : sign(k.d),
							set ? sign(k.b) : sign(k.a), set ? "" : ".",
							set ? "" : sign(k.b), set ? "." : "",
							set ? k.compare : "", k.sat ? ".sat" : "",
							k.second ? ".add" : ""),
						fmt("%s=%s,%s,b32", operand(&k, 0, false),
							operand(&k, 1, false),
							operand(&k, 2, false)),
						ref_simd, &k, 4);
				}
}
