/* Addresses as values: cvta, isspacep, alloca and the stack pointer; and the instructions that only advise the caches. (PTX ISA 9.7.9.19 to 9.7.9.24, 9.7.18) */
#include "interp/decode.h"
#include "interp/exec_mem.h"
#include "interp/place.h"
#include "interp/undefined.h"

/* What cvta adds for the space the instruction names. */
static uint64_t window_of(const struct decoder *d)
{
	static const uint16_t spaces[] = {W_global, W_shared, W_shared__cta, W_shared__cluster, W_local, W_const, W_param, W_param__entry};

	switch ((int)decode_which(d, spaces, sizeof spaces / sizeof *spaces)) {
	case W_shared:
	case W_shared__cta:
	case W_shared__cluster: return MEMORY_SHARED_WINDOW;
	case W_local: return MEMORY_LOCAL_WINDOW;
	case W_const: return MEMORY_CONST_WINDOW;
	case W_param: return d->func->is_entry ? MEMORY_PARAM_WINDOW : MEMORY_LOCAL_WINDOW; /* a device function's parameters lie in its frame */
	case W_param__entry: return MEMORY_PARAM_WINDOW;
	default: return 0;
	}
}

enum flow exec_cvta(struct warp *w, const struct op *op, uint32_t mask)
{
	const void *from = op_lanes(w, op, 1);
	void *to = op_lanes(w, op, 0);

	FOR_LANES(lane, mask) register_set(to, lane, op->width[0], register_get(from, lane, op->width[1]) + (uint64_t)op->imm);
	return FLOW_NEXT;
}

static enum flow exec_cvta_same(struct warp *w, const struct op *op, uint32_t mask)
{
	const uint64_t *from = op_lanes(w, op, 1);
	uint64_t *to = op_lanes(w, op, 0);

	if (mask == UINT32_MAX)
		memmove(to, from, LANES * sizeof *to);
	else
		FOR_LANES(lane, mask) to[lane] = from[lane];
	return FLOW_NEXT;
}

void decode_cvta(struct decoder *d, const struct ir_insn *i)
{
	uint64_t window = window_of(d);
	unsigned tw = 8, fw = 8;
	uint32_t from = decode_source(d, decode_operand(d, i, 1), &fw), to = decode_dest(d, decode_operand(d, i, 0), &tw);
	struct op *op = decode_emit(d, !window && tw == 8 && fw == 8 ? exec_cvta_same : exec_cvta);

	decode_add(op, to, tw);
	decode_add(op, from, fw);
	op->ndests = 1;
	op->imm = (int64_t)(decode_has(d, W_to) ? 0 - window : window);
}

/* op->space: the space asked for. */
enum flow exec_isspacep(struct warp *w, const struct op *op, uint32_t mask)
{
	const void *from = op_lanes(w, op, 1);
	uint32_t *to = op_lanes(w, op, 0), is = 0;

	FOR_LANES(lane, mask)
	{
		uint64_t offset;

		is |= (uint32_t)(access_generic(register_get(from, lane, op->width[1]), &offset) == op->space) << lane;
	}
	*to = (*to & ~mask) | is;
	return FLOW_NEXT;
}

void decode_isspacep(struct decoder *d, const struct ir_insn *i)
{
	uint64_t window = window_of(d), offset;
	unsigned tw = 0, fw = 8;
	uint32_t from = decode_source(d, decode_operand(d, i, 1), &fw), to = decode_dest(d, decode_operand(d, i, 0), &tw);
	struct op *op = decode_emit(d, exec_isspacep);

	decode_add(op, to, tw);
	decode_add(op, from, fw);
	op->ndests = 1;
	op->space = access_generic(window, &offset);
}

/* ---- the stack ---- */

/* The lanes share a frame, so all get as much as the greediest. op->imm: alignment. */
enum flow exec_alloca(struct warp *w, const struct op *op, uint32_t mask)
{
	struct frame *f = w->frame;
	uint64_t most = 0, align = (uint64_t)op->imm, at = (f->local_top + align - 1) & ~(align - 1);
	unsigned greedy = lane_first(mask);

	FOR_LANES(lane, mask)
	{
		uint64_t size = register_get(op_lanes(w, op, 1), lane, op->width[1]);

		if (size > most) {
			most = size;
			greedy = lane;
		}
	}
	uint64_t room = f->stack_used + (f->local_top - f->local_base - f->code->local_bytes);

	if (most > MACHINE_STACK_BYTES || room + most + align > MACHINE_STACK_BYTES)
		return fault(w, op, greedy, DIAG_F0212, "alloca of %llu bytes, but the thread's stack has %u bytes, of which %llu are in use", (unsigned long long)most, MACHINE_STACK_BYTES,
			     (unsigned long long)room);
	if (at + most > w->local_bytes && !memory_local_reserve(w, (uint32_t)(at + most)))
		return fault(w, op, greedy, DIAG_F0212, "no memory for the stack");
	f->local_top = (uint32_t)(at + most);
	FOR_LANES(lane, mask)
	{
		uint8_t *defined = memory_local_defined(w, lane);

		if (defined)
			memset(defined + at, 0, most);
		register_set(op_lanes(w, op, 0), lane, op->width[0], at);
	}
	return FLOW_NEXT;
}

