/* Objects with wrong contents: a module is changed in one place, written, and read again; for each
 * check of the reader there is a change that only this check rejects. */
#include "tests/unit/assemble.h"
#include "base/memory.h"
#include "ir/object_format.h"

static const char source[] =
	".version 9.0\n.target sm_90, debug\n.address_size 64\n.file 1 \"a.cu\", 1700000000, 4242\n.file 2 \"b.h\"\n.pragma \"nounroll\";\n"
	".global .u32 w[2][3] = {{1, 2, 3}, {4, 5}};\n.global .u8 cut[2] = {0xff(w), 0xff00(w)};\n.const .f32 c[2] = {1.5, 2.5};\n.shared .align 16 .b8 s[64];\n.global .v2 .f32 vv;\n"
	".func (.param .b32 r) one(.param .b32 a, .param .b64 b)\n{\n.reg .b32 %x;\nld.param.b32 %x, [a];\nst.param.b32 [r], %x;\nret;\n}\n"
	".func (.reg .b32 r) two(.reg .b32 a)\n{\nmov.b32 r, a;\nret;\n}\n"
	".global .align 8 .u64 t[3] = {two, generic(w)+8, 7};\n"
	".func three(.reg .b32 a);\n.func four(.reg .b32 a)\n{\nret;\n}\n.func five()\n{\nret;\n}\n.alias three, four;\n"
	".func six(.param .b32 a6)\n{\nret;\n}\n.func seven(.param .b32 a7);\n.alias seven, six;\n.entry l(.param .b32 la)\n{\n.reg .b32 %y;\nlproto: .callprototype _ (.reg .b32 _);\nmov.b32 %y, 1;\nret;\n}\n"
	".entry k(.param .u64 .ptr .global .align 16 p, .param .u32 n)\n.maxntid 32, 2, 1\n.minnctapersm 2\n{\n"
	".reg .pred %p<3>;\n.reg .b32 %r<8>;\n.reg .b64 %rd<8>;\n.reg .f32 %f<4>;\n.reg .v4 .f32 v;\n.local .align 8 .b8 l[16];\n"
	".loc 1 10 2\nld.param.u64 %rd1, [p];\n.pragma \"used_bytes_mask 0xf\";\nld.global.v2.u32 {%r1, %r2}, [%rd1+8];\n"
	".loc 1 11 3, function_name $L__info_string0, inlined_at 1 10 2\nmov.u32 %r3, %tid.x;\nadd.s32 %r4, %r3, -5;\nmov.f32 %f1, 0f3FC00000;\nmov.f32 %f2, v.y;\n"
	"setp.lt.u32 %p1|%p2, %r3, 4;\nmov.u64 %rd2, w+4;\nld.global.u32 %r5, [w+4];\nld.local.u32 %r5, [16];\nvadd.u32.u32.u32 %r6, %r4.b1, %r5.h0;\nbfe.u32 %r6, %r6, 3, 4;\n"
	"cp.async.bulk.prefetch.tensor.2d.L2.global [%rd1, {%r1, %r2}];\n@!%p1 bra B;\ntargets: .branchtargets A, B;\nbrx.idx %r1, targets;\n"
	"A:\ncall (%r1), two, (%r2);\n{\n.param .b32 q0;\n.param .b32 q1;\n.param .b64 q2;\nst.param.b32 [q1], %r1;\ncall (q0), one, (q1, q2);\n}\ncall four, (%r1);\n"
	"B:\nmov.u64 %rd3, two;\nproto: .callprototype (.reg .b32 _) _ (.reg .b32 _);\ncall (%r1), %rd3, (7), proto;\nfuncs: .calltargets two;\ncall (_), %rd3, (%r1), funcs;\n"
	"C:\nret;\n}\n.section .debug_str\n{\n$L__info_string0:\n.b8 103, 0\n}\n";

/* --- parts of a module, by name --- */

static struct ir_func *func(struct ir_module *m, const char *name)
{
	uint32_t f = ir_find_func(m, name);

	cr_assert_neq(f, IR_NONE, "%s", name);
	return &m->func[f];
}

static struct ir_var *var(struct ir_module *m, const char *name)
{
	uint32_t v = 0;

	while (v < m->nvars && strcmp(symbol_text(&m->symbols, m->var[v].name), name) != 0)
		v++;
	cr_assert_lt(v, m->nvars, "%s", name);
	return &m->var[v];
}

static uint32_t func_number(struct ir_module *m, const char *name)
{
	return (uint32_t)(func(m, name) - m->func);
}
static uint32_t var_number(struct ir_module *m, const char *name)
{
	return (uint32_t)(var(m, name) - m->var);
}

static struct ir_insn *insn(struct ir_module *m, enum opcode op, unsigned nth)
{
	uint32_t i = 0;

	while (i < m->ninsns && (isa_form[m->insn[i].form].opcode != op || nth--))
		i++;
	cr_assert_lt(i, m->ninsns, "%s", opcode_text(op));
	return &m->insn[i];
}

static struct ir_operand *operand(struct ir_module *m, enum opcode op, unsigned nth, unsigned k)
{
	struct ir_insn *in = insn(m, op, nth);

	cr_assert_lt(k, in->noperands);
	return &m->operand[in->operand + k];
}

static struct ir_operand *element(struct ir_module *m, struct ir_operand *o, uint32_t k)
{
	return &m->operand[(o->kind == IR_ADDR ? ir_further(o) : o)->index + k];
}

