/* Places of operands: registers and temporaries in the frame, constants of the function, and the
 * auxiliary ops that put special registers and addresses there. A place is a byte offset whose
 * lowest bit selects the bank: 0 the frame, 1 the constants. */
#include "base/assert.h"
#include "base/memory.h"
#include "base/vec.h"
#include "code/decode.h"
#include "code/window.h"
#include <string.h>

static uint32_t round_up(uint32_t n, uint32_t to) { return (n + to - 1) / to * to; }

uint32_t decode_scratch(struct decoder *d, unsigned width)
{
	uint32_t bytes = width ? width * LANES : 4, at = round_up(d->frame, width ? 64 : 4);

	d->frame = at + bytes;
	return at;
}

static uint32_t constant_room(struct decoder *d, uint32_t bytes)
{
	uint32_t at = round_up(d->constants, bytes < 64 ? 4 : 64);

	while (at + bytes > d->constant_cap) {
		uint32_t cap = d->constant_cap ? d->constant_cap * 2 : 4096;

		d->constant = memory_resize(d->constant, cap);
		memset(d->constant + d->constant_cap, 0, cap - d->constant_cap);
		d->constant_cap = cap;
	}
	d->constants = at + bytes;
	return at;
}

static unsigned width_class(unsigned width)
{
	return width == 0    ? 0
		: width <= 1 ? 1
		: width <= 2 ? 2
		: width <= 4 ? 3
		: width <= 8 ? 4
			     : 5;
}

static uint32_t new_constant(struct decoder *d, uint64_t value, unsigned width)
{
	uint32_t at = constant_room(d, width * LANES);

	/* little-endian, as the whole project assumes */
	for (unsigned i = 0; i < LANES; i++)
		memcpy(d->constant + at + i * width, &value, width < 8 ? width : 8);
	return at;
}

uint32_t decode_constant(struct decoder *d, uint64_t value, unsigned width)
{
	struct map *known = &d->known[width_class(width)];
	uint32_t at;

	if (width < 8)
		value = width ? value & ((UINT64_C(1) << 8 * width) - 1) : value != 0;
	if (value < UINT64_MAX && (at = map_get(known, value, IR_NONE)) != IR_NONE)
		return at | 1;
	if (!width) {
		at = constant_room(d, 4);
		memset(d->constant + at, value ? 0xff : 0, 4);
	} else {
		at = new_constant(d, value, width);
	}
	if (value < UINT64_MAX)
		map_add(known, value, at);
	return at | 1;
}

uint32_t decode_shared(struct decoder *d, uint64_t value, unsigned width)
{
	struct map *known = &d->shared[width == 8];
	uint32_t at = map_get(known, value, IR_NONE);

	assert(width == 4 || width == 8);
	if (at == IR_NONE) {
		at = new_constant(d, value, width);
		map_add(known, value, at);
		*vec_push(&d->own) = at + width;
	}
	return at | 1;
}

struct op *decode_emit(struct decoder *d, enum op_kind kind)
{
	if (d->nops == d->cap) {
		uint32_t cap = d->cap ? d->cap * 2 : 64;

		d->op = memory_resize(d->op, cap * sizeof *d->op);
		d->cap = cap;
	}
	struct op *op = &d->op[d->nops++];

	*op = (struct op){.kind = (uint8_t)kind,
		.guard = 1,
		.insn = d->insn ? (uint32_t)(d->insn - d->module->insn) : IR_NONE,
		.first = d->first,
		.reconverge = NO_PC};
	d->first = false;
	if (d->insn && d->insn->guard != IR_NONE) {
		op->guard = d->code->reg_at[d->insn->guard];
		op->guard_xor = d->insn->guard_negated ? UINT32_MAX : 0;
	}
	return op;
}

void decode_add(struct op *op, uint32_t place, unsigned width)
{
	assert(op->noperands < OP_MAX_OPERANDS && width <= 16);
	op->width[op->noperands] = (uint8_t)width;
	op->at[op->noperands++] = place;
}

