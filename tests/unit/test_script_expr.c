/* Expressions of //@ lines: values, precedence, exactness, ranges, and expressions without a
 * value. */
#include "script/lang/expr.h"
#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static struct arena arena;
static struct diags diags;
static struct script_lines lines;

static struct expr *parse(const char *text)
{
	struct lexer x;
	struct expr *e;

	lines = (struct script_lines){0};
	diags = (struct diags){0};
	script_scan_plain(source_new(&arena, "-e", text, strlen(text)), &lines);
	cr_assert_eq(lines.line.count, 1);
	lex_begin(&x, &lines, &lines.line.data[0], &diags, &arena);
	lex_next(&x);
	e = expr_parse(&x);
	if (e && x.kind != T_END)
		e = expr_expected(&x, "the end");
	return e;
}

static void done(void)
{
	script_lines_free(&lines);
	diags_free(&diags);
	arena_free(&arena);
}

static long long whole(const char *text)
{
	struct expr *e = parse(text);
	struct eval v = {.arena = &arena};
	struct value out;

	cr_assert(e, "%s does not parse: %s", text, diags.first ? diags.first->message : "");
	cr_assert(expr_eval(&v, e, &out), "%s: %s", text, v.error.message);
	cr_assert(!out.is_float, "%s is no integer", text);
	done();
	return (long long)out.i;
}

static double real(const char *text)
{
	struct expr *e = parse(text);
	struct eval v = {.arena = &arena};
	struct value out;

	cr_assert(e, "%s", text);
	cr_assert(expr_eval(&v, e, &out), "%s: %s", text, v.error.message);
	cr_assert(out.is_float, "%s is an integer", text);
	done();
	return out.f;
}

static void no_value(const char *text, const char *because)
{
	struct expr *e = parse(text);
	struct eval v = {.arena = &arena};
	struct value out;

	cr_assert(e, "%s does not parse: %s", text, diags.first ? diags.first->message : "");
	cr_assert(!expr_eval(&v, e, &out), "%s has a value", text);
	cr_assert(strstr(v.error.message, because), "%s: %s", text, v.error.message);
	done();
}

static void no_expression(const char *text, const char *code)
{
	cr_assert_null(parse(text), "%s parses", text);
	cr_assert_eq(diags.count, 1, "%s: %u records", text, diags.count);
	cr_assert_str_eq(
		diag_code_info(diags.first->code).code, code, "%s: %s", text, diags.first->message);
	done();
}

Test(script_expr, precedence)
{
	cr_assert_eq(whole("2 + 3 * 4"), 14);
	cr_assert_eq(whole("(2 + 3) * 4"), 20);
	cr_assert_eq(whole("10 - 4 - 3"), 3);
	cr_assert_eq(whole("1 << 4 + 1"), 32);
	cr_assert_eq(whole("6 & 3 == 3"), 0);
	cr_assert_eq(whole("1 | 2 ^ 3 & 1"), 3);
	cr_assert_eq(whole("1 || 0 && 0"), 1);
	cr_assert_eq(whole("0 ? 1 : 0 ? 2 : 3"), 3);
	cr_assert_eq(whole("-2 * -3"), 6);
	cr_assert_eq(whole("!0 + ~0"), 0);
	cr_assert_eq(whole("1 /\\ 0 \\/ 1"), 1);
}

Test(script_expr, integers_are_exact_and_truncate_as_in_c)
{
	cr_assert_eq(whole("-7 / 2"), -3);
	cr_assert_eq(whole("-7 % 2"), -1);
	cr_assert_eq(whole("7 / -2"), -3);
	cr_assert_eq(
		whole("9223372036854775807 * 18446744073709551615 / 18446744073709551615 == 9223372036854775807"),
		1);
	cr_assert_eq(whole("9007199254740993 == 9007199254740992"), 0);
	cr_assert_eq(whole("(0 - 1) >> 3"), -1);
}

Test(script_expr, doubles)
{
	cr_assert_eq(real("1 / 2.0"), .5);
	cr_assert_eq(real("7.5 % 2"), 1.5);
	cr_assert_eq(real("0f40490fdb"), (double)3.14159274f);
	cr_assert(isnan(real("nan")));
	cr_assert_eq(real("-inf"), -INFINITY);
	cr_assert_eq(whole("nan == nan"), 0);
	cr_assert_eq(whole("nan != nan"), 1);
	cr_assert_eq(whole("nan < 1 || nan >= 1"), 0);
	cr_assert_eq(real("sqrt(2) * sqrt(2)"), sqrt(2) * sqrt(2));
	cr_assert_eq(real("fma(2, 3, 0.5)"), 6.5);
}

Test(script_expr, near)
{
	cr_assert_eq(whole("1000001 ~= 1000000 (1e-6)"), 1);
	cr_assert_eq(whole("1000002 ~= 1000000 (1e-6)"), 0);
	cr_assert_eq(whole("0.0000005 ~= 0 (1e-6)"), 1);
	cr_assert_eq(whole("0.000002 ~= 0"), 0);
	cr_assert_eq(whole("inf ~= inf"), 1);
	cr_assert_eq(whole("nan ~= nan"), 0);
	cr_assert_eq(whole("1 ~= sqrt(1) (0.5) && 1"), 1);
}

