/* Decoding of memory instructions: state space, order, type and elements into an op, and the handler that is good enough for it. */
#include "interp/decode.h"
#include "interp/exec_mem.h"
#include "interp/place.h"
#include "interp/weak_memory.h"

static bool watched(const struct decoder *d)
{
	return (d->machine->interest & INTEREST_ACCESS) != 0 || (d->machine->options.checks & CHECK_INIT) != 0;
}

/* --memory=weak: accesses that other threads may see go through messages. */
static bool is_weak(const struct decoder *d, const struct op *op)
{
	return d->machine->weak && (op->space == W_NONE || op->space == W_global || op->space == W_shared);
}

static enum word space_of(const struct decoder *d)
{
	static const uint16_t spaces[] = {W_global, W_shared, W_local, W_const, W_param, W_shared__cta, W_shared__cluster, W_param__entry, W_param__func};
	enum word s = decode_which(d, spaces, sizeof spaces / sizeof *spaces);

	switch ((int)s) {
	case W_shared__cta:
	case W_shared__cluster: return W_shared;
	case W_param__entry:
	case W_param__func: return W_param;
	default: return s;
	}
}

static void order_of(const struct decoder *d, struct op *op)
{
	static const uint16_t sems[] = {W_relaxed, W_acquire, W_release, W_acq_rel, W_volatile, W_mmio}, scopes[] = {W_cta, W_cluster, W_gpu, W_sys};

	op->sem = (uint16_t)decode_which(d, sems, sizeof sems / sizeof *sems);
	op->scope = (uint16_t)decode_which(d, scopes, sizeof scopes / sizeof *scopes);
	op->flag[FLAG_STRONG] = op->sem == W_NONE ? ORDER_WEAK : op->sem == W_acquire || op->sem == W_release || op->sem == W_acq_rel ? ORDER_SYNC : ORDER_STRONG;
	if (op->sem == W_volatile || op->sem == W_mmio) { /* (PTX ISA 8.4: volatile is treated as relaxed with system scope) */
		op->sem = W_relaxed;
		op->scope = W_sys;
	}
}

/* The base of an address: a place, what is added, and the space once the kind of .param is known. */
struct base {
	uint32_t place;
	unsigned width;
	int64_t add;
	uint8_t frame; /* FLAG_FRAME */
	uint16_t space;
	bool constant; /* no register: the address is `add` */
};

static uint16_t param_space(const struct decoder *d, const struct decode_address *a)
{
	if (a->var != IR_NONE)
		return a->frame_base ? W_local : W_param;
	return d->func->is_entry && !decode_has(d, W_param__func) ? W_param : W_local;
}

static struct base base_of(struct decoder *d, const struct ir_operand *o, enum word space)
{
	struct decode_address a;
	struct base b = {.space = (uint16_t)space};

	decode_addressing(d, o, &a);
	if (space == W_param)
		b.space = param_space(d, &a);
	else if (space == W_NONE && a.var != IR_NONE) /* a variable named without a space is used as a generic address */
		b.space = a.space == W_shared__cta ? W_shared : a.space == W_param && a.frame_base ? W_local : a.space;
	b.add = a.offset;
	b.frame = a.frame_base ? 1 : a.dynamic_shared ? 2 : 0;
	if (a.has_base) {
		b.place = a.place;
		b.width = a.width;
	} else {
		b.constant = true;
		b.width = b.space == W_shared || b.space == W_local ? 4 : 8;
		b.place = decode_constant(d, 0, b.width);
	}
	return b;
}

static void set_base(struct op *op, unsigned operand, const struct base *b)
{
	op->flag[FLAG_ADDRESS] = (uint8_t)operand;
	op->flag[FLAG_FRAME] = b->frame;
	op->imm = b->add;
	op->space = b->space;
}

/* Elements of a vector operand, or the one of a scalar. */
static unsigned elements(const struct decoder *d, const struct ir_operand *o, const struct ir_operand **e)
{
	if (o->kind == IR_VEC || o->kind == IR_PAIR || o->kind == IR_LIST) {
		*e = &d->module->operand[o->index];
		return o->count < 8 ? o->count : 8;
	}
	*e = o;
	return 1;
}

/* A source of at least WIDTH bytes; narrower registers are widened. */
static uint32_t source(struct decoder *d, const struct ir_operand *o, unsigned width, unsigned *have)
{
	uint32_t place;

	*have = width;
	place = decode_source(d, o, have);
	if (*have >= width)
		return place;
	uint32_t to = decode_scratch(d, width);

	decode_resize(d, to, width, place, *have);
	*have = width;
	return to;
}

/* A whole vector register (.v2 .v4) given as one operand: its components. */
static unsigned vector_register(const struct decoder *d, const struct ir_operand *o)
{
	return o->kind == IR_REG && !o->aux ? d->module->reg[d->func->reg + o->index].vector : 0;
}

