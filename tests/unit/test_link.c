/* Several modules on one device: one address space, and linking. */
#include "assembler/assembler.h"
#include "ir/object.h"
#include <criterion/criterion.h>
#include <ptxi/device.h>
#include <stdio.h>
#include <string.h>

#define HEAD ".version 8.0\n.target sm_90\n.address_size 64\n"
/* a kernel k(to) that calls f for a word, which it stores */
#define CALLS_F \
	".visible .entry k(.param .u64 to)\n{\n.reg .b64 %d;\n.reg .b32 %r;\n" \
	".param .b32 result;\nld.param.u64 %d, [to];\ncall (result), f, ();\n" \
	"ld.param.b32 %r, [result];\nst.global.u32 [%d], %r;\nret;\n}\n"
#define RETURNS(linkage, name, value) \
	linkage ".func (.param .b32 r) " name "()\n{\nst.param.b32 [r], " value ";\nret;\n}\n"
/* a kernel k(to) that stores the value of x */
#define READS_X \
	".visible .entry k(.param .u64 to)\n{\n.reg .b64 %d;\n.reg .b32 %r;\n" \
	"ld.param.u64 %d, [to];\nld.global.u32 %r, [x];\nst.global.u32 [%d], %r;\nret;\n}\n"

struct world {
	struct ptxi_device *d;
	uint64_t to; /* 32 words */
};

static struct world begin_with(const char *const *settings)
{
	struct world w = {.d = ptxi_device_new(
				  &(struct ptxi_device_options){.settings = settings, .jobs = 1})};

	cr_assert_not_null(w.d);
	cr_assert_eq(ptxi_alloc(w.d, 128, 0, "to", NULL, &w.to), PTXI_OK);
	return w;
}

static struct world begin(void)
{
	static const char *const settings[] = {"check=all", NULL};

	return begin_with(settings);
}

static struct ptxi_module *load(struct world *w, const char *name, const char *text)
{
	struct ptxi_module *m = NULL;

	cr_assert_eq(ptxi_device_load(w->d, name, text, strlen(text), &m), PTXI_OK, "%s", name);
	return m;
}

/* a.ptx and b.ptx */
static enum ptxi_exit link2(
	struct world *w, const char *a, const char *b, unsigned flags, struct ptxi_module **m)
{
	struct ptxi_image image[] = {{"a.ptx", a, strlen(a)}, {"b.ptx", b, strlen(b)}};

	return ptxi_device_link(w->d, image, 2, flags, m);
}

/* Starts KERNEL with the argument A. */
static void start(
	struct world *w, ptxi_stream s, const struct ptxi_module *m, const char *kernel, uint64_t a)
{
	void *args[] = {&a};
	unsigned f;

	cr_assert_eq(ptxi_module_function(w->d, m, kernel, &f), PTXI_OK, "%s", kernel);
	cr_assert_eq(ptxi_start(w->d, s, m, f, &(struct ptxi_grid){.args = args}), PTXI_OK);
}

static unsigned word(struct world *w, uint64_t at)
{
	unsigned value = 0;
	struct ptxi_copy copy = {.from = at, .to_host = &value, .size = 4};

	cr_assert_eq(ptxi_copy(w->d, 0, &copy, NULL), PTXI_OK);
	cr_assert_eq(ptxi_sync(w->d), PTXI_OK);
	return value;
}

/* What k of M stores. */
static unsigned runs(struct world *w, const struct ptxi_module *m)
{
	start(w, 0, m, "k", w->to);
	return word(w, w->to);
}

/* "R0101 a.ptx:4 b.ptx:7; ": all findings since the last call, with their places. */
static const char *findings(struct world *w)
{
	static char text[1000];
	struct ptxi_report *r = ptxi_take_findings(w->d);
	size_t n = 0;

	*text = '\0';
	for (size_t k = 0; k < ptxi_report_count(r); k++) {
		const struct ptxi_finding *f = ptxi_report_finding(r, k);

		n += (size_t)snprintf(text + n, sizeof text - n, "%s", f->code);
		for (size_t j = 0; j < f->nplaces; j++)
			if (f->places[j].file)
				n += (size_t)snprintf(text + n, sizeof text - n, " %s:%u",
					f->places[j].file, f->places[j].line);
		n += (size_t)snprintf(text + n, sizeof text - n, "; ");
	}
	ptxi_report_free(r);
	return text;
}