Test(script_expr, functions)
{
	cr_assert_eq(whole("max(3, 7, 5)"), 7);
	cr_assert_eq(whole("min(3, -7)"), -7);
	cr_assert_eq(whole("sum(1, 2, 3)"), 6);
	cr_assert_eq(whole("abs(-5)"), 5);
	cr_assert_eq(whole("u8(300)"), 44);
	cr_assert_eq(whole("s8(200)"), -56);
	cr_assert_eq(whole("u32(-1)"), 4294967295);
	cr_assert_eq(whole("s32(2.9)"), 2);
	cr_assert_eq(real("f32(0.1)"), (double)0.1f);
	cr_assert_eq(whole("bits(f32(1))"), 0x3f800000);
	cr_assert_eq(whole("bits(f16(1.5))"), 0x3e00);
	cr_assert_eq(whole("popc(255)"), 8);
	cr_assert_eq(whole("isnan(nan) + isinf(1.0)"), 1);
	no_value("pow(2)", "number of arguments");
	no_value("abs(1, 2)", "number of arguments");
}

/* Each function once, at an argument where no other function has the same value. */
Test(script_expr, every_function_of_reals)
{
	static const struct {
		const char *text;
		double value;
	} one[] = {
		{"sqrt(2.25)", 1.5},
		{"rsqrt(0.25)", 2},
		{"exp(2.0)", 7.38905609893065},
		{"exp2(3.5)", 11.313708498984761},
		{"log(2.5)", 0.9162907318741551},
		{"log2(2.5)", 1.3219280948873624},
		{"sin(2.0)", 0.9092974268256817},
		{"cos(2.0)", -0.4161468365471424},
		{"tanh(0.5)", 0.46211715726000973},
		{"pow(2.5, 3)", 15.625},
		{"fma(2.5, 3, 0.25)", 7.75},
		{"floor(-2.5)", -3},
		{"ceil(2.25)", 3},
		{"round(2.5)", 3},
		{"round(-2.5)", -3},
		{"trunc(-2.75)", -2},
		{"trunc(2.75)", 2},
	};

	for (size_t k = 0; k < sizeof one / sizeof one[0]; k++)
		cr_expect_float_eq(real(one[k].text), one[k].value,
			1e-12 * (1 + fabs(one[k].value)), "%s", one[k].text);
	cr_expect_eq(
		whole("isnan(0.0 / 0.0) + 2 * isinf(1.0 / 0.0) + 4 * isnan(1.0) + 8 * isinf(2.0)"),
		3);
	cr_expect_eq(whole("popc(0xf0f)"), 8);
	cr_expect_eq(whole("bits(1.5)"), 0x3ff8000000000000);
	cr_expect_eq(whole("abs(-3) + 10 * min(5, 4) + 100 * max(2, 7)"), 743);
}

Test(script_expr, what_has_no_value)
{
	no_value("1 / 0", "division by zero");
	no_value("1 % (3 - 3)", "division by zero");
	no_value("1 << 128", "shift");
	no_value("1 << 127 << 1", "128 bits");
	no_value("170141183460469231731687303715884105727 + 1", "128 bits");
	no_value("(0 - 170141183460469231731687303715884105727 - 1) / -1", "128 bits");
	no_value("-(0 - 170141183460469231731687303715884105727 - 1)", "128 bits");
	no_value("1.5 & 1", "integer operation");
	no_value("a + 1", "constant");
	cr_assert_eq(whole("0 && 1 / 0"), 0);
	cr_assert_eq(whole("1 || 1 / 0"), 1);
}

Test(script_expr, what_does_not_parse)
{
	no_expression("1 +", "L0102");
	no_expression("(1", "L0102");
	no_expression("1 2", "L0102");
	no_expression("a[1", "L0102");
	no_expression("a[1..", "L0102");
	no_expression("f(1)", "L0120");
	no_expression("1 ? 2", "L0102");
	no_expression("P1:3", "L0102");
}

/* N copies of PART, followed by END. */
static char *many(const char *part, unsigned n, const char *end)
{
	char *s = malloc(strlen(part) * n + strlen(end) + 1), *to = s;

	for (unsigned k = 0; k < n; k++)
		to = stpcpy(to, part);
	strcpy(to, end);
	return s;
}

Test(script_expr, depth_is_bounded)
{
	static const char *const parts[] = {
		"(", "-", "1 +", "1 ? 1 : ", "a[", "abs(", "1 ? ", "1 && ", "!", "~"};

	for (size_t k = 0; k < sizeof parts / sizeof parts[0]; k++) {
		char *s = many(parts[k], 100000, "1");

		cr_assert_null(parse(s), "%s", parts[k]);
		cr_assert_eq(diags.count, 1);
		cr_assert_str_eq(diag_code_info(diags.first->code).code, "L0122");
		done();
		free(s);
	}
	char *s = many("1 + ", 300, "1");
	cr_assert_eq(whole(s), 301);
	free(s);
}