static struct ir_register *reg(struct ir_module *m, const char *f, const char *name)
{
	uint32_t r = ir_find_reg(m, func_number(m, f), name);

	cr_assert_neq(r, IR_NONE, "%s", name);
	return &m->reg[func(m, f)->reg + r];
}

/* --- larger changes --- */

/* An array of N dimensions of 1. */
static void dimensions(struct ir_module *m, const char *name, uint32_t n)
{
	m->dim = memory_resize(m->dim, (m->ndims + n) * sizeof *m->dim);
	for (uint32_t i = 0; i < n; i++)
		m->dim[m->ndims + i] = 1;
	var(m, name)->dims = m->ndims;
	var(m, name)->ndims = n;
}

static uint32_t more_operands(struct ir_module *m, uint32_t n, struct ir_operand like)
{
	uint32_t first = m->noperands;

	m->operand = memory_resize(m->operand, (first + n) * sizeof *m->operand);
	for (uint32_t i = 0; i < n; i++)
		m->operand[first + i] = like;
	m->noperands += n;
	return first;
}

static void unified(struct ir_module *m, struct ir_var *v, uint64_t first, uint64_t second)
{
	m->dim = memory_resize(m->dim, (m->ndims + 2u) * sizeof *m->dim);
	m->dim[m->ndims] = first;
	m->dim[m->ndims + 1] = second;
	v->unified = 1;
	v->unified_id = m->ndims;
	m->ndims += 2;
}

/* Makes the source of the first mov a vector of N registers, nested in LEVELS vectors. */
static void vector(struct ir_module *m, uint32_t n, uint32_t levels)
{
	struct ir_operand like = *operand(m, OP_mov, 0, 1);
	uint32_t first = more_operands(m, n, like);

	for (; levels > 1; levels--)
		first = more_operands(
			m, 1, (struct ir_operand){.kind = IR_VEC, .index = first, .count = n}),
		n = 1;
	*operand(m, OP_mov, 0, 1) = (struct ir_operand){.kind = IR_VEC, .index = first, .count = n};
}

/* Gives the address of the prefetch N coordinates. */
static void coordinates(struct ir_module *m, uint32_t n)
{
	struct ir_operand *o = operand(m, OP_cp, 0, 0);
	uint32_t first = more_operands(m, n, *operand(m, OP_bfe, 0, 1));

	o = operand(m, OP_cp, 0, 0);
	o += o->further;
	o->index = first;
	o->count = n;
}

/* Replaces the call's list K by O alone. */
static void argument(struct ir_module *m, unsigned nth, unsigned k, struct ir_operand o)
{
	uint32_t first = more_operands(m, 1, o);
	struct ir_operand *list = operand(m, OP_call, nth, k);

	list->index = first;
	list->count = 1;
}

static struct ir_operand number(uint64_t value, enum type type)
{
	return (struct ir_operand){.kind = IR_IMM, .type = (uint8_t)type, .value = value};
}

static struct ir_operand variable(struct ir_module *m, uint32_t v)
{
	return (struct ir_operand){.kind = IR_VAR, .type = m->var[v].type, .index = v};
}
static struct ir_operand function(struct ir_module *m, const char *name)
{
	return (struct ir_operand){.kind = IR_FUNC, .index = func_number(m, name)};
}

/* A whole vector register, where a component is required. */
static struct ir_operand whole(struct ir_module *m, const char *name)
{
	struct ir_operand o = *operand(m, OP_mov, 4, 1);

	cr_assert_eq(o.index, ir_find_reg(m, func_number(m, "k"), name));
	o.aux = 0;
	return o;
}

/* The number of a variable like that one which is not counted by the module. */
static uint32_t variable_behind(struct ir_module *m, const char *like)
{
	struct ir_var copy = *var(m, like);

	m->var = memory_resize(m->var, (m->nvars + 1) * sizeof *m->var);
	m->var[m->nvars] = copy;
	return m->nvars;
}

/* SIZE bytes of source in LINES lines, the last of which begins at LAST. */
static void long_source(struct ir_module *m, uint32_t size, uint32_t last)
{
	struct source *s = ARENA_NEW(&m->arena, struct source);
	char *text = arena_alloc(&m->arena, size + 2u, 1);
	uint8_t *length = ARENA_ARRAY(&m->arena, uint8_t, 5), *end = length;

	*s = *m->source;
	memset(text, ' ', size + 2u);
	s->text = text;
	s->len = size;
	s->home = &m->arena;
	for (; last >= 0x80; last >>= 7)
		*end++ = (uint8_t)(last | 0x80);
	*end++ = (uint8_t)last;
	source_set_lines(s, length, (uint32_t)(end - length));
	m->source = s;
}

/* --- what is rejected, and what is accepted --- */

/* Applies change number K: *WHY is the reader's message; NULL: the object is accepted, and written
 * back unchanged. False: there is no such change. */
