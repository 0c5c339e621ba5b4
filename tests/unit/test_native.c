/* Translated code: units are found by their keys, which must be the same in every run and differ
 * where the units do. The instructions that make lines of lines are recognised by the text of their
 * expressions in arith/kernel, so a change of that text must not pass unnoticed: it would only make
 * translated code slower. */
#include "assemble.h"
#include "arith/text.h"
#include "base/memory.h"
#include "code/code.h"
#include "native/key.h"
#include "native/unit.h"
#include "native/writer.h"

static const struct {
	const char *insn;
	enum linear linear;
} linears[] = {
	{"mov.b32 %r1, %r2", LINEAR_COPY},
	{"mov.b64 %rd1, %rd2", LINEAR_COPY},
	{"cvt.u64.u32 %rd1, %r2", LINEAR_COPY},
	{"cvt.s64.s32 %rd1, %r2", LINEAR_COPY},
	{"cvt.u32.u64 %r1, %rd2", LINEAR_COPY},
	{"add.u32 %r1, %r2, %r3", LINEAR_ADD},
	{"add.s32 %r1, %r2, %r3", LINEAR_ADD},
	{"add.s64 %rd1, %rd2, %rd3", LINEAR_ADD},
	{"sub.s32 %r1, %r2, %r3", LINEAR_SUB},
	{"sub.u64 %rd1, %rd2, %rd3", LINEAR_SUB},
	{"shl.b32 %r1, %r2, 3", LINEAR_SHIFT},
	{"shl.b64 %rd1, %rd2, 3", LINEAR_SHIFT},
	{"mul.lo.s32 %r1, %r2, %r3", LINEAR_MUL},
	{"mul.lo.u64 %rd1, %rd2, %rd3", LINEAR_MUL},
	{"mul.wide.u32 %rd1, %r2, %r3", LINEAR_MUL},
	{"mul.wide.s32 %rd1, %r2, %r3", LINEAR_MUL},
	{"mad.lo.s32 %r1, %r2, %r3, %r4", LINEAR_MAD},
	{"mad.lo.u64 %rd1, %rd2, %rd3, %rd4", LINEAR_MAD},
	{"mad.wide.u32 %rd1, %r2, %r3, %rd4", LINEAR_MAD},
	{"mad.wide.s32 %rd1, %r2, %r3, %rd4", LINEAR_MAD},
	{"add.sat.s32 %r1, %r2, %r3", LINEAR_NONE},
	{"mul.hi.u32 %r1, %r2, %r3", LINEAR_NONE},
	{"shr.u32 %r1, %r2, 3", LINEAR_NONE},
	{"and.b32 %r1, %r2, %r3", LINEAR_NONE},
	{"cvt.s32.s8 %r1, %r2", LINEAR_NONE},
	{"add.f32 %f1, %f2, %f3", LINEAR_NONE},
	{"add.f64 %fd1, %fd2, %fd3", LINEAR_NONE},
};

/* The only arithmetic of the function that has INSN, as the writer sees it. */
static enum linear linear_of(const char *insn)
{
	char body[100];
	struct arena arena = {0};
	struct diags diags = {0};
	enum linear linear = LINEAR_NONE;
	struct assembled a;
	unsigned found = 0;

	snprintf(body, sizeof body, "%s;", insn);
	a = test_body("", body);
	cr_assert_not_null(a.m, "%s", insn);
	struct code code = {
		.module = a.m, .findings = &diags, .arena = &arena, .keeps_registers = true};

	code_layout(&code);
	cr_assert(code_decode(&code, 0), "%s", insn);
	for (uint32_t k = 0; k < code.func[0].nops; k++) {
		const struct op *op = &code.func[0].op[k];
		struct arith_text t;

		if (op->kind == KIND_RESIZE) { /* a copy that no kernel does */
			linear = LINEAR_COPY;
			found++;
		}
		if (op->kind == KIND_ALU && arith_text(op->run.kernel, &t)) {
			linear = lines_linear(op, &t);
			found++;
		}
	}
	cr_expect_eq(found, 1, "%s", insn);
	code_free(&code);
	arena_free(&arena);
	test_free(&a);
	return linear;
}

Test(native, linear)
{
	for (size_t k = 0; k < sizeof linears / sizeof *linears; k++)
		cr_expect_eq(linear_of(linears[k].insn), linears[k].linear, "%s: %d",
			linears[k].insn, linear_of(linears[k].insn));
}

/* --- keys --- */

/* The key and the text of each function of a source. */
enum { MOST_FUNCS = 32 };
struct units {
	unsigned n;
	struct text key[MOST_FUNCS], text[MOST_FUNCS];
};

