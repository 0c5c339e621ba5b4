/* Translated code: the instructions that make lines of lines are recognised by the text of their
 * expressions in arith/kernel, so a change of that text must not pass unnoticed: it would only make
 * translated code slower. */
#include "assemble.h"
#include "arith/text.h"
#include "code/code.h"
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
