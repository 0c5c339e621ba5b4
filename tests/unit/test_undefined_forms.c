/* --check=init for whole instructions: some bytes of the operands were never written. Each bit of
 * the result that counts as defined must be the same for any value of those bytes; and if the rule
 * of an instruction is exact, the others must not always be the same. */
#include "base/rng.h"
#include "tests/unit/world.h"
#include <stdio.h>

/* D: the destination; A, B, C: sources, followed by their size in bytes (8, 4, 2; p: a predicate
 * made from the low bit). */
struct rule {
	const char *text;
	bool exact;
};

static const struct rule rules[] = {
	{"mov.b64 D8, A8;", true},
	{"mov.b32 D4, A4;", true},
	{"mov.b16 D2, A2;", true},
	{"mov.b64 D8, {A4, B4};", true},
	{"mov.b64 {D4, _}, A8;", true},
	{"mov.b64 {_, D4}, A8;", true},
	{"mov.b32 D4, {A2, B2};", true},
	{"mov.b32 {_, D2}, A4;", true},
	{"and.b16 D2, A2, B2;", true},
	{"and.b32 D4, A4, B4;", true},
	{"and.b64 D8, A8, B8;", true},
	{"or.b32 D4, A4, B4;", true},
	{"or.b64 D8, A8, B8;", true},
	{"or.b16 D2, A2, B2;", true},
	{"xor.b32 D4, A4, B4;", true},
	{"xor.b64 D8, A8, B8;", true},
	{"not.b32 D4, A4;", true},
	{"not.b64 D8, A8;", true},
	{"not.b16 D2, A2;", true},
	{"and.b32 D4, A4, 0x00f0ff12;", true},
	{"or.b32 D4, A4, 0x00f0ff12;", true},
	{"and.pred Dp, Ap, Bp;", true},
	{"or.pred Dp, Ap, Bp;", true},
	{"xor.pred Dp, Ap, Bp;", true},
	{"not.pred Dp, Ap;", true},
	{"and.pred Dp, !Ap, Bp;", true},
	{"or.pred Dp, Ap, !Bp;", true},
	{"mov.pred Dp, Ap;", true},
	{"shl.b32 D4, A4, 11;", true},
	{"shl.b64 D8, A8, 43;", true},
	{"shl.b16 D2, A2, 3;", true},
	{"shl.b32 D4, A4, 40;", true},
	{"shr.u32 D4, A4, 11;", true},
	{"shr.u64 D8, A8, 33;", true},
	{"shr.s32 D4, A4, 11;", true},
	{"shr.s64 D8, A8, 33;", true},
	{"shr.s16 D2, A2, 3;", true},
	{"shr.u16 D2, A2, 5;", true},
	{"shr.s32 D4, A4, 99;", true},
	{"shl.b32 D4, A4, B4;", false},
	{"shr.u32 D4, A4, B4;", false},
	{"shr.b32 D4, A4, 9;", true},
	{"add.u32 D4, A4, B4;", false},
	{"sub.s32 D4, A4, B4;", false},
	{"add.s64 D8, A8, B8;", false},
	{"add.u16 D2, A2, B2;", false},
	{"add.s32 D4, A4, 1;", false},
	{"add.sat.s32 D4, A4, B4;", false},
	{"mul.lo.u32 D4, A4, B4;", false},
	{"mul.hi.s32 D4, A4, B4;", false},
	{"mul.wide.u16 D4, A2, B2;", false},
	{"mul.wide.s32 D8, A4, B4;", false},
	{"mad.lo.u32 D4, A4, B4, C4;", false},
	{"mad.wide.u32 D8, A4, B4, C8;", false},
	{"neg.s32 D4, A4;", false},
	{"abs.s32 D4, A4;", false},
	{"popc.b32 D4, A4;", false},
	{"clz.b32 D4, A4;", false},
	{"brev.b32 D4, A4;", false},
	{"bfind.u32 D4, A4;", false},
	{"sad.u32 D4, A4, B4, C4;", false},
	{"dp4a.u32.u32 D4, A4, B4, C4;", false},
	{"fns.b32 D4, A4, 3, 1;", false},
	{"shf.l.wrap.b32 D4, A4, B4, 7;", false},
	{"min.s32 D4, A4, B4;", false},
	{"max.s32 D4, A4, B4;", false},
	{"min.u32 D4, A4, B4;", false},
	{"max.u64 D8, A8, B8;", false},
	{"min.s64 D8, A8, B8;", false},
	{"max.u16 D2, A2, B2;", false},
	{"min.s16 D2, A2, B2;", false},
	{"selp.b32 D4, A4, B4, Cp;", false},
	{"selp.b64 D8, A8, B8, Cp;", false},
	{"selp.b16 D2, A2, B2, Cp;", false},
	{"selp.b32 D4, A4, B4, !Cp;", false},
	{"slct.b32.s32 D4, A4, B4, C4;", false},
	{"slct.u64.f32 D8, A8, B8, C4;", false},
	{"setp.eq.u32 Dp, A4, B4;", false},
	{"setp.ne.b32 Dp, A4, B4;", false},
	{"setp.lt.s32 Dp, A4, B4;", false},
	{"setp.le.u32 Dp, A4, B4;", false},
	{"setp.gt.s64 Dp, A8, B8;", false},
	{"setp.ge.u64 Dp, A8, B8;", false},
	{"setp.lo.u32 Dp, A4, B4;", false},
	{"setp.hs.u16 Dp, A2, B2;", false},
	{"setp.lt.s16 Dp, A2, B2;", false},
	{"setp.lt.f32 Dp, A4, B4;", false},
	{"setp.geu.f64 Dp, A8, B8;", false},
	{"setp.eq.and.u32 Dp, A4, B4, Cp;", false},
	{"setp.ne.or.s32 Dp, A4, B4, !Cp;", false},
	{"setp.lt.xor.u32 Dp, A4, B4, Cp;", false},
	{"setp.lt.s32 _|Dp, A4, B4;", false},
	{"setp.eq.and.u32 _|Dp, A4, B4, Cp;", false},
	{"setp.ge.u32 Dp, A4, 0;", false},
	{"setp.lt.u32 Dp, A4, 0x10000;", false},
	{"setp.gt.s32 Dp, A4, -1;", false},
	{"set.lt.u32.s32 D4, A4, B4;", false},
	{"set.eq.u32.u16 D4, A2, B2;", false},
	{"set.gt.f32.u32 D4, A4, B4;", false},
	{"set.ge.and.s32.u32 D4, A4, B4, Cp;", false},
	{"lop3.b32 D4, A4, B4, C4, 0xe8;", false},
	{"lop3.b32 D4, A4, B4, C4, 0x80;", true},
	{"lop3.b32 D4, A4, B4, C4, 0x1a;", false},
	{"lop3.b32 D4, A4, B4, C4, 0;", true},
	{"lop3.b32 D4, A4, B4, C4, 0xfe;", true},
	{"lop3.or.b32 _|Dp, A4, B4, C4, 0x80, Ap;", false},
	{"bfi.b32 D4, A4, B4, 5, 9;", true},
	{"bfi.b64 D8, A8, B8, 30, 20;", true},
	{"bfi.b32 D4, A4, B4, 28, 9;", true},
	{"bfi.b32 D4, A4, B4, C4, 9;", false},
	{"bfe.u32 D4, A4, 5, 9;", true},
	{"bfe.s32 D4, A4, 5, 9;", true},
	{"bfe.u64 D8, A8, 40, 13;", true},
	{"bfe.s64 D8, A8, 40, 13;", true},
	{"bfe.s32 D4, A4, 28, 9;", true},
	{"bfe.u32 D4, A4, B4, 9;", false},
	{"bfe.s32 D4, A4, 5, 0;", true},
	{"prmt.b32 D4, A4, B4, 0x5240;", true},
	{"prmt.b32 D4, A4, B4, 0x1f8c;", true},
	{"prmt.b32 D4, A4, B4, C4;", false},
	{"prmt.b32.f4e D4, A4, B4, 2;", false},
	{"szext.clamp.s32 D4, A4, 9;", false},
	{"bmsk.clamp.b32 D4, A4, B4;", false},
	{"add.f32 D4, A4, B4;", false},
	{"fma.rn.f64 D8, A8, B8, C8;", false},
	{"copysign.f32 D4, A4, B4;", false},
	{"testp.finite.f32 Dp, A4;", false},
	{"min.f32 D4, A4, B4;", false},
	{"cvt.rn.f32.s32 D4, A4;", false},
	{"cvt.rzi.u32.f32 D4, A4;", false},
	{"cvt.sat.u8.s32 D4, A4;", false},
	{"cvt.f64.f32 D8, A4;", false},
	{"vadd.u32.u32.u32 D4, A4.b1, B4.b2;", false},
	{"add.f16x2 D4, A4, B4;", false},
	{"cvt.rn.bf16x2.f32 D4, A4, B4;", false},
};

