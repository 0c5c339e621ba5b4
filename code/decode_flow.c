/* Decoding of control flow, of barriers, and of instructions that ptxi does not execute. */
#include "base/assert.h"
#include "code/decode.h"

/* Instructions whose operands, if any, have no effect here. pmevent only counts for a profiler. The
 * grids of a stream run strictly one after the other here, as programmatic dependent launch
 * permits: griddepcontrol.wait finds its prerequisite grids complete, and .launch_dependents has
 * nothing to start. (PTX ISA 9.7.15.14) */
#define DECODE_ALONE(handler, kind) \
	void decode_##handler(struct decoder *d, const struct ir_insn *i) \
	{ \
		(void)i; \
		decode_emit(d, kind); \
	}
DECODE_ALONE(ret, KIND_RETURN)
DECODE_ALONE(exit, KIND_EXIT)
DECODE_ALONE(trap, KIND_TRAP)
DECODE_ALONE(brkpt, KIND_BREAKPOINT)
DECODE_ALONE(pmevent, KIND_NOTHING)
DECODE_ALONE(griddep, KIND_NOTHING)
DECODE_ALONE(setmaxnreg, KIND_SETMAXNREG)
#undef DECODE_ALONE

/* Why the forms of an instruction with a word, or (W_NONE) all of them, are not executed. */
static const struct {
	uint16_t opcode, word;
	const char *why;
} reasons[] = {
	{OP_fabric, W_NONE,
		"there is no fabric to the memory of another node, which the host would set up"},
	{OP_tcgen05, W_shift, "the manual leaves open which way the rows move"},
	{OP_tcgen05, W_ashift,
		"the manual leaves open which way the rows move, and what the first row of A becomes"},
	{OP_tcgen05, W_4x256b, "the manual leaves open which lanes get the data"},
	{OP_tcgen05, W_kind__ti16,
		"the manual leaves open how negative numbers of .s1z4m11 are encoded"},
	{OP_tcgen05, W_decompress__lut__b,
		"the manual shows the layouts of the lookup table and of the compressed matrix in figures only"},
	{OP_tcgen05, W_spcompress,
		"ptxi does not compress values that are loaded from tensor memory: use tcgen05.ld, and then choose"},
	{OP_tcgen05, W_sync_restrict__shared__read__mma__a,
		"ptxi does not complete the reads of matrix A before the products: use tcgen05.commit without .sync_restrict"},
};

void decode_unsupported(struct decoder *d, const struct ir_insn *i)
{
	struct op *op = decode_emit(d, KIND_UNSUPPORTED);

	for (unsigned k = 0; k < sizeof reasons / sizeof *reasons && !op->why; k++)
		if (reasons[k].opcode == ir_form(i)->opcode &&
			(reasons[k].word == W_NONE || decode_has(d, (enum word)reasons[k].word)))
			op->why = reasons[k].why;
}

void decode_bra(struct decoder *d, const struct ir_insn *i)
{
	struct op *op = decode_emit(d, KIND_BRANCH);

	/* an instruction index until fix_targets replaces it by an op index */
	op->branch.target = decode_operand(d, i, 0)->index;
}

void decode_brx(struct decoder *d, const struct ir_insn *i)
{
	const struct ir_table *t = &d->module->table[decode_operand(d, i, 1)->index];
	struct branch_table *b = ARENA_NEW(d->arena, struct branch_table);
	unsigned width = 4;
	uint32_t index = decode_source(d, decode_operand(d, i, 0), &width);

	b->count = t->ntargets;
	b->target = ARENA_ARRAY(d->arena, uint32_t, t->ntargets + 1);
	for (uint32_t k = 0; k < t->ntargets; k++)
		b->target[k] = d->module->operand[t->target + k].index;
	struct op *op = decode_emit(d, KIND_BRANCH_INDEX);

	decode_add(op, index, width);
	op->table = b;
}

static struct argument *call_arguments(
	struct decoder *d, const struct ir_operand *list, bool results, uint32_t *count)
{
	struct argument *a = ARENA_ARRAY(d->arena, struct argument, list->count + 1);