static bool changed(struct ir_module *m, unsigned k, const char **what, const char **why)
{
	unsigned n = 0;

#define BAD(change, words) \
	if (n++ == k) { \
		change; \
		*what = #change; \
		*why = words; \
		return true; \
	}
#define GOOD(change) BAD(change, NULL)
	GOOD(m->ninsns += 0)
	/* the module */
	GOOD(m->target.ptx = 999)
	BAD(m->target.ptx = 1000, "its PTX version does not exist")
	GOOD(m->target.sm = 999)
	BAD(m->target.sm = 1000, "its target does not exist")
	GOOD(m->target.suffix = 'a')
	GOOD(m->target.suffix = 'f')
	BAD(m->target.suffix = 'b', "its target does not exist")
	BAD(m->target.suffix = (char)128, "its target does not exist")
	BAD(m->target.address_size = 32, "its target does not exist")
	BAD(m->target.address_size = 65, "its addresses have the wrong size")
	GOOD(m->texmode_independent = 1)
	GOOD(m->debug = 0)
	BAD(m->debug = 2, "its options do not exist")
	GOOD(m->file[0].mtime = UINT64_MAX; m->file[0].size = 1)
	BAD(m->file[0].has_mtime = 2, "a flag in it is neither 0 nor 1")
	GOOD(m->pragma[0].func = func_number(m, "k"); m->pragma[0].insn = func(m, "k")->ninsns)
	GOOD(m->pragma[0].func = func_number(m, "k"); m->pragma[0].insn = IR_NONE)
	BAD(m->pragma[0].func = func_number(m, "k"); m->pragma[0].insn = func(m, "k")->ninsns + 1,
		"a pragma in it belongs to no instruction")
	BAD(m->pragma[0].func = m->nfuncs, "a pragma in it belongs to no instruction")
	/* variables */
	BAD(var(m, "vv")->space = WORD_COUNT, "a state space in it does not exist")
	BAD(var(m, "vv")->space = W_param, "a variable in it is malformed")
	BAD(var(m, "vv")->space = W_local, "a variable in it is malformed")
	BAD(var(m, "vv")->space = W_reg, "a variable in it is malformed")
	BAD(var(m, "vv")->space = W_generic, "a variable in it is malformed")
	BAD(var(m, "l")->space = W_generic, "a variable in it is malformed")
	BAD(var(m, "l")->space = W_reg, "a variable in it is in the wrong state space")
	GOOD(var(m, "l")->space = W_shared)
	GOOD(var(m, "l")->space = W_global)
	GOOD(var(m, "l")->space = W_const)
	GOOD(var(m, "vv")->space = W_const)
	GOOD(var(m, "vv")->type = TYPE_COUNT - 1)
	BAD(var(m, "vv")->type = TYPE_COUNT, "a type in it does not exist")
	BAD(var(m, "vv")->type = TYPE_NONE, "a variable in it is malformed")
	GOOD(var(m, "vv")->vector = 0)
	GOOD(var(m, "vv")->vector = 4)
	GOOD(var(m, "vv")->vector = 8)
	BAD(var(m, "vv")->vector = 1, "a variable in it is malformed")
	BAD(var(m, "vv")->vector = 3, "a variable in it is malformed")
	BAD(var(m, "vv")->vector = 9, "a vector in it is too wide")
	GOOD(var(m, "vv")->linkage = 15)
	BAD(var(m, "vv")->linkage = 16, "a linkage in it does not exist")
	GOOD(var(m, "vv")->managed = 1)
	GOOD(unified(m, var(m, "vv"), 5, UINT64_MAX))
	BAD(var(m, "vv")->managed = 4, "a variable in it is malformed")
	GOOD(var(m, "p")->ptr_space = W_shared; var(m, "p")->ptr_align = UINT32_MAX)
	BAD(var(m, "p")->ptr_space = WORD_COUNT, "a state space in it does not exist")
	GOOD(var(m, "vv")->align = 1u << 30)
	BAD(var(m, "vv")->align = 1u << 31, "a variable in it is malformed")
	BAD(var(m, "vv")->align = 24, "a variable in it is malformed")
	BAD(var(m, "vv")->align = 0, "a variable in it is malformed")
	GOOD(dimensions(m, "vv", 32))
	BAD(dimensions(m, "vv", 33), "an array in it has too many dimensions")
	GOOD(m->dim[var(m, "cut")->dims] = UINT64_C(1) << 48)
	BAD(m->dim[var(m, "cut")->dims] = (UINT64_C(1) << 48) + 1,
		"a variable in it is larger than the address space")
	BAD(m->dim[var(m, "w")->dims] = UINT64_C(1) << 47,
		"a variable in it is larger than the address space")
	BAD(dimensions(m, "vv", 1); m->dim[m->ndims] = UINT64_C(1) << 46,
		"a variable in it is larger than the address space")
	GOOD(dimensions(m, "vv", 1); m->dim[m->ndims] = UINT64_C(1) << 45)
	GOOD(m->dim[var(m, "s")->dims] = 0)
	BAD(m->dim[var(m, "s")->dims] = UINT64_C(1) << 33, "its variables take more than 4 GiB")
	GOOD(var(m, "w")->ndata = 24)
	GOOD(var(m, "w")->ndata = 0)
	BAD(var(m, "w")->ndata = 25, "an initial value in it is larger than its variable")
	BAD(var(m, "s")->data = 0;
		var(m, "s")->ndata = 1, "an initial value in it is larger than its variable")
	/* addresses in initial values */
	GOOD(m->reloc[var(m, "t")->reloc + 1].addend = -8)
	GOOD(m->reloc[var(m, "t")->reloc + 1].generic = 0)
	GOOD(m->reloc[var(m, "t")->reloc + 1].at = 16)
	BAD(m->reloc[var(m, "t")->reloc + 1].at = 17, "an address in it is outside its variable")
	BAD(m->reloc[var(m, "t")->reloc + 1].at = 25, "an address in it is outside its variable")
	GOOD(m->reloc[var(m, "t")->reloc + 1].size = 4)
	GOOD(m->reloc[var(m, "t")->reloc + 1].size = 1)
	BAD(m->reloc[var(m, "t")->reloc + 1].size = 2, "an address in it is outside its variable")
	BAD(m->reloc[var(m, "t")->reloc + 1].size = 9, "an address in it has the wrong size")
	BAD(m->reloc[var(m, "cut")->reloc].size = 4, "an address in it is outside its variable")
	BAD(var(m, "t")->type = TYPE_u32;
		m->dim[var(m, "t")->dims] = 6, "an address in it is outside its variable")
	GOOD(m->reloc[var(m, "cut")->reloc + 1].shift = 63)
	BAD(m->reloc[var(m, "cut")->reloc + 1].shift = 64, "an address in it is shifted too far")
	BAD(m->reloc[var(m, "t")->reloc].is_func = 4, "an address in it is malformed")
	BAD(m->reloc[var(m, "t")->reloc].index = m->nfuncs,
		"an address in it has no variable or function")
	BAD(m->reloc[var(m, "t")->reloc + 1].index = m->nvars,
		"an address in it has no variable or function")
	BAD(m->reloc[var(m, "t")->reloc + 1].index = var_number(m, "s"),
		"an address in it is not known before the program runs")
	GOOD(m->reloc[var(m, "t")->reloc + 1].index = var_number(m, "c"))
	/* functions */
	GOOD(func(m, "five")->noreturn = 1; func(m, "five")->declared = 1;
		func(m, "five")->linkage = 15)
	GOOD(func(m, "l")->explicitcluster = 1; func(m, "l")->reqnctapercluster[2] = 4;
		func(m, "l")->maxclusterrank = 8)
	GOOD(func(m, "l")->blocksareclusters = 1; func(m, "l")->reqntid[1] = 7;
		func(m, "l")->maxnreg = 31; func(m, "l")->minnctapersm = 3)
	GOOD(func(m, "l")->abi_preserve = 5; func(m, "l")->abi_preserve_control = 6;
		func(m, "l")->maxntid[0] = UINT32_MAX)
	BAD(func(m, "five")->declared = 2, "a function in it is malformed")
	BAD(func(m, "five")->linkage = 16, "a linkage in it does not exist")
	BAD(func(m, "three")->alias_of = m->nfuncs, "an alias in it has no target")
	BAD(func(m, "four")->alias_of = func_number(m, "four"), "an alias in it is impossible")
	BAD(func(m, "three")->alias_of = func_number(m, "three"), "an alias in it is impossible")
	BAD(func(m, "three")->alias_of = func_number(m, "l"), "an alias in it is impossible")
	BAD(func(m, "three")->alias_of = func_number(m, "five"), "an alias in it is impossible")
	BAD(func(m, "three")->alias_of = func_number(m, "two"), "an alias in it is impossible")
	BAD(func(m, "seven")->is_entry = 1, "an alias in it is impossible")
	GOOD(func(m, "seven")->has_body = 1; func(m, "seven")->alias_of = IR_NONE)
	BAD(reg(m, "k", "v")->type = TYPE_COUNT, "a register in it has no type")
	BAD(reg(m, "k", "v")->type = TYPE_NONE, "a register in it has no type")
	BAD(reg(m, "k", "v")->vector = 1, "a register in it has no type")
	BAD(reg(m, "k", "v")->vector = 3, "a register in it has no type")
	BAD(reg(m, "k", "v")->vector = 7, "a register in it has no type")
	GOOD(reg(m, "k", "v")->vector = 2)
	GOOD(m->label[func(m, "k")->label + 2].insn = func(m, "k")->ninsns)
	BAD(m->label[func(m, "k")->label + 2].insn = func(m, "k")->ninsns + 1,
		"a label in it is past the end of its function")
	GOOD(m->loc[1].insn = func(m, "k")->ninsns)
	BAD(m->loc[1].insn = func(m, "k")->ninsns + 1,
		"a location in it is past the end of its function")
	GOOD(m->loc[0].file = 9; m->loc[0].line = 5; m->loc[1].function_offset = 77;
		m->loc[1].at_file = 3; m->loc[1].at_line = 4; m->loc[1].at_column = 8)
	BAD(m->var[func(m, "two")->param].offset = func(m, "two")->nregs,
		"a parameter in it is not a register of its function")
	BAD(m->var[func(m, "two")->ret].offset = func(m, "two")->nregs,
		"a parameter in it is not a register of its function")
	BAD(m->var[func(m, "two")->param].type = TYPE_b64,
		"a parameter in it is not a register of its function")
	BAD(m->var[func(m, "two")->param].vector = 2,
		"a parameter in it is not a register of its function")
	BAD(m->var[func(m, "three")->param].space = W_local,
		"a parameter in it is in the wrong state space")
	BAD(m->var[func(m, "three")->param].ndims = 1,
		"a parameter in it is in the wrong state space")
	BAD(func(m, "seven")->is_entry = 1; m->var[func(m, "seven")->param].space = W_reg,
		"a parameter in it is in the wrong state space")
	BAD(func(m, "three")->ninsns = 1, "a function in it has instructions but no body")
	BAD(func(m, "three")->nlocs = 1, "a function in it has instructions but no body")
	/* tables */
	BAD(m->table[1].kind = 3, "a table in it is malformed")
	GOOD(m->table[0].noreturn = 1)
	BAD(m->table[0].noreturn = 2, "a flag in it is neither 0 nor 1")
	GOOD(m->table[3].insn = func(m, "k")->ninsns)
	BAD(m->table[3].insn = func(m, "k")->ninsns + 1, "a table in it belongs to no function")
	GOOD(m->table[1].insn = m->table[2].insn)
	BAD(m->table[1].insn = m->table[2].insn + 1, "its tables are not in order")
	GOOD(m->operand[m->table[1].target].more = func(m, "k")->nlabels - 1)
	BAD(m->operand[m->table[1].target].more = func(m, "k")->nlabels,
		"a table in it has no target")
	BAD(m->operand[m->table[3].target].index = m->nfuncs, "a table in it has no target")
	BAD(m->operand[m->table[3].target].index = func_number(m, "k"),
		"a table in it leads to a kernel")
	/* shapes of instructions */
	BAD(insn(m, OP_mov, 0)->form = isa_forms & IR_FORM, "an instruction in it does not exist")
	BAD(insn(m, OP_mov, 0)->nwords = ISA_MAX_WORDS + 8;
		insn(m, OP_mov, 0)->word = 0, "an instruction in it has too many modifiers")
	BAD(insn(m, OP_mov, 0)->nwords = 0, "an instruction in it is not valid")
	BAD(m->word[insn(m, OP_bfe, 0)->word] = 0, "a modifier in it does not exist")
	BAD(m->word[insn(m, OP_bfe, 0)->word] = WORD_COUNT, "a modifier in it does not exist")
	BAD(m->word[insn(m, OP_bfe, 0)->word] = W_SELECT - 1, "a modifier in it does not exist")
	BAD(m->word[insn(m, OP_bfe, 0)->word] = W_SELECT, "an instruction in it is not valid")
	BAD(m->word[insn(m, OP_bfe, 0)->word] = W_SELECT_END - 1,
		"an instruction in it is not valid")
	BAD(m->word[insn(m, OP_bfe, 0)->word] = W_SELECT_END, "a modifier in it does not exist")
	BAD(m->word[insn(m, OP_bfe, 0)->word] = WORD_COUNT - 1, "an instruction in it is not valid")
	GOOD(m->word[insn(m, OP_bfe, 0)->word] = W_s32)
	BAD(operand(m, OP_mov, 0, 1)->kind = IR_SINK + 1, "an operand in it does not exist")
	BAD(operand(m, OP_mov, 0, 1)->type = TYPE_COUNT, "a type in it does not exist")
	BAD(vector(m, OBJECT_NODES - 2, 1), "an instruction in it is not valid")
	BAD(vector(m, OBJECT_NODES - 1, 1), "an instruction in it has too many operands")
	BAD(vector(m, 1, OBJECT_DEPTH), "an instruction in it is not valid")
	BAD(vector(m, 1, OBJECT_DEPTH + 1), "an instruction in it has too many operands")
	BAD(coordinates(m, OBJECT_NODES - 1), "an instruction in it is not valid")
	BAD(coordinates(m, OBJECT_NODES), "an instruction in it has too many operands")
	BAD(operand(m, OP_mov, 0, 1)->aux = 64, "a register in it is malformed")
	BAD(operand(m, OP_mov, 0, 1)->aux = 1, "a register in it has no such component")
	GOOD(operand(m, OP_mov, 4, 1)->aux = 4)
	BAD(operand(m, OP_mov, 4, 1)->aux = 6, "a register in it has no such component")
	GOOD(operand(m, OP_vadd, 0, 1)->count = W_b3)
	BAD(operand(m, OP_vadd, 0, 1)->count = WORD_COUNT, "a selector in it does not exist")
	BAD(operand(m, OP_vadd, 0, 1)->count = W_SELECT_END, "a selector in it does not exist")
	GOOD(operand(m, OP_add, 0, 2)->aux = 0)
	BAD(operand(m, OP_add, 0, 2)->aux = 2, "a constant in it is malformed")
	BAD(operand(m, OP_add, 0, 2)->aux = 0;
		operand(m, OP_add, 0, 2)->type = TYPE_NONE, "a constant in it has no type")
	BAD(operand(m, OP_add, 0, 2)->aux = 0;
		operand(m, OP_add, 0, 2)->type = TYPE_texref, "a constant in it has no type")
	GOOD(operand(m, OP_mov, 2, 1)->aux = 3)
	BAD(operand(m, OP_mov, 2, 1)->aux = 5, "a special register in it is malformed")
	BAD(operand(m, OP_mov, 2, 1)->index = SREG_COUNT, "a special register in it does not exist")
	BAD(operand(m, OP_mov, 2, 1)->index = 0, "a special register in it is malformed")
	BAD(operand(m, OP_mov, 2, 1)->index = SREG_laneid, "a special register in it is malformed")
	BAD(operand(m, OP_mov, 2, 1)->type = TYPE_u64, "a special register in it is malformed")
	BAD(operand(m, OP_ld, 3, 1)->aux = 3, "an address in it is malformed")
	BAD(operand(m, OP_ld, 3, 1)->negated = 1;
		operand(m, OP_ld, 3, 1)->aux = 3, "an address in it is malformed")
	BAD(operand(m, OP_setp, 0, 0)->count = 3, "a pair in it does not have two elements")
	BAD(operand(m, OP_setp, 0, 0)->count = 1, "a pair in it does not have two elements")
	/* the operands of instructions */
	BAD(operand(m, OP_st, 0, 1)->index = func(m, "one")->nregs,
		"an instruction in it names a register of the wrong type")
	BAD(operand(m, OP_st, 0, 1)->type = TYPE_u32,
		"an instruction in it names a register of the wrong type")
	BAD(operand(m, OP_ld, 2, 1)->type = TYPE_s64,
		"an instruction in it names a register of the wrong type")
	BAD(element(m, operand(m, OP_ld, 2, 0), 1)->type = TYPE_f32,
		"an instruction in it names a register of the wrong type")
	BAD(element(m, operand(m, OP_cp, 0, 0), 1)->type = TYPE_f32,
		"an instruction in it names a register of the wrong type")
	BAD(insn(m, OP_bra, 0)->guard = ir_find_reg(m, func_number(m, "k"), "%r1"),
		"an instruction in it names a register of the wrong type")
	BAD(insn(m, OP_bra, 0)->guard = func(m, "k")->nregs,
		"an instruction in it names a register of the wrong type")
	GOOD(insn(m, OP_bra, 0)->guard_negated = 0)
	GOOD(m->word[insn(m, OP_ld, 2)->word + insn(m, OP_ld, 2)->nwords] = UINT16_MAX)
	BAD(operand(m, OP_mov, 5, 1)->type = TYPE_s32,
		"an instruction in it names a variable of the wrong kind")
	BAD(operand(m, OP_ld, 3, 1)->type = TYPE_s32,
		"an instruction in it names a variable of the wrong kind")
	BAD(operand(m, OP_st, 1, 0)->index = var_number(m, "a"),
		"an instruction in it names a variable of the wrong kind")
	BAD(operand(m, OP_mov, 5, 1)->index = variable_behind(m, "w"),
		"an instruction in it names a variable of the wrong kind")
	BAD(operand(m, OP_ld, 3, 1)->index = variable_behind(m, "w"),
		"an instruction in it names a variable of the wrong kind")
	BAD(*operand(m, OP_mov, 0, 1) = variable(m, func(m, "two")->param),
		"an instruction in it names a variable of the wrong kind")
	BAD(operand(m, OP_bra, 0, 0)->more = func(m, "k")->nlabels, "a branch in it has no target")
	GOOD(operand(m, OP_bra, 0, 0)->more = func(m, "k")->nlabels - 1)
	BAD(operand(m, OP_mov, 6, 1)->index = m->nfuncs,
		"an instruction in it names a function that does not exist")
	BAD(operand(m, OP_brx, 0, 1)->index = m->ntables,
		"an instruction in it names a table that does not exist")
	BAD(operand(m, OP_brx, 0, 1)->index = 0,
		"an instruction in it names a table of another function")
	BAD(operand(m, OP_brx, 0, 1)->index = 3, "a branch in it leads to functions")
	/* forms */
	BAD(insn(m, OP_bfe, 0)->noperands = 3, "an instruction in it is not valid")
	BAD(operand(m, OP_bfe, 0, 3)->value = 256, "an instruction in it is not valid")
	GOOD(operand(m, OP_bfe, 0, 3)->value = 255)
	BAD(operand(m, OP_add, 0, 2)->type = TYPE_f32, "an instruction in it is not valid")
	BAD(operand(m, OP_setp, 0, 0)->kind = IR_VEC, "an instruction in it is not valid")
	BAD(operand(m, OP_mov, 5, 1)->index = var_number(m, "vv"),
		"an instruction in it names a variable of the wrong kind")
	BAD(operand(m, OP_ld, 3, 1)->index = var_number(m, "w");
		insn(m, OP_ld, 3)->form++, "an instruction in it is not valid")
	BAD(operand(m, OP_ld, 4, 1)->aux = IR_BASE_REG; operand(m, OP_ld, 4, 1)->index = 0,
		"an instruction in it names a register of the wrong type")
	/* calls */
	BAD(operand(m, OP_call, 0, 0)->count = 0, "a call in it does not match its function")
	BAD(operand(m, OP_call, 0, 2)->count = 0, "a call in it does not match its function")
	BAD(operand(m, OP_call, 1, 2)->count = 1, "a call in it does not match its function")
	BAD(operand(m, OP_call, 3, 0)->count = 0, "a call in it does not match its function")
	BAD(operand(m, OP_call, 3, 2)->count = 0, "a call in it does not match its function")
	BAD(operand(m, OP_call, 4, 2)->count = 0, "a call in it does not match its function")
	GOOD(argument(m, 0, 2, number(9, TYPE_b32)))
	GOOD(argument(m, 0, 2, *element(m, operand(m, OP_call, 4, 0), 0)))
	BAD(argument(m, 0, 0, number(9, TYPE_b32)), "a call in it does not match its function")
	BAD(argument(m, 0, 2, number(9, TYPE_b64)), "a call in it does not match its function")
	BAD(argument(m, 0, 2, *operand(m, OP_mov, 5, 0)),
		"a call in it does not match its function")
	BAD(argument(m, 0, 2, *operand(m, OP_setp, 0, 2));
		element(m, operand(m, OP_call, 0, 2), 0)->index = ir_find_reg(
			m, func_number(m, "k"), "%p1");
		element(m, operand(m, OP_call, 0, 2), 0)->type = TYPE_pred,
		"a call in it does not match its function")
	BAD(argument(m, 0, 2, whole(m, "v")), "a call in it does not match its function")
	GOOD(argument(m, 0, 2, *operand(m, OP_mov, 4, 1)))
	GOOD(argument(m, 0, 2, variable(m, var_number(m, "q1"))))
	BAD(argument(m, 0, 2, variable(m, var_number(m, "q2"))),
		"a call in it does not match its function")
	BAD(argument(m, 0, 2, variable(m, var_number(m, "q1")));
		var(m, "q1")->align = 2, "a call in it does not match its function")
	BAD(var(m, "l")->type = TYPE_b32; m->dim[var(m, "l")->dims] = 1;
		argument(m, 0, 2, variable(m, var_number(m, "l"))),
		"a call in it does not match its function")
	BAD(argument(m, 0, 2, variable(m, var_number(m, "n"))),
		"a call in it does not match its function")
	BAD(*operand(m, OP_call, 2, 1) = function(m, "l"),
		"a call in it does not match its function")
	GOOD(*operand(m, OP_call, 2, 1) = function(m, "three"))
	BAD(operand(m, OP_call, 3, 3)->index = 1, "a call in it does not match its function")
	BAD(operand(m, OP_call, 4, 3)->index = 1, "a call in it does not match its function")
	BAD(m->table[3].ntargets = 0, "a call in it does not match its function")
	/* locations: of functions, and of the lines of the source */
	GOOD(m->func[0].span.off = 0; m->func[0].span.len = m->source->len)
	BAD(m->func[0].span.off = 1;
		m->func[0].span.len = m->source->len, "a location in it is outside the source")
	BAD(m->var[0].span.off = m->source->len + 1;
		m->var[0].span.len = 0, "a location in it is outside the source")
	BAD(m->table[0].span.len = m->source->len, "a location in it is outside the source")
	BAD(m->label[0].span.len = m->source->len, "a location in it is outside the source")
	BAD(m->insn[0].span.len = m->source->len, "a location in it is outside the source")
	GOOD(long_source(m, 100000, 100000))
	BAD(long_source(m, 100000, 100001), "a line in it is outside the source")
	BAD(long_source(m, 10000000, 1), "its source is too long")
#undef GOOD
#undef BAD
	return false;
}