static struct access_vector *vector_new(struct decoder *d)
{
	return ARENA_NEW(&d->machine->arena, struct access_vector);
}

/* Places of N elements of operand O in column K of V. */
static void vector_places(struct decoder *d, struct access_vector *v, unsigned k, const struct ir_operand *o, unsigned n, unsigned bytes, bool write)
{
	const struct ir_operand *e;
	unsigned have = elements(d, o, &e), width;

	for (unsigned i = 0; i < n; i++) {
		width = bytes;
		if (vector_register(d, o) && n > 1)
			v->place[k][i] = decode_register(d, o, i, &width);
		else if (write)
			v->place[k][i] = i < have ? decode_dest(d, &e[i], &width) : decode_scratch(d, bytes);
		else
			v->place[k][i] = i < have ? source(d, &e[i], bytes, &width) : decode_constant(d, 0, bytes);
		v->width[k][i] = (uint8_t)width;
	}
}

/* How many elements the instruction has: its vector word. */
static unsigned vector_of(const struct decoder *d)
{
	return decode_has(d, W_v8) ? 8 : decode_has(d, W_v4) ? 4 : decode_has(d, W_v2) ? 2 : 1;
}

/* Whether the block path can be tried: see exec_mem.h. 32-bit addresses belong to shared, local and .const memory. */
static bool has_block_path(const struct op *op, const struct base *b)
{
	if (op->bytes > 8 || op->flag[FLAG_STRONG] == ORDER_SYNC || b->space == W_param || (b->width != 4 && b->width != 8))
		return false;
	return b->width == 8 || b->space == W_shared || b->space == W_local || b->space == W_const;
}

static exec_fn *pick_ld(const struct op *op, const struct base *b, const struct ir_func *f)
{
	static exec_fn *const block[] = {[1] = exec_ld_1, [2] = exec_ld_2, [4] = exec_ld_4, [8] = exec_ld_8};

	if (op->vector == 1 && b->space == W_param && b->constant && op->bytes <= 8 && b->add >= 0 && b->add % op->bytes == 0 &&
	    (uint64_t)b->add + op->bytes <= f->param_bytes)
		return exec_ld_param;
	return has_block_path(op, b) ? block[op->bytes] : exec_ld;
}

static void set_type(const struct decoder *d, struct op *op)
{
	enum type t = decode_type(d);

	op->type = (uint16_t)t;
	op->bytes = (uint8_t)type_bytes(t);
	op->vector = (uint8_t)vector_of(d);
	op->flag[FLAG_SIGNED] = type_info[t].class == CLASS_SIGNED;
	order_of(d, op);
}

void decode_ld(struct decoder *d, const struct ir_insn *i)
{
	struct base b = base_of(d, decode_operand(d, i, 1), space_of(d));
	const struct ir_operand *to = decode_operand(d, i, 0);
	struct access_vector *v = NULL;
	struct op like = {0}, *op;
	uint32_t place = 0;
	unsigned width;

	set_type(d, &like);
	width = like.bytes;
	if (like.vector > 1) {
		v = vector_new(d);
		vector_places(d, v, 0, to, like.vector, like.bytes, true);
	} else {
		place = decode_dest(d, to, &width);
	}
	op = decode_emit(d, NULL);
	op->type = like.type;
	op->bytes = like.bytes;
	op->vector = like.vector;
	op->sem = like.sem;
	op->scope = like.scope;
	memcpy(op->flag, like.flag, sizeof op->flag);
	op->extra = v;
	for (unsigned k = 0; v && k < like.vector && k < OP_MAX_OPERANDS - 1; k++)
		decode_add(op, v->place[0][k], v->width[0][k]);
	if (!v)
		decode_add(op, place, width);
	op->ndests = op->noperands;
	decode_add(op, b.place, b.width);
	set_base(op, op->ndests, &b);
	op->operation = decode_has(d, W_nc) ? W_nc : 0; /* through another proxy: the sampler asks */
	op->run.exec = is_weak(d, op) ? d->machine->weak_memory->ld : watched(d) ? exec_ld_watched : pick_ld(op, &b, d->func);
}

static exec_fn *pick_st(const struct op *op, const struct base *b)
{
	static exec_fn *const block[] = {[1] = exec_st_1, [2] = exec_st_2, [4] = exec_st_4, [8] = exec_st_8};

	return has_block_path(op, b) ? block[op->bytes] : exec_st;
}

