/* Decoding of instructions that compute addresses (cvta, isspacep, alloca, the stack pointer) and
 * of those that only give hints to the caches. (PTX ISA 9.7.10.22 to 9.7.10.27, 9.7.19) */
#include "code/decode.h"
#include "code/window.h"

/* The start of the generic window of the state space that the instruction names. */
static uint64_t window_of(const struct decoder *d)
{
	static const uint16_t spaces[] = {W_global, W_shared, W_shared__cta, W_shared__cluster,
		W_local, W_const, W_param, W_param__entry};

	switch ((int)decode_which(d, spaces, sizeof spaces / sizeof *spaces)) {
	case W_shared:
	case W_shared__cta:
	case W_shared__cluster: return MEMORY_SHARED_WINDOW;
	case W_local: return MEMORY_LOCAL_WINDOW;
	case W_const: return MEMORY_CONST_WINDOW;
	/* a device function's parameters are in its frame */
	case W_param: return d->func->is_entry ? MEMORY_PARAM_WINDOW : MEMORY_LOCAL_WINDOW;
	case W_param__entry: return MEMORY_PARAM_WINDOW;
	default: return 0;
	}
}

void decode_cvta(struct decoder *d, const struct ir_insn *i)
{
	uint64_t window = window_of(d);
	unsigned tw = 8, fw = 8;
	uint32_t from = decode_source(d, decode_operand(d, i, 1), &fw),
		 to = decode_dest(d, decode_operand(d, i, 0), &tw);
	struct op *op = decode_emit(d, KIND_CVTA);

	decode_add(op, to, tw);
	decode_add(op, from, fw);
	op->ndests = 1;
	op->cvta.add = (int64_t)(decode_has(d, W_to) ? 0 - window : window);
}

void decode_isspacep(struct decoder *d, const struct ir_insn *i)
{
	uint64_t window = window_of(d), offset;
	unsigned tw = 0, fw = 8;
	uint32_t from = decode_source(d, decode_operand(d, i, 1), &fw),
		 to = decode_dest(d, decode_operand(d, i, 0), &tw);
	struct op *op = decode_emit(d, KIND_ISSPACEP);

	decode_add(op, to, tw);
	decode_add(op, from, fw);
	op->ndests = 1;
	op->isspacep.space = window_space(window, &offset);
	op->isspacep.own = op->isspacep.space == W_shared && !decode_has(d, W_shared__cluster);
}

static uint32_t alignment(const struct decoder *d, const struct ir_insn *i)
{
	uint64_t align = i->noperands > 2 ? decode_operand(d, i, 2)->value : 8;

	return align && align <= UINT32_MAX && !(align & (align - 1)) ? (uint32_t)align : 8;
}

void decode_alloca(struct decoder *d, const struct ir_insn *i)
{
	enum opcode code = (enum opcode)ir_form(i)->opcode;
	unsigned tw = 8, fw = 8;
	uint32_t to, from = 0;
	struct op *op;

	if (code == OP_stackrestore) {
		from = decode_source(d, decode_operand(d, i, 0), &fw);
		decode_add(decode_emit(d, KIND_STACKRESTORE), from, fw);
		return;
	}
	if (code == OP_alloca)
		from = decode_source(d, decode_operand(d, i, 1), &fw);
	to = decode_dest(d, decode_operand(d, i, 0), &tw);
	op = decode_emit(d, code == OP_alloca ? KIND_ALLOCA : KIND_STACKSAVE);
	decode_add(op, to, tw);
	op->ndests = 1;
	if (code == OP_alloca) {
		decode_add(op, from, fw);
		op->stack.align = alignment(d, i);
	}
}

/* prefetch, prefetchu, applypriority: no visible effect, and the address need not be valid.
 * discard.L2 [a], 128 makes 128 bytes undefined. */
void decode_prefetch(struct decoder *d, const struct ir_insn *i)
{
	struct decode_address a;
	struct op *op;

	decode_addressing(d, decode_operand(d, i, 0), &a);
	if (ir_form(i)->opcode != OP_discard) {
		decode_emit(d, KIND_NOTHING);
		return;
	}
	uint32_t place = a.has_base ? a.place : decode_constant(d, 0, 8);

	op = decode_emit(d, KIND_DISCARD);
	decode_add(op, place, a.has_base ? a.width : 8);
	op->access = (struct op_access){.add = a.offset,
		.space = decode_has(d, W_global) ? W_global : W_NONE,
		.bytes = 128,
		.vector = 1,
		.atomic = ATOMIC_NONE,
		.scope = SCOPE_SYS};
}

/* createpolicy: an opaque 64-bit value for cache hints. Here it encodes the instruction's words, so
 * that equal policies are equal. */
void decode_policy(struct decoder *d, const struct ir_insn *i)
{
	unsigned width = 8;
	uint32_t to = decode_dest(d, decode_operand(d, i, 0), &width);
	uint64_t number = UINT64_C(0x1000000000000000);

	for (unsigned k = 0; k < i->nwords; k++)
		number = number * 31 + d->module->word[i->word + k];
	struct op *op = decode_emit(d, KIND_POLICY);

	decode_add(op, to, width);
	op->ndests = 1;
	op->policy.value = number;
}
