/* Variables: alignment, size, offsets, initial values. */
#include "assemble.h"

static const struct ir_var *find(const struct assembled *a, const char *name)
{
	for (uint32_t i = 0; a->m && i < a->m->nvars; i++)
		if (strcmp(symbol_text(&a->m->symbols, a->m->var[i].name), name) == 0)
			return &a->m->var[i];
	cr_assert_fail("%s", name);
	abort();
}

Test(assembler_layout, parameters)
{
	struct assembled a = test_assemble(TEST_HEAD
		".entry k(.param .u8 a, .param .u64 b, .param .align 4 .b8 c[3], .param .u16 d) { ret; }");

	cr_assert_not_null(a.m);
	cr_expect_eq(find(&a, "a")->offset, 0);
	cr_expect_eq(find(&a, "b")->offset, 8);
	cr_expect_eq(find(&a, "c")->offset, 16);
	cr_expect_eq(find(&a, "d")->offset, 20);
	cr_expect_eq(a.m->func[0].param_bytes, 22);
	test_free(&a);
}

Test(assembler_layout, frames)
{
	struct assembled a = test_body(".shared .align 16 .b8 s0[3]; .shared .u64 s1;",
		".shared .u32 s2; .shared .align 8 .b8 s3[4]; .local .u8 l0; .local .u64 l1;");

	cr_assert_not_null(a.m);
	cr_expect_eq(a.m->shared_bytes, 16);
	cr_expect_eq(find(&a, "s1")->offset, 8);
	cr_expect_eq(find(&a, "s3")->offset, 8);
	cr_expect_eq(a.m->func[0].shared_bytes, 12);
	cr_expect_eq(find(&a, "l1")->offset, 8);
	cr_expect_eq(a.m->func[0].local_bytes, 16);
	test_free(&a);
}

/* .param variables around one call share the bytes of those around another, unless there is a label
 * or a branch between their uses. */
Test(assembler_layout, call_parameters)
{
	const char *f = ".func (.param .b64 r) f (.param .b64 a) { ret; }";
	struct assembled a = test_body(f,
		"{ .param .b64 x; .param .b64 y; st.param.b64 [x], 1; call (y), f, (x); ld.param.b64 %rd1, [y]; }"
		"{ .param .b64 x; .param .b64 y; st.param.b64 [x], 2; call (y), f, (x); ld.param.b64 %rd2, [y]; }");

	cr_assert_not_null(a.m);
	cr_expect_eq(find(&a, "x")->offset, find(&a, "x$2")->offset);
	cr_expect_neq(find(&a, "x")->offset, find(&a, "y")->offset);
	cr_expect_eq(a.m->func[1].local_bytes, 16);
	test_free(&a);
	a = test_body(f,
		".param .b64 x; .param .b64 y; st.param.b64 [x], 1; call (y), f, (x); L: ld.param.b64 %rd1, [y];"
		"{ .param .b64 x; .param .b64 y; st.param.b64 [x], 2; call (y), f, (x); ld.param.b64 %rd2, [y]; } @%p1 bra L;");
	cr_assert_not_null(a.m);
	cr_expect_neq(find(&a, "y")->offset, find(&a, "y$2")->offset);
	cr_expect_neq(find(&a, "y")->offset, find(&a, "x$2")->offset);
	test_free(&a);
}

static void expect_bytes(
	const struct assembled *a, const char *name, const uint8_t *bytes, uint32_t n)
{
	const struct ir_var *v = find(a, name);

	cr_assert_neq(v->data, IR_NONE, "%s", name);
	cr_expect_eq(v->ndata, n, "%s: %u", name, v->ndata);
	for (uint32_t i = 0; i < n && i < v->ndata; i++)
		cr_expect_eq(a->m->data[v->data + i], bytes[i], "%s[%u]", name, i);
}