static const char *said(const struct diags *d)
{
	const char *colon = d->first ? strstr(d->first->message, "object: ") : NULL;

	return colon ? colon + 8 : "";
}

static struct ir_module *read_bytes(struct assembled *a, const struct text *t)
{
	diags_free(&a->diags);
	a->diags = (struct diags){0};
	return ir_object_read(source_new(&a->arena, "x.ptxo", t->data, t->len), &a->diags);
}

Test(object, each_part_is_checked_and_kept)
{
	const char *what, *why;
	bool more = true;
	unsigned k = 0;

	for (; more; k++) {
		struct assembled a = test_assemble(source);
		struct text x = {0}, y = {0};

		cr_assert_not_null(
			a.m, "%s: %s", test_codes(&a), a.diags.first ? a.diags.first->message : "");
		more = changed(a.m, k, &what, &why);
		if (more) {
			ir_object_write(a.m, true, &x);
			struct ir_module *m = read_bytes(&a, &x);

			if (why) {
				cr_expect_null(m, "%s is not refused", what);
				cr_expect_str_eq(
					said(&a.diags), why, "%s: %s", what, said(&a.diags));
			} else if (m) {
				ir_object_write(m, true, &y);
				cr_expect(x.len == y.len && memcmp(x.data, y.data, x.len) == 0,
					"%s: other bytes", what);
			} else {
				cr_expect_fail("%s: %s", what, said(&a.diags));
			}
			ir_module_free(m);
		}
		text_free(&x);
		text_free(&y);
		test_free(&a);
	}
	cr_expect_gt(k, 200);
}