enum {
	RULES = sizeof rules / sizeof *rules,
	CONVERSIONS = 64,
	ALL = RULES + CONVERSIONS,
	SETS = 24,
	AGAIN = 40,
	BITS = 64
};

static void conversion(unsigned k, struct text *t)
{
	static const char *const type[] = {"u8", "s8", "u16", "s16", "u32", "s32", "u64", "s64"};
	unsigned to = k % 8, from = k / 8;

	text_printf(t, "cvt.%s.%s D%s, A%s;", type[to], type[from], to > 5 ? "8" : "4",
		from > 5 ? "8" : "4");
}

static void put_rule(unsigned k, const char *text, struct text *t)
{
	char width = '8';

	for (const char *c = text; *c; c++)
		if (c[0] == 'D' && strchr("842p", c[1])) {
			width = *++c;
			text_printf(t, "%%d%c", width);
		} else if (c[0] >= 'A' && c[0] <= 'C' && strchr("842p", c[1])) {
			text_printf(t, "%%%c%c", *c - 'A' + 'a', c[1]);
			c++;
		} else {
			text_putc(t, *c);
		}
	text_puts(t,
		width == '4'           ? " cvt.u64.u32 %d8, %d4;"
			: width == '2' ? " cvt.u64.u16 %d8, %d2;"
			: width == 'p' ? " selp.u64 %d8, 1, 0, %dp;"
				       : "");
	text_printf(t, " shr.u64 %%y%u, %%d8, %%t; and.b64 %%y%u, %%y%u, 1;\n", k, k, k);
}