Test(assembler_layout, initial_values)
{
	struct assembled a = test_body(
		".global .align 4 .b8 m[3][4] = {{1,2},{3,4,5}}; .global .u16 open[] = {1,2,3,0}; .global .v2 .u32 v[2] = {{1,2},{3,4}};"
		".global .u32 target; .func f() { ret; } .global .u64 table[3] = {f, target+4, generic(target)}; .global .u8 part[2] = {0xff(target), 0xff00(target)};"
		".const .u32 zero = 0; .global .u32 empty[2] = {};",
		"");
	static const uint8_t m[] = {1, 2, 0, 0, 3, 4, 5}, open[] = {1, 0, 2, 0, 3, 0},
			     v[] = {1, 0, 0, 0, 2, 0, 0, 0, 3, 0, 0, 0, 4, 0, 0, 0};
	const struct ir_var *t;
	const struct ir_reloc *r;

	cr_assert_not_null(a.m, "%s", test_codes(&a));
	expect_bytes(&a, "m", m, sizeof m);
	expect_bytes(&a, "open", open, sizeof open);
	cr_expect_eq(find(&a, "open")->size, 8);
	expect_bytes(&a, "v", v, sizeof v);
	expect_bytes(&a, "zero", NULL, 0);
	expect_bytes(&a, "empty", NULL, 0);
	t = find(&a, "table");
	cr_assert_eq(t->nrelocs, 3);
	r = &a.m->reloc[t->reloc];
	cr_expect(r[0].is_func && r[0].size == 8 && !r[0].generic);
	cr_expect(!r[1].is_func && r[1].addend == 4 && r[1].at == 8);
	cr_expect(r[2].generic && r[2].at == 16 && &a.m->var[r[2].index] == find(&a, "target"));
	t = find(&a, "part");
	cr_assert_eq(t->nrelocs, 2);
	cr_expect_eq(a.m->reloc[t->reloc + 1].shift, 8);
	cr_expect_eq(a.m->reloc[t->reloc + 1].size, 1);
	test_free(&a);
}

Test(assembler_layout, initial_values_rejected)
{
	EXPECT_CODES(".global .u32 x[2][2] = {1,2,3,4};", "", "E0420");
	EXPECT_CODES(".global .u32 x[2] = {1,2,3};", "", "E0419");
	EXPECT_CODES(".global .u32 x = {1};", "", "E0420");
	EXPECT_CODES(".global .u32 x[2] = 1;", "", "E0420");
	EXPECT_CODES(".func f() { ret; } .global .u64 x = f+4;", "", "E0420");
	EXPECT_CODES(".func f() { ret; } .global .b64 x = f;", "", "E0420");
	EXPECT_CODES(".shared .u32 s; .global .u64 x = s;", "", "E0420");
	EXPECT_CODES(".global .u64 x = later; .global .u32 later;", "", "E0201");
	EXPECT_CODES(".global .b8 x[0x100000000000000] = {1};", "", "E0434");
	EXPECT_CODES(".global .b8 x[3][0x40000000] = {{1},{1},{1}};", "", "E0434");
	EXPECT_CODES(".extern .global .u32 x = 3;", "", "E0418");
	EXPECT_CODES("", ".local .u32 x = 5;", "E0418");
}

Test(assembler_layout, most_dimensions)
{
	for (unsigned n = 31; n <= 33; n++) {
		struct text t = {0};

		text_puts(&t, ".global .v2 .u32 x");
		for (unsigned k = 0; k < n; k++)
			text_puts(&t, "[1]");
		text_puts(&t, " = ");
		for (unsigned k = 0; k <= n; k++)
			text_putc(&t, '{');
		text_puts(&t, "5, 7");
		for (unsigned k = 0; k <= n; k++)
			text_putc(&t, '}');
		text_putc(&t, ';');
		EXPECT_CODES(text_str(&t), "", n <= 32 ? "" : "E0434");
		text_free(&t);
	}
}

/* The largest allowed size, and one more. A kernel's .shared variables are those that it names: the
 * module's, at their offsets, and its own. */