/* --- bytes --- */

static const char tiny[] = TEST_HEAD
	".func a() { .reg .v4 .f32 v; .reg .f32 f; mov.f32 f, v.x; }\n.func b() { ret; }\n";

static size_t content_length(const char *bytes)
{
	uint64_t n = 0;

	for (unsigned i = 0; i < 8; i++)
		n |= (uint64_t)(uint8_t)bytes[24 + i] << 8 * i;
	return (size_t)n;
}

/* Makes the checksum of an object right again. */
static void sign(char *bytes, size_t n)
{
	size_t content = content_length(bytes);
	uint64_t sum = hash_bytes(bytes, OBJECT_HEADER - 8, 0);

	sum = hash_bytes(bytes + OBJECT_HEADER, content, sum);
	sum = hash_bytes(bytes + OBJECT_HEADER + content, n - OBJECT_HEADER - content, sum);
	for (unsigned i = 0; i < 8; i++)
		bytes[40 + i] = (char)(sum >> 8 * i);
}

static void refused(
	struct assembled *a, const struct text *t, const char *why, const char *what, int at)
{
	struct ir_module *m = read_bytes(a, t);

	cr_expect((m == NULL) == (*why != '\0'), "%s %d: not as it should be", what, at);
	cr_expect_str_eq(said(&a->diags), why, "%s %d: %s", what, at, said(&a->diags));
	ir_module_free(m);
}

