/* What an instruction reads and writes, from the operand names of its row: d and p are destinations. */
#include "ir/ir.h"
#include <string.h>

/* The next operand of the notation after P; sets *DESTINATION. A part {.word,x} that the instruction does not have is skipped. */
static const char *next_operand(const struct ir_module *m, const struct ir_insn *in, const char *p, bool *destination)
{
	unsigned depth = 0;

	for (;;) {
		if (*p == '{' && p[1] == '.') {
			size_t len = strcspn(p + 2, ",");

			p += ir_has(m, in, word_find(p + 2, len)) ? len + 2 : strcspn(p, "}");
		} else if (*p == ',' || *p == '}' || *p == '{') {
			p++;
		} else {
			break;
		}
	}
	*destination = *p == 'd' || *p == 'p' || *p == '*';
	for (; *p; p++) {
		if (*p == '[')
			depth++;
		else if (*p == ']')
			depth--;
		else if (*p == '{' && p[1] == '|')
			p += strcspn(p, "}");
		else if (!depth && (*p == ',' || *p == '{' || *p == '}'))
			break;
		if (!*p)
			break;
	}
	return p;
}

uint32_t ir_written(const struct ir_module *m, const struct ir_insn *in)
{
	const char *p = ir_form(in)->operands;
	uint32_t mask = 0;
	bool destination;

	if (ir_form(in)->opcode == OP_call)
		return 1;
	if (*p == '*')
		return in->noperands ? 1 : 0;
	for (unsigned k = 0; k < in->noperands && k < 32 && *p; k++) {
		p = next_operand(m, in, p, &destination);
		if (!destination)
			break; /* destinations come first */
		if (m->operand[in->operand + k].kind != IR_ADDR)
			mask |= 1u << k;
	}
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
	case IR_REG:
		v->call(v->arg, o, written);
		break;
	case IR_ADDR:
		if (o->aux == IR_BASE_REG) {
			base = (struct ir_operand){.kind = IR_REG, .type = o->type, .index = o->index};
			v->call(v->arg, &base, false);
		}
		for (uint32_t i = 0; i < o->count; i++)
			visit_operand(v, &v->m->operand[o->more + i], false);
		break;
	case IR_VEC:
	case IR_PAIR:
	case IR_LIST:
		for (uint32_t i = 0; i < o->count; i++)
			visit_operand(v, &v->m->operand[o->index + i], written);
		break;
	default:
		break;
	}
}

/* Reads first, then writes. */
void ir_each_register(const struct ir_module *m, const struct ir_insn *in, void (*visit)(void *arg, const struct ir_operand *reg, bool written), void *arg)
{
	struct visit v = {m, visit, arg};
	uint32_t written = ir_written(m, in);
	struct ir_operand guard = {.kind = IR_REG, .type = TYPE_pred, .index = in->guard};

	if (in->guard != IR_NONE)
		visit(arg, &guard, false);
	for (unsigned k = 0; k < in->noperands; k++)
		if (k >= 32 || !(written >> k & 1))
			visit_operand(&v, &m->operand[in->operand + k], false);
	for (unsigned k = 0; k < in->noperands && k < 32; k++)
		if (written >> k & 1)
			visit_operand(&v, &m->operand[in->operand + k], true);
}
