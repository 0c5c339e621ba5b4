/* How each op becomes C: an expression of its own, an access that is checked inline, or a call of
 * its executor. */
#include "native/writer.h"
#include "code/valid.h"
#include "isa/order.h"
#include "isa/isa.h"

/* Kinds whose executors read and write nothing of the frame but their operands. */
static const uint8_t calls[KIND_COUNT] = {
	[KIND_NOTHING] = 1,
	[KIND_RESIZE] = 1,
	[KIND_REGROUP] = 1,
	[KIND_COMPLEMENT] = 1,
	[KIND_SREG] = 1,
	[KIND_ADDRESS] = 1,
	[KIND_CVTA] = 1,
	[KIND_ISSPACEP] = 1,
	[KIND_POLICY] = 1,
	[KIND_LOAD] = 1,
	[KIND_STORE] = 1,
	[KIND_ATOM] = 1,
	[KIND_RED] = 1,
};

static unsigned type_size(const char *type, size_t n)
{
	if (n == 5) /* float */
		return 4;
	if (n == 6) /* double */
		return 8;
	return n == 2 ? 1 : type[1] == '1' ? 2 : type[1] == '3' ? 4 : 8;
}

/* Whether the operands of OP have the widths that the expression T takes. */
static bool text_fits(const struct op *op, const struct arith_text *t)
{
	unsigned types = t->form == 'c'            ? 3
		: t->form >= '1' && t->form <= '4' ? (unsigned)(t->form - '0') + 1
						   : 0;

	switch (t->form) {
	case 'l': return op->noperands == 2 && !op->width[0] && !op->width[1];
	case 'm': return op->noperands == 3 && !op->width[0] && !op->width[1] && !op->width[2];
	case 'p':
		return op->noperands == 2 && !op->width[0] &&
			op->width[1] == type_size(t->type[0], t->type_length[0]) &&
			is_word(op->width[1]);
	case 's':
	case 'n':
	case 'x':
	case 'y':
		return op->noperands == 3 && !op->width[0] && op->width[1] == op->width[2] &&
			op->width[1] == type_size(t->type[0], t->type_length[0]) &&
			is_word(op->width[1]);
	default: break;
	}
	if (op->noperands != types + (t->form == 'c') || op->ndests != 1)
		return false;
	for (unsigned k = 0; k < types; k++)
		if (op->width[k] != type_size(t->type[k], t->type_length[k]) * t->elements ||
			!is_word(op->width[k]))
			return false;
	return t->form != 'c' || !op->width[3];
}

static enum way way_of_memory(const struct op *op)
{
	const struct op_access *a = &op->access;
	bool load = op->kind == KIND_LOAD;
	unsigned address = op->width[a->base_operand], value = op->width[load ? 0 : 1];

	if (load && a->fixed && a->vector == 1 && is_word(value) && a->bytes <= 8)
		return WAY_PARAM;
	if (a->sem > (a->vector == 1 ? SEM_RELAXED : SEM_WEAK) || a->bytes > 8 ||
		a->base == BASE_FRAME || a->base_operand != (load ? a->vector : 0) ||
		op->noperands != a->vector + 1u || op->ndests != (load ? a->vector : 0))
		return WAY_CALL;
	for (unsigned e = 0; e < a->vector; e++) {
		value = op->width[load ? e : e + 1];
		if (!is_word(value) || value < a->bytes)
			return WAY_CALL;
	}
	if (a->space == W_shared)
		return address == 4 || address == 8 ? WAY_LOAD : WAY_CALL;
	return (a->space == W_global || a->space == W_NONE) && address == 8 ? WAY_LOAD : WAY_CALL;
}

static enum way way_of_atomic(const struct op *op)
{
	const struct op_access *a = &op->access;

	if (!a->integer || a->vector != 1 || a->base == BASE_FRAME || a->base_operand != 1)
		return WAY_CALL;
	for (unsigned k = 0; k < op->noperands; k++)
		if (k != 1 && op->width[k] != a->bytes)
			return WAY_CALL;
	if (a->space == W_shared)
		return op->width[1] == 4 || op->width[1] == 8 ? WAY_ATOMIC : WAY_CALL;
	return (a->space == W_global || a->space == W_NONE) && op->width[1] == 8 ? WAY_ATOMIC
										 : WAY_CALL;
}

/* Whether all that the executor of barrier OP checks is known. */
static bool is_plain_barrier(const struct code_func *c, const struct op *op)
{
	uint64_t number, count;

	return op->barrier.kind == BARRIER_SYNC && op->noperands == 2 && op->width[0] == 4 &&
		op->width[1] == 4 && (op->at[0] & op->at[1] & 1) &&
		constant_value(c, op->at[0], 4, &number) &&
		constant_value(c, op->at[1], 4, &count) && !valid_barrier_number(number) &&
		!valid_barrier_count(BARRIER_SYNC, count);
}

static bool is_plain_sreg(const struct op *op)
{
	if (op->width[0] != 4 || op->sreg.component > 3)
		return false;
	switch ((int)op->sreg.which) {
	case SREG_tid:
	case SREG_ntid:
	case SREG_ctaid:
	case SREG_nctaid:
	case SREG_laneid:
	case SREG_warpid: return true;
	default: return false;
	}
}

enum way way_of(const struct code_func *c, const struct op *op)
{
	struct arith_text t;

	switch ((int)op->kind) {
	case KIND_ALU:
		return arith_text(op->run.kernel, &t) && text_fits(op, &t) ? WAY_LANES : WAY_KERNEL;
	case KIND_BRANCH: return WAY_BRANCH;
	case KIND_NOTHING: return WAY_NOTHING;
	case KIND_COMPLEMENT: return WAY_NOT;
	case KIND_RESIZE:
		return is_word(op->width[0]) && is_word(op->width[1]) ? WAY_COPY : WAY_CALL;
	case KIND_CVTA:
		return !op->cvta.add && op->width[0] == 8 && op->width[1] == 8 ? WAY_COPY
									       : WAY_CALL;
	case KIND_REGROUP:
		if (op->noperands != 3)
			return WAY_CALL;
		return op->ndests == 1 && op->width[0] == 8 && op->width[1] == 4    ? WAY_PACK
			: op->ndests == 2 && op->width[0] == 4 && op->width[1] == 4 ? WAY_UNPACK
										    : WAY_CALL;
	case KIND_LOAD: return way_of_memory(op);
	case KIND_STORE: return way_of_memory(op) == WAY_LOAD ? WAY_STORE : WAY_CALL;
	case KIND_ATOM:
	case KIND_RED: return way_of_atomic(op);
	case KIND_BARRIER: return is_plain_barrier(c, op) ? WAY_BARRIER : WAY_LEAVE;
	case KIND_SREG: return is_plain_sreg(op) ? WAY_SREG : WAY_CALL;
	default: return calls[op->kind] ? WAY_CALL : WAY_LEAVE;
	}
}