/* Changes single bytes of a small object, from the beginning or from the end of its content. */
Test(object, each_number_is_checked)
{
	static const struct {
		int at;
		uint8_t was, is;
		const char *why;
	} rows[] = {
		{0, 4, 3, "its strings do not have the declared length"},
		{0, 4, 5, "a string in it is malformed"},
		{0, 4, 127, "a count in it is larger than the file"},
		{1, 12, 13, "its strings do not have the declared length"},
		{1, 12, 127, "its strings are longer than the file"},
		{2, 0, 1, "a string in it is malformed"},
		{5, 0, 1, ""},
		{5, 0, 2, "a string in it is malformed"},
		{4, 'a', 0, "a string in it is malformed"},
		{4, 'a', 'c', ""},
		{14, 0x46, 0x45, "its declarations do not have the declared length"},
		{14, 0x46, 0x47, "its declarations do not have the declared length"},
		{14, 0x46, 127, "its declarations are longer than the file"},
		{18, 64, 65, "its addresses have the wrong size"},
		{20, 0, 127, "a count in it is larger than the file"},
		{21, 0, 127, "a count in it is larger than the file"},
		{22, 0, 127, "a count in it is larger than the file"},
		{23, 2, 127, "a count in it is larger than the file"},
		{25, 1, 5, "it names a string that it does not have"},
		{25, 1, 3, ""},
		{-1, 1, 2, "an instruction in it does not exist"},
		{-1, 1, 0x80, "a number in it is malformed"},
		{-2, 1, 0, "an instruction in it names a register of the wrong type"},
		{-2, 1, 2, "an instruction in it names a register of the wrong type"},
		{-3, 0, 1, "an instruction in it names a register of the wrong type"},
		{-5, 1, 0, "its functions are not in order"},
		{-5, 1, 2, "its functions are not in order"},
		{-7, 2, 1, "its functions are not in order"},
		{-8, 2, 3, "its functions do not have the declared number of instructions"},
		{-10, 0, ISA_MAX_WORDS + 8, "an instruction in it has too many modifiers"},
		{-11, 0, 8, "an instruction in it is malformed"},
		{-14, 0x42, 0x48, ""},
		{-14, 0x42, 0x26, "a register in it has no such component"},
		{-14, 0x42, 0x32, "an instruction in it names a register of the wrong type"},
		{-16, IR_REG, IR_SINK + 1, "an operand in it does not exist"},
		{-26, 2, 127, "a count in it is larger than the file"},
	};
	struct assembled a = test_assemble(tiny);

	cr_assert_not_null(a.m, "%s", test_codes(&a));
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct text t = {0};

		ir_object_write(a.m, true, &t);
		char *byte = t.data + OBJECT_HEADER +
			(rows[i].at < 0 ? (int)content_length(t.data) : 0) + rows[i].at;

		cr_assert_eq((uint8_t)*byte, rows[i].was, "the test knows byte %d: %u", rows[i].at,
			(uint8_t)*byte);
		*byte = (char)rows[i].is;
		sign(t.data, t.len);
		refused(&a, &t, rows[i].why, "byte", rows[i].at);
		text_free(&t);
	}
	test_free(&a);
}

