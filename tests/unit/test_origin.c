/* The places of .loc: which text has which, chains of inlined calls, whose file is the user's. */
#include "diag/origin.h"
#include "tests/unit/assemble.h"

#define FILES \
	".file 1 \"/home/me/p/a.cu\"\n.file 2 \"/usr/include/lib.h\"\n.file 3 \"/home/me/p/sub/b.cuh\"\n"
#define NAMES \
	".section .debug_str\n{\nS0: // load, 1\n.b8 108,0x6f,97,100,0,120\nS1:\n.b8 98\n.b8 0\n.b32 7,8\nS2:\n.b8 99,0\n}\n"

/* The places at the text WHAT: "file:line:column function" of each frame, from the innermost
 * outwards, each followed by ";". */
static const char *frames(struct assembled *a, const char *what)
{
	static struct text t;
	const char *at = strstr(a->m->source->text, what);
	const struct origin *o;

	cr_assert_not_null(at, "%s", what);
	text_clear(&t);
	o = source_origin(a->m->source, (uint32_t)(at - a->m->source->text));
	for (; o; o = o->caller)
		text_printf(&t, "%s:%u:%u %s;", origin_base(o->file->name), o->line, o->column,
			o->function ? o->function : "?");
	return text_str(&t);
}

static const char text[] = TEST_HEAD
	".func lib()\n{\n.reg .b32 %r<9>;\n.loc 1 77 3\n.loc 2 70 1\nmov.u32 %r1, 40;\nret;\n}\n"
	".entry k()\n{\n.reg .b32 %r<99>;\nmov.u32 %r1, 1;\n.loc 1 10 0\nmov.u32 %r1, 2;\n"
	".loc 1 11 5\n.loc 2 5 1, function_name S0, inlined_at 1 11 5\nmov.u32 %r1, 3;\n"
	"//@ expect clean\n.loc 3 6 2, function_name S1, inlined_at 2 5 1\nmov.u32 %r1, 4;\nL:\n"
	".loc 1 0 9\nmov.u32 %r1, 5;\n.loc 1 12 1\n.loc 1 13 1\nmov.u32 %r1, 6;\n"
	".loc 9 14 1, function_name S2, inlined_at 1 77 3\nmov.u32 %r1, 7;\n"
	".loc 1 15 1\n.loc 1 15 1, function_name S0+1, inlined_at 1 15 1\nmov.u32 %r1, 8;\n"
	".loc 1 15 1, function_name S1+900, inlined_at 1 15 1\nmov.u32 %r1, 9;\n"
	".loc 1 0 2\n.loc 2 8 1, function_name S1, inlined_at 1 0 2\nmov.u32 %r1, 10;\n.loc 1 16 1\nret;\n.loc 1 17 1\n}\n.global .u32 after;\n" FILES
		NAMES;

Test(origin, table)
{
	struct assembled a = test_assemble(text);

	cr_assert_not_null(a.m, "%s", test_codes(&a));
	cr_expect_str_eq(frames(&a, ".version"), "");
	cr_expect_str_eq(frames(&a, "k()"), "a.cu:10:0 k;", "the name of the kernel");
	cr_expect_str_eq(frames(&a, "%r1, 1;"), "", "before the first .loc");
	cr_expect_str_eq(frames(&a, "%r1, 2;"), "a.cu:10:0 k;");
	cr_expect_str_eq(frames(&a, "%r1, 3;"), "lib.h:5:1 load;a.cu:11:5 k;");
	cr_expect_str_eq(frames(&a, "expect clean"), "", "a directive is of no statement");
	cr_expect_str_eq(frames(&a, "%r1, 4;"), "b.cuh:6:2 b;lib.h:5:1 load;a.cu:11:5 k;");
	cr_expect_str_eq(frames(&a, "%r1, 5;"), "b.cuh:6:2 b;lib.h:5:1 load;a.cu:11:5 k;",
		"line 0 keeps the place");
	cr_expect_str_eq(frames(&a, "%r1, 6;"), "a.cu:13:1 k;", "the last of several");
	cr_expect_str_eq(frames(&a, "%r1, 7;"), "<unknown>:14:1 c;a.cu:77:3 k;");
	cr_expect_str_eq(frames(&a, "%r1, 8;"), "a.cu:15:1 oad;a.cu:15:1 k;");
	cr_expect_str_eq(frames(&a, "%r1, 9;"), "a.cu:15:1 ?;a.cu:15:1 oad;a.cu:15:1 k;");
	cr_expect_str_eq(frames(&a, "%r1, 10;"), "lib.h:8:1 b;a.cu:15:1 k;", "a call in line 0");
	cr_expect_str_eq(frames(&a, "ret;\n.loc 1 17"), "a.cu:16:1 k;");
	cr_expect_str_eq(frames(&a, "after"), "");
	test_free(&a);
}

