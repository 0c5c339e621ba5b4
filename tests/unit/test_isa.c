/* isa/: words, opcodes and registers by name; matching, canonical order, thresholds, error texts;
 * the reference is current. */
#include "diag/diag.h"
#include "isa/isa.h"
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct isa_target sm90 = {.ptx = 90, .sm = 90, .address_size = 64};

Test(isa, every_word_finds_itself)
{
	for (unsigned w = 1; w < WORD_COUNT; w++) {
		const char *t = word_text((enum word)w);
		cr_assert_eq(word_find(t, strlen(t)), w, "%s", t);
	}
	for (unsigned op = 1; op < OPCODE_COUNT; op++) {
		const char *t = opcode_text((enum opcode)op);
		cr_assert_eq(opcode_find(t, strlen(t)), op, "%s", t);
	}
	for (unsigned s = 1; s < SREG_COUNT; s++)
		cr_assert_eq(sreg_find(sreg_text(s), strlen(sreg_text(s))), s, "%s", sreg_text(s));
}

Test(isa, what_is_no_word)
{
	static const char *const none[] = {
		"", "foo", "u33", "shared::", "b8888", "b777", "U32", "v3", "add "};
	for (unsigned i = 0; i < sizeof none / sizeof *none; i++)
		cr_expect_eq(word_find(none[i], strlen(none[i])), W_NONE, "%s", none[i]);
	cr_expect_eq(opcode_find("addd", 4), OP_NONE);
	cr_expect_eq(sreg_find("%tidd", 5), SREG_NONE);
	cr_expect_str_eq(word_text(W_NONE), "");
}

Test(isa, packed_selectors)
{
	enum word w = word_find("b7654", 5);
	cr_assert(w >= W_SELECT && (int)w < W_SELECT_END);
	cr_expect_str_eq(word_text(w), "b7654");
	cr_expect_str_eq(word_text(word_find("b0000", 5)), "b0000");
	cr_expect_eq(word_find("b3210", 5), W_b3210);
}

Test(isa, tokens)
{
	cr_expect_eq(word_token(W_u32), TOKEN_TYPE);
	cr_expect_eq(word_token(W_global), TOKEN_SPACE);
	cr_expect_eq(word_token(W_shared__cta), TOKEN_MODIFIER);
	cr_expect_eq(word_token(W_weak), TOKEN_LINKAGE);
	cr_expect_eq(word_token(W_reqntid), TOKEN_D_TUNE);
	cr_expect_eq(word_token(W_noreturn), TOKEN_D_TUNE0);
	cr_expect_eq(word_type(W_f32), TYPE_f32);
	cr_expect_eq(word_type(W_global), TYPE_NONE);
}

static struct isa_operand reg(enum type t)
{
	return (struct isa_operand){.kind = OPERAND_REG, .type = (uint8_t)t};
}
static struct isa_operand number(int64_t x)
{
	return (struct isa_operand){
		.kind = OPERAND_INT, .value = (uint64_t)x, .value_signed = x < 0};
}

/* Matches the words of TEXT (".rn.f32") with operands O. */
static bool match(struct arena *a, enum opcode op, const char *text, const struct isa_operand *o,
	unsigned n, const struct isa_target *t, struct isa_match *m)
{
	uint16_t words[ISA_MAX_WORDS + 8];
	unsigned k = 0;
	for (const char *p = text; *p == '.'; k++) {
		size_t len = strcspn(++p, ".");
		words[k] = (uint16_t)word_find(p, len);
		cr_assert(words[k], "%s", p);
		p += len;
	}
	return isa_match(a, op, words, k, o, n, t, m);
}

Test(isa, canonical_order)
{
	struct arena a = {0};
	struct isa_match m;
	struct isa_operand address = {.kind = OPERAND_ADDRESS,
		.sub = (const struct isa_operand[]){{.kind = OPERAND_REG, .type = TYPE_b64}},
		.nsub = 1};
	struct isa_operand o[] = {reg(TYPE_b32), address, reg(TYPE_b32)};
	struct text t = {0};
	cr_assert(match(&a, OP_atom, ".add.release.u32.gpu.global", o, 3, &sm90, &m));
	for (unsigned i = 0; i < m.nwords; i++)
		text_printf(&t, ".%s", word_text((enum word)m.word[i]));
	cr_expect_str_eq(text_str(&t), ".release.gpu.global.add.u32");
	cr_expect_eq(m.form->handler, HANDLER_atom);
	cr_expect(m.form->traits & TRAIT_ATOMIC);
	text_free(&t);
	arena_free(&a);
}

