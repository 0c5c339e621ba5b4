/* Scripts resolved against a module: every mistake with its code and location, and the parameter
 * buffer of a launch. */
#include "script/lang/args.h"
#include "script/lang/program.h"
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

static const char module[] =
	".version 8.0\n.target sm_90\n.address_size 64\n"
	".global .u32 count;\n.global .f32 table[8];\n.const .u64 limit = 5;\n.shared .u32 inside[4];\n"
	".func helper() { ret; }\n"
	".visible .entry k(.param .u64 p, .param .u32 n, .param .f32 x)\n{ .reg .b32 %r<4>; .reg .pred %p<2>; ret; }\n"
	".visible .entry s(.param .align 8 .b8 t[24], .param .u8 c)\n{ ret; }\n"
	".visible .entry v(.param .b32 q[4], .param .u16 h)\n{ ret; }\n"
	".visible .entry e() { ret; }\n";

static struct program p;

static void load(const char *lines)
{
	struct text t = {0};
	struct program_request r = {.path = "t.ptx"};

	text_printf(&t, "%s\n%s", lines, module);
	r.text = text_str(&t);
	r.size = t.len;
	program_load(&p, &r);
	cr_assert(p.assembled, "%s", p.diags.first ? p.diags.first->message : "");
	text_free(&t);
}

/* LINES yield exactly one diagnostic, CODE, at the first occurrence of AT in the last line. */
static void wrong(const char *lines, const char *code, const char *at)
{
	load(lines);
	struct diag *d = p.diags.first;
	const char *last = strrchr(lines, '\n') ? strrchr(lines, '\n') + 1 : lines,
		   *where = strstr(last + 4, at);

	cr_assert(d, "%s: no record", lines);
	cr_assert_null(d->next, "%s: also %s", lines, d->next ? d->next->message : "");
	cr_assert_str_eq(diag_code_info(d->code).code, code, "%s: %s", lines, d->message);
	cr_assert(where, "%s", at);
	cr_assert_eq(d->label[0].span.off, (uint32_t)(where - lines), "%s: %s at %u, not %zu",
		lines, d->message, d->label[0].span.off, (size_t)(where - lines));
	cr_assert_eq(d->label[0].span.len, strlen(at), "%s: %u bytes", lines, d->label[0].span.len);
	cr_assert_eq(p.status, 2);
	program_free(&p);
}

static void right(const char *lines)
{
	load(lines);
	cr_assert_eq(
		p.diags.errors, 0, "%s: %s", lines, p.diags.first ? p.diags.first->message : "");
	cr_assert_eq(p.status, 0);
	program_free(&p);
}

Test(script_resolve, words_and_names)
{
	wrong("//@ lanch k", "L0101", "lanch");
	wrong("//@ 3", "L0102", "3");
	wrong("//@ buffer 5 : u32[4]", "L0102", "5");
	wrong("//@ buffer %r : u32[4]", "L0102", "%r");
	wrong("//@ buffer a : 5[4]", "L0102", "5");
	wrong("//@ buffer a : u33[4]", "L0105", "u33");
	wrong("//@ buffer a : pred[4]", "L0105", "pred");
	wrong("//@ print nothing", "L0106", "nothing");
	wrong("//@ print inside", "L0106", "inside");
	wrong("//@ print cout", "L0106", "cout");
	wrong("//@ launch kk<<<1, 1>>>()", "L0107", "kk");
	wrong("//@ launch helper<<<1, 1>>>()", "L0107", "helper");
	wrong("//@ buffer a : u32[4]\n//@ buffer a : u32[4]", "L0112", "a");
	wrong("//@ buffer count : u32[4]", "L0112", "count");
	wrong("//@ case zz\n//@ sync\n//@ case zz", "L0129", "zz");
	wrong("//@ error E9998", "L0117", "E9998");
	wrong("//@ needs cpu", "L0118", "cpu");
	wrong("//@ expect fault nonsense", "L0127", "nonsense");
	wrong("//@ expect misuse nonsense", "L0127", "nonsense");
	wrong("//@ expect misuse F0201", "L0127", "F0201");
	wrong("//@ expect dedlock", "L0127", "dedlock");
}

