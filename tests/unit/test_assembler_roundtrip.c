/* Printing and objects: printed text assembles to the same module, objects contain the same module,
 * and damaged ones are rejected. */
#include "assemble.h"
#include "ir/object_format.h"
#include <dirent.h>
#include <stdio.h>

static const char sample[] = TEST_HEAD
	".file 1 \"a.cu\"\n.extern .func (.param .b32 r) vprintf (.param .b64 a, .param .b64 b);\n.func (.param .b32 r) f (.param .b32 a);\n"
	".global .align 4 .b8 text[5] = {104, 105};\n.global .u64 table[2] = {f, generic(text)};\n.extern .shared .align 16 .b8 dynamic[];\n.const .f32 c[2] = {0.5, 1.5};\n"
	".func (.param .b32 r) f (.param .b32 a)\n{\n.reg .b32 %r<3>;\nld.param.b32 %r1, [a];\nadd.s32 %r2, %r1, -1;\nst.param.b32 [r], %r2;\nret;\n}\n"
	".func (.reg .b32 x) g (.reg .b32 y, .reg .f32 z)\n{\nmov.b32 x, y;\nret;\n}\n"
	".visible .entry k(.param .u64 .ptr .global .align 8 out, .param .u32 n)\n.reqntid 64, 1, 1\n.pragma \"nounroll\";\n.pragma \"\";\n{\n" TEST_REGS
	".reg .v4 .f32 %v;\n.shared .align 8 .b64 mb;\n.local .align 8 .b8 frame[32];\n.loc 1 3 5\nld.param.u64 %rd1, [out];\nL1:\n.pragma \"nounroll\";\n"
	"mov.u32 %r1, %tid.x;\nsetp.lt.u32 %p1|%p2, %r1, 4294967295;\n@!%p1 bra L2;\n.pragma \"used_bytes_mask 0xf\";\nld.global.v2.u32 {%r2, _}, [%rd1+-8];\n"
	"{ .reg .b32 t; .param .b32 a; .param .b32 r; mov.u32 t, 3; st.param.b32 [a], t; call.uni (r), f, (a); ld.param.b32 %r3, [r]; }\n"
	"{ .reg .b32 t; .param .b32 a; .param .b32 r; mov.u32 t, 4; st.param.b32 [a], t; call.uni (r), f, (a); ld.param.b32 %r3, [r]; }\n"
	"call (%r4), g, (%r3, 1.5);\np: .callprototype (.param .b32 _) _ (.param .b32 _);\ncall (%r4), %rd2, (%r3), p;\nt: .branchtargets L1, L2;\nbrx.idx %r4, t;\n"
	"mov.u16 %h1, -32769;\nmov.s32 %r1, -0;\nmov.f32 %v.y, 0f3F800000;\nmbarrier.init.shared.b64 [mb], 32;\nshfl.sync.bfly.b32 %r5|%p3, %r4, 1, 31, -1;\nmov.u64 %rd3, text+2;\nst.local.f64 [frame+8], 0.1;\n"
	"L2:\nret;\n}\n";

static struct text object_of(const struct ir_module *m, bool places)
{
	struct text t = {0};

	ir_object_write(m, places, &t);
	return t;
}

static bool same(const struct text *a, const struct text *b)
{
	return a->len == b->len && memcmp(a->data, b->data, a->len) == 0;
}

Test(assembler_roundtrip, text)
{
	struct assembled a = test_assemble(sample), b;
	struct text first = {0}, second = {0}, x, y;

	cr_assert_not_null(
		a.m, "%s: %s", test_codes(&a), a.diags.first ? a.diags.first->message : "");
	assembler_print(a.m, &first);
	b = test_assemble(text_str(&first));
	cr_assert_not_null(b.m, "%s: %s\n%s", test_codes(&b),
		b.diags.first ? b.diags.first->message : "", text_str(&first));
	assembler_print(b.m, &second);
	cr_expect_str_eq(text_str(&first), text_str(&second));
	x = object_of(a.m, false);
	y = object_of(b.m, false);
	cr_expect(same(&x, &y), "assembling what was printed gives the same object");
	cr_expect_not_null(strstr(text_str(&first), ".loc 1 3 5\n"));
	cr_expect_not_null(strstr(text_str(&first), ".pragma \"used_bytes_mask 0xf\";\n"));
	cr_expect_not_null(strstr(text_str(&first), "add.s32 %r2, %r1, -1;\n"));
	text_free(&first);
	text_free(&second);
	text_free(&x);
	text_free(&y);
	test_free(&a);
	test_free(&b);
}

