/* The parser of .litmus files: numbers, names, aliases, and size limits. */
#include "parser/litmus.h"
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

struct parsed {
	struct arena arena;
	struct diags diags;
	struct litmus_test *test;
};

static void parse(struct parsed *p, const char *text)
{
	*p = (struct parsed){0};
	p->test = litmus_parse(
		source_new(&p->arena, "t.litmus", text, strlen(text)), &p->arena, &p->diags);
}

static void done(struct parsed *p)
{
	diags_free(&p->diags);
	arena_free(&p->arena);
}

/* Parses one thread with INSNS after INITS, and the condition COND. */
static void parse_parts(struct parsed *p, const char *inits, const char *insns, const char *cond)
{
	struct text t = {0};

	text_printf(&t, "PTX t\n{%s}\nP0@cta 0,gpu 0 ;\n%sexists (%s)\n", inits, insns, cond);
	parse(p, text_str(&t));
	text_free(&t);
}

static void refused(struct parsed *p, enum diag_code code)
{
	cr_assert_null(p->test);
	cr_assert_not_null(p->diags.first);
	cr_expect_eq(p->diags.first->code, code, "%s", p->diags.first->message);
	done(p);
}

static const struct litmus_location *location(const struct parsed *p, const char *name)
{
	for (uint32_t k = 0; k < p->test->nlocations; k++)
		if (strcmp(p->test->location[k].name, name) == 0)
			return &p->test->location[k];
	cr_assert_fail("%s", name);
	return NULL;
}

Test(litmus_parse, numbers)
{
	static const struct {
		const char *text;
		int64_t value;
	} number[] = {{"0", 0}, {"010", 10}, {"08", 8}, {"-7", -7}, {"0x1f", 31}, {"-0x10", -16},
		{"-9223372036854775808", INT64_MIN}, {"0xffffffffffffffff", -1}};
	struct parsed p;

	for (size_t k = 0; k < sizeof number / sizeof number[0]; k++) {
		char init[64];

		snprintf(init, sizeof init, "x=%s", number[k].text);
		parse_parts(&p, init, "ld r0, x ;\n", "P0:r0=0");
		cr_assert_not_null(p.test, "%s", number[k].text);
		cr_expect_eq(location(&p, "x")->init, number[k].value, "%s", number[k].text);
		done(&p);
	}
	parse_parts(&p, "x=-9223372036854775809", "ld r0, x ;\n", "P0:r0=0");
	refused(&p, DIAG_E0150);
	parse_parts(&p, "x=18446744073709551616", "ld r0, x ;\n", "P0:r0=0");
	refused(&p, DIAG_E0150);
}

/* A name with % and without it is the same register, wherever it is used. */
Test(litmus_parse, registers)
{
	static const char *const insns[] = {
		"ld r0, x ;\nst y, r0 ;\n",
		"ld %r0, x ;\nst y, %r0 ;\n",
		"ld %r0, x ;\nst y, r0 ;\n",
		"ld r0, x ;\nst y, %r0 ;\n",
		"ld %r0, x ;\nld %r0, y ;\n",
	};
	static const struct {
		const char *insn, *message;
	} wrong[] = {
		{"ld x, x ;\n", "expected a register"},
		{"ld 1, x ;\n", "expected a register"},
		{"atom.add x, x, 1 ;\n", "expected a register"},
		{"atom.cas.relaxed.gpu 3, x, 1, 2 ;\n", "expected a register"},
		{"mov x, 1 ;\n", "expected a register"},
		{"add 2, r1, 1 ;\n", "expected a register"},
		{"st 3, 1 ;\n", "expected a location"},
		{"red.add r0, 1 ;\n", "expected a location"},
		{"st x, y ;\n", "expected a register or an integer, not 'y'"},
	};
	struct parsed p;

	for (size_t k = 0; k < sizeof insns / sizeof *insns; k++) {
		parse_parts(&p, "x=0; y=0", insns[k], k & 1 ? "P0:r0=0" : "P0:%r0=0");
		cr_assert_not_null(
			p.test, "%s: %s", insns[k], p.diags.first ? p.diags.first->message : "");
		cr_expect_eq(
			p.test->thread[0].nregs, 1, "%s: %u", insns[k], p.test->thread[0].nregs);
		done(&p);
	}
	for (size_t k = 0; k < sizeof wrong / sizeof *wrong; k++) {
		parse_parts(&p, "x=0; y=0", wrong[k].insn, "x=0");
		cr_assert_not_null(p.diags.first, "%s", wrong[k].insn);
		cr_expect_str_eq(p.diags.first->message, wrong[k].message, "%s: %s", wrong[k].insn,
			p.diags.first->message);
		refused(&p, DIAG_E0152);
	}
}

