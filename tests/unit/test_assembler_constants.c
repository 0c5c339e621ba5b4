/* Constant expressions and immediates; the values are those that ptxas 13.0 computes. */
#include "assemble.h"

struct row {
	const char *text;
	uint64_t value;
};

/* The value of an initialiser of TYPE; false if it is rejected. */
static bool value_of(const char *type, const char *text, uint64_t *value)
{
	struct text t = {0};
	struct assembled a;
	bool ok;

	text_printf(&t, TEST_HEAD ".global .u32 b;\n.global .%s x = %s;\n.entry k() { ret; }\n",
		type, text);
	a = test_assemble(text_str(&t));
	ok = a.m != NULL;
	*value = 0;
	for (uint32_t i = 0; ok && i < a.m->var[1].ndata; i++)
		*value |= (uint64_t)a.m->data[a.m->var[1].data + i] << (8 * i);
	text_free(&t);
	test_free(&a);
	return ok;
}

Test(assembler_constants, integers)
{
	static const struct row rows[] = {
		{"~0 < 0", 0},
		{"-1 < 0U", 0},
		{"1 ? -1 : 0U", UINT64_MAX},
		{"(.s64)5U - 6 < 0", 1},
		{"5 / 2", 2},
		{"-5 >> 1", (uint64_t)-3},
		{"-5U >> 60", 15},
		{"-5 >> 60", UINT64_MAX},
		{"18446744073709551615 >> 60", 15},
		{"9223372036854775808 < 0", 0},
		{"-5 / 2", (uint64_t)-2},
		{"1 && 2", 1},
		{"2 || 0", 1},
		{"(1<0) < -1U", 1},
		{"!5", 0},
		{"-(!0)", UINT64_MAX},
		{"(!0) - 2 < 0", 1},
		{"1U - 2 < 0", 0},
		{"(1U==1U) - 2 < 0", 1},
		{"1<<64", 1},
		{"1<<65", 2},
		{"1<<-1", UINT64_C(1) << 63},
		{"-1>>64", UINT64_MAX},
		{"1.5 < 2.5", 1},
		{"WARP_SZ*2", 64},
		{"(.u64)-1 < 0", 0},
		{"(.s64)(.u64)-1 < 0", 1},
		{"(-1 >> 1U) < 0", 1},
		{"(-1 & 1U) < 0", 0},
		{"2 - -3", 5},
		{"1?2:3?4:5", 2},
		{"017", 15},
		{"0b11", 3},
		{"7 % 4", 3},
		{"-7 % 4", 1},
		{"5 | 8", 13},
		{"5 ^ 1", 4},
		{"7 > 8", 0},
		{"3 <= 3", 1},
		{"3 >= 4", 0},
		{"3 != 3", 0},
		{"18446744073709551615 / 2", INT64_MAX},
		{"2.5 > 1.5", 1},
		{"2.5 <= 1.5", 0},
		{"2.5 >= 2.5", 1},
		{"2.5 == 1.5", 0},
		{"2.5 != 1.5", 1},
	};
	uint64_t v;

	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		cr_expect(value_of("s64", rows[i].text, &v), "%s", rows[i].text);
		cr_expect_eq(v, rows[i].value, "%s: %llx", rows[i].text, (unsigned long long)v);
	}
}

Test(assembler_constants, rejected)
{
	static const char *const texts[] = {"1.0 < 2", "5 == 5.0", "(.s64)2.7", "1 ? 2 : 3.0",
		"!1.5", "1.5 && 1", "(.f64)1", "1/0", "1.5", "b", "1.5 % 1.0", "1.5 | 1.0", "~1.5",
		"k", "missing"};
	uint64_t v;

	for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
		cr_expect_not(value_of("s64", texts[i], &v), "%s", texts[i]);
	cr_expect_not(value_of("f64", "1", &v));
	cr_expect_not(value_of("f64", "1.0/0.0", &v));
	cr_expect_not(value_of("f64", "1e400", &v));
	cr_expect_not(value_of("f64", "1e-400", &v));
	cr_expect_not(value_of("f16", "0x3c00", &v));
	cr_expect_not(value_of("u16", "b", &v));
	cr_expect_not(value_of("s64", "b", &v));
}

Test(assembler_constants, conversion)
{
	static const struct {
		const char *type, *text;
		uint64_t value;
	} rows[] = {
		{"f32", "1.5", 0x3fc00000},
		{"f32", "0d3ff8000000000000", 0x3fc00000},
		{"f32", "1e50", 0x7f800000},
		{"f32", "0.1", 0x3dcccccd},
		{"f32", "0f7F800001", 0x7f800001},
		{"f64", "1.0+2.0", 0x4008000000000000},
		{"f64", "-1.5", 0xbff8000000000000},
		{"f64", "1.5 - 0.25", 0x3ff4000000000000},
		{"f64", "1.5 * 3.0", 0x4012000000000000},
		{"f64", "1.0 / 4.0", 0x3fd0000000000000},
		{"b32", "1.5", 0x3fc00000},
		{"b64", "1.5", 0x3ff8000000000000},
		{"u32", "4294967296", 0},
		{"u32", "-1", 0xffffffff},
		{"u8", "256", 0},
		{"u8", "-129", 0x7f},
	};
	uint64_t v;

	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		cr_expect(value_of(rows[i].type, rows[i].text, &v), "%s %s", rows[i].type,
			rows[i].text);
		cr_expect_eq(v, rows[i].value, "%s %s: %llx", rows[i].type, rows[i].text,
			(unsigned long long)v);
	}
}