/* Every part of a module is printed in its place, with the blank lines between; objects with the
 * same name in one function are renamed. */
Test(assembler_roundtrip, whole_text)
{
	static const char text[] = TEST_HEAD
		".file 1 \"a.cu\", 12, 345\n.file 2 \"b.cu\"\n.global .u32 x = 3;\n.func f (.param .b32 a)\n{\nret;\n}\n.entry k()\n.maxntid 32, 1, 1\n{\n.reg .b32 %r1;\n"
		"{\n.reg .u32 x, %tid;\nmov.u32 x, 1;\nmov.u32 %tid, x;\n}\n{\n.shared .u32 x;\nst.shared.u32 [x], 2;\n}\nld.global.u32 %r1, [x];\nmov.u32 %r1, %tid.x;\n"
		"vadd4.u32.u32.u32 %r1, %r1.b3210, %r1.b7654, %r1;\nret;\n}\n";
	static const char want[] = TEST_HEAD
		"\n.file 1 \"a.cu\", 12, 345\n.file 2 \"b.cu\"\n.global .u32 x = 3;\n\n.func f(.param .b32 a)\n{\n\tret;\n}\n\n.entry k()\n.maxntid 32, 1, 1\n{\n"
		"\t.reg .u32 %tid$<3>;\n\t.reg .b32 %r<2>;\n\t.reg .u32 x$3;\n\t.shared .u32 x$2;\n\tmov.u32 x$3, 1;\n\tmov.u32 %tid$2, x$3;\n"
		"\tst.shared.u32 [x$2], 2;\n\tld.global.u32 %r1, [x];\n\tmov.u32 %r1, %tid.x;\n\tvadd4.u32.u32.u32 %r1, %r1.b3210, %r1.b7654, %r1;\n\tret;\n}\n\n";
	struct assembled a = test_assemble(text), b;
	struct text out = {0}, x, y;

	cr_assert_not_null(
		a.m, "%s: %s", test_codes(&a), a.diags.first ? a.diags.first->message : "");
	assembler_print(a.m, &out);
	cr_expect_str_eq(text_str(&out), want, "%s", text_str(&out));
	b = test_assemble(text_str(&out));
	cr_assert_not_null(b.m, "%s", test_codes(&b));
	x = object_of(a.m, false);
	y = object_of(b.m, false);
	cr_expect(same(&x, &y));
	text_free(&out);
	text_free(&x);
	text_free(&y);
	test_free(&a);
	test_free(&b);
}

static struct ir_module *read_object(struct assembled *a, const char *bytes, size_t n)
{
	return ir_object_read(source_new(&a->arena, "x.ptxo", bytes, n), &a->diags);
}

Test(assembler_roundtrip, object)
{
	struct assembled a = test_assemble(sample);
	struct text x, y, p = {0}, q = {0};
	struct ir_module *m;

	cr_assert_not_null(a.m);
	x = object_of(a.m, true);
	cr_expect(ir_object_is(x.data, x.len));
	cr_expect_lt(x.len, sizeof sample);
	m = read_object(&a, x.data, x.len);
	cr_assert_not_null(m, "%s", a.diags.first ? a.diags.first->message : "");
	y = object_of(m, true);
	cr_expect(same(&x, &y));
	assembler_print(a.m, &p);
	assembler_print(m, &q);
	cr_expect_str_eq(text_str(&p), text_str(&q));
	cr_expect_eq(m->func[2].param_bytes, a.m->func[2].param_bytes);
	cr_expect_eq(m->func[2].local_bytes, a.m->func[2].local_bytes);
	cr_expect_str_eq(m->source->name, "test.ptx");
	cr_expect_eq(m->insn[5].span.off, a.m->insn[5].span.off);
	ir_module_free(m);
	text_free(&x);
	text_free(&y);
	text_free(&p);
	text_free(&q);
	test_free(&a);
}