/* An object has the same places. */
Test(origin, object)
{
	struct assembled a = test_assemble(text), b = {0};
	struct text bytes = {0};

	ir_object_write(a.m, true, &bytes);
	b.m = ir_object_read(source_new(&b.arena, "o.ptxo", text_str(&bytes), bytes.len), &b.diags);
	cr_assert_not_null(b.m);
	cr_assert_not_null(b.m->source->origins);
	cr_expect_eq(b.m->source->origins->n, a.m->source->origins->n);
	for (uint32_t i = 0; i < a.m->source->origins->n; i++) {
		const struct origin *x = a.m->source->origins->at[i],
				    *y = b.m->source->origins->at[i];

		cr_expect_eq(a.m->source->origins->off[i], b.m->source->origins->off[i]);
		for (; x && y; x = x->caller, y = y->caller) {
			cr_expect_eq(x->line, y->line);
			cr_expect_str_eq(x->file->name, y->file->name);
			cr_expect_str_eq(
				x->function ? x->function : "", y->function ? y->function : "");
		}
		cr_expect(!x && !y);
	}
	text_free(&bytes);
	test_free(&a);
	test_free(&b);
}

static const struct origin *at(struct assembled *a, const char *what)
{
	return source_origin(
		a->m->source, (uint32_t)(strstr(a->m->source->text, what) - a->m->source->text));
}

Test(origin, users)
{
	struct assembled a = test_assemble(text);

	cr_expect_eq(
		origin_users(at(&a, "%r1, 4;"))->line, 6, "b.cuh is below the kernel's folder");
	cr_expect_eq(origin_users(at(&a, "%r1, 3;"))->line, 11, "the call, not the library");
	cr_expect_eq(origin_users(at(&a, "%r1, 40;"))->line, 70, "nobody calls it");
	cr_expect_null(origin_users(NULL));
	cr_expect_str_eq(
		source_line_text(a.m->source,
			(uint32_t)(strstr(a.m->source->text, "%r1, 3;") - a.m->source->text),
			(struct span){0, 0})
			.text,
		"a.cu:11 [line 20]");
	test_free(&a);
}

Test(origin, beside)
{
	cr_expect(origin_beside("/p/a.h", "/p/a.cu"));
	cr_expect(origin_beside("/p/sub/a.h", "/p/a.cu"));
	cr_expect(origin_beside("a.h", "a.cu"));
	cr_expect(origin_beside("sub/a.h", "a.cu"));
	cr_expect(origin_beside("C:\\p\\sub\\a.h", "C:\\p\\a.cu"));
	cr_expect_not(origin_beside("/p/../a.h", "/p/a.cu"));
	cr_expect_not(origin_beside("/usr/include/a.h", "a.cu"));
	cr_expect_not(origin_beside("../a.h", "a.cu"));
	cr_expect_not(origin_beside("/pp/a.h", "/p/a.cu"));
	cr_expect_not(origin_beside("", "/p/a.cu"));
}

/* Whether the file HEADER is the user's in a program whose kernel is in the file KERNEL. */
static bool is_users(const char *kernel, const char *header)
{
	struct text t = {0};
	struct assembled a;
	bool users;

	text_printf(&t,
		"%s.entry k()\n{\n.loc 1 1 1\nbar.sync 0;\n.loc 2 2 1, function_name S0, inlined_at 1 1 1\nbar.sync 1;\nret;\n}\n.file 1 \"%s\"\n.file 2 \"%s\"\n%s",
		TEST_HEAD, kernel, header, NAMES);
	a = test_assemble(text_str(&t));
	cr_assert_not_null(a.m, "%s", test_codes(&a));
	users = at(&a, "bar.sync 1")->file->users;
	test_free(&a);
	text_free(&t);
	return users;
}