Test(script, textures_that_there_are_not)
{
#define TEXTURE(line) wrong("//@ buffer b : u32[4]\n//@ texture zz : " line, "L0132", "zz")
	TEXTURE("f32[4, 4] = b pitch=18");
	TEXTURE("f32[4, 4] = b pitch=12");
	TEXTURE("f32[4, 4, 4] = b layers=2");
	TEXTURE("f32[140000] = b");
	TEXTURE("f32[4] = b unit");
	TEXTURE("u32[4] = b unit");
	TEXTURE("u8[4] = b filter");
	TEXTURE("f32[4] = b outside=wrap");
	TEXTURE("f32[4, 4] = b linear");
	TEXTURE("f32[4] = b linear filter");
#undef TEXTURE
}

Test(script_resolve, suggestions)
{
	static const struct {
		const char *line, *help;
	} wrongs[] = {{"//@ lanch e", "did you mean 'launch'?"},
		{"//@ print cout", "did you mean count?"},
		{"//@ launch ee<<<1, 1>>>()", "did you mean e?"}, {"//@ xylophone", NULL},
		{"//@ record aa\n//@ wait ab", "did you mean aa?"},
		{"//@ record aa\n//@ wait xyzzy", NULL},
		{"//@ buffer a : int[3]", "did you mean s32?"},
		{"//@ set sede=1", "did you mean seed?"},
		{"//@ set schedule=far", "did you mean fair?"},
		{"//@ print max2(1)", "did you mean max(...)?"},
		{"//@ expect uninitialize", "did you mean uninitialised?"},
		{"//@ expect misuze", "did you mean misuse?"},
		{"//@ expect misuse bariers_left", "did you mean barrier_left?"}};

	for (size_t k = 0; k < sizeof wrongs / sizeof wrongs[0]; k++) {
		load(wrongs[k].line);
		cr_assert(p.diags.first, "%s", wrongs[k].line);
		if (wrongs[k].help)
			cr_assert(
				p.diags.first->help && strstr(p.diags.first->help, wrongs[k].help),
				"%s: %s", wrongs[k].line,
				p.diags.first->help ? p.diags.first->help : "none");
		else
			cr_assert(!p.diags.first->help ||
					!strstr(p.diags.first->help, "did you mean"),
				"%s: %s", wrongs[k].line, p.diags.first->help);
		program_free(&p);
	}
}

Test(script_resolve, one_mistake_in_a_buffer_is_said_once)
{
	load("//@ buffer a : u33[4]\n//@ launch k<<<1, 1>>>(a, 1, 1)\n//@ expect a[0] == 1");
	cr_assert_eq(p.diags.count, 1);
	program_free(&p);
}

Test(script_resolve, numbers)
{
	wrong("//@ buffer a : u8[4] = 256", "L0109", "256");
	wrong("//@ buffer a : s8[4] = {1, 128}", "L0109", "128");
	wrong("//@ buffer a : u32[4] = 1.5", "L0110", "1.5");
	wrong("//@ buffer a : u32[-1]", "L0109", "-1");
	wrong("//@ buffer a : u64[1000000000000]", "L0124", "1000000000000");
	wrong("//@ buffer a : u32[2] = {1, 2, 3}", "L0114", "{1, 2, 3}");
	wrong("//@ buffer a : u8[300] = iota(0)", "L0109", "iota(0)");
	wrong("//@ buffer a : u8[3] = file(\"no such file\")", "L0201", "\"no such file\"");
	wrong("//@ buffer a : u8[3] = random(-1)", "L0109", "-1");
	wrong("//@ buffer a : u32[4]\n//@ expect a[4] == 0", "L0113", "4");
	wrong("//@ buffer a : u32[4]\n//@ expect a[0..4] == 0", "L0113", "4");
	wrong("//@ buffer a : u32[4]\n//@ expect a[3..2] == 0", "L0113", "a[3..2]");
	wrong("//@ buffer a : u32[4]\n//@ expect a[0..3] == table[0..4]", "L0119", "table[0..4]");
	wrong("//@ expect i == 2", "L0106", "i");
	wrong("//@ expect count = 2", "L0102", "=");
	right("//@ buffer a : u8[256] = iota(0)\n//@ buffer b : f16[2] = {1.5, nan}\n//@ buffer c : u32[] = {1, 2, 3}\n//@ expect c[2] == 3 && a[..] == i && count == 0");
}