static bool says(struct world *w, const char *part)
{
	struct ptxi_report *r = ptxi_take_findings(w->d);
	bool found = strstr(ptxi_report_text(r), part) != NULL;

	if (!found)
		printf("does not say '%s':\n%s", part, ptxi_report_text(r));
	ptxi_report_free(r);
	return found;
}

/* --- linking --- */

/* The verdicts are those of nvlink 13.0. */
Test(link, rules)
{
#define F_TAKES(list) ".extern .func f(" list ");\n" USES_F
#define USES_F ".visible .entry k()\n{\n.reg .b64 %d;\nmov.u64 %d, f;\nret;\n}\n"
#define F_HAS(list) ".visible .func f(" list ")\n{\nret;\n}\n"
	static const struct {
		const char *a, *b, *found; /* "": it is linked */
	} pair[] = {
		{".extern .global .u32 x;\n", ".visible .global .u32 y;\n", "E0460 a.ptx:4; "},
		{".extern .global .u32 x;\n", ".global .u32 x;\n", "E0460 a.ptx:4; "},
		{".extern .global .u32 x;\n", ".visible .global .u32 x;\n", ""},
		{".extern .global .u32 x;\n", ".extern .global .u32 x;\n", "E0460 a.ptx:4; "},
		{".extern .global .u32 x;\n", ".visible .global .f32 x;\n", ""},
		{".extern .global .u32 x;\n", ".visible .global .u64 x;\n",
			"E0462 b.ptx:4 a.ptx:4; "},
		{".extern .global .u32 x[];\n", ".visible .global .u32 x[5];\n", ""},
		{".extern .global .u32 x[4];\n", ".visible .global .u32 x[5];\n",
			"E0462 b.ptx:4 a.ptx:4; "},
		{".visible .global .u32 x[5];\n", ".extern .global .u32 x[6];\n",
			"E0462 b.ptx:4 a.ptx:4; "},
		{".extern .global .align 16 .u32 x;\n", ".visible .global .align 4 .u32 x;\n", ""},
		{".extern .global .u32 x;\n", ".visible .const .u32 x;\n",
			"E0462 b.ptx:4 a.ptx:4; "},
		{".visible .global .u32 x;\n", ".visible .global .u32 x;\n",
			"E0461 b.ptx:4 a.ptx:4; "},
		{".global .u32 x;\n", ".visible .global .u32 x;\n", ""},
		{".weak .global .u32 x = 1;\n", ".visible .global .u32 x = 2;\n", ""},
		{".weak .global .u32 x = 1;\n", ".weak .global .u64 x = 2;\n",
			"E0462 b.ptx:4 a.ptx:4; "},
		{".common .global .u32 x;\n", ".common .global .u64 x;\n", ""},
		{".common .global .u32 x;\n", ".visible .global .u32 x = 3;\n", ""},
		{".common .global .u64 x;\n", ".visible .global .u32 x = 3;\n",
			"E0462 b.ptx:4 a.ptx:4; "},
		{".common .global .u64 x;\n", ".weak .global .u32 x = 3;\n",
			"E0462 b.ptx:4 a.ptx:4; "},
		{".common .global .u32 x;\n", ".weak .global .u32 x = 3;\n", ""},
		{".common .global .u32 x;\n", ".extern .global .u32 x;\n", ""},
		{".extern .shared .u32 x;\n", ".visible .shared .u32 x;\n", ""},
		{".extern .shared .u32 x;\n", ".visible .global .u32 y;\n", "E0460 a.ptx:4; "},
		{".extern .shared .u32 x[];\n", ".extern .shared .align 16 .b8 x[];\n", ""},
		{F_TAKES(".param .b32 a"), ".visible .global .u32 y;\n", "E0460 a.ptx:8 a.ptx:4; "},
		{F_TAKES(".param .b32 a"), F_HAS(".param .u32 b"), ""},
		{F_TAKES(".param .b32 a"), F_HAS(".param .s32 b"), ""},
		{F_TAKES(".param .b32 a"), F_HAS(".param .b64 b"), "E0462 b.ptx:4 a.ptx:4; "},
		{F_TAKES(".param .b32 a"), F_HAS(".param .f32 b"), "E0462 b.ptx:4 a.ptx:4; "},
		{F_TAKES(".param .b32 a"), F_HAS(".param .b32 b, .param .b32 c"),
			"E0462 b.ptx:4 a.ptx:4; "},
		{F_TAKES(".param .b32 a"), F_HAS(".param .align 4 .b8 b[4]"),
			"E0462 b.ptx:4 a.ptx:4; "},
		{F_TAKES(".param .align 4 .b8 a[8]"), F_HAS(".param .align 8 .b8 a[8]"), ""},
		{F_TAKES(".param .align 4 .b8 a[8]"), F_HAS(".param .align 4 .b32 a[2]"),
			"E0462 b.ptx:4 a.ptx:4; "},
		{F_TAKES(".param .b32 a"),
			".visible .func (.param .b32 r) f(.param .b32 a)\n{\nret;\n}\n",
			"E0462 b.ptx:4 a.ptx:4; "},
		{F_TAKES(".param .b32 a"), ".visible .global .u32 f;\n", "E0462 b.ptx:4 a.ptx:4; "},
		{F_TAKES(".param .b32 a"), ".visible .entry f(.param .b32 a)\n{\nret;\n}\n",
			"E0462 b.ptx:4 a.ptx:4; "},
		{".extern .func f();\n", ".visible .global .u32 y;\n", ""}, /* nothing uses it */
		{".extern .func f();\n.visible .global .u64 x = f;\n", ".visible .global .u32 y;\n",
			"E0460 a.ptx:5 a.ptx:4; "},
		{F_HAS(""), F_HAS(""), "E0461 b.ptx:4 a.ptx:4; "},
		{".weak .func f()\n{\nret;\n}\n", F_HAS(""), ""},
		{".weak .func f()\n{\nret;\n}\n", ".weak .func f(.param .b64 a)\n{\nret;\n}\n",
			"E0462 b.ptx:4 a.ptx:4; "},
		{".visible .entry k()\n{\nret;\n}\n", ".visible .entry k()\n{\nret;\n}\n",
			"E0461 b.ptx:4 a.ptx:4; "},
		{".weak .entry k()\n{\nret;\n}\n", ".weak .entry k()\n{\nret;\n}\n", ""},
		{".entry k()\n{\nret;\n}\n", ".entry k()\n{\nret;\n}\n", ""},
		{F_TAKES(""), ".visible .func g()\n{\nret;\n}\n.visible .func f();\n.alias f, g;\n",
			""},
	};
	struct world w = begin();

	for (size_t k = 0; k < sizeof pair / sizeof *pair; k++) {
		char a[1000], b[1000];
		struct ptxi_module *m = NULL;
		enum ptxi_exit e;

		snprintf(a, sizeof a, "%s%s", HEAD, pair[k].a);
		snprintf(b, sizeof b, "%s%s", HEAD, pair[k].b);
		e = link2(&w, a, b, 0, NULL); /* only checked */
		cr_expect_eq(
			e, *pair[k].found ? PTXI_REJECTED : PTXI_OK, "%s%s", pair[k].a, pair[k].b);
		cr_expect_str_eq(findings(&w), pair[k].found, "%s%s", pair[k].a, pair[k].b);
		e = link2(&w, a, b, 0, &m);
		cr_expect_eq(e, *pair[k].found ? PTXI_REJECTED : PTXI_OK);
		cr_expect_eq(m != NULL, !*pair[k].found);
		cr_expect_str_eq(findings(&w), pair[k].found);
	}
	/* undefined names of a module that is not linked are reported when they are used */
	cr_expect_eq(link2(&w, HEAD F_TAKES(".param .b32 a"), HEAD, PTXI_LINK_OPEN, NULL), PTXI_OK);
	cr_expect_eq(link2(&w, HEAD, HEAD, 2, NULL), PTXI_USAGE);
	cr_expect_eq(ptxi_device_link(w.d, NULL, 0, 0, NULL), PTXI_USAGE);
	ptxi_device_free(w.d);
}