Test(origin, projects)
{
	cr_expect(is_users("/home/me/p/a.cu", "/home/me/p/include/b.h"));
	cr_expect(is_users("/home/me/p/src/a.cu", "/home/me/p/include/b.h"));
	cr_expect(is_users("src/a.cu", "include/b.h"));
	cr_expect(is_users("C:\\p\\src\\a.cu", "C:\\p\\include\\b.h"));
	cr_expect(is_users("a.cu", "cuda/include/helper.h"));
	cr_expect_not(is_users("a.cu", "cuda/include/cccl/cuda/barrier.h"));
	cr_expect_not(is_users("/p/a.cu", "/p/env/include/cooperative_groups.h"));
	cr_expect_not(is_users("src/a.cu", "/usr/include/b.h"));
	cr_expect_not(is_users("/src/a.cu", "/usr/include/b.h"), "the root is no project");
	cr_expect_not(is_users("C:\\src\\a.cu", "C:\\CUDA\\b.h"));
	cr_expect_not(is_users("/home/me/a.cu", "/home/cuda/include/b.h"));
	cr_expect_not(is_users("/home/me/p/code/a.cu", "/home/me/p/include/b.h"));
	cr_expect_not(is_users("/home/me/p/src/a.cu", "/usr/local/cuda/include/b.h"));
}

/* Functions of a library that were not inlined: CALLS are the calls in the kernel. */
static const char *called(const char *calls, const char *more)
{
	struct text t = {0};
	struct assembled a;
	const char *s;

	text_printf(&t,
		TEST_HEAD
		".func inner()\n{\n.loc 2 80 1\nbar.sync 3;\nbar.sync 4;\nret;\n}\n.func lib()\n{\n.loc 2 70 1\ncall inner;\nret;\n}\n"
		"%s.entry k()\n{\n.reg .b64 %%rd<3>;\n.loc 1 1 1\nbar.sync 0;\n%s\nret;\n}\n" FILES,
		more, calls);
	a = test_assemble(text_str(&t));
	cr_assert_not_null(a.m, "%s: %s", calls, test_codes(&a));
	s = frames(&a, "bar.sync 3");
	test_free(&a);
	text_free(&t);
	return s;
}

Test(origin, calls)
{
	cr_expect_str_eq(called("", ""), "lib.h:80:1 inner;");
	cr_expect_str_eq(called(".loc 1 5 3\ncall lib;", ""), "lib.h:80:1 inner;a.cu:5:3 k;");
	cr_expect_str_eq(called(".loc 1 5 3\ncall lib;\ncall lib;", ""),
		"lib.h:80:1 inner;a.cu:5:3 k;", "twice from one place");
	cr_expect_str_eq(called(".loc 1 5 3\ncall lib;\n.loc 1 6 3\ncall lib;", ""),
		"lib.h:80:1 inner;", "from two places");
	cr_expect_str_eq(called(".loc 1 5 3\ncall lib;\n.loc 1 6 3\ncall inner;", ""),
		"lib.h:80:1 inner;", "directly, too");
	cr_expect_str_eq(called(".loc 1 5 3\ncall lib;\nmov.u64 %rd1, lib;", ""),
		"lib.h:80:1 inner;", "its address is taken");
	cr_expect_str_eq(called(".loc 9 5 3\ncall lib;", ""), "lib.h:80:1 inner;",
		"from a file that has no name");
	cr_expect_str_eq(
		called(".loc 9 5 3\n.loc 1 6 1, function_name S0, inlined_at 9 5 3\ncall lib;",
			NAMES),
		"lib.h:80:1 inner;a.cu:6:1 load;<unknown>:5:3 k;");
	cr_expect_str_eq(called(".loc 1 5 3\ncall lib;", ".global .u64 table = lib;\n"),
		"lib.h:80:1 inner;", "its address is in a variable");
}

/* A chain of inlined calls has a bounded length, and 20,000 of them do not take long. */
Test(origin, depth, .timeout = 20)
{
	struct text t = {0};
	struct assembled a;
	unsigned depth = 0;

	text_printf(&t, "%s.entry k()\n{\n.reg .b32 %%r<3>;\n.loc 1 1 1\nmov.u32 %%r1, 0;\n",
		TEST_HEAD);
	for (unsigned i = 0; i < 20000; i++)
		text_printf(
			&t, ".loc 1 1 1, function_name S0, inlined_at 1 1 1\nmov.u32 %%r1, 1;\n");
	text_printf(&t, "mov.u32 %%r2, 2;\nret;\n}\n%s%s", FILES, NAMES);
	a = test_assemble(text_str(&t));
	cr_assert_not_null(a.m);
	for (uint32_t i = 0; i < a.m->source->origins->n; i++) {
		unsigned n = 0;

		for (const struct origin *o = a.m->source->origins->at[i]; o; o = o->caller)
			n++;
		depth = n > depth ? n : depth;
	}
	cr_expect_eq(depth, ORIGIN_DEPTH);
	test_free(&a);
	text_free(&t);
}