Test(script_resolve, launches)
{
	wrong("//@ launch k<<<1, 1>>>(0, 1)", "L0108", "(0, 1)");
	wrong("//@ launch e<<<-3, 1>>>()", "L0109", "-3");
	wrong("//@ launch e<<<1, (1, 2, 3, 4)>>>()", "L0121", "4");
	wrong("//@ launch e<<<1>>>()", "L0102", ">>>");
	wrong("//@ launch e<<<1, 1>>>() clster=2", "L0102", "clster");
	wrong("//@ launch e<<<1, 1>>>() gpu=99", "L0109", "99");
	wrong("//@ launch k<<<1, 1>>>(count, 4294967296, 1)", "L0109", "4294967296");
	wrong("//@ launch k<<<1, 1>>>(count, 1.5, 1)", "L0110", "1.5");
	wrong("//@ launch k<<<1, 1>>>(count, 1e300, 1)", "L0110", "1e300");
	wrong("//@ launch k<<<1, 1>>>(0, count, 1)", "L0110", "count");
	wrong("//@ launch k<<<1, 1>>>(table[1], 1, 1)", "L0125", "table[1]");
	wrong("//@ launch k<<<1, 1>>>(&table[9], 1, 1)", "L0113", "9");
	wrong("//@ launch k<<<1, 1>>>(&3, 1, 1)", "L0110", "&3");
	wrong("//@ launch s<<<1, 1>>>({1, 2}, 0)", "L0111", "{1, 2}");
	wrong("//@ launch s<<<1, 1>>>(7, 0)", "L0110", "7");
	wrong("//@ launch k<<<1, 1>>>({0}, 1, 1)", "L0110", "{0}");
	wrong("//@ launch e<<<1, 1>>>()\n//@ set seed=1", "L0123", "set seed=1");
	wrong("//@ set seed", "L0102", "seed");
	wrong("//@ set =1", "L0102", "=1");
	wrong("//@ set seed=", "L0102", "seed=");
	wrong("//@ set seed=x", "L0115", "x");
	wrong("//@ expect prints 4294967296 lines", "L0109", "4294967296");
	wrong("//@ set sed=1", "L0115", "sed");
	wrong("//@ record a\n//@ wait b", "L0116", "b");
	wrong("//@ launch e<<<1, 1>>>()\n//@ observe P0:%r9", "L0126", "%r9");
	wrong("//@ launch k<<<(2, 2), 3>>>(0, 0, 0)\n//@ observe P12:%r1", "L0126", "P12:%r1");
	right("//@ set seed=1\n//@ launch e<<<(1, 2, 3), 32, 48*1024, copy>>>() cluster=(1, 2) cooperative gpu=1\n//@ record 1 copy\n//@ wait 1 0\n//@ sync");
	right("//@ launch k<<<1, 1>>>(&table[8], -1, 3)\n//@ launch k<<<1, 1>>>(helper, 0xffffffff, 1e-3)");
}

Test(script_resolve, preamble_holds_for_every_case)
{
	load("//@ set seed=3\n//@ needs interp\n//@ case a\n//@ sync\n//@ case b\n//@ sync");
	cr_assert_eq(p.script.cases.count, 2);
	for (unsigned k = 0; k < 2; k++) {
		cr_assert_eq(p.script.cases.data[k].first->kind, STMT_SET);
		cr_assert_eq(p.script.cases.data[k].first->next->kind, STMT_NEEDS);
	}
	program_free(&p);
}