Test(link, definitions)
{
	static const struct {
		const char *a, *b;
		unsigned value;
	} pair[] = {
		{HEAD ".extern .func (.param .b32 r) f();\n" CALLS_F,
			HEAD RETURNS(".visible ", "f", "7"), 7},
		{HEAD RETURNS(".weak ", "f", "1") CALLS_F, HEAD RETURNS(".visible ", "f", "2"), 2},
		{HEAD RETURNS(".weak ", "f", "1") CALLS_F, HEAD RETURNS(".weak ", "f", "2"), 1},
		{HEAD RETURNS("", "f", "1") CALLS_F, HEAD RETURNS(".visible ", "f", "2"), 1},
		{HEAD ".extern .func (.param .b32 r) f();\n" CALLS_F,
			HEAD RETURNS(".visible ", "g", "4") ".visible .func (.param .b32 r) f();\n"
							    ".alias f, g;\n",
			4},
		{HEAD ".extern .global .u32 x;\n" READS_X, HEAD ".visible .global .u32 x = 5;\n",
			5},
		{HEAD ".extern .global .u32 x[];\n" READS_X,
			HEAD ".visible .global .u32 x[2] = {6, 7};\n", 6},
		{HEAD ".common .global .u32 x;\n" READS_X, HEAD ".visible .global .u32 x = 5;\n",
			5},
		{HEAD ".common .global .u32 x;\n" READS_X, HEAD ".common .global .u32 x[4];\n", 0},
		{HEAD ".weak .global .u32 x = 1;\n" READS_X, HEAD ".visible .global .u32 x = 2;\n",
			2},
		{HEAD ".global .u32 x = 1;\n" READS_X, HEAD ".visible .global .u32 x = 2;\n", 1},
	};

	for (size_t k = 0; k < sizeof pair / sizeof *pair; k++)
		for (unsigned swap = 0; swap < 2; swap++) {
			struct world w = begin();
			struct ptxi_module *m;
			bool weak = strstr(pair[k].a, ".weak .func") &&
				strstr(pair[k].b, ".weak .func");

			cr_assert_eq(link2(&w, swap ? pair[k].b : pair[k].a,
					     swap ? pair[k].a : pair[k].b, 0, &m),
				PTXI_OK, "%s", pair[k].a);
			/* of weak ones the first */
			cr_expect_eq(runs(&w, m), weak && swap ? 2 : pair[k].value, "%s%s",
				pair[k].a, pair[k].b);
			cr_expect_str_eq(findings(&w), "");
			ptxi_device_free(w.d);
		}
}

