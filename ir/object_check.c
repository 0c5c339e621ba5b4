/* Validates that the assembler could have produced an instruction of an object: the table accepts
 * its shape, and calls match the functions they call. */
#include "ir/object_reader.h"

static unsigned count_shapes(const struct object_reader *r, uint32_t first, uint32_t n)
{
	unsigned k = 0;

	for (uint32_t i = 0; i < n; i++) {
		const struct ir_operand *o = &r->operand_v.data[first + i];

		k += 2;
		if (ir_further(o))
			o = ir_further(o);
		if (object_has_elements(o->kind))
			k += count_shapes(r, o->index, o->count);
	}
	return k;
}

static struct isa_operand *take_operands(struct object_reader *r, uint32_t n)
{
	struct isa_operand *first = r->operands.data + r->operands.count;

	memset(first, 0, n * sizeof *first);
	r->operands.count += n;
	return first;
}

static void view_operand(struct object_reader *r, const struct ir_func *f,
	const struct ir_operand *o, struct isa_operand *out);

static void view_group(struct object_reader *r, const struct ir_func *f, const struct ir_operand *o,
	uint8_t kind, struct isa_operand *out)
{
	struct isa_operand *sub = take_operands(r, o->count);

	out->kind = kind;
	out->sub = sub;
	out->nsub = o->count;
	for (uint32_t i = 0; i < o->count; i++)
		view_operand(r, f, &r->operand_v.data[o->index + i], sub + i);
}

static void view_address(struct object_reader *r, const struct ir_func *f,
	const struct ir_operand *o, struct isa_operand *out)
{
	const struct ir_operand *list = ir_further(o);
	uint32_t n = list ? list->count : 0;
	struct isa_operand *sub = take_operands(r, n + 1);

	out->kind = OPERAND_ADDRESS;
	out->sub = sub;
	out->nsub = n + 1;
	out->sum = o->aux != IR_BASE_NONE && (o->value || o->negated);
	if (o->aux == IR_BASE_REG) {
		sub->kind = OPERAND_REG;
		sub->type = o->type;
	} else if (o->aux == IR_BASE_VAR) {
		sub->kind = OPERAND_VAR;
		sub->type = o->type;
		sub->vector = r->var_v.data[o->index].vector;
		sub->space = out->space = r->var_v.data[o->index].space;
	} else {
		sub->kind = OPERAND_INT;
		sub->type = TYPE_NONE;
		sub->value = o->value;
	}
	for (uint32_t i = 0; i < n; i++)
		view_operand(r, f, &r->operand_v.data[list->index + i], sub + 1 + i);
}

static void view_immediate(const struct ir_operand *o, struct isa_operand *out)
{
	uint32_t low = (uint32_t)o->value;
	unsigned bits = type_info[o->type].bits < 64 ? type_info[o->type].bits : 64;
	double d;
	float f;

	out->kind = OPERAND_INT;
	out->value = o->value;
	if (o->aux && bits && o->value >> (bits - 1) & 1) {
		out->value_signed = true;
		out->value = bits < 64 ? o->value | UINT64_MAX << bits : o->value;
	}
	if (o->type != TYPE_f32 && o->type != TYPE_f64)
		return;
	memcpy(&f, &low, sizeof f);
	d = (double)f;
	out->kind = OPERAND_FLOAT;
	out->type = o->type;
	if (o->type == TYPE_f32)
		memcpy(&out->value, &d, sizeof d);
}

static void view_operand(struct object_reader *r, const struct ir_func *f,
	const struct ir_operand *o, struct isa_operand *out)
{
	static const uint8_t kinds[] = {[IR_FUNC] = OPERAND_FUNC,
		[IR_LABEL] = OPERAND_LABEL,
		[IR_TABLE] = OPERAND_TABLE,
		[IR_SINK] = OPERAND_SINK};

	switch (o->kind) {
	case IR_REG:
		*out = (struct isa_operand){.kind = OPERAND_REG,
			.type = o->type,
			.negated = o->negated,
			.component = o->aux,
			.vector = r->reg_v.data[f->reg + o->index].vector,
			.space = o->aux == IR_SELECTOR ? (uint16_t)o->count : 0};
		break;
	case IR_SREG:
		*out = (struct isa_operand){.kind = OPERAND_SREG,
			.type = o->type,
			.negated = o->negated,
			.component = o->aux,
			.vector = sreg_info[o->index].vector,
			.value = o->index};
		break;
	case IR_IMM: view_immediate(o, out); break;
	case IR_VAR:
		*out = (struct isa_operand){.kind = OPERAND_VAR,
			.type = o->type,
			.vector = r->var_v.data[o->index].vector,
			.space = r->var_v.data[o->index].space,
			.sum = o->value != 0};
		break;
	case IR_ADDR: view_address(r, f, o, out); break;
	case IR_VEC: view_group(r, f, o, OPERAND_VECTOR, out); break;
	case IR_PAIR: view_group(r, f, o, OPERAND_PAIR, out); break;
	case IR_LIST: view_group(r, f, o, OPERAND_LIST, out); break;
	default: out->kind = kinds[o->kind];
	}
}