void decode_st(struct decoder *d, const struct ir_insn *i)
{
	struct base b = base_of(d, decode_operand(d, i, 0), space_of(d));
	const struct ir_operand *from = decode_operand(d, i, 1);
	struct access_vector one, *v = &one;
	struct op like = {0}, *op;
	unsigned width;

	set_type(d, &like);
	if (like.vector > 1) {
		v = vector_new(d);
		vector_places(d, v, 1, from, like.vector, like.bytes, false);
	} else {
		one.place[1][0] = source(d, from, like.bytes, &width);
		one.width[1][0] = (uint8_t)width;
	}
	op = decode_emit(d, NULL);
	op->type = like.type;
	op->bytes = like.bytes;
	op->vector = like.vector;
	op->sem = like.sem;
	op->scope = like.scope;
	memcpy(op->flag, like.flag, sizeof op->flag);
	op->extra = v == &one ? NULL : v;
	decode_add(op, b.place, b.width);
	for (unsigned k = 0; k < like.vector && k < OP_MAX_OPERANDS - 1; k++)
		decode_add(op, v->place[1][k], v->width[1][k]);
	set_base(op, 0, &b);
	op->run.exec = is_weak(d, op) ? d->machine->weak_memory->st : watched(d) ? exec_st_watched : pick_st(op, &b);
}

/* ---- atom, red: operands of the op are destination (scratch for red), address, b, c ---- */

static bool is_inlined(const struct op *op)
{
	enum type t = (enum type)op->type;

	return op->bytes >= 4 && op->bytes <= 8 && (type_info[t].class == CLASS_BITS || type_info[t].class == CLASS_UNSIGNED || type_info[t].class == CLASS_SIGNED);
}

/* Whether a worker may do it later, together with others: see combine.h. */
static bool may_combine(const struct op *op, bool unread)
{
	static const uint16_t operations[] = {W_add, W_and, W_or, W_xor, W_min, W_max};

	if (!unread || op->vector != 1 || op->sem != W_relaxed || op->width[1] != 8 || (op->space != W_global && op->space != W_NONE) || !is_inlined(op))
		return false;
	for (unsigned k = 0; k < sizeof operations / sizeof *operations; k++)
		if (operations[k] == op->operation)
			return true;
	return false;
}

static void atomic(struct decoder *d, const struct ir_insn *i, bool red)
{
	static const uint16_t operations[] = {W_add, W_min, W_max, W_inc, W_dec, W_and, W_or, W_xor, W_exch, W_cas};
	unsigned first = red ? 0 : 1, w0, w2, w3 = 0;
	struct base b = base_of(d, decode_operand(d, i, first), space_of(d));
	struct access_vector *v = NULL;
	struct op like = {0}, *op;
	uint32_t to = 0, p2 = 0, p3 = 0;
	bool unread = false;

	set_type(d, &like);
	like.operation = (uint16_t)decode_which(d, operations, sizeof operations / sizeof *operations);
	w0 = w2 = like.bytes;
	if (like.vector > 1) {
		v = vector_new(d);
		vector_places(d, v, 1, decode_operand(d, i, first + 1), like.vector, like.bytes, false);
		for (unsigned k = 0; red && k < like.vector; k++) {
			v->place[0][k] = decode_scratch(d, like.bytes);
			v->width[0][k] = like.bytes;
		}
		if (!red)
			vector_places(d, v, 0, decode_operand(d, i, 0), like.vector, like.bytes, true);
		to = v->place[0][0];
		p2 = v->place[1][0];
	} else {
		p2 = source(d, decode_operand(d, i, first + 1), like.bytes, &w2);
		if (like.operation == W_cas)
			p3 = source(d, decode_operand(d, i, first + 2), like.bytes, &w3);
		to = red ? decode_scratch(d, like.bytes) : decode_dest(d, decode_operand(d, i, 0), &w0);
		unread = red || decode_unread(d, decode_operand(d, i, 0));
	}
	op = decode_emit(d, watched(d) ? exec_atom_watched : exec_atom);
	op->type = like.type;
	op->bytes = like.bytes;
	op->vector = like.vector;
	op->sem = like.sem ? like.sem : (uint16_t)W_relaxed;
	op->scope = like.scope ? like.scope : (uint16_t)W_gpu;
	op->operation = like.operation;
	op->extra = v;
	decode_add(op, to, w0);
	op->ndests = 1;
	decode_add(op, b.place, b.width);
	decode_add(op, p2, w2);
	if (w3)
		decode_add(op, p3, w3);
	set_base(op, 1, &b);
	if (is_weak(d, op))
		op->run.exec = red ? d->machine->weak_memory->red : d->machine->weak_memory->atom;
	op->target = is_inlined(op) ? op->operation : op->type == TYPE_f32 && op->operation == W_add ? (uint32_t)W_f32 : 0;
	op->flag[FLAG_STRONG] = ORDER_SYNC;
	if (!watched(d) && !is_weak(d, op) && may_combine(op, unread))
		op->run.exec = exec_combine;
}

void decode_atom(struct decoder *d, const struct ir_insn *i)
{
	atomic(d, i, false);
}

void decode_red(struct decoder *d, const struct ir_insn *i)
{
	atomic(d, i, true);
}