/* Of .common variables the largest is taken, with the largest alignment. */
Test(link, common_variables)
{
	struct world w = begin();
	struct ptxi_module *m;
	uint64_t address, size;

	cr_assert_eq(link2(&w, HEAD ".common .global .align 128 .u32 x;\n" READS_X,
			     HEAD ".common .global .u32 x[6];\n", 0, &m),
		PTXI_OK);
	cr_assert_eq(ptxi_module_symbol(w.d, m, "x", &address, &size), PTXI_OK);
	cr_assert(size == 24 && address % 128 == 0);
	ptxi_device_free(w.d);
}

/* Functions, variables, labels, shared variables and parameters of the same names stay apart; so do
 * variables inside functions. */
Test(link, names_without_linkage)
{
#define OWN(kernel, value) \
	".global .u32 x = " value ";\n.const .u32 c = 10;\n" \
	".func (.param .b32 r) f(.param .b32 n)\n{\n" \
	".reg .b32 %r<3>;\n.reg .pred %p;\n.shared .u32 s;\n" \
	"ld.param.b32 %r0, [n];\nmov.u32 %r1, 0;\nL:\nadd.u32 %r1, %r1, " value ";\n" \
	"sub.u32 %r0, %r0, 1;\nsetp.ne.u32 %p, %r0, 0;\n@%p bra L;\n" \
	"st.shared.u32 [s], %r1;\nld.shared.u32 %r2, [s];\nst.param.b32 [r], %r2;\nret;\n}\n" \
	".visible .entry " kernel "(.param .u64 to)\n{\n.reg .b64 %d;\n.reg .b32 %r<3>;\n" \
	".param .b32 n;\n.param .b32 result;\n.shared .u32 s;\n" \
	"ld.param.u64 %d, [to];\nst.shared.u32 [s], 100;\nst.param.b32 [n], 3;\n" \
	"call (result), f, (n);\nld.param.b32 %r0, [result];\nld.global.u32 %r1, [x];\n" \
	"add.u32 %r0, %r0, %r1;\nld.const.u32 %r1, [c];\nadd.u32 %r0, %r0, %r1;\n" \
	"ld.shared.u32 %r1, [s];\nadd.u32 %r0, %r0, %r1;\nst.global.u32 [%d], %r0;\nret;\n}\n"
	struct world w = begin();
	struct ptxi_module *m;

	cr_assert_eq(link2(&w, HEAD OWN("k", "2"), HEAD OWN("other", "5"), 0, &m), PTXI_OK);
	cr_expect_eq(runs(&w, m), 118);
	start(&w, 0, m, "other", w.to);
	cr_expect_eq(word(&w, w.to), 130);
	cr_expect_str_eq(findings(&w), "");
	ptxi_device_free(w.d);
}

