/* Helpers of the assembler's tests: text in, module or codes out. */
#ifndef TEST_ASSEMBLE_H
#define TEST_ASSEMBLE_H
#include "assembler/assembler.h"
#include "base/text.h"
#include "ir/object.h"
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct assembled {
	struct arena arena;
	struct diags diags;
	struct ir_module *m;
};

#define TEST_HEAD ".version 9.0\n.target sm_90\n.address_size 64\n"
#define TEST_REGS \
	".reg .pred %p<4>;\n.reg .b16 %h<4>;\n.reg .b32 %r<8>;\n.reg .b64 %rd<8>;\n.reg .f32 %f<4>;\n.reg .f64 %fd<4>;\n"

static inline struct assembled test_assemble(const char *text)
{
	struct assembled a = {0};

	a.m = assemble(source_new(&a.arena, "test.ptx", text, strlen(text)), NULL, &a.diags);
	return a;
}

/* A kernel k with the usual registers around BODY, preceded by DECLARATIONS. */
static inline struct assembled test_body(const char *declarations, const char *body)
{
	struct text t = {0};
	struct assembled a;

	text_printf(&t,
		TEST_HEAD
		"%s\n.visible .entry k(.param .u64 out, .param .u32 n)\n{\n%s%s\nret;\n}\n",
		declarations, TEST_REGS, body);
	a = test_assemble(text_str(&t));
	text_free(&t);
	return a;
}

static inline void test_free(struct assembled *a)
{
	ir_module_free(a->m);
	diags_free(&a->diags);
	arena_free(&a->arena);
}

/* The codes of all diagnostics, "E0201 E0202", in order. */
static inline const char *test_codes(struct assembled *a)
{
	struct text t = {0};
	const char *s;

	for (const struct diag *d = a->diags.first; d; d = d->next)
		text_printf(
			&t, "%s%s", d == a->diags.first ? "" : " ", diag_code_info(d->code).code);
	s = arena_text(&a->arena, text_str(&t), t.len);
	text_free(&t);
	return s;
}

#define EXPECT_CODES(declarations, body, codes) \
	do { \
		struct assembled a_ = test_body(declarations, body); \
		cr_expect_str_eq(test_codes(&a_), codes, "%s", body); \
		cr_expect_eq(a_.m == NULL, *(codes) != '\0'); \
		test_free(&a_); \
	} while (0)

#endif