/* Operand K of the first instruction. */
static struct ir_operand operand(const char *body, unsigned k)
{
	struct assembled a = test_body("", body);
	struct ir_operand o = {0};

	cr_assert_not_null(a.m, "%s", body);
	o = a.m->operand[a.m->insn[0].operand + k];
	if (o.kind == IR_VEC)
		o = a.m->operand[o.index];
	test_free(&a);
	return o;
}

Test(assembler_constants, immediates)
{
	static const struct {
		const char *body;
		unsigned k;
		enum type type;
		uint64_t value;
	} rows[] = {
		{"mov.f32 %f1, 1.5;", 1, TYPE_f32, 0x3fc00000},
		{"add.f64 %fd1, %fd2, 0.5;", 2, TYPE_f64, 0x3fe0000000000000},
		{"add.u32 %r1, %r2, -1;", 2, TYPE_u32, 0xffffffff},
		{"mul.wide.u32 %rd1, %r1, 4294967299;", 2, TYPE_u32, 3},
		{"mad.wide.u32 %rd1, %r1, 3, 4294967299;", 3, TYPE_u64, 4294967299},
		{"shl.b64 %rd1, %rd2, 70;", 2, TYPE_u32, 70},
		{"cvt.u64.u32 %rd1, -1;", 1, TYPE_u32, 0xffffffff},
		{"selp.f32 %f1, 1.0, 2.0, 1;", 3, TYPE_pred, 1},
		{"slct.f32.s32 %f1, 1.0, 2.0, 5;", 3, TYPE_s32, 5},
		{"setp.lt.f32 %p1, %f1, 0d3ff0000000000000;", 2, TYPE_f32, 0x3f800000},
		{"mov.b64 %rd1, {1, %r1};", 1, TYPE_b32, 1},
		{"st.global.v2.f32 [%rd1], {1.0, 2.0};", 1, TYPE_f32, 0x3f800000},
		{"mov.b32 %r1, 0f3F800000;", 1, TYPE_b32, 0x3f800000},
		{"bar.sync 1, 64;", 1, TYPE_u32, 64},
		{"mbarrier.arrive.shared.b64 %rd1, [%r1], 4294967299;", 2, TYPE_u32, 3},
		{"tex.level.2d.v4.u32.f32 {%r1, %r2, %r3, %r4}, [%rd1, {%f1, %f2}], 0.5;", 2,
			TYPE_f32, 0x3f000000},
	};

	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct ir_operand o = operand(rows[i].body, rows[i].k);

		cr_expect_eq(o.kind, IR_IMM, "%s", rows[i].body);
		cr_expect_eq(o.type, rows[i].type, "%s: %s", rows[i].body, type_info[o.type].name);
		cr_expect_eq(o.value, rows[i].value, "%s: %llx", rows[i].body,
			(unsigned long long)o.value);
	}
	EXPECT_CODES("", "mov.f32 %f1, 1.0+2;", "E0212");
}

/* A constant argument of type .f16 is rounded to nearest even. */
Test(assembler_constants, halves)
{
	static const struct {
		const char *type, *text;
		uint64_t value;
	} rows[] = {{"f16", "1.0", 0x3c00}, {"f16", "0.0", 0}, {"f16", "-0.0", 0x8000},
		{"f16", "65504.0", 0x7bff}, {"f16", "65520.0", 0x7c00},
		{"f16", "5.9604644775390625e-8", 1}, {"f16", "1.00048828125", 0x3c00},
		{"f16", "1.00146484375", 0x3c02}};

	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct text t = {0};
		struct assembled a;
		bool seen = false;

		char declared[64];

		snprintf(declared, sizeof declared, ".func f(.reg .%s x) { ret; }\n", rows[i].type);
		text_printf(&t, "call f, (%s);", rows[i].text);
		a = test_body(declared, text_str(&t));
		cr_assert_not_null(a.m, "%s %s: %s", rows[i].type, rows[i].text, test_codes(&a));
		for (uint32_t k = 0; k < a.m->noperands; k++)
			if (a.m->operand[k].kind == IR_IMM) {
				seen = true;
				cr_expect_eq(a.m->operand[k].value, rows[i].value, "%s %s: %llx",
					rows[i].type, rows[i].text,
					(unsigned long long)a.m->operand[k].value);
			}
		cr_expect(seen);
		text_free(&t);
		test_free(&a);
	}
}