/* A fault in another file than the kernel is reported at its line there, with the call. */
Test(link, places)
{
	struct world w = begin();
	struct ptxi_module *m;

	cr_assert_eq(link2(&w, HEAD ".extern .func (.param .b32 r) f();\n" CALLS_F,
			     HEAD "// a line more\n.visible .func (.param .b32 r) f()\n{\n"
				  ".reg .b64 %d;\n.reg .b32 %r;\nmov.u64 %d, 16;\n"
				  "ld.global.u32 %r, [%d];\nst.param.b32 [r], %r;\nret;\n}\n",
			     0, &m),
		PTXI_OK);
	start(&w, 0, m, "k", w.to);
	cr_expect_eq(ptxi_sync(w.d), PTXI_FAULT);
	struct ptxi_report *r = ptxi_take_findings(w.d);
	const char *text = ptxi_report_text(r);

	cr_expect(strstr(text, "b.ptx:10:1: error"), "%s", text);
	cr_expect(strstr(text, "ld.global.u32 %r, [%d]"), "%s", text);
	cr_expect(strstr(text, "'f' was called at line 11 of a.ptx"), "%s", text);
	ptxi_report_free(r);
	ptxi_device_free(w.d);
}

/* --- objects --- */

/* TEXT as the bytes of an object; the caller frees them. */
static struct text object_of(const char *name, const char *text)
{
	struct arena arena = {0};
	struct diags diags = {0};
	struct text out = {0};
	struct ir_module *m = assemble(source_new(&arena, name, text, strlen(text)),
		&(struct assemble_options){0}, &diags);

	cr_assert_not_null(m);
	ir_object_write(m, true, &out);
	ir_module_free(m);
	arena_free(&arena);
	diags_free(&diags);
	return out;
}

Test(link, objects)
{
	struct text a = object_of("first.ptx", HEAD ".extern .func (.param .b32 r) f();\n" CALLS_F),
		    b = object_of("second.ptx",
			    HEAD ".global .u32 x = 9;\n.visible .func (.param .b32 r) f()\n{\n"
				 ".reg .b32 %r;\nld.global.u32 %r, [x+4];\n"
				 "st.param.b32 [r], %r;\nret;\n}\n");
	struct ptxi_image image[] = {
		{"a.ptxo", text_str(&a), a.len}, {"b.ptxo", text_str(&b), b.len}};
	struct world w = begin();
	struct ptxi_module *m;

	cr_expect_eq(ptxi_image_size(text_str(&a), 0), a.len);
	cr_expect_eq(ptxi_image_size("abc", 0), 3);
	cr_expect_eq(ptxi_image_size("abc", 2), 2);
	cr_expect_eq(ptxi_image_size(text_str(&a), a.len - 1), a.len - 1);
	cr_assert_eq(ptxi_device_link(w.d, image, 2, 0, &m), PTXI_OK);
	/* the places outlive the bytes */
	text_free(&a);
	text_free(&b);
	start(&w, 0, m, "k", w.to);
	cr_expect_eq(ptxi_sync(w.d), PTXI_FAULT);
	cr_expect_str_eq(findings(&w), "F0201 second.ptx:8; ");
	ptxi_device_free(w.d);
}

/* --- several modules --- */

/* keep(to): stores the addresses of x and of f; x is 4 words */
static const char keeps[] = HEAD ".global .u32 x[4] = {1, 2, 3, 4};\n" RETURNS("", "f",
	"77") ".visible .entry keep(.param .u64 to)\n{\n.reg .b64 %d<3>;\n"
	      "ld.param.u64 %d0, [to];\nmov.u64 %d1, x;\nst.global.u64 [%d0], %d1;\n"
	      "mov.u64 %d1, f;\nst.global.u64 [%d0+8], %d1;\nret;\n}\n"
	      ".visible .entry write(.param .u64 unused)\n{\nst.global.u32 [x+4], 9;\nret;\n}\n";