static struct units units_of(const char *source)
{
	struct assembled a = test_assemble(source);
	struct arena arena = {0};
	struct diags diags = {0};
	struct units u = {0};

	cr_assert_not_null(a.m, "%s", source);
	struct code code = {.module = a.m, .findings = &diags, .arena = &arena};

	code_layout(&code);
	for (uint32_t f = 0; f < a.m->nfuncs; f++)
		if (a.m->func[f].has_body && !code.func[f].decoded)
			cr_assert(code_decode(&code, f));
	for (uint32_t f = 0; f < a.m->nfuncs && u.n < MOST_FUNCS; f++)
		if (code.func[f].decoded) {
			struct code_func bare = native_bare(&code.func[f]);

			native_key(&bare, &u.key[u.n]);
			native_unit_text(&bare, "unit", 64, true, &u.text[u.n++]);
			memory_drop(bare.op);
		}
	code_free(&code);
	arena_free(&arena);
	test_free(&a);
	return u;
}

static void units_drop(struct units *u)
{
	for (unsigned k = 0; k < u->n; k++) {
		text_free(&u->key[k]);
		text_free(&u->text[k]);
	}
}

static bool same(const struct text *a, const struct text *b)
{
	return a->len == b->len && memcmp(text_str(a), text_str(b), a->len) == 0;
}

/* Every kind of instruction, decoded twice, at other addresses. */
Test(native, keys_are_the_same_again)
{
	static char source[1 << 20];
	FILE *f = fopen("tests/unit/decode.ptx", "rb");
	struct units first, second;

	cr_assert_not_null(f);
	source[fread(source, 1, sizeof source - 1, f)] = 0;
	fclose(f);
	first = units_of(source);
	second = units_of(source);
	cr_assert_gt(first.n, 3);
	for (unsigned k = 0; k < first.n; k++) {
		cr_expect(same(&first.key[k], &second.key[k]), "function %u", k);
		cr_expect(same(&first.text[k], &second.text[k]), "function %u", k);
	}
	units_drop(&first);
	units_drop(&second);
}

/* Each body differs from the others in one detail that its unit depends on. */
Test(native, keys_differ)
{
	static const char *const body[] = {
		"add.u32 %r1, %r2, %r3;",
		"sub.u32 %r1, %r2, %r3;",
		"add.u32 %r1, %r2, %r2;",
		"add.u32 %r1, %r2, 3;",
		"add.u32 %r1, %r2, 4;",
		"@%p1 add.u32 %r1, %r2, 4;",
		"@!%p1 add.u32 %r1, %r2, 4;",
		"mov.u32 %r1, %tid.x;",
		"mov.u32 %r1, %tid.y;",
		"ld.global.u32 %r1, [%rd1];",
		"ld.global.s16 %r1, [%rd1];",
		"ld.global.u32 %r1, [%rd1+4];",
		"ld.shared.u32 %r1, [%rd1];",
		"ld.relaxed.gpu.global.u32 %r1, [%rd1];",
		"ld.global.v2.u32 {%r1, %r2}, [%rd1];",
		"ld.global.v4.u32 {%r1, %r2, %r3, %r4}, [%rd1];",
		"st.global.u32 [%rd1], %r1;",
		"red.global.add.u32 [%rd1], %r1;",
		"red.global.max.u32 [%rd1], %r1;",
		"bar.sync 0;",
		"bar.sync 1;",
		"@%p1 bra L; add.u32 %r1, %r1, 1; L: add.u32 %r1, %r1, 1;",
		"@%p1 bra L; add.u32 %r1, %r1, 1; add.u32 %r1, %r1, 1; L:",
		"t: .branchtargets A, B; brx.idx %r1, t; A: add.u32 %r1, %r1, 1; B:",
		"t: .branchtargets B, A; brx.idx %r1, t; A: add.u32 %r1, %r1, 1; B:",
	};
	enum { N = sizeof body / sizeof *body };
	struct units u[N];

	for (unsigned k = 0; k < N; k++) {
		struct text t = {0};

		text_printf(&t,
			TEST_HEAD
			".visible .entry k(.param .u64 out, .param .u32 n)\n{\n%s%s\nret;\n}\n",
			TEST_REGS, body[k]);
		u[k] = units_of(text_str(&t));
		text_free(&t);
		for (unsigned j = 0; j < k; j++)
			cr_expect(!same(u[j].key, u[k].key), "%s\n%s", body[j], body[k]);
	}
	for (unsigned k = 0; k < N; k++)
		units_drop(&u[k]);
}