static void check_form(struct object_reader *r, const struct object_shape *s,
	const struct ir_func *f, const struct ir_insn *in)
{
	bool call = isa_form[s->form].opcode == OP_call;
	struct isa_match match;
	unsigned n = 0;
	struct isa_operand *ops;

	r->operands.count = 0;
	vec_reserve(&r->operands, count_shapes(r, in->operand, in->noperands) + 4);
	ops = take_operands(r, in->noperands);
	for (unsigned i = 0; i < in->noperands; i++) {
		const struct ir_operand *o = &r->operand_v.data[in->operand + i];

		if (!call || o->kind != IR_LIST || o->count)
			view_operand(r, f, o, &ops[n++]);
	}
	if (!isa_match(&r->scratch, isa_form[s->form].opcode, r->word_v.data + s->word, s->nwords,
		    ops, n, &r->m->target, &match) ||
		match.form != &isa_form[s->form] || match.nwords != s->nwords ||
		memcmp(match.word, r->word_v.data + s->word, s->nwords * sizeof *match.word) != 0)
		object_fail(r, "an instruction in it is not valid");
}

static bool argument_fits(const struct object_reader *r, const struct ir_func *f,
	const struct ir_operand *o, const struct ir_var *formal, bool result)
{
	const struct ir_register *reg;
	const struct ir_var *v;
	unsigned lanes;

	switch (o->kind) {
	case IR_SINK: return true;
	case IR_REG:
		reg = &r->reg_v.data[f->reg + o->index];
		lanes = reg->vector && !o->aux ? reg->vector : 1;
		return (reg->type == TYPE_pred) == (formal->type == TYPE_pred) &&
			formal->size == (uint64_t)type_bytes((enum type)reg->type) * lanes;
	case IR_IMM: return !result && o->type == formal->type;
	case IR_VAR:
		v = &r->var_v.data[o->index];
		return v->space == W_param && o->index - f->var < f->nvars &&
			(!formal->size || v->size == formal->size) && v->align >= formal->align;
	default: return false;
	}
}

static bool list_fits(const struct object_reader *r, const struct ir_func *f,
	const struct ir_operand *list, uint32_t first, uint32_t n, bool result)
{
	if (list->kind != IR_LIST || list->count != n)
		return false;
	for (uint32_t i = 0; i < n; i++)
		if (!argument_fits(r, f, &r->operand_v.data[list->index + i],
			    &r->var_v.data[first + i], result))
			return false;
	return true;
}

static bool call_fits(
	const struct object_reader *r, const struct ir_func *f, const struct ir_insn *in)
{
	const struct ir_operand *o = &r->operand_v.data[in->operand];
	const struct ir_func *target = NULL;
	const struct ir_table *t;

	if (in->noperands < 3 || in->noperands > 4 || o[0].kind != IR_LIST || o[2].kind != IR_LIST)
		return false;
	if (o[1].kind == IR_FUNC) {
		target = &r->m->func[o[1].index];
		if (in->noperands == 4 && o[3].kind != IR_TABLE)
			return false;
	} else if (o[1].kind != IR_REG || o[1].negated || in->noperands != 4) {
		return false;
	} else if (o[3].kind == IR_VAR) {
		return true;
	} else if (o[3].kind != IR_TABLE || r->table_v.data[o[3].index].kind == IR_BRANCH_TARGETS) {
		return false;
	} else if (r->table_v.data[o[3].index].kind == IR_PROTOTYPE) {
		t = &r->table_v.data[o[3].index];
		return list_fits(r, f, &o[0], t->ret, t->nrets, true) &&
			list_fits(r, f, &o[2], t->param, t->nparams, false);
	} else {
		t = &r->table_v.data[o[3].index];
		if (!t->ntargets)
			return false;
		target = &r->m->func[r->operand_v.data[t->target].index];
	}
	return !target->is_entry && list_fits(r, f, &o[0], target->ret, target->nrets, true) &&
		list_fits(r, f, &o[2], target->param, target->nparams, false);
}

void object_check_insn(struct object_reader *r, struct object_shape *s, const struct ir_func *f,
	const struct ir_insn *in)
{
	unsigned opcode = isa_form[s->form].opcode;

	if (!s->checked || s->values)
		check_form(r, s, f, in);
	s->checked = 1;
	if (r->why)
		return;
	if (opcode == OP_call && !call_fits(r, f, in))
		object_fail(r, "a call in it does not match its function");
	if (opcode == OP_brx)
		for (unsigned i = 0; i < in->noperands; i++) {
			const struct ir_operand *o = &r->operand_v.data[in->operand + i];

			if (o->kind == IR_TABLE &&
				r->table_v.data[o->index].kind != IR_BRANCH_TARGETS)
				object_fail(r, "a branch in it leads to functions");
		}
}