	*count = list->count;
	for (uint32_t k = 0; k < list->count; k++) {
		const struct ir_operand *o = &d->module->operand[list->index + k];

		if (o->kind == IR_SINK) {
			a[k].kind = ARGUMENT_NONE;
		} else if (o->kind == IR_VAR && d->module->var[o->index].space == W_param) {
			a[k].kind = ARGUMENT_LOCAL;
			a[k].place = (uint32_t)d->all->var_at[o->index];
			a[k].bytes = (uint32_t)d->module->var[o->index].size;
			a[k].align = d->module->var[o->index].align;
			a[k].array = d->module->var[o->index].ndims != 0;
		} else {
			unsigned width;

			assert(o->type);
			width = o->type == TYPE_pred ? 0 : type_bytes(o->type);

			a[k].kind = ARGUMENT_PLACE;
			a[k].place = results ? decode_dest(d, o, &width)
					     : decode_source(d, o, &width);
			a[k].width = (uint8_t)width;
		}
	}
	return a;
}

void decode_call(struct decoder *d, const struct ir_insn *i)
{
	const struct ir_operand *target = decode_operand(d, i, 1);
	struct call_site *c = ARENA_NEW(d->arena, struct call_site);
	uint32_t place = 0;
	unsigned width = 8;

	c->ret = call_arguments(d, decode_operand(d, i, 0), true, &c->nrets);
	c->arg = call_arguments(d, decode_operand(d, i, 2), false, &c->nargs);
	c->func = IR_NONE;
	c->provided = -1;
	if (target->kind == IR_FUNC) {
		uint32_t f = code_resolve(d->module, target->index);

		c->func = f;
		if (!d->module->func[f].has_body)
			c->provided = code_provided(
				symbol_text(&d->module->symbols, d->module->func[f].name));
	} else {
		place = decode_source(d, target, &width);
	}
	struct op *op = decode_emit(d, KIND_CALL);

	op->call = c;
	if (c->func == IR_NONE)
		decode_add(op, place, width);
}

void decode_nanosleep(struct decoder *d, const struct ir_insn *i)
{
	unsigned width = 4;
	uint32_t place = decode_source(d, decode_operand(d, i, 0), &width);

	decode_add(decode_emit(d, KIND_SLEEP), place, width);
}

void decode_bar_warp(struct decoder *d, const struct ir_insn *i)
{
	unsigned width = 4;
	uint32_t place = decode_source(d, decode_operand(d, i, 0), &width);

	decode_add(decode_emit(d, KIND_WARP_BARRIER), place, width);
}

/* bar{.cta}.sync a{, b}; .arrive a, b; .red.popc d, a{, b}, {!}c; .red.and/.or p, a{, b}, {!}c. */
void decode_bar(struct decoder *d, const struct ir_insn *i)
{
	enum barrier_kind kind = decode_has(d, W_arrive) ? BARRIER_ARRIVE
		: decode_has(d, W_popc)                  ? BARRIER_POPC
		: decode_has(d, W_and)                   ? BARRIER_AND
		: decode_has(d, W_or)                    ? BARRIER_OR
							 : BARRIER_SYNC;
	bool red = barrier_reduces(kind);
	unsigned first = red ? 1 : 0, n = i->noperands - first - (red ? 1u : 0u);
	unsigned nw = 4, cw = 4, dw = kind == BARRIER_POPC ? 4 : 0, pw = 0;
	uint32_t number = decode_source(d, decode_operand(d, i, first), &nw);
	uint32_t count = n > 1 ? decode_source(d, decode_operand(d, i, first + 1), &cw)
			       : decode_constant(d, 0, 4);
	uint32_t condition = red ? decode_source(d, decode_operand(d, i, i->noperands - 1u), &pw)
				 : 0;
	uint32_t result = red ? decode_dest(d, decode_operand(d, i, 0), &dw) : 0;
	struct op *op = decode_emit(d, KIND_BARRIER);

	op->barrier.kind = (uint8_t)kind;
	op->barrier.counted = n > 1;
	op->barrier.aligned = ir_form(i)->opcode != OP_barrier || decode_has(d, W_aligned);
	if (red)
		decode_add(op, result, dw);
	decode_add(op, number, nw);
	decode_add(op, count, cw);
	if (red)
		decode_add(op, condition, pw);
	op->ndests = red;
}
