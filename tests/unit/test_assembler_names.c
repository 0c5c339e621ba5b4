/* Names: scopes, ranges, and the diagnostics of undeclared names. */
#include "assemble.h"

Test(assembler_names, ranges)
{
	struct assembled a = test_body(
		"", "mov.u32 %r7, 1; mov.u32 %r07, 2; add.u32 %r1, %r7, %r07;");
	const struct ir_insn *add;

	cr_assert_not_null(a.m);
	add = &a.m->insn[2];
	cr_expect_eq(a.m->operand[add->operand + 1].index, a.m->operand[add->operand + 2].index,
		"%%r07 is %%r7");
	cr_expect_eq(a.m->func[0].nregs, 2, "only named registers are made");
	cr_expect_eq(ir_find_reg(a.m, 0, "%r7"), 0);
	cr_expect_eq(ir_find_reg(a.m, 0, "%r6"), IR_NONE);
	test_free(&a);
	EXPECT_CODES("", "mov.u32 %r8, 1;", "E0202");
	EXPECT_CODES("", "mov.u32 %r8, 1; mov.u32 %r8, 2;", "E0202");
	EXPECT_CODES("", ".reg .b32 %q1<20>, %q<5>; mov.u32 %q11, 1;", "E0202");
	EXPECT_CODES("", ".reg .b32 %z<0>; mov.u32 %z0, 1;", "E0202");
	EXPECT_CODES("", ".reg .b32 %z<1000000000>; mov.u32 %z999999999, 1;", "");
	EXPECT_CODES("", ".reg .b32 %r1;", "E0203");
	EXPECT_CODES("", ".local .u32 x<4>; st.local.u32 [x2], 1; st.local.u32 [x2+0], 1;", "");
}

/* After a block that hides a name of a range, the range's register must not be created again. */
Test(assembler_names, range_survives_blocks)
{
	struct assembled a = test_body("",
		"mov.u32 %r1, 1; { .reg .f32 %r1; mov.f32 %r1, 0f00000000; } { .reg .b32 %r<3>; mov.u32 %r1, 2; } add.u32 %r2, %r1, 1;");
	const struct ir_insn *in;

	cr_assert_not_null(a.m);
	in = a.m->insn;
	cr_expect_eq(a.m->operand[in[3].operand + 1].index, a.m->operand[in[0].operand].index);
	cr_expect_neq(a.m->operand[in[1].operand].index, a.m->operand[in[0].operand].index);
	cr_expect_neq(a.m->operand[in[2].operand].index, a.m->operand[in[0].operand].index);
	cr_expect_eq(a.m->func[0].nregs, 4);
	cr_expect_eq(ir_find_reg(a.m, 0, "%r1"), a.m->operand[in[0].operand].index);
	cr_expect_eq(ir_find_reg(a.m, 0, "%r1$2"), a.m->operand[in[1].operand].index,
		"equal names of one function are told apart");
	test_free(&a);
}

Test(assembler_names, scopes)
{
	EXPECT_CODES("", "{ .reg .u32 x; mov.u32 x, 1; } mov.u32 x, 1;", "E0201");
	EXPECT_CODES("", "mov.u32 x, 1; .reg .u32 x; mov.u32 x, 2;", "E0201");
	EXPECT_CODES("", "{ bra L; } L: ret;", "");
	EXPECT_CODES("", "{ L: ret; } bra L;", "E0204");
	EXPECT_CODES("", "{ L: ret; } { L: ret; }", "");
	EXPECT_CODES("", "L: ret; L: ret;", "E0205");
	EXPECT_CODES("", ".reg .u32 out;", "E0203");
	EXPECT_CODES("", ".reg .u32 L; L: ret;", "E0203");
	EXPECT_CODES("", ".reg .u32 %tid; mov.u32 %tid, 1;", "");
	EXPECT_CODES("", "ret: bra ret;", "");
	EXPECT_CODES(".global .u32 x; .global .u32 x;", "", "E0203");
	EXPECT_CODES(".extern .global .u32 x; .visible .global .u32 x = 4;", "", "");
	EXPECT_CODES(".extern .global .u32 x; .global .u32 x;", "", "E0423");
	EXPECT_CODES(".extern .global .u32 x; .extern .global .f32 x;", "", "E0423");
	EXPECT_CODES(".func f(); .func f() { ret; }", "call f;", "");
	EXPECT_CODES(
		".func f(.param .b32 a) { ret; } .func f(.param .b32 a) { ret; }", "", "E0422");
	EXPECT_CODES(".func g(); .func f() { ret; } .alias g, f;", "call g;", "");
}