unsigned decode_reg_width(const struct decoder *d, uint32_t reg)
{
	enum type t = d->module->reg[d->func->reg + reg].type;

	return t == TYPE_pred ? 0 : type_bytes(t);
}

uint32_t decode_register(
	struct decoder *d, const struct ir_operand *o, unsigned component, unsigned *width)
{
	assert(!component || component < d->module->reg[d->func->reg + o->index].vector);
	*width = decode_reg_width(d, o->index);
	return d->code->reg_at[o->index] + component * d->code->reg_stride[o->index];
}

void decode_resize(
	struct decoder *d, uint32_t to, unsigned to_width, uint32_t from, unsigned from_width)
{
	struct op *op = decode_emit(d, KIND_RESIZE);

	assert(to_width && from_width); /* a predicate has no bytes */
	decode_add(op, to, to_width);
	decode_add(op, from, from_width);
	op->ndests = 1;
}

static bool is_shared(uint16_t space)
{
	return space == W_shared || space == W_shared__cta || space == W_shared__cluster;
}

static bool is_dynamic(const struct ir_var *v) { return v->size == 0 && is_shared(v->space); }

bool decode_is_formal(const struct ir_module *m, const struct ir_var *v)
{
	const struct ir_func *f = &m->func[v->func];
	uint32_t at = (uint32_t)(v - m->var);

	return at - f->param < f->nparams || at - f->ret < f->nrets;
}

static bool in_frame(const struct decoder *d, const struct ir_var *v)
{
	return v->space == W_local ||
		(v->space == W_param &&
			!(v->func != IR_NONE && d->module->func[v->func].is_entry &&
				decode_is_formal(d->module, v)));
}

static uint32_t variable_address(struct decoder *d, const struct ir_operand *o, unsigned *width)
{
	const struct ir_var *v = &d->module->var[o->index];
	uint64_t value = d->all->var_at[o->index] + o->value;
	unsigned bytes = *width == 4 || *width == 8                       ? *width
		: ir_target(d->module, d->code->func)->address_size == 32 ? 4
									  : 8;
	bool dynamic = is_dynamic(v);

	*width = bytes;
	if (dynamic && d->func->is_entry) {
		value += d->code->shared_end;
		dynamic = false;
	}
	if (!dynamic && is_shared(v->space))
		return decode_shared(d, value, bytes);
	if (!dynamic && !in_frame(d, v))
		return decode_constant(d, value, bytes);
	uint32_t at = decode_scratch(d, bytes);
	struct op *op = decode_emit(d, KIND_ADDRESS);

	decode_add(op, at, bytes);
	op->ndests = 1;
	op->address.offset = (int64_t)value;
	op->address.dynamic = dynamic;
	return at;
}

static unsigned component(const struct ir_operand *o)
{
	return o->aux && o->aux != IR_SELECTOR ? o->aux - 1u : 0;
}

uint32_t decode_source(struct decoder *d, const struct ir_operand *o, unsigned *width)
{
	switch (o->kind) {
	case IR_REG: {
		uint32_t from = decode_register(d, o, component(o), width);

		if (!o->negated || *width)
			return from;
		uint32_t at = decode_scratch(d, 0);
		struct op *op = decode_emit(d, KIND_COMPLEMENT);

		decode_add(op, at, 0);
		decode_add(op, from, 0);
		op->ndests = 1;
		return at;
	}
	case IR_SREG: {
		enum type t = sreg_info[o->index].type;

		*width = t == TYPE_pred ? 0 : type_bytes(t);
		uint32_t at = decode_scratch(d, *width);

		decode_sreg(d, o, at, *width);
		return at;
	}
	case IR_IMM:
		if (*width == 0)
			return decode_constant(d, (o->value != 0) ^ (o->negated != 0), 0);
		return decode_constant(d, o->value, *width);
	case IR_VAR: return variable_address(d, o, width);
	case IR_FUNC:
		*width = *width == 4 ? 4 : 8;
		return decode_constant(d, window_function(d->module, o->index), *width);
	default: *width = *width ? *width : 4; return decode_constant(d, 0, *width);
	}
}