Test(isa, order_of_types_and_of_the_name_counts)
{
	struct arena a = {0};
	struct isa_match m;
	struct isa_operand to_float[] = {reg(TYPE_f32), reg(TYPE_b32)},
			   wide[] = {reg(TYPE_b64), reg(TYPE_b32), reg(TYPE_b32)};
	cr_expect(match(&a, OP_cvt, ".rn.f32.s32", to_float, 2, &sm90, &m));
	cr_expect(match(&a, OP_cvt, ".f32.s32.rn", to_float, 2, &sm90, &m));
	cr_expect_not(match(&a, OP_cvt, ".rn.s32.f32", to_float, 2, &sm90, &m));
	cr_expect(match(&a, OP_mul, ".wide.u32", wide, 3, &sm90, &m));
	cr_expect_not(match(&a, OP_mul, ".u32.wide", wide, 3, &sm90, &m));
	cr_expect_eq(m.error.code, DIAG_E0304);
	arena_free(&a);
}

static void rejects(enum opcode op, const char *words, const struct isa_operand *o, unsigned n,
	const struct isa_target *t, enum diag_code code, int operand, const char *part)
{
	struct arena a = {0};
	struct isa_match m;
	cr_assert_not(match(&a, op, words, o, n, t, &m), "%s%s", opcode_text(op), words);
	cr_expect_eq(m.error.code, code, "%s%s: %s instead of %s", opcode_text(op), words,
		diag_code_info((enum diag_code)m.error.code).code, diag_code_info(code).code);
	cr_expect_eq(m.error.operand, operand, "%s%s: operand %d", opcode_text(op), words,
		m.error.operand);
	cr_expect(m.error.message && strstr(m.error.message, part), "%s%s: '%s' has no '%s'",
		opcode_text(op), words, m.error.message, part);
	arena_free(&a);
}

Test(isa, classic_mistakes)
{
	struct isa_operand address = {.kind = OPERAND_ADDRESS,
		.sub = (const struct isa_operand[]){{.kind = OPERAND_REG, .type = TYPE_b64}},
		.nsub = 1};
	struct isa_operand narrow = {.kind = OPERAND_ADDRESS,
		.sub = (const struct isa_operand[]){{.kind = OPERAND_REG, .type = TYPE_b32}},
		.nsub = 1};
	struct isa_operand r = reg(TYPE_b32), rd = reg(TYPE_b64), f = reg(TYPE_f32),
			   sink = {.kind = OPERAND_SINK};
	struct isa_target sm60 = {.ptx = 90, .sm = 60, .address_size = 64},
			  old = {.ptx = 50, .sm = 70, .address_size = 64};
	rejects(OP_add, ".u64", (struct isa_operand[]){rd, rd, r}, 3, &sm90, DIAG_E0307, 2,
		"64-bit");
	rejects(OP_ld, ".acquire.u32", (struct isa_operand[]){r, address}, 2, &sm90, DIAG_E0322, -1,
		".gpu");
	rejects(OP_mul, ".u32", (struct isa_operand[]){r, r, r}, 3, &sm90, DIAG_E0302, -1,
		".lo .hi .wide");
	rejects(OP_add, ".f32", (struct isa_operand[]){f, f, number(1)}, 3, &sm90, DIAG_E0308, 2,
		"integer");
	rejects(OP_setp, ".eq.u32", (struct isa_operand[]){r, r, r}, 3, &sm90, DIAG_E0307, 0,
		"predicate");
	rejects(OP_add, ".wide.u32", (struct isa_operand[]){r, r, r}, 3, &sm90, DIAG_E0301, -1,
		".wide");
	rejects(OP_ld, ".relaxed.gpu.cta.u32", (struct isa_operand[]){r, address}, 2, &sm90,
		DIAG_E0303, -1, "contradicts");
	rejects(OP_add, ".u32", (struct isa_operand[]){r, r}, 2, &sm90, DIAG_E0305, -1, "1 more");
	rejects(OP_add, ".u32", (struct isa_operand[]){number(1), r, r}, 3, &sm90, DIAG_E0306, 0,
		"destination");
	rejects(OP_add, ".u32", (struct isa_operand[]){sink, r, r}, 3, &sm90, DIAG_E0315, 0,
		"discarded");
	rejects(OP_bar, ".sync", (struct isa_operand[]){number(16)}, 1, &sm90, DIAG_E0309, 0,
		"0 to 15");
	rejects(OP_bar, ".sync", (struct isa_operand[]){number(1), number(33)}, 2, &sm90,
		DIAG_E0309, 1, "32");
	rejects(OP_ld, ".global.u32", (struct isa_operand[]){r, narrow}, 2, &sm90, DIAG_E0320, 1,
		"64-bit");
	rejects(OP_ld, ".global.u32", (struct isa_operand[]){r, address, rd}, 3, &sm90, DIAG_E0316,
		2, "cache_hint");
	rejects(OP_setp, ".lt.b32", (struct isa_operand[]){reg(TYPE_pred), r, r}, 3, &sm90,
		DIAG_E0317, -1, ".eq and .ne");
	rejects(OP_elect, ".sync", (struct isa_operand[]){r, number(-1)}, 2, &sm90, DIAG_E0321, 0,
		"pair");
	rejects(OP_fence, ".sc.gpu", NULL, 0, &sm60, DIAG_E0313, -1, "sm_70");
	rejects(OP_fence, ".sc.gpu", NULL, 0, &old, DIAG_E0312, -1, "6.0");
	rejects(OP_setmaxnreg, ".inc.sync.aligned.u32", (struct isa_operand[]){number(64)}, 1,
		&sm90, DIAG_E0314, -1, "sm_90a");
}