/* The name that .loc gives an inlined function is a label of a .section, which may come last. */
Test(assembler_names, inlined_functions)
{
	static const char unknown[] = ".loc 1 2 3\n.loc 1 5 3, function_name L, inlined_at 1 2 3\n";

	EXPECT_CODES(".file 1 \"x.cu\"", unknown, "E0120");
	EXPECT_CODES(".file 1 \"x.cu\"\n.section .debug_str { M: .b8 0 }", unknown, "E0120");
	EXPECT_CODES(".file 1 \"x.cu\"\n.section .debug_str { L: .b8 0 }", unknown, "");
}

/* One mistake, one diagnostic, with the second location and a correction. */
Test(assembler_names, no_cascades)
{
	struct assembled a = test_body(
		"", "mov.u32 %x1, 1; add.u32 %r1, %x1, 2; @%x1 bra L; L: add.f32 %f1, %x1, %x1;");

	cr_expect_str_eq(test_codes(&a), "E0201");
	test_free(&a);
	a = test_body("", ".reg .b32 %counter; mov.u32 %conter, 1;");
	cr_expect_str_eq(test_codes(&a), "E0201");
	cr_assert_not_null(a.diags.first->help);
	cr_expect_str_eq(a.diags.first->help, "did you mean '%counter'?");
	cr_expect_eq(a.diags.first->nlabels, 2);
	test_free(&a);
	a = test_body("", "mov.u32 %r1, %tidx.x;");
	cr_expect_str_eq(a.diags.first->help, "did you mean the special register '%tid'?");
	test_free(&a);
	a = test_body("", "mov.u32 %r1, %x;");
	cr_expect_null(a.diags.first->help, "no special register is like it");
	test_free(&a);
	/* the ; is missing: the names of the declaration are not reported as undeclared, too */
	a = test_body("", ".reg .b32 %lost\n mov.u32 %lost, 1;");
	cr_expect_eq(a.diags.count, 1);
	test_free(&a);
}

/* A variable that is wrong in several ways has one message, the first. Its name is declared
 * nevertheless. */
Test(assembler_names, one_message_a_variable)
{
	static const struct {
		const char *target, *variable, *codes;
	} rows[] = {
		{"3.2\n.target sm_20", ".global .attribute(.managed) .u32 x[];", "E0428"},
		{"4.0\n.target sm_20", ".global .attribute(.managed) .u32 x[];", "E0428"},
		{"4.0\n.target sm_30", ".const .attribute(.managed) .u32 x[];", "E0412"},
		{"4.0\n.target sm_30", ".global .attribute(.managed) .u32 x[];", "E0417"},
		{"4.0\n.target sm_30", ".global .attribute(.managed) .u32 x[1];", ""},
		{"4.0\n.target sm_30", ".common .global .u32 x[];", "E0428"},
		{"3.0\n.target sm_30", ".weak .global .u32 x[];", "E0428"},
		{"5.0\n.target sm_30", ".common .shared .u32 x[];", "E0416"},
		{"4.0\n.target sm_30", ".shared .u32 x[] = {1};", "E0418"},
	};

	for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
		struct text t = {0};
		struct assembled a;

		text_printf(&t,
			".version %s\n.address_size 64\n%s\n.entry k()\n{\n.reg .b64 %%rd<2>;\nmov.u64 %%rd1, x;\nret;\n}\n",
			rows[k].target, rows[k].variable);
		a = test_assemble(text_str(&t));
		cr_expect_str_eq(test_codes(&a), rows[k].codes, "%s %s: %s", rows[k].target,
			rows[k].variable, test_codes(&a));
		test_free(&a);
		text_free(&t);
	}
}

Test(assembler_names, calls)
{
	const char *d =
		".func (.param .b32 rv) f (.param .b32 a) { ret; } .func v() { ret; } .func (.reg .u32 rr) rf(.reg .u32 a, .reg .u64 b) { mov.u32 rr, a; ret; }"
		".func st(.param .align 8 .b8 a[16]) { ret; }";

	EXPECT_CODES(d, ".param .b32 x, y; call (x), f, (y);", "");
	EXPECT_CODES(d, ".param .b64 x; .param .b32 y; call (x), f, (y);", "E0223");
	EXPECT_CODES(d, "call (%r1), f, (5.0); call (_), f, (5); call (%f1), f, (%f2);", "");
	EXPECT_CODES(d, "call (%r1), f, (%rd1);", "E0223");
	EXPECT_CODES(d, "call f, (5);", "E0222");
	EXPECT_CODES(d, "call (%r1), f, (1, 2);", "E0222");
	EXPECT_CODES(d, "call (%r1), rf, (%r1, %rd1); call v; call (), v, ();", "");
	EXPECT_CODES(d, "call k;", "E0220");
	EXPECT_CODES(d, "call %rd1;", "E0224");
	EXPECT_CODES(d, "call nofn;", "E0206");
	EXPECT_CODES(d,
		"p: .callprototype (.param .b32 _) _ (.param .b64 _); call (%r1), %rd1, (%rd2), p;",
		"");
	EXPECT_CODES(d,
		"p: .callprototype (.param .b32 _) _ (.param .b64 _); call (%r1), %rd1, (%r2), p;",
		"E0223");
	EXPECT_CODES(d, "t: .calltargets f; call (%r1), %rd1, (%r2), t;", "");
	EXPECT_CODES(d, "t: .calltargets nof;", "E0206");
	EXPECT_CODES(d, "t: .branchtargets f;", "E0221");
	EXPECT_CODES(d, "t: .branchtargets L; L: brx.idx %r1, t;", "");
	EXPECT_CODES(d, ".param .align 4 .b8 q[16]; call st, (q);", "E0223");
	EXPECT_CODES(d, ".param .align 8 .b32 q[4]; call st, (q);", "");
	EXPECT_CODES(d, "call (n), f, (n);", "E0223 E0223");
}