Test(assembler_layout, sizes_of_const_and_shared)
{
	EXPECT_CODES(".const .b8 a[0x8000]; .const .b8 b[0x8000];", "", "");
	EXPECT_CODES(".const .b8 a[0x8000]; .const .b8 b[0x7fff]; .const .align 2 .b8 c[2];", "",
		"E0434");
	EXPECT_CODES(".shared .b8 a[0xc000];", "mov.u64 %rd1, a;", "");
	EXPECT_CODES(".shared .b8 a[0xc001];", "mov.u32 %r1, 1; mov.u64 %rd1, a;", "E0434");
	EXPECT_CODES(".shared .b8 a[0xc001];", "mov.u32 %r1, 1; st.shared.b8 [a+1], %r1;", "E0434");
	EXPECT_CODES(".shared .b8 a[0xc001]; .entry before() { .reg .b32 x; mov.u32 x, a; ret; }",
		"mov.u32 %r1, 1;", "E0434");
	EXPECT_CODES(".shared .b8 a[0xc001]; .entry before() { .reg .b32 x; mov.u32 x, 1; ret; }",
		"mov.u32 %r1, 1; mov.u32 %r1, 2; mov.u32 %r1, a;", "E0434");
	EXPECT_CODES(
		".shared .b8 a[0x8000]; .shared .b8 b[0x8000]; .entry before() { .reg .b32 x; mov.u32 x, a; ret; }",
		"mov.u32 %r1, 1; mov.u32 %r1, b;", "");
	EXPECT_CODES(".shared .b8 a[0x8000];",
		".shared .b8 c[0x4000]; mov.u64 %rd1, a; mov.u64 %rd1, c;", "");
	EXPECT_CODES(".shared .b8 a[0x8001];",
		".shared .b8 c[0x4000]; mov.u64 %rd1, a; mov.u64 %rd1, c;", "E0434");
	EXPECT_CODES(".shared .b8 a; .shared .align 16 .b8 b[0xbff0];",
		"mov.u32 %r1, a; mov.u32 %r1, b;", "");
	EXPECT_CODES(".shared .b8 a; .shared .align 16 .b8 b[0xbff1];",
		"mov.u32 %r1, a; mov.u32 %r1, b;", "E0434");
}

/* Shared memory is addressed with 32 bits; a kernel has 32764 bytes of parameters. */
Test(assembler_layout, most_shared_and_parameters)
{
	EXPECT_CODES(
		".shared .b8 a[0x80000000]; .shared .b8 b[0x80000000]; .shared .b8 c[0x80000000];",
		"", "E0434");
	EXPECT_CODES(".entry most(.param .align 1 .b8 p[32764]) { ret; }", "", "");
	EXPECT_CODES(".entry most(.param .align 1 .b8 p[32760], .param .u32 q) { ret; }", "", "");
	EXPECT_CODES(".entry more(.param .align 1 .b8 p[32765]) { ret; }", "", "E0425");
}

/* Sizes that an object file may claim: their sum exceeds 64 bits. */
Test(assembler_layout, more_than_any_memory)
{
	enum { MANY = 1 << 16 };
	static struct ir_var var[MANY];
	struct ir_func f = {.is_entry = true, .nparams = MANY};
	struct ir_module m = {.func = &f, .var = var, .nfuncs = 1, .nvars = MANY};
	uint32_t where;

	for (uint32_t i = 0; i < MANY; i++)
		var[i] = (struct ir_var){.space = W_param,
			.type = TYPE_b8,
			.align = 1,
			.size = UINT64_C(1) << 48,
			.func = 0};
	cr_expect_not(ir_layout(&m, &where));
	cr_expect_eq(where, 0);
	f = (struct ir_func){.nvars = MANY};
	cr_expect_not(ir_layout(&m, &where));
	for (uint32_t i = 0; i < MANY; i++)
		var[i].space = W_local;
	cr_expect_not(ir_layout(&m, &where));
}

/* The help of E0425 names a newer version that would allow more, if there is one. */
Test(assembler_layout, parameter_bytes_help)
{
	static const struct {
		const char *head;
		unsigned bytes;
		bool help;
	} rows[] = {{".version 8.0\n.target sm_90\n", 5000, true},
		{".version 8.0\n.target sm_90\n", 40000, false},
		{".version 8.1\n.target sm_70\n", 40000, false},
		{".version 9.0\n.target sm_61\n", 32764, true}};

	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct text t = {0};
		struct assembled a;

		text_printf(&t, "%s.address_size 64\n.entry k(.param .b8 a[%u]) { ret; }\n",
			rows[i].head, rows[i].bytes);
		a = test_assemble(text_str(&t));
		cr_assert_str_eq(test_codes(&a), "E0425");
		if (rows[i].help)
			cr_expect_str_eq(a.diags.first->help ? a.diags.first->help : "",
				"with PTX 8.1 and sm_70 or later the maximum is 32764 bytes");
		else
			cr_expect_null(a.diags.first->help);
		text_free(&t);
		test_free(&a);
	}
}