Test(litmus_parse, a_row_with_more_columns_than_threads)
{
	struct parsed p;

	parse_parts(&p, "x=0", "ld r0, x | ld r1, x ;\n", "P0:r0=0");
	refused(&p, DIAG_E0150);
}

Test(litmus_parse, aliases_of_aliases_share_the_memory_of_the_last)
{
	static const char *const orders[] = {"a @ generic aliases b; b @ generic aliases c; c=5",
		"b @ generic aliases c; a @ generic aliases b; a=5",
		"b=5; a @ surface aliases b; b @ generic aliases c"};
	struct parsed p;

	for (size_t k = 0; k < sizeof orders / sizeof orders[0]; k++) {
		parse_parts(&p, orders[k], "ld r0, a ;\n", "P0:r0=5");
		cr_assert_not_null(p.test, "%s", orders[k]);
		const struct litmus_location *a = location(&p, "a"), *b = location(&p, "b"),
					     *c = location(&p, "c");
		cr_expect_eq(&p.test->location[a->phys], c, "%s", orders[k]);
		cr_expect_eq(&p.test->location[b->phys], c, "%s", orders[k]);
		cr_expect_eq(&p.test->location[c->phys], c, "%s", orders[k]);
		cr_expect_eq(c->init, 5, "%s", orders[k]);
		cr_expect_eq(&p.test->location[a->virt], k == 2 ? b : a, "%s", orders[k]);
		done(&p);
	}
	parse_parts(&p, "a @ generic aliases b; b @ generic aliases c; c @ surface aliases a",
		"ld r0, a ;\n", "P0:r0=5");
	refused(&p, DIAG_E0153);
	parse_parts(&p, "a @ generic aliases b; a @ generic aliases c", "ld r0, a ;\n", "P0:r0=5");
	refused(&p, DIAG_E0153);
}

/* Appends the text of FORMAT, which contains the number, N times, separated by BETWEEN. */
static void repeat(struct text *t, const char *format, const char *between, unsigned n)
{
	text_clear(t);
	for (unsigned k = 0; k < n; k++) {
		char one[64];

		snprintf(one, sizeof one, format, k);
		text_printf(t, "%s%s", k ? between : "", one);
	}
}

Test(litmus_parse, what_is_too_large_is_refused)
{
	struct text t = {0};
	struct parsed p;

	repeat(&t, "P0:r%u=1", "; ", 1100);
	parse_parts(&p, text_str(&t), "ld r0, x ;\n", "P0:r0=0");
	refused(&p, DIAG_E0154);
	repeat(&t, "x%u=1", "; ", 1025);
	parse_parts(&p, text_str(&t), "ld r0, x ;\n", "P0:r0=0");
	refused(&p, DIAG_E0154);
	repeat(&t, "P0:r0=%u", " /\\ ", 4096);
	parse_parts(&p, "x=0", "ld r0, x ;\n", text_str(&t));
	cr_expect_not_null(p.test);
	done(&p);
	repeat(&t, "P0:r0=%u", " \\/ ", 200000);
	parse_parts(&p, "x=0", "ld r0, x ;\n", text_str(&t));
	refused(&p, DIAG_E0154);
	repeat(&t, "(", "", 20000);
	parse_parts(&p, "x=0", "ld r0, x ;\n", text_str(&t));
	refused(&p, DIAG_E0154);
	text_free(&t);
}