static void put_program(struct text *t)
{
	text_printf(t,
		".version 9.0\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 out)\n{\n.reg .b64 %%y<%u>; .reg .b64 %%d8, %%a8, %%b8, %%c8, %%p; .reg .b32 %%d4, %%a4, %%b4, %%c4, %%t, %%s;",
		ALL);
	text_puts(t,
		" .reg .b16 %d2, %a2, %b2, %c2; .reg .pred %dp, %ap, %bp, %cp;\nmov.u32 %t, %tid.x; mov.u32 %s, %ctaid.x; ld.param.u64 %p, [out]; mad.wide.u32 %p, %s, 32, %p;\n");
	for (const char *r = "abc"; *r; r++) {
		text_printf(t,
			"ld.global.b64 %%%c8, [%%p+%u]; ld.global.b32 %%%c4, [%%p+%u]; ld.global.b16 %%%c2, [%%p+%u];",
			*r, (unsigned)(*r - 'a') * 8, *r, (unsigned)(*r - 'a') * 8, *r,
			(unsigned)(*r - 'a') * 8);
		text_printf(t, "and.b32 %%d4, %%%c4, 1; setp.ne.u32 %%%cp, %%d4, 0;\n", *r, *r);
	}
	for (unsigned k = 0; k < ALL; k++) {
		struct text conv = {0};

		if (k >= RULES)
			conversion(k - RULES, &conv);
		put_rule(k, k < RULES ? rules[k].text : text_str(&conv), t);
		text_free(&conv);
	}
	text_puts(t, "ret;\n}\n");
}

/* The number of %yK in the kernel. */
static uint32_t result_register(const struct ir_module *m, unsigned k)
{
	char name[16];

	snprintf(name, sizeof name, "%%y%u", k);
	for (uint32_t r = 0; r < m->func[0].nregs; r++)
		if (strcmp(symbol_text(&m->symbols, m->reg[m->func[0].reg + r].name), name) == 0)
			return r;
	cr_assert(false, "no register %s", name);
	return 0;
}

/* Runs the program on the operands, of which only the bytes in WRITTEN are written; VALUE and
 * DEFINED receive bit b of rule k for operand set s. */
