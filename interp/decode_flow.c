/* Decoding of control flow, barriers, and what ptxi does not execute. */
#include "interp/decode.h"
#include "interp/exec.h"
#include "interp/place.h"

void decode_unsupported(struct decoder *d, const struct ir_insn *i)
{
	(void)i;
	decode_emit(d, exec_unsupported);
}

void decode_bra(struct decoder *d, const struct ir_insn *i)
{
	struct op *op = decode_emit(d, NULL);

	op->kind = OP_KIND_BRANCH;
	op->target = decode_operand(d, i, 0)->index; /* an instruction, until all have their ops */
}

void decode_brx(struct decoder *d, const struct ir_insn *i)
{
	const struct ir_table *t = &d->module->table[decode_operand(d, i, 1)->index];
	struct branch_table *b = ARENA_NEW(&d->machine->arena, struct branch_table);
	unsigned width = 4;
	uint32_t index = decode_source(d, decode_operand(d, i, 0), &width);

	b->count = t->ntargets;
	b->target = ARENA_ARRAY(&d->machine->arena, uint32_t, t->ntargets + 1);
	for (uint32_t k = 0; k < t->ntargets; k++)
		b->target[k] = d->module->operand[t->target + k].index;
	struct op *op = decode_emit(d, exec_brx);

	decode_add(op, index, width);
	op->extra = b;
}

static struct argument *arguments(struct decoder *d, const struct ir_operand *list, bool results, uint32_t *count)
{
	struct argument *a = ARENA_ARRAY(&d->machine->arena, struct argument, list->count + 1);

	*count = list->count;
	for (uint32_t k = 0; k < list->count; k++) {
		const struct ir_operand *o = &d->module->operand[list->index + k];

		if (o->kind == IR_SINK) {
			a[k].kind = ARGUMENT_NONE;
		} else if (o->kind == IR_VAR && d->module->var[o->index].space == W_param) {
			a[k].kind = ARGUMENT_LOCAL;
			a[k].place = (uint32_t)d->machine->var_at[o->index];
			a[k].bytes = (uint32_t)d->module->var[o->index].size;
			a[k].align = d->module->var[o->index].align;
			a[k].array = d->module->var[o->index].ndims != 0;
		} else {
			unsigned width = o->type == TYPE_pred ? 0 : o->type ? type_bytes(o->type) : 8;

			a[k].kind = ARGUMENT_PLACE;
			a[k].place = results ? decode_dest(d, o, &width) : decode_source(d, o, &width);
			a[k].width = (uint8_t)width;
		}
	}
	return a;
}

void decode_call(struct decoder *d, const struct ir_insn *i)
{
	const struct ir_operand *target = decode_operand(d, i, 1);
	struct call_site *c = ARENA_NEW(&d->machine->arena, struct call_site);
	uint32_t place = 0;
	unsigned width = 8;

	c->ret = arguments(d, decode_operand(d, i, 0), true, &c->nrets);
	c->arg = arguments(d, decode_operand(d, i, 2), false, &c->nargs);
	c->func = IR_NONE;
	c->runtime = -1;
	if (target->kind == IR_FUNC) {
		uint32_t f = target->index;

		for (unsigned hops = 0; d->module->func[f].alias_of != IR_NONE && hops < 64; hops++)
			f = d->module->func[f].alias_of;
		c->func = f;
		if (!d->module->func[f].has_body)
			c->runtime = runtime_find(symbol_text(&d->module->symbols, d->module->func[f].name));
	} else {
		place = decode_source(d, target, &width);
	}
	struct op *op = decode_emit(d, exec_call);

	op->extra = c;
	if (c->func == IR_NONE)
		decode_add(op, place, width);
}

void decode_ret(struct decoder *d, const struct ir_insn *i)
{
	(void)i;
	decode_emit(d, exec_ret);
}

void decode_exit(struct decoder *d, const struct ir_insn *i)
{
	(void)i;
	decode_emit(d, exec_exit);
}

void decode_trap(struct decoder *d, const struct ir_insn *i)
{
	(void)i;
	decode_emit(d, exec_trap);
}

void decode_brkpt(struct decoder *d, const struct ir_insn *i)
{
	(void)i;
	decode_emit(d, exec_brkpt);
}

/* Counts an event for a profiler: nothing that a program can see. */
void decode_pmevent(struct decoder *d, const struct ir_insn *i)
{
	(void)i;
	decode_emit(d, exec_nothing);
}

void decode_nanosleep(struct decoder *d, const struct ir_insn *i)
{
	unsigned width = 4;
	uint32_t place = decode_source(d, decode_operand(d, i, 0), &width);

	decode_add(decode_emit(d, exec_nanosleep), place, width);
}

void decode_bar_warp(struct decoder *d, const struct ir_insn *i)
{
	unsigned width = 4;
	uint32_t place = decode_source(d, decode_operand(d, i, 0), &width);

	decode_add(decode_emit(d, exec_bar_warp), place, width);
}

/* bar{.cta}.sync a{, b}; .arrive a, b; .red.popc d, a{, b}, {!}c; .red.and/.or p, a{, b}, {!}c. Operands of the op: [result, ] number, count, [condition];
 * flag[0] = enum barrier_kind, flag[1] = a count was given. */
void decode_bar(struct decoder *d, const struct ir_insn *i)
{
	static const uint16_t kinds[] = {W_sync, W_arrive, W_popc, W_and, W_or};
	static const uint16_t code[] = {BARRIER_SYNC, BARRIER_ARRIVE, BARRIER_POPC, BARRIER_AND, BARRIER_OR};
	enum word which = decode_which(d, kinds, 5);
	uint8_t kind = BARRIER_SYNC;

	for (unsigned k = 0; k < 5; k++)
		if (kinds[k] == which)
			kind = (uint8_t)code[k];
	bool red = kind >= BARRIER_POPC;
	unsigned first = red ? 1 : 0, n = i->noperands - first - (red ? 1u : 0u);
	unsigned nw = 4, cw = 4, dw = kind == BARRIER_POPC ? 4 : 0, pw = 0;
	uint32_t number = decode_source(d, decode_operand(d, i, first), &nw);
	uint32_t count = n > 1 ? decode_source(d, decode_operand(d, i, first + 1), &cw) : decode_constant(d, 0, 4);
	uint32_t condition = red ? decode_source(d, decode_operand(d, i, i->noperands - 1u), &pw) : 0;
	uint32_t result = red ? decode_dest(d, decode_operand(d, i, 0), &dw) : 0;
	struct op *op = decode_emit(d, exec_bar);

	op->flag[0] = kind;
	op->flag[1] = n > 1;
	if (red)
		decode_add(op, result, dw);
	decode_add(op, number, nw);
	decode_add(op, count, cw);
	if (red)
		decode_add(op, condition, pw);
	op->ndests = red;
}