/* read(to): to[4] = *(u32 *)to[0] + OFFSET; call(to): to[4] = f() through to[1] */
static const char reads[] = HEAD RETURNS(
	"", "f", "5") ".visible .entry read(.param .u64 to)\n{\n.reg .b64 %d<3>;\n"
		      ".reg .b32 %r;\nld.param.u64 %d0, [to];\nld.global.u64 %d1, [%d0];\n"
		      "ld.global.u32 %r, [%d1+4];\nst.global.u32 [%d0+16], %r;\nret;\n}\n"
		      ".visible .entry beyond(.param .u64 to)\n{\n.reg .b64 %d<3>;\n"
		      ".reg .b32 %r;\nld.param.u64 %d0, [to];\nld.global.u64 %d1, [%d0];\n"
		      "ld.global.u32 %r, [%d1+16];\nst.global.u32 [%d0+16], %r;\nret;\n}\n"
		      ".visible .entry call(.param .u64 to)\n{\n.reg .b64 %d<3>;\n.reg .b32 %r;\n"
		      ".param .b32 result;\nld.param.u64 %d0, [to];\nld.global.u64 %d1, [%d0+8];\n"
		      "P: .callprototype (.param .b32 _) _ ();\n"
		      "call (result), %d1, (), P;\nld.param.b32 %r, [result];\n"
		      "st.global.u32 [%d0+16], %r;\nret;\n}\n";

Test(modules, follow_pointers)
{
	static const char *const settings[][4] = {{"check=all", NULL}, {"check=none", NULL},
		{"schedule=lockstep", NULL}, {"schedule=random", "seed=3", NULL},
		{"memory=weak", "schedule=random", "check=all", NULL}};

	for (unsigned k = 0; k < sizeof settings / sizeof *settings; k++) {
		struct world w = begin_with(settings[k]);
		struct ptxi_module *a = load(&w, "keeps.ptx", keeps),
				   *b = load(&w, "reads.ptx", reads);

		start(&w, 0, a, "keep", w.to);
		start(&w, 0, b, "read", w.to);
		cr_expect_eq(word(&w, w.to + 16), 2);
		start(&w, 0, b, "call", w.to);
		cr_expect_eq(word(&w, w.to + 16), 77);
		cr_expect_str_eq(findings(&w), "");
		if (k == 0) {
			start(&w, 0, b, "beyond", w.to);
			cr_expect_eq(ptxi_sync(w.d), PTXI_FAULT);
			cr_expect(says(&w, "just past .global variable `x`"));
		}
		ptxi_device_free(w.d);
	}
}

/* The device's malloc is there for each module that calls it, also after one that has its own. */
Test(modules, malloc)
{
	static const char own[] = HEAD
		".func (.param .b64 r) malloc(.param .b64 n)\n{\nst.param.b64 [r], 0;\nret;\n}\n"
		".visible .entry own()\n{\n.param .b64 n;\n.param .b64 r;\nst.param.b64 [n], 8;\n"
		"call (r), malloc, (n);\nret;\n}\n";
	static const char uses[] = HEAD
		".extern .func (.param .b64 r) malloc(.param .b64 n);\n"
		".visible .entry uses(.param .u64 to)\n{\n.reg .b64 %d<2>;\n.param .b64 n;\n"
		".param .b64 r;\nld.param.u64 %d0, [to];\nst.param.b64 [n], 8;\n"
		"call (r), malloc, (n);\nld.param.b64 %d1, [r];\nst.global.u32 [%d1], 6;\n"
		"st.global.u64 [%d0], %d1;\nret;\n}\n";
	struct world w = begin();

	load(&w, "own.ptx", own);
	start(&w, 0, load(&w, "uses.ptx", uses), "uses", w.to);
	cr_expect_neq(word(&w, w.to + 4), 0);
	cr_expect_str_eq(findings(&w), "");
	ptxi_device_free(w.d);
}