/* The parameter buffer of the first launch, with buffer K of the case at 0x1000 * (K + 1). */
static const unsigned char *arguments(const char *lines)
{
	static unsigned char out[256];
	struct script_case *c;

	load(lines);
	cr_assert_eq(p.status, 0, "%s", p.diags.first ? p.diags.first->message : "");
	c = &p.script.cases.data[0];
	for (uint32_t k = 0; k < c->nobjects; k++)
		c->object[k].address = 0x1000 * (k + 1);
	memset(out, 0, sizeof out);
	cr_assert(args_build(
		&(struct args_context){
			.module = p.module, .in = c, .diags = &p.diags, .arena = &p.arena},
		c->first_launch, out));
	return out;
}

static void bytes(const unsigned char *at, uint64_t want, unsigned n)
{
	uint64_t got = 0;

	memcpy(&got, at, n);
	cr_assert_eq(
		got, want, "%llx, not %llx", (unsigned long long)got, (unsigned long long)want);
}

Test(script_args, scalars)
{
	const unsigned char *a = arguments(
		"//@ buffer b : u32[4]\n//@ launch k<<<1, 1>>>(&b[3], -2, 1.5)");

	bytes(a, 0x100c, 8);
	bytes(a + 8, 0xfffffffe, 4);
	bytes(a + 12, 0x3fc00000, 4);
	program_free(&p);
}

Test(script_args, structs_lie_at_their_natural_alignment)
{
	const unsigned char *a = arguments(
		"//@ buffer b : u32[4]\n//@ launch s<<<1, 1>>>({b, u8:7, u16:0x102, f32:1, 5}, 9)");

	bytes(a, 0x1000, 8);
	bytes(a + 8, 7, 2);
	bytes(a + 10, 0x102, 2);
	bytes(a + 12, 0x3f800000, 4);
	bytes(a + 16, 5, 8);
	bytes(a + 24, 9, 1);
	program_free(&p);
	a = arguments("//@ launch s<<<1, 1>>>({1, {u32:2, u8:3}, 1.0}, 9)");
	bytes(a + 8, 2, 4);
	bytes(a + 12, 3, 4);
	bytes(a + 16, 0x3ff0000000000000, 8);
	program_free(&p);
	/* padded at the end, as in C */
	a = arguments("//@ launch s<<<1, 1>>>({1, 2, u32:220}, 9)");
	bytes(a + 16, 220, 8);
	program_free(&p);
}

Test(script_args, arrays_take_an_element_each_or_a_struct)
{
	const unsigned char *a = arguments("//@ launch v<<<1, 1>>>({1, 2, 3, 4}, 9)");

	for (unsigned k = 0; k < 4; k++)
		bytes(a + 4 * k, k + 1, 4);
	bytes(a + 16, 9, 2);
	program_free(&p);
	a = arguments("//@ launch v<<<1, 1>>>({1, 2}, 9)");
	bytes(a, 1, 8);
	bytes(a + 8, 2, 8);
	program_free(&p);
}

Test(script_resolve, arbitrary_lines_end)
{
	static const char *const parts[] = {"buffer", "launch", "expect", "print", "k", "e", "a",
		":", "u32", "[", "]", "=", "{", "}", "(", ")", "<<<", ">>>", ",", "1", "4", "..",
		"iota", "random", "file", "\"x\"", "i", "==", "~=", "+", "-", "&", "count", "table",
		"P0", ":", "%r1", "set", "seed=1", "case", "c", "wait", "record", "\\\n//@",
		"\n//@", "?", "sum", "cluster", "f16", "write", "observe", "forbid", "fault",
		"prints", "error", "E0101", "needs", "gpu"};
	uint64_t seed = 7;

	for (unsigned run = 0; run < 1500; run++) {
		struct text t = {0};

		text_puts(&t, "//@ buffer a : u32[4] = 0\n//@ ");
		for (unsigned k = 0; k < 24; k++) {
			seed = seed * 6364136223846793005u + 1442695040888963407u;
			text_printf(
				&t, "%s ", parts[(seed >> 33) % (sizeof parts / sizeof parts[0])]);
		}
		load(text_str(&t));
		program_free(&p);
		text_free(&t);
	}
}
