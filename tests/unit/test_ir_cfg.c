/* The control-flow graph: blocks, edges, post-dominators; and which registers an instruction reads
 * and writes. */
#include "assemble.h"
#include "ir/cfg.h"

Test(ir_cfg, diamond)
{
	struct assembled a = test_body("",
		"@%p1 bra L1; mov.u32 %r1, 1; bra L2; L1: mov.u32 %r1, 2; L2: add.u32 %r1, %r1, 1;");
	struct ir_cfg c;

	cr_assert_not_null(a.m);
	ir_cfg_build(&c, a.m, 0);
	cr_assert_eq(c.nblocks, 4);
	cr_expect_eq(c.block[0].nsuccs, 2);
	cr_expect_eq(c.block[0].ipdom, 3);
	cr_expect_eq(c.block[1].ipdom, 3);
	cr_expect_eq(c.block[3].ipdom, 4, "the exit");
	cr_expect_eq(c.block[3].npreds, 2);
	cr_expect_eq(c.block_of[3], 2);
	ir_cfg_free(&c);
	test_free(&a);
}

Test(ir_cfg, loops_and_dead_code)
{
	struct assembled a = test_body("",
		"L1: add.u32 %r1, %r1, 1; @%p1 bra L1; bra L3; mov.u32 %r2, 1; L3: @%p2 ret; L4: bra L4;");
	struct ir_cfg c;

	cr_assert_not_null(a.m);
	ir_cfg_build(&c, a.m, 0);
	cr_assert_eq(c.nblocks, 6);
	cr_expect(c.block[0].reachable && !c.block[2].reachable && !c.block[5].reachable);
	cr_expect_eq(c.block[0].ipdom, 1);
	cr_expect_eq(c.block[1].ipdom, 3);
	cr_expect_eq(c.block[4].ipdom, 6, "an endless loop meets only the exit");
	ir_cfg_free(&c);
	test_free(&a);
}

Test(ir_cfg, tables)
{
	struct assembled a = test_body("",
		"t: .branchtargets A, B, A; brx.idx %r1, t; A: ret; B: trap; C: mov.u32 %r1, 1;");
	struct ir_cfg c;

	cr_assert_not_null(a.m);
	ir_cfg_build(&c, a.m, 0);
	cr_expect_eq(c.block[0].nsuccs, 2);
	cr_expect_not(c.block[3].reachable);
	ir_cfg_free(&c);
	test_free(&a);
}

/* The edges of 200 branches through a table of 30000 labels. */
Test(ir_cfg, long_tables, .timeout = 20)
{
	struct text t = {0};
	struct assembled a;
	struct ir_cfg c;

	text_puts(&t, "t: .branchtargets L<30000>;\n");
	for (unsigned k = 0; k < 200; k++)
		text_puts(&t, "@%p1 brx.idx %r1, t;\n");
	for (unsigned k = 0; k < 30000; k++)
		text_printf(&t, "L%u: add.u32 %%r1, %%r1, 1;\n", k);
	a = test_body("", text_str(&t));
	cr_assert_not_null(a.m);
	ir_cfg_build(&c, a.m, 0);
	cr_expect_eq(c.nblocks, 30200);
	cr_expect_eq(c.block[0].nsuccs, 30001);
	cr_expect_eq(c.block[200].npreds, 200);
	ir_cfg_free(&c);
	text_free(&t);
	test_free(&a);
}

struct named {
	const struct ir_module *m;
	struct text t;
};

static void name_register(void *arg, const struct ir_operand *reg, bool written)
{
	struct named *n = arg;

	text_printf(&n->t, "%s%s%s", n->t.len ? " " : "", written ? "=" : "",
		symbol_text(&n->m->symbols, n->m->reg[n->m->func[0].reg + reg->index].name));
}

/* The registers that the first instruction of BODY reads and writes (=). */
static void registers(const char *body, const char *all, const char *written)
{
	struct assembled a = test_body("", body);
	struct named n = {.m = a.m};

	cr_assert_not_null(a.m, "%s: %s", body, a.diags.first ? a.diags.first->message : "");
	ir_each_register(a.m, &a.m->insn[a.m->func[0].insn], name_register, &n);
	cr_expect_str_eq(text_str(&n.t), all, "%s: %s", body, text_str(&n.t));
	text_clear(&n.t);
	ir_each_written(a.m, &a.m->insn[a.m->func[0].insn], name_register, &n);
	cr_expect_str_eq(text_str(&n.t), written, "%s: %s", body, text_str(&n.t));
	text_free(&n.t);
	test_free(&a);
}

Test(ir_written, registers_of_each_kind_of_operand)
{
	registers("add.u32 %r1, %r2, %r3;", "%r2 %r3 =%r1", "=%r1");
	registers("@%p1 add.u32 %r1, %r1, 1;", "%p1 %r1 =%r1", "=%r1");
	registers("setp.lt.and.u32 %p1|%p2, %r1, %r2, !%p3;", "%r1 %r2 %p3 =%p1 =%p2", "=%p1 =%p2");
	registers("ld.global.v2.u32 {%r1, _}, [%rd1+4];", "%rd1 =%r1", "=%r1");
	registers("st.global.v2.u32 [%rd1], {%r1, %r2};", "%rd1 %r1 %r2", "");
	registers("atom.global.add.u32 %r1, [%rd1], %r2;", "%rd1 %r2 =%r1", "=%r1");
	registers("red.global.add.u32 [%rd1], %r2;", "%rd1 %r2", "");
	registers("cp.async.bulk.prefetch.tensor.2d.L2.global [%rd1, {%r1, %r2}];", "%rd1 %r1 %r2",
		"");
	registers("tex.1d.v4.s32.s32 {%r1, %r2, %r3, %r4}, [%rd1, {%r5}];",
		"%rd1 %r5 =%r1 =%r2 =%r3 =%r4", "=%r1 =%r2 =%r3 =%r4");
	registers("shfl.sync.down.b32 %r1|%p1, %r2, 1, 31, -1;", "%r2 =%r1 =%p1", "=%r1 =%p1");
	registers("bar.sync 0, %r1;", "%r1", "");
	registers("bra L; L:", "", "");
}