static void evaluate(const char *text, const uint8_t *bytes, const bool *written, bool init,
	uint64_t (*value)[SETS], uint64_t (*defined)[SETS])
{
	struct arena arena = {0};
	struct diags diags = {0};
	struct source *source = source_new(&arena, "test.ptx", text, strlen(text));
	struct ir_module *module = assemble(source, &(struct assemble_options){0}, &diags);
	struct machine_options o = {.jobs = 1, .checks = init ? CHECK_INIT : 0};
	struct text said = {0};
	struct machine *m;
	uint64_t at;

	diag_render(&diags, &said, false);
	cr_assert_not_null(module, "%s", text_str(&said));
	m = machine_new(module, &o, &diags);
	at = machine_alloc(m, SETS * 32, "operands", false);
	for (unsigned b = 0; b < SETS * 32; b++)
		if (written[b])
			cr_assert(machine_write(m, at + b, bytes + b, 1));
	machine_keep_registers(m, true);
	struct machine_launch l = {.func = 0,
		.grid = {SETS, 1, 1},
		.block = {BITS, 1, 1},
		.params = &at,
		.source = source};

	cr_assert(machine_launch(m, &l));
	cr_assert_eq(machine_sync(m), MACHINE_DONE);
	for (unsigned k = 0; k < ALL; k++)
		for (unsigned s = 0; s < SETS; s++) {
			uint32_t y = result_register(module, k);

			value[k][s] = defined[k][s] = 0;
			for (unsigned b = 0; b < BITS; b++) {
				uint64_t v;
				bool is;

				cr_assert(machine_register(m, s * BITS + b, y, &v, &is));
				value[k][s] |= (v & 1) << b;
				defined[k][s] |= (uint64_t)is << b;
			}
		}
	machine_free(m);
	ir_module_free(module);
	diags_free(&diags);
	arena_free(&arena);
	text_free(&said);
}

static uint64_t value[ALL][SETS], defined[ALL][SETS], other[ALL][SETS], differ[ALL][SETS],
	unused[ALL][SETS];

Test(undefined_forms, bits_that_count_as_defined_are)
{
	struct rng r = {11};
	struct text t = {0};
	uint8_t bytes[SETS * 32];
	bool written[sizeof bytes], all[sizeof bytes];

	put_program(&t);
	memset(all, 1, sizeof all);
	for (unsigned b = 0; b < sizeof bytes; b++) {
		unsigned set = b / 32;

		bytes[b] = (uint8_t)(rng_next(&r) % 4 ? rng_next(&r) : rng_next(&r) & 1 ? 0xff : 0);
		/* none; one byte of A; any */
		written[b] = set == 0 ? true
			: set < 9     ? b % 8 != set - 1 || b / 8 % 4
				      : rng_next(&r) % 3 != 0;
	}
	evaluate(text_str(&t), bytes, written, true, value, defined);
	for (unsigned n = 0; n < AGAIN; n++) {
		for (unsigned b = 0; b < sizeof bytes; b++)
			if (!written[b])
				bytes[b] = (uint8_t)(n == 0 ? 0 : n == 1 ? 0xff : rng_next(&r));
		evaluate(text_str(&t), bytes, all, false, other, unused);
		for (unsigned k = 0; k < ALL; k++)
			for (unsigned s = 0; s < SETS; s++) {
				if (n == 0)
					value[k][s] = other[k][s];
				differ[k][s] |= value[k][s] ^ other[k][s];
			}
	}
	for (unsigned k = 0; k < ALL; k++)
		for (unsigned s = 0; s < SETS; s++) {
			bool exact = k >= RULES || rules[k].exact;
			struct text conv = {0};

			if (k >= RULES)
				conversion(k - RULES, &conv);
			const char *what = k < RULES ? rules[k].text : text_str(&conv);

			cr_expect_eq(differ[k][s] & defined[k][s], 0,
				"%s operands %u: %016llx differ and count as defined", what, s,
				(unsigned long long)(differ[k][s] & defined[k][s]));
			cr_expect(!exact || differ[k][s] == ~defined[k][s],
				"%s operands %u: %016llx are said to be undefined, but %016llx differ",
				what, s, (unsigned long long)~defined[k][s],
				(unsigned long long)differ[k][s]);
			cr_expect(s || !~defined[k][s], "%s: all its operands were written", what);
			text_free(&conv);
		}
	text_free(&t);
}