/* Kernels of two modules that no stream orders run at the same time, and race. */
Test(modules, race)
{
	struct world w = begin();
	struct ptxi_module *a = load(&w, "keeps.ptx", keeps), *b = load(&w, "reads.ptx", reads);
	ptxi_stream s, t;
	ptxi_event e;

	cr_assert_eq(ptxi_stream_new(w.d, PTXI_NON_BLOCKING, &s), PTXI_OK);
	cr_assert_eq(ptxi_stream_new(w.d, PTXI_NON_BLOCKING, &t), PTXI_OK);
	cr_assert_eq(ptxi_event_new(w.d, &e), PTXI_OK);
	start(&w, 0, a, "keep", w.to);
	cr_assert_eq(ptxi_sync(w.d), PTXI_OK);
	start(&w, s, a, "write", 0);
	cr_assert_eq(ptxi_record(w.d, e, s), PTXI_OK);
	cr_assert_eq(ptxi_wait(w.d, t, e), PTXI_OK);
	start(&w, t, b, "read", w.to);
	cr_assert_eq(ptxi_sync(w.d), PTXI_OK);
	cr_expect_str_eq(findings(&w), "");
	start(&w, s, a, "write", 0);
	start(&w, t, b, "read", w.to);
	cr_assert_eq(ptxi_sync(w.d), PTXI_OK);
	const char *found = findings(&w);

	cr_expect(strcmp(found, "R0101 reads.ptx:15 keeps.ptx:22; ") == 0 ||
			strcmp(found, "R0101 keeps.ptx:22 reads.ptx:15; ") == 0,
		"%s", found);
	cr_expect_eq(ptxi_device_status(w.d), PTXI_OK);
	ptxi_device_free(w.d);
}

/* What another module's kernel has not written is not defined. */
Test(modules, undefined)
{
	struct world w = begin();
	struct ptxi_module *a = load(&w, "keeps.ptx", keeps), *b = load(&w, "reads.ptx", reads);
	uint64_t other;

	(void)a;
	cr_assert_eq(ptxi_alloc(w.d, 128, 0, "other", NULL, &other), PTXI_OK);
	cr_assert_eq(ptxi_copy(w.d, 0,
			     &(struct ptxi_copy){.to = w.to, .from_host = &other, .size = 8}, NULL),
		PTXI_OK);
	start(&w, 0, b, "read", w.to);
	cr_assert_eq(ptxi_sync(w.d), PTXI_OK);
	cr_expect_str_eq(findings(&w), "R0201 reads.ptx:16; ");
	ptxi_device_free(w.d);
}

/* After unloading, variables are freed memory and functions are none. */
Test(modules, unload)
{
	struct world w = begin(), v = begin();
	struct ptxi_module *b, *a = load(&w, "keeps.ptx", keeps);

	b = load(&w, "reads.ptx", reads);
	start(&w, 0, a, "keep", w.to);
	cr_assert_eq(ptxi_unload(w.d, a, &(struct ptxi_at){"a.cu", 9, "main"}), PTXI_OK);
	start(&w, 0, b, "call", w.to);
	cr_expect_eq(ptxi_sync(w.d), PTXI_FAULT);
	cr_expect(says(&w, "call of 'f', whose module was unloaded"));
	ptxi_device_free(w.d);

	b = load(&v, "reads.ptx", reads);
	a = load(&v, "keeps.ptx", keeps); /* the last: its numbers may be used again */
	start(&v, 0, a, "keep", v.to);
	cr_assert_eq(ptxi_unload(v.d, a, &(struct ptxi_at){"a.cu", 9, "main"}), PTXI_OK);
	start(&v, 0, b, "read", v.to);
	cr_expect_eq(ptxi_sync(v.d), PTXI_FAULT);
	cr_expect(says(
		&v, "`x[1]`, which was freed by the unloading of its module by main at a.cu:9"));
	ptxi_device_free(v.d);
}

/* A race is reported again for a module that is loaded again, in whose place another was. */
Test(modules, load_again)
{
	struct world w = begin();
	ptxi_stream s, t;

	cr_assert_eq(ptxi_stream_new(w.d, PTXI_NON_BLOCKING, &s), PTXI_OK);
	cr_assert_eq(ptxi_stream_new(w.d, PTXI_NON_BLOCKING, &t), PTXI_OK);
	for (unsigned k = 0; k < 3; k++) {
		struct ptxi_module *a = load(&w, "keeps.ptx", keeps),
				   *b = load(&w, "reads.ptx", reads);

		start(&w, 0, a, "keep", w.to);
		cr_assert_eq(ptxi_sync(w.d), PTXI_OK);
		cr_expect_str_eq(findings(&w), "");
		start(&w, s, a, "write", 0);
		start(&w, t, b, "read", w.to);
		cr_assert_eq(ptxi_sync(w.d), PTXI_OK);
		cr_expect(strncmp(findings(&w), "R0101", 5) == 0);
		cr_assert_eq(ptxi_unload(w.d, a, NULL), PTXI_OK);
		cr_assert_eq(ptxi_unload(w.d, b, NULL), PTXI_OK);
	}
	ptxi_device_free(w.d);
}