/* Functions are assembled while the file is being read; what is reported is as if it had been read
 * before. */
Test(assembler_names, syntax_errors_come_first)
{
	static const char wrong[] = TEST_HEAD ".entry a() { bra L; call f; }\n";
	static const struct {
		const char *rest, *codes;
	} table[] = {
		{"", "E0204 E0206"},
		/* later syntax errors: alone, at the end of a body, at module scope */
		{".entry b() { mov.u32 %r1 %r2; }", "E0114 E0204 E0206"},
		{".entry b() { ret; ", "E0111 E0204 E0206"},
		{".entry b() { ret; } x y z;", "E0118 E0204 E0206"},
		/* one that mentions the name that is not declared: it may be its declaration */
		{".func f( { ret; }", "E0101 E0204"},
		/* a .target in a later body belongs to the header */
		{".entry b() { .target sm_1\n ret; }", "E0402 E0204 E0206"},
		{".entry b() { .target texmode_independent\n ret; } .global .samplerref s;",
			"E0204 E0206"},
	};

	for (size_t i = 0; i < sizeof table / sizeof table[0]; i++) {
		struct text t = {0};
		struct assembled a;

		text_printf(&t, "%s%s", wrong, table[i].rest);
		a = test_assemble(text_str(&t));
		cr_expect_str_eq(
			test_codes(&a), table[i].codes, "%s: %s", table[i].rest, test_codes(&a));
		cr_expect_null(a.m);
		test_free(&a);
		text_free(&t);
	}
}

/* A .target in a body counts from the beginning of the file. */
Test(assembler_names, late_target)
{
	struct assembled a = test_assemble(TEST_HEAD
		".global .samplerref s;\n.entry a() { ret; }\n.entry b() { .target texmode_independent\n ret; }\n");

	cr_assert_not_null(a.m, "%s", test_codes(&a));
	cr_expect(a.m->texmode_independent);
	cr_expect_eq(a.m->nfuncs, 2);
	cr_expect_eq(a.m->nvars, 1);
	test_free(&a);
}

/* Ranges at module scope are used after the memory of their declaration could have been used again;
 * a range of one function is not mistaken for that of another. */
Test(assembler_names, ranges_outlast_their_declaration)
{
	struct text t = {0};
	struct assembled a;
	unsigned members = 0;

	text_puts(&t, TEST_HEAD ".global .attribute(.unified(7, 9)) .align 16 .v2 .u32 g<4>;\n");
	for (unsigned i = 0; i < 50; i++)
		text_printf(&t,
			".entry k%u(.param .u64 p) { .reg .%s %%x<9>; .reg .b64 %%y<9>; .reg .b32 %%z;\n"
			"mov.u64 %%y1, g%u; mov.%s %%x1, %%x2; mov.b32 %%z, 1; ld.global.u32 %%z, [%%y1]; }\n",
			i, i % 2 ? "b32" : "b64", i % 4, i % 2 ? "b32" : "b64");
	a = test_assemble(text_str(&t));
	cr_assert_not_null(a.m, "%s", test_codes(&a));
	cr_assert_eq(a.m->nvars, 4 + 50);
	for (uint32_t i = 0; i < a.m->nvars; i++) {
		const struct ir_var *v = &a.m->var[i];

		if (v->space != W_global)
			continue;
		members++;
		cr_expect_eq(v->align, 16);
		cr_expect_eq(v->vector, 2);
		cr_expect_eq(a.m->dim[v->unified_id + 1], 9);
	}
	cr_expect_eq(members, 4);
	for (unsigned i = 0; i < 50; i++)
		cr_expect_eq(a.m->func[i].nregs, 4);
	test_free(&a);
	text_free(&t);
}