Test(script_expr, registers)
{
	struct expr *e = parse("P12:%r3 == 1 && P0:%p1");

	cr_assert(e);
	cr_assert_eq(e->sub[0]->sub[0]->kind, EXPR_REGISTER);
	cr_assert_eq(e->sub[0]->sub[0]->thread, 12);
	cr_assert_str_eq(e->sub[0]->sub[0]->name, "%r3");
	done();
}

Test(script_expr, ranges_and_text)
{
	struct expr *e = parse("c[0..59] == a[i] + b[..]");

	cr_assert(e);
	cr_assert_eq(e->sub[0]->range, RANGE_SPAN);
	cr_assert_eq(e->sub[1]->sub[0]->range, RANGE_INDEX);
	cr_assert_eq(e->sub[1]->sub[1]->range, RANGE_ALL);
	cr_assert_str_eq(expr_text(e->sub[1], &arena), "a[i] + b[..]");
	cr_assert_str_eq(expr_text(e->sub[0], &arena), "c[0..59]");
	done();
}

/* --- elements --- */

static void round_trip(enum type t, uint64_t bits)
{
	unsigned char in[16] = {0}, out[16] = {0};
	struct text s = {0};
	struct value v;

	memcpy(in, &bits, 8);
	v = scalar_load(t, in);
	if (v.is_float && isnan(v.f))
		return;
	cr_assert_eq(scalar_store(t, v, out), SCALAR_FITS, "%s %llx", type_info[t].name,
		(unsigned long long)bits);
	cr_assert_arr_eq(
		in, out, type_bytes(t), "%s %llx", type_info[t].name, (unsigned long long)bits);
	scalar_print(t, in, false, &s);
	if (v.is_float && isfinite(v.f)) { /* the shortest text converts back to the same value */
		scalar_store(t, value_float(strtod(text_str(&s), NULL)), out);
		cr_assert_arr_eq(in, out, type_bytes(t), "%s %s", type_info[t].name, text_str(&s));
	}
	text_free(&s);
}

Test(script_scalar, every_value_of_the_small_types)
{
	for (uint64_t k = 0; k < 65536; k++) {
		round_trip(TYPE_f16, k);
		round_trip(TYPE_bf16, k);
		round_trip(TYPE_s16, k);
	}
	for (uint64_t k = 0; k < 256; k++) {
		round_trip(TYPE_e4m3, k);
		round_trip(TYPE_e5m2, k);
		round_trip(TYPE_u8, k);
	}
	for (uint64_t k = 0, x = 1; k < 20000; k++) {
		x = x * 6364136223846793005u + 1;
		round_trip(TYPE_f32, x >> 32);
		round_trip(TYPE_f64, x);
		round_trip(TYPE_s64, x);
	}
}

static uint64_t stored(enum type t, struct value v)
{
	uint64_t out = 0;

	cr_assert_eq(scalar_store(t, v, &out), SCALAR_FITS);
	return out;
}

Test(script_scalar, rounding_to_half)
{
	cr_assert_eq(stored(TYPE_f16, value_float(1.0)), 0x3c00);
	/* halfway: to even */
	cr_assert_eq(stored(TYPE_f16, value_float(1.0 + 1.0 / 2048)), 0x3c00);
	cr_assert_eq(stored(TYPE_f16, value_float(1.0 + 3.0 / 2048)), 0x3c02);
	cr_assert_eq(stored(TYPE_f16, value_float(65519)), 0x7bff);
	cr_assert_eq(stored(TYPE_f16, value_float(ldexp(1, -25) * 1.001)), 1);
	cr_assert_eq(stored(TYPE_f16, value_float(ldexp(1, -25))), 0);
	cr_assert_eq(stored(TYPE_bf16, value_float(1.0 / 3)), 0x3eab);
	cr_assert_eq(stored(TYPE_b32, value_float(1)), 0x3f800000);
	cr_assert_eq(stored(TYPE_f32, value_int(10)), 0x41200000);
}

Test(script_scalar, range)
{
	uint64_t out = 77;

	cr_assert_eq(scalar_store(TYPE_u8, value_int(256), &out), SCALAR_RANGE);
	cr_assert_eq(scalar_store(TYPE_u8, value_int(-129), &out), SCALAR_RANGE);
	cr_assert_eq(scalar_store(TYPE_s8, value_int(128), &out), SCALAR_RANGE);
	cr_assert_eq(scalar_store(TYPE_u32, value_float(2), &out), SCALAR_FRACTION);
	cr_assert_eq(scalar_store(TYPE_f16, value_int(65520), &out), SCALAR_RANGE);
	cr_assert_eq(scalar_store(TYPE_f32, value_float(1e39), &out), SCALAR_RANGE);
	cr_assert_eq(out, 77);
	cr_assert_eq(stored(TYPE_u32, value_int(-1)), 0xffffffff);
	cr_assert_eq(stored(TYPE_u64, value_int(((__int128)1 << 64) - 1)), UINT64_MAX);
}