/* A kernel does not have the .shared variables of another module's functions. */
Test(modules, shared_variables_are_apart)
{
	static const char shares[] = HEAD
		".visible .func (.param .b32 r) f()\n{\n.shared .u32 s;\n.reg .b32 %r;\n"
		"st.shared.u32 [s], 1;\nld.shared.u32 %r, [s];\nst.param.b32 [r], %r;\nret;\n}\n"
		".visible .entry keep(.param .u64 to)\n{\n.reg .b64 %d<3>;\n"
		"ld.param.u64 %d0, [to];\nmov.u64 %d1, f;\nst.global.u64 [%d0+8], %d1;\nret;\n}\n";
	struct world w = begin();
	struct ptxi_module *a = load(&w, "shares.ptx", shares), *b = load(&w, "reads.ptx", reads);

	start(&w, 0, a, "keep", w.to);
	cr_assert_eq(ptxi_sync(w.d), PTXI_OK);
	start(&w, 0, b, "call", w.to);
	cr_expect_eq(ptxi_sync(w.d), PTXI_FAULT);
	cr_expect(says(&w, "which has .shared variables of its own"));
	ptxi_device_free(w.d);
}

/* What was queued before others were loaded runs as it was. */
Test(modules, loaded_while_work_is_queued)
{
	/* uses mbarriers, so that all accesses are watched from then on */
	static const char waits[] = HEAD
		".visible .entry waits(.param .u64 to)\n{\n.shared .b64 bar;\n.reg .b64 %d;\n"
		"mbarrier.init.shared.b64 [bar], 1;\nmbarrier.arrive.shared.b64 %d, [bar];\n"
		"ld.param.u64 %d, [to];\nst.global.u32 [%d+16], 3;\nret;\n}\n";
	struct world w = begin();
	struct ptxi_module *a = load(&w, "keeps.ptx", keeps), *b = load(&w, "reads.ptx", reads);

	start(&w, 0, a, "keep", w.to);
	start(&w, 0, b, "call", w.to);
	for (unsigned k = 0; k < 100; k++)
		load(&w, "another.ptx", k % 2 ? keeps : reads);
	start(&w, 0, load(&w, "waits.ptx", waits), "waits", w.to + 16);
	start(&w, 0, b, "read", w.to);
	cr_expect_eq(word(&w, w.to + 16), 2);
	cr_expect_eq(word(&w, w.to + 32), 3);
	cr_expect_str_eq(findings(&w), "");
	ptxi_device_free(w.d);
}

/* A module whose variables do not fit leaves nothing behind. */
Test(modules, without_room)
{
	static const char *const settings[] = {"max-memory=1M", NULL};
	struct world w = {
		.d = ptxi_device_new(&(struct ptxi_device_options){.settings = settings})};
	static const char large[] = HEAD ".global .u8 a[600000];\n.global .u8 b[600000];\n";
	struct ptxi_module *m;
	uint64_t left, before, limit;

	cr_assert_eq(ptxi_alloc(w.d, 128, 0, "to", NULL, &w.to), PTXI_OK);
	ptxi_memory(w.d, &before, &limit);
	cr_expect_eq(ptxi_device_load(w.d, "large.ptx", large, strlen(large), &m), PTXI_REJECTED);
	cr_expect_str_eq(findings(&w), "F0111 large.ptx:5; ");
	ptxi_memory(w.d, &left, &limit);
	cr_expect_eq(left, before);
	m = load(&w, "keeps.ptx", keeps);
	start(&w, 0, m, "keep", w.to);
	start(&w, 0, load(&w, "reads.ptx", reads), "read", w.to);
	cr_expect_eq(word(&w, w.to + 16), 2);
	ptxi_device_free(w.d);
}