/* One byte less or more in a part, consistently in the header; and the header itself. */
Test(object, each_length_is_checked)
{
	static const struct {
		bool places;
		int more;
		const char *why;
	} rows[] = {{false, -1, "it ends too early"},
		{false, 1, "unexpected data follows its instructions"},
		{true, -1, "it ends too early"},
		{true, 1, "unexpected data follows its locations"}};
	static const struct {
		int at;
		bool signed_again;
		const char *why;
	} head[] = {
		{0, true, "it does not begin with an object's header"},
		{7, true, "it does not begin with an object's header"},
		{8, true, "it was written by another version of ptxi"},
		{16, true, "it was written by another version of ptxi"},
		{23, true, "it was written by another version of ptxi"},
		{31, false, "its length does not match its header"},
		{32, false, "its length does not match its header"},
		{40, false, "its checksum is wrong"},
		{OBJECT_HEADER, false, "its checksum is wrong"},
		{OBJECT_HEADER + 200, false, "its checksum is wrong"},
	};
	struct assembled a = test_assemble(tiny);
	struct text whole = {0};

	cr_assert_not_null(a.m, "%s", test_codes(&a));
	ir_object_write(a.m, true, &whole);
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		size_t end = rows[i].places ? whole.len
					    : OBJECT_HEADER + content_length(whole.data);
		struct text t = {0};

		text_add(&t, whole.data, rows[i].more < 0 ? end - 1 : end);
		if (rows[i].more > 0)
			text_putc(&t, 1);
		if (!rows[i].places)
			text_add(&t, whole.data + end, whole.len - end);
		t.data[rows[i].places ? 32 : 24] = (char)(t.data[rows[i].places ? 32 : 24] +
			rows[i].more);
		sign(t.data, t.len);
		refused(&a, &t, rows[i].why, "length", rows[i].more);
		text_free(&t);
	}
	for (size_t i = 0; i < sizeof head / sizeof *head; i++) {
		struct text t = {0};
		size_t at = (size_t)head[i].at < whole.len ? (size_t)head[i].at : whole.len - 1;

		text_add(&t, whole.data, whole.len);
		t.data[at] = (char)(t.data[at] ^ 1);
		if (head[i].signed_again)
			sign(t.data, t.len);
		refused(&a, &t, head[i].why, "header", head[i].at);
		text_free(&t);
	}
	for (size_t n = 8; n <= OBJECT_HEADER; n++) {
		struct text t = {0};

		text_add(&t, whole.data, n);
		refused(&a, &t,
			n < OBJECT_HEADER ? "it is truncated"
					  : "its length does not match its header",
			"the first bytes:", (int)n);
		text_free(&t);
	}
	text_free(&whole);
	test_free(&a);
}