enum flow exec_stacksave(struct warp *w, const struct op *op, uint32_t mask)
{
	FOR_LANES(lane, mask) register_set(op_lanes(w, op, 0), lane, op->width[0], w->frame->local_top);
	return FLOW_NEXT;
}

/* Only when all lanes of the frame give back what they took may others have it. */
enum flow exec_stackrestore(struct warp *w, const struct op *op, uint32_t mask)
{
	struct frame *f = w->frame;
	uint32_t least = f->local_base + f->code->local_bytes, top = least;

	FOR_LANES(lane, mask)
	{
		uint64_t to = register_get(op_lanes(w, op, 0), lane, op->width[0]);

		if (to < least || to > f->local_top)
			return fault(w, op, lane, DIAG_F0213, "stackrestore of 0x%llx, but this frame's stack pointer is 0x%x to 0x%x", (unsigned long long)to, least,
				     f->local_top);
		if (to > top)
			top = (uint32_t)to;
	}
	if (mask == f->lanes)
		f->local_top = top;
	return FLOW_NEXT;
}

void decode_alloca(struct decoder *d, const struct ir_insn *i)
{
	enum opcode code = (enum opcode)ir_form(i)->opcode;
	unsigned tw = 8, fw = 8;
	uint32_t to, from = 0;
	struct op *op;

	if (code == OP_stackrestore) {
		from = decode_source(d, decode_operand(d, i, 0), &fw);
		decode_add(decode_emit(d, exec_stackrestore), from, fw);
		return;
	}
	if (code == OP_alloca)
		from = decode_source(d, decode_operand(d, i, 1), &fw);
	to = decode_dest(d, decode_operand(d, i, 0), &tw);
	op = decode_emit(d, code == OP_alloca ? exec_alloca : exec_stacksave);
	decode_add(op, to, tw);
	op->ndests = 1;
	if (code == OP_alloca) {
		uint64_t align = i->noperands > 2 ? decode_operand(d, i, 2)->value : 8;

		decode_add(op, from, fw);
		op->imm = align && align <= MACHINE_STACK_BYTES && !(align & (align - 1)) ? (int64_t)align : 8;
	}
}

/* ---- advice to the caches ---- */

/* prefetch, prefetchu, applypriority: nothing that a program can see; the address may be anything. */
enum flow exec_hint(struct warp *w, const struct op *op, uint32_t mask)
{
	(void)w;
	(void)op;
	(void)mask;
	return FLOW_NEXT;
}

/* discard.L2 [a], 128: the bytes may be lost, so for --check=init they were never written. */
enum flow exec_discard(struct warp *w, const struct op *op, uint32_t mask)
{
	struct access a;

	access_addresses(w, op, mask, a.address);
	if (!access_resolve(w, op, mask, 128, ACCESS_WRITE, &a))
		return FLOW_STOP;
	FOR_LANES(lane, mask)
	for (unsigned b = 0; a.defined[lane] && b < 128; b++)
		__atomic_store_n(&a.defined[lane][b], 0, __ATOMIC_RELAXED);
	return FLOW_NEXT;
}

void decode_prefetch(struct decoder *d, const struct ir_insn *i)
{
	struct decode_address a;
	struct op *op;

	decode_addressing(d, decode_operand(d, i, 0), &a);
	if (ir_form(i)->opcode != OP_discard) {
		decode_emit(d, exec_hint);
		return;
	}
	uint32_t place = a.has_base ? a.place : decode_constant(d, 0, 8);

	op = decode_emit(d, exec_discard);
	decode_add(op, place, a.has_base ? a.width : 8);
	op->imm = a.offset;
	op->space = decode_has(d, W_global) ? W_global : W_NONE;
	op->bytes = 128;
	op->vector = 1;
}

/* createpolicy: opaque 64 bits that cache hints take. Here the number of the form, so that equal policies are equal. */
enum flow exec_policy(struct warp *w, const struct op *op, uint32_t mask)
{
	FOR_LANES(lane, mask) register_set(op_lanes(w, op, 0), lane, op->width[0], (uint64_t)op->imm);
	return FLOW_NEXT;
}

void decode_policy(struct decoder *d, const struct ir_insn *i)
{
	unsigned width = 8;
	uint32_t to = decode_dest(d, decode_operand(d, i, 0), &width);
	uint64_t value = UINT64_C(0x1000000000000000);

	for (unsigned k = 0; k < i->nwords; k++)
		value = value * 31 + d->module->word[i->word + k];
	struct op *op = decode_emit(d, exec_policy);

	decode_add(op, to, width);
	op->ndests = 1;
	op->imm = (int64_t)value;
}