/* Every truncation and every changed byte is detected. */
Test(assembler_roundtrip, damage)
{
	struct assembled a = test_assemble(sample);
	struct text x = object_of(a.m, true);
	char *copy = malloc(x.len);

	for (size_t n = 0; n < x.len; n += 7) {
		cr_expect_null(read_object(&a, x.data, n), "cut off at %zu", n);
		memcpy(copy, x.data, x.len);
		copy[n] = (char)(copy[n] ^ 0x41);
		cr_expect_null(read_object(&a, copy, x.len), "changed at %zu", n);
	}
	cr_expect_eq(a.diags.first->code, DIAG_E0450);
	free(copy);
	text_free(&x);
	test_free(&a);
}

/* The .loc lines of TEXT, in order. */
static void loc_lines(const char *text, struct text *out)
{
	for (const char *end; *text; text = *end ? end + 1 : end) {
		end = text + strcspn(text, "\n");
		text += strspn(text, "\t ");
		if (strncmp(text, ".loc ", 5) == 0)
			text_printf(out, "%.*s\n", (int)(end - text), text);
	}
}

/* Every .loc is printed as written: several before one instruction, equal ones, the last in a
 * function, those of a function that is printed elsewhere. */
Test(assembler_roundtrip, loc)
{
	static const char source[] = TEST_HEAD
		".file 1 \"a.cu\"\n.file 2 \"b.h\"\n.entry k()\n{\n.reg .b32 %r<4>;\n.loc 1 10 2\n.loc 1 11 3\n.loc 2 5 1, function_name $L__info_string0, inlined_at 1 11 3\n"
		"mov.u32 %r1, 1;\n.loc 2 6 1, function_name $L__info_string0+7, inlined_at 1 11 3\n.loc 1 9 1\n.loc 1 9 1\nL:\nmov.u32 %r2, 2;\nmov.u32 %r3, 3;\n.loc 1 9 1\nret;\n"
		".loc 1 12 1\n}\n.func g()\n{\n.loc 2 4000000000 1\nret;\n}\n.entry l()\n{\nret;\n.loc 2 1 1\n.loc 1 1 1, function_name $L__info_string0, inlined_at 1 11 3\n}\n"
		".section .debug_str\n{\n$L__info_string0:\n.b8 103, 0\n}\n";
	struct assembled a = test_assemble(source), b;
	struct text first = {0}, second = {0}, third = {0}, want = {0}, got = {0}, x;
	struct ir_module *m;

	cr_assert_not_null(
		a.m, "%s: %s", test_codes(&a), a.diags.first ? a.diags.first->message : "");
	assembler_print(a.m, &first);
	loc_lines(source, &want);
	loc_lines(text_str(&first), &got);
	cr_expect_str_eq(text_str(&got), text_str(&want));
	cr_expect_not_null(
		strstr(text_str(&first),
			"mov.u32 %r2, 2;\n\tmov.u32 %r3, 3;\n\t.loc 1 9 1\n\tret;\n\t.loc 1 12 1\n}"),
		"each before its instruction:\n%s", text_str(&first));
	b = test_assemble(text_str(&first));
	cr_assert_not_null(
		b.m, "%s: %s", test_codes(&b), b.diags.first ? b.diags.first->message : "");
	assembler_print(b.m, &second);
	cr_expect_str_eq(text_str(&second), text_str(&first));
	x = object_of(a.m, false);
	m = read_object(&a, x.data, x.len);
	cr_assert_not_null(m, "%s", a.diags.first ? a.diags.first->message : "");
	assembler_print(m, &third);
	cr_expect_str_eq(text_str(&third), text_str(&first));
	ir_module_free(m);
	text_free(&first);
	text_free(&second);
	text_free(&third);
	text_free(&want);
	text_free(&got);
	text_free(&x);
	test_free(&a);
	test_free(&b);
}

/* Several results are in registers, and forms that ptxas writes differently mean the same after
 * printing. */