void decode_sreg(struct decoder *d, const struct ir_operand *o, uint32_t to, unsigned width)
{
	/* the memory that .minperctamemory asks for: nothing here provides it */
	bool provided = o->index != SREG_perctamemoryoffset && o->index != SREG_perctamemorysize;
	struct op *op = decode_emit(d, provided ? KIND_SREG : KIND_UNSUPPORTED);

	if (!provided)
		return;
	decode_add(op, to, width);
	op->ndests = 1;
	op->sreg.which = (uint16_t)o->index;
	op->sreg.component = o->aux;
}

uint32_t decode_dest(struct decoder *d, const struct ir_operand *o, unsigned *width)
{
	if (o->kind == IR_REG)
		return decode_register(d, o, component(o), width);
	return decode_scratch(d, *width);
}

void decode_addressing(struct decoder *d, const struct ir_operand *o, struct decode_address *a)
{
	*a = (struct decode_address){.offset = (int64_t)o->value, .var = IR_NONE};
	if (o->kind == IR_REG || (o->kind == IR_ADDR && o->aux == IR_BASE_REG)) {
		a->has_base = true;
		a->width = decode_reg_width(d, o->index);
		a->place = d->code->reg_at[o->index];
		if (o->kind == IR_REG)
			a->offset = 0;
	} else if (o->kind == IR_VAR || (o->kind == IR_ADDR && o->aux == IR_BASE_VAR)) {
		const struct ir_var *v = &d->module->var[o->index];

		a->var = o->index;
		a->space = v->space;
		a->offset += (int64_t)d->all->var_at[o->index];
		a->frame_base = in_frame(d, v);
		a->dynamic_shared = is_dynamic(v);
		if (a->dynamic_shared && d->func->is_entry) {
			a->offset += d->code->shared_end;
			a->dynamic_shared = false;
		}
	}
}

struct op_address decode_op_address(struct decoder *d, const struct ir_operand *o, enum word space)
{
	struct decode_address a;
	struct op_address to = {.space = (uint16_t)space};

	decode_addressing(d, o, &a);
	/* without a state space, the address of a variable is generic */
	if (space == W_NONE && a.var != IR_NONE)
		to.space = a.space == W_shared__cta ? W_shared : a.space;
	to.add = a.offset;
	to.dynamic = a.dynamic_shared;
	if (a.has_base) {
		to.place = a.place;
		to.width = (uint8_t)a.width;
	} else if (is_shared(a.space)) {
		to.place = decode_shared(d, 0, 4);
		to.width = 4;
	}
	return to;
}

/* --- which registers are read --- */

static void mark_read(void *arg, const struct ir_operand *reg, bool written)
{
	struct decoder *d = arg;

	if (!written)
		d->read[reg->index] = 1;
}

static void find_reads(struct decoder *d)
{
	const struct ir_func *f = d->func;

	d->read = memory_zeroed(f->nregs + 1, sizeof *d->read);
	for (uint32_t k = 0; k < f->ninsns; k++)
		ir_each_register(d->module, &d->module->insn[f->insn + k], mark_read, d);
	for (uint32_t k = 0; k < f->nrets; k++) { /* the caller reads results in registers */
		const struct ir_var *v = &d->module->var[f->ret + k];

		if (v->space == W_reg)
			d->read[v->offset] = 1;
	}
}

bool decode_unread(struct decoder *d, const struct ir_operand *o)
{
	if (o->kind == IR_SINK)
		return true;
	/* kept registers: the host reads them at the end */
	if (o->kind != IR_REG || d->all->keeps_registers)
		return false;
	if (!d->read)
		find_reads(d);
	return !d->read[o->index];
}