Test(isa, operands_by_state_space)
{
	struct arena a = {0};
	struct isa_match m;
	const struct isa_operand in_shared = {.kind = OPERAND_VAR,
					 .space = W_shared,
					 .type = TYPE_b8},
				 r32 = {.kind = OPERAND_REG, .type = TYPE_b32};
	struct isa_operand variable = {.kind = OPERAND_ADDRESS, .sub = &in_shared, .nsub = 1},
			   narrow = {.kind = OPERAND_ADDRESS, .sub = &r32, .nsub = 1};
	cr_expect(match(&a, OP_ld, ".shared.u32", (struct isa_operand[]){reg(TYPE_b32), variable},
		2, &sm90, &m));
	cr_expect(match(&a, OP_ld, ".shared.u32", (struct isa_operand[]){reg(TYPE_b64), narrow}, 2,
		&sm90, &m));
	cr_expect_not(match(&a, OP_ld, ".global.u32",
		(struct isa_operand[]){reg(TYPE_b32), variable}, 2, &sm90, &m));
	cr_expect_eq(m.error.code, DIAG_E0310);
	cr_expect(match(&a, OP_mbarrier, ".init.shared.b64",
		(struct isa_operand[]){narrow, number(1)}, 2, &sm90, &m));
	cr_expect_not(match(&a, OP_mbarrier, ".init.b64", (struct isa_operand[]){narrow, number(1)},
		2, &sm90, &m));
	arena_free(&a);
}

Test(isa, too_many_words_and_strange_numbers_do_no_harm)
{
	struct arena a = {0};
	struct isa_match m;
	uint16_t words[64];
	for (unsigned i = 0; i < 64; i++)
		words[i] = W_sync;
	for (unsigned op = 0; op <= OPCODE_COUNT; op++) {
		cr_expect_not(isa_match(&a, (enum opcode)op, words, 64, NULL, 0, &sm90, &m));
		isa_match(&a, (enum opcode)op, words, 20, NULL, 0, &sm90, &m);
	}
	words[0] = 0xffff;
	words[1] = W_SELECT;
	words[2] = WORD_COUNT;
	for (unsigned op = 1; op < OPCODE_COUNT; op++)
		cr_expect_not(isa_match(&a, (enum opcode)op, words, 3, NULL, 0, &sm90, &m));
	arena_free(&a);
}

/* Every opcode with every single word, and no operands or every kind of operand: nothing crashes,
 * and every rejection has a code and a message. */
Test(isa, every_rejection_is_explained)
{
	struct arena a = {0};
	struct isa_match m;
	for (unsigned op = 1; op < OPCODE_COUNT; op++)
		for (unsigned w = 1; w < WORD_COUNT; w++) {
			uint16_t words[2] = {(uint16_t)w, W_u32};
			struct isa_operand o[3];
			for (unsigned k = 0; k < 3; k++)
				o[k] = (struct isa_operand){
					.kind = (uint8_t)((w + k) % (OPERAND_SINK + 1)),
					.type = (uint8_t)((w + op) % TYPE_COUNT)};
			for (unsigned n = 0; n < 4; n += 3)
				if (!isa_match(&a, (enum opcode)op, words, 2, o, n, &sm90, &m))
					cr_assert(m.error.code && m.error.message &&
						m.error.message[0]);
			if (a.total > 1 << 22)
				arena_free(&a);
		}
	arena_free(&a);
}