Test(assembler_roundtrip, forms)
{
	static const char *const texts[] = {
		".func (.reg .b32 x, .reg .b32 y) g (.reg .b32 a, .reg .b32 b)\n{\nmov.b32 x, a;\nmov.b32 y, b;\nret;\n}\n",
		".entry k()\n{\n.reg .b64 %a, %b;\n.reg .v2 .b32 v;\n.reg .b32 %r<4>;\nmov.u64 %a, 1;\nadd.u64 %b, %a+8, %a+16;\nst.global.u64 [%b], %a+1;\nmov.v2.b32 v, {%r1, %r2};\nmov.b64 %a, v;\nmov.v4.u32 {%r1, _, %r2, %r3}, %tid;\nld.global.u32 {%r1}, [%a];\nst.global.u32 [%a], {%r1};\nmov.b64 {%a}, %b;\nret;\n}\n",
		".entry k() { ret; }\n.global .u64 t[2] = {k, 0};\n.entry l()\n{\n.reg .b64 %a;\ncvta.to.global.u64 %a, t+8;\np: .callprototype _ (.param .pred _);\nret;\n}\n",
	};

	for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
		struct text source = {0}, first = {0}, second = {0}, x, y;

		text_printf(&source, "%s%s", TEST_HEAD, texts[i]);
		struct assembled a = test_assemble(text_str(&source)), b;

		cr_assert_not_null(
			a.m, "%s: %s", test_codes(&a), a.diags.first ? a.diags.first->message : "");
		assembler_print(a.m, &first);
		b = test_assemble(text_str(&first));
		cr_assert_not_null(b.m, "%s: %s\n%s", test_codes(&b),
			b.diags.first ? b.diags.first->message : "", text_str(&first));
		assembler_print(b.m, &second);
		cr_expect_str_eq(text_str(&first), text_str(&second));
		x = object_of(a.m, false);
		y = object_of(b.m, false);
		cr_expect(same(&x, &y), "%s", text_str(&first));
		struct ir_module *m = read_object(&a, x.data, x.len);
		cr_expect_not_null(m, "%s", text_str(&first));
		ir_module_free(m);
		text_free(&source);
		text_free(&first);
		text_free(&second);
		text_free(&x);
		text_free(&y);
		test_free(&a);
		test_free(&b);
	}
}

/* --- every file of the tests that assembles --- */

static struct text file_text(const char *path)
{
	FILE *f = fopen(path, "rb");
	struct text t = {0};
	char part[4096];
	size_t n;

	cr_assert(f, "%s", path);
	while ((n = fread(part, 1, sizeof part, f)))
		text_add(&t, part, n);
	fclose(f);
	return t;
}

static bool check_file(const char *path)
{
	struct text text = file_text(path);
	struct assembled a = test_assemble(text_str(&text)), b;
	struct text first = {0}, second = {0}, x, y;
	bool good = a.m;

	if (good) {
		assembler_print(a.m, &first);
		b = test_assemble(text_str(&first));
		cr_expect(b.m, "%s: what is printed of it does not assemble: %s", path,
			test_codes(&b));
		if (b.m) {
			assembler_print(b.m, &second);
			x = object_of(a.m, false);
			y = object_of(b.m, false);
			cr_expect(strcmp(text_str(&first), text_str(&second)) == 0,
				"%s: what is printed of it prints otherwise", path);
			cr_expect(same(&x, &y), "%s: what is printed of it gives another object",
				path);
			text_free(&x);
			text_free(&y);
		}
		test_free(&b);
	}
	text_free(&first);
	text_free(&second);
	test_free(&a);
	text_free(&text);
	return good;
}

Test(assembler_roundtrip, every_file)
{
	static const char *const folder[] = {
		"course", "error", "litmus", "nvcc", "race", "run", "sync"};
	unsigned good = 0;

	for (unsigned k = 0; k < sizeof folder / sizeof *folder; k++) {
		char path[512];

		snprintf(path, sizeof path, "tests/ptx/%s", folder[k]);
		DIR *d = opendir(path);

		cr_assert(d, "%s", path);
		for (struct dirent *e; (e = readdir(d));) {
			size_t n = strlen(e->d_name);

			if (n < 5 || strcmp(e->d_name + n - 4, ".ptx") != 0)
				continue;
			snprintf(path, sizeof path, "tests/ptx/%s/%s", folder[k], e->d_name);
			good += check_file(path);
		}
		closedir(d);
	}
	cr_assert_gt(good, 150, "%u files", good);
}
