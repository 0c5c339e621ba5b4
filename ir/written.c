/* Which registers an instruction reads and writes, derived from the operand names of its row: d and
 * p are destinations. */
#include "ir/ir.h"
#include <string.h>

uint32_t ir_written(const struct ir_module *m, const struct ir_insn *in)
{
	const struct form *form = ir_form(in);
	uint32_t mask = 0;
	unsigned n;

	if (form->opcode == OP_call)
		return in->noperands ? 1 : 0;
	if (isa_operands(form)[0] == '*')
		return in->noperands ? 1 : 0;
	n = isa_destinations(form);
	n = n < in->noperands ? n : in->noperands;
	for (unsigned k = 0; k < n && k < 32; k++)
		mask |= (uint32_t)(m->operand[in->operand + k].kind != IR_ADDR) << k;
	return mask;
}

struct visit {
	const struct ir_module *m;
	void (*call)(void *arg, const struct ir_operand *reg, bool written);
	void *arg;
};

static void visit_operand(const struct visit *v, const struct ir_operand *o, bool written)
{
	struct ir_operand base;

	switch (o->kind) {
	case IR_REG: v->call(v->arg, o, written); break;
	case IR_ADDR:
		if (o->aux == IR_BASE_REG) {
			base = (struct ir_operand){
				.kind = IR_REG, .type = o->type, .index = o->index};
			v->call(v->arg, &base, false);
		}
		if (o->further)
			visit_operand(v, ir_further(o), false);
		break;
	case IR_VEC:
	case IR_PAIR:
	case IR_LIST:
		for (uint32_t i = 0; i < o->count; i++)
			visit_operand(v, &v->m->operand[o->index + i], written);
		break;
	default: break;
	}
}

/* fast path: most operands are registers */
static inline void visit_one(const struct visit *v, const struct ir_operand *o, bool written)
{
	if (o->kind == IR_REG)
		v->call(v->arg, o, written);
	else if (o->kind != IR_IMM)
		visit_operand(v, o, written);
}

void ir_each_register(const struct ir_module *m, const struct ir_insn *in,
	void (*visit)(void *arg, const struct ir_operand *reg, bool written), void *arg)
{
	struct visit v = {m, visit, arg};
	uint32_t written = ir_written(m, in);
	const struct ir_operand *o = &m->operand[in->operand];

	if (in->guard != IR_NONE) {
		struct ir_operand guard = {.kind = IR_REG, .type = TYPE_pred, .index = in->guard};

		visit(arg, &guard, false);
	}
	for (unsigned k = 0; k < in->noperands; k++)
		if (k >= 32 || !(written >> k & 1))
			visit_one(&v, o + k, false);
	for (; written; written &= written - 1)
		visit_one(&v, o + __builtin_ctz(written), true);
}

void ir_each_written(const struct ir_module *m, const struct ir_insn *in,
	void (*visit)(void *arg, const struct ir_operand *reg, bool written), void *arg)
{
	struct visit v = {m, visit, arg};

	for (uint32_t written = ir_written(m, in); written; written &= written - 1)
		visit_one(&v, &m->operand[in->operand + (unsigned)__builtin_ctz(written)], true);
}