Test(isa, explain)
{
	struct text t = {0};
	cr_assert(isa_explain("mbarrier.try_wait", &t));
	cr_expect(strstr(text_str(&t), "try_wait.parity"));
	cr_expect(strstr(text_str(&t), "PTX 7.8, sm_90"));
	cr_expect_not(strstr(text_str(&t), "pending_count"));
	text_clear(&t);
	cr_assert(isa_explain("%laneid", &t));
	cr_expect(strstr(text_str(&t), ".u32"));
	text_clear(&t);
	cr_assert(isa_explain(".acquire", &t));
	cr_expect(strstr(text_str(&t), "fence"));
	cr_expect_not(isa_explain("no_such_thing", &t));
	cr_expect_not(isa_explain("", &t));
	text_clear(&t);
	cr_assert(isa_explain("mov", &t));
	cr_expect(
		strstr(text_str(&t),
			"  mov{.v2|.v4}.type d, a;\n      .type: .b16 .b32 .b64 .u16 .u32 .u64 .s16 .s32 .s64 .f32 .f64 .pred\n"),
		"%s", text_str(&t));
	text_clear(&t);
	cr_assert(isa_explain("setp", &t));
	cr_expect(
		strstr(text_str(&t),
			"  setp.cmp(.and|.or|.xor){.ftz}.type p{|p}, a, b, {!}c;\n      .cmp: .eq .ne"),
		"%s", text_str(&t));
	text_clear(&t);
	isa_coverage(&t, 0);
	cr_expect(strstr(text_str(&t), "tcgen05.mma"));
	cr_expect(strstr(text_str(&t), "forms are executed"));
	/* only ptxas accepts these */
	cr_expect_null(strstr(text_str(&t), "testp(.f32|.f64) p, a;"));
	cr_expect(strstr(text_str(&t), "more that the manual does not have"));
	text_clear(&t);
	isa_coverage(&t, 93);
	cr_expect(strstr(text_str(&t), "9.3 not executed fabric.submit"));
	cr_expect(strstr(text_str(&t), "9.4 executed     ld.proxy::readonly"), "%s", text_str(&t));
	cr_expect_null(strstr(text_str(&t), "9.2 "));
	text_free(&t);
}

/* No group name of the table is left unexpanded, and no two forms have the same text. */
Test(isa, form_texts)
{
	char **text = calloc(isa_forms, sizeof *text);

	for (unsigned k = 0; k < isa_forms; k++) {
		struct text t = {0};

		isa_form_text(k, &t);
		text[k] = t.data;
#define GROUP(name, words) \
	for (const char *s = strstr(t.data, "." #name); s; s = strstr(s + 1, "." #name)) \
		cr_expect( \
			strchr("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789:_", \
				s[1 + strlen(#name)]), \
			"%s", t.data);
#include "isa/group.def"
		for (unsigned j = 0; j < k; j++)
			cr_expect(isa_form[j].opcode != isa_form[k].opcode ||
					strcmp(text[j], text[k]) != 0,
				"twice: %s", text[k]);
	}
	for (unsigned k = 0; k < isa_forms; k++)
		free(text[k]);
	free(text);
}

/* docs/ISA.md matches the table. PTXI_UPDATE=1 in the environment rewrites it. */
Test(isa, reference_is_current)
{
	struct text t = {0};
	isa_reference(&t);
	if (getenv("PTXI_UPDATE")) {
		FILE *f = fopen("docs/ISA.md", "wb");
		cr_assert(f);
		cr_assert_eq(fwrite(text_str(&t), 1, t.len, f), t.len);
		fclose(f);
	}
	FILE *f = fopen("docs/ISA.md", "rb");
	cr_assert(f, "docs/ISA.md is missing");
	char *have = malloc(t.len + 2);
	size_t n = fread(have, 1, t.len + 2, f);
	fclose(f);
	cr_expect(n == t.len && !memcmp(have, text_str(&t), n),
		"docs/ISA.md is not current: run the test isa/reference_is_current with PTXI_UPDATE=1");
	free(have);
	text_free(&t);
}
