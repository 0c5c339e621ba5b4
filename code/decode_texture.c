/* Decoding of reads through textures, and of reads and writes of surfaces. (PTX ISA 9.7.12, 9.7.13)
 *
 * Multi-sample textures, comparisons of depths and samplers apart from their texture are not
 * executed: no call of CUDA makes them. */
#include "code/decode.h"

enum { WORD = 4, HANDLE = 8 };

/* The elements of a vector operand, or the operand itself. Returns their number. */
static unsigned elements_of(
	const struct decoder *d, const struct ir_operand *o, const struct ir_operand **e)
{
	if (o->kind != IR_VEC && o->kind != IR_PAIR) {
		*e = o;
		return 1;
	}
	*e = &d->module->operand[o->index];
	return o->count;
}

static uint32_t word_source(struct decoder *d, const struct ir_operand *o)
{
	unsigned width = WORD;
	uint32_t place = decode_source(d, o, &width);

	if (width == WORD)
		return place;
	uint32_t narrow = decode_scratch(d, WORD);

	decode_resize(d, narrow, WORD, place, width);
	return narrow;
}

/* Sets the dimensions that the instruction names: how many coordinates it takes. False: those that
 * are not executed. */
static bool put_geometry(const struct decoder *d, struct op_texture *t)
{
	static const uint16_t words[] = {
		W_1d, W_2d, W_3d, W_a1d, W_a2d, W_cube, W_acube, W_2dms, W_a2dms};

	switch ((int)decode_which(d, words, sizeof words / sizeof *words)) {
	case W_1d: t->dimensions = 1; return true;
	case W_2d: t->dimensions = 2; return true;
	case W_3d: t->dimensions = 3; return true;
	case W_cube:
		t->dimensions = 3;
		t->cube = true;
		return true;
	case W_acube:
		t->dimensions = 3;
		t->cube = true;
		break;
	case W_a1d: t->dimensions = 1; break;
	case W_a2d: t->dimensions = 2; break;
	default: return false;
	}
	t->array = true;
	return true;
}

/* The handle and, if the brackets contain them, the coordinates, after the layer of an array. */
static bool put_address(struct decoder *d, const struct ir_operand *o, struct op_texture *t)
{
	const struct ir_operand *e;
	struct decode_address a;
	unsigned n, k = 0;

	const struct ir_operand *list = ir_further(o);

	if (o->kind != IR_ADDR || (list && list->count > 1))
		return false;
	decode_addressing(d, o, &a);
	t->handle = a.has_base ? a.place : decode_constant(d, (uint64_t)a.offset, HANDLE);
	if (a.has_base && a.width != HANDLE)
		return false;
	if (!list)
		return true;
	n = elements_of(d, &d->module->operand[list->index], &e);
	if (n < t->dimensions + (t->array ? 1u : 0u))
		return false;
	if (t->array)
		t->layer = word_source(d, &e[k++]);
	for (unsigned i = 0; i < t->dimensions; i++)
		t->coordinate[i] = word_source(d, &e[k++]);
	return true;
}

/* The offsets in texels; false: the operand is something else. */
static bool put_moves(struct decoder *d, const struct ir_operand *o, struct op_texture *t)
{
	const struct ir_operand *e;

	if (o->kind != IR_VEC || elements_of(d, o, &e) < t->dimensions)
		return false;
	for (unsigned i = 0; i < t->dimensions; i++)
		t->move[i] = word_source(d, &e[i]);
	return true;
}

static struct op_texture *texture_new(struct decoder *d, enum texture_what what)
{
	struct op_texture *t = ARENA_NEW(d->all->arena, struct op_texture);

	t->what = (uint8_t)what;
	t->layer = decode_constant(d, 0, WORD);
	for (unsigned i = 0; i < 3; i++)
		t->coordinate[i] = t->move[i] = t->layer;
	return t;
}

static struct op *emit(
	struct decoder *d, const struct op_texture *t, unsigned bytes, unsigned elements)
{
	struct op *op = decode_emit(d, KIND_TEXTURE);

	op->access = (struct op_access){.texture = t,
		.space = W_global,
		.type = (uint8_t)(bytes == 1 ? TYPE_b8
				: bytes == 2 ? TYPE_b16
				: bytes == 8 ? TYPE_b64
					     : TYPE_b32),
		.bytes = (uint8_t)bytes,
		.vector = (uint8_t)elements,
		.sem = SEM_WEAK,
		.scope = SCOPE_SYS,
		.atomic = ATOMIC_NONE,
		.texture_proxy = true};
	return op;
}

/* The places of up to four destinations of at least BYTES bytes, and of the predicate of d|p. */
struct results {
	uint32_t place[5];
	unsigned width[5], count;
};

static void put_results(
	struct decoder *d, const struct ir_operand *o, unsigned bytes, struct results *r)
{
	const struct ir_operand *pair, *e;
	unsigned parts = o->kind == IR_PAIR ? elements_of(d, o, &pair) : 1;

	r->count = elements_of(d, parts == 2 ? &pair[0] : o, &e);
	for (unsigned k = 0; k < r->count; k++) {
		r->width[k] = bytes;
		r->place[k] = decode_dest(d, &e[k], &r->width[k]);
	}
	if (parts == 2) { /* all that there is, is resident */
		r->width[r->count] = 0;
		r->place[r->count] = decode_dest(d, &pair[1], &r->width[r->count]);
		r->count++;
	}
}

static void add_results(struct op *op, const struct results *r)
{
	for (unsigned k = 0; k < r->count; k++)
		decode_add(op, r->place[k], r->width[k]);
	op->ndests = op->noperands;
}

/* An instruction that is not executed, and the reason. */
static void unsupported(struct decoder *d, const char *why)
{
	decode_emit(d, KIND_UNSUPPORTED)->why = why;
}

/* istypep: the operand is a handle, or the address of a variable. */
static void decode_is(struct decoder *d, const struct ir_insn *i)
{
	struct op_texture *t = texture_new(d, TEXTURE_IS);
	unsigned width = HANDLE, predicate = 0;
	struct op *op;

	t->query = (uint16_t)decode_type(d);
	t->handle = decode_source(d, decode_operand(d, i, 1), &width);
	uint32_t to = decode_dest(d, decode_operand(d, i, 0), &predicate);

	op = emit(d, t, WORD, 1);
	decode_add(op, to, predicate);
	op->ndests = 1;
}

static void decode_query(struct decoder *d, const struct ir_insn *i)
{
	static const uint16_t known[] = {W_width, W_height, W_depth, W_array_size,
		W_normalized_coords, W_num_mipmap_levels, W_num_samples, W_channel_data_type,
		W_channel_order, W_filter_mode, W_addr_mode_0, W_addr_mode_1, W_addr_mode_2,
		W_force_unnormalized_coords, W_memory_layout};
	struct op_texture *t = texture_new(d, TEXTURE_QUERY);
	unsigned width = WORD;

	t->query = (uint16_t)decode_which(d, known, sizeof known / sizeof *known);
	if (t->query == W_force_unnormalized_coords ||
		!put_address(d, decode_operand(d, i, 1), t)) {
		unsupported(d, "a sampler apart from its texture is not executed");
		return;
	}
	uint32_t to = decode_dest(d, decode_operand(d, i, 0), &width);
	struct op *op = emit(d, t, WORD, 1);

	decode_add(op, to, width);
	op->ndests = 1;
}

void decode_texture(struct decoder *d, const struct ir_insn *i)
{
	static const uint16_t components[] = {W_r, W_g, W_b, W_a};
	enum opcode code = (enum opcode)ir_form(i)->opcode;
	struct op_texture *t;
	struct results r;
	unsigned more = 2, bytes;

	if (code == OP_txq || code == OP_suq) {
		decode_query(d, i);
		return;
	}
	if (code == OP_istypep) {
		decode_is(d, i);
		return;
	}
	t = texture_new(d, code == OP_tld4 ? TEXTURE_GATHER : TEXTURE_FETCH);
	for (unsigned k = 0; k < 4; k++)
		if (code == OP_tld4 && decode_has(d, (enum word)components[k]))
			t->component = (uint8_t)k;
	/* one level: that of any gradient or number */
	more += decode_has(d, W_grad) ? 2 : decode_has(d, W_level) ? 1 : 0;
	t->integer = decode_type(d) == TYPE_s32;
	t->result = decode_has(d, W_v2) ? RESULT_F16X2
		: decode_has(d, W_f16)  ? RESULT_F16
					: RESULT_WORD;
	if (!put_geometry(d, t)) {
		unsupported(d,
			"how the samples of a texel lie in memory is not part of PTX, and no call of CUDA makes such a texture");
		return;
	}
	if (!put_address(d, decode_operand(d, i, 1), t)) {
		unsupported(d, "a sampler apart from its texture is not executed");
		return;
	}
	if (i->noperands > more + 1 ||
		(i->noperands > more && !put_moves(d, decode_operand(d, i, more), t))) {
		unsupported(d,
			"how a depth is compared is a property of the sampler, which no call of CUDA sets");
		return;
	}
	bytes = t->result == RESULT_F16 ? 2 : WORD;
	put_results(d, decode_operand(d, i, 0), bytes, &r);
	add_results(emit(d, t, bytes, t->result == RESULT_F16X2 ? 2 : 4), &r);
}

/* Sets what a reduction does; .b32 and .b64 of .p take their sign from the surface. */
static void put_reduction(const struct decoder *d, struct op_access *a)
{
	const enum type type = decode_type(d);

	a->atomic = (uint8_t)decode_atomic_operation(d);
	a->sem = SEM_RELAXED;
	a->scope = SCOPE_GPU;
	a->type = (uint8_t)type;
	a->is_signed = type_info[type].class == CLASS_SIGNED;
}

void decode_surface(struct decoder *d, const struct ir_insn *i)
{
	const enum opcode code = (enum opcode)ir_form(i)->opcode;
	const bool store = code != OP_suld, formatted = decode_has(d, W_p);
	unsigned elements = decode_has(d, W_v4) ? 4
		: decode_has(d, W_v2)           ? 2
						: 1,
		 bytes = type_bytes(decode_type(d));
	struct op_texture *t = texture_new(d,
		code == OP_sured    ? SURFACE_REDUCE
			: !store    ? SURFACE_LOAD
			: formatted ? SURFACE_PUT
				    : SURFACE_STORE);
	const struct ir_operand *e;
	struct results r = {.count = 0};
	struct op *op;

	t->integer = true;
	t->samples = formatted;
	t->outside = decode_has(d, W_trap) ? SURFACE_TRAP
		: decode_has(d, W_clamp)   ? SURFACE_CLAMP
					   : SURFACE_ZERO;
	if (!put_geometry(d, t) || !put_address(d, decode_operand(d, i, store ? 0 : 1), t) ||
		elements_of(d, decode_operand(d, i, store ? 1 : 0), &e) != elements) {
		decode_unsupported(d, i);
		return;
	}
	for (unsigned k = 0; store && k < elements; k++) {
		unsigned width = bytes;

		t->value[k] = decode_source(d, &e[k], &width);
		t->value_bytes[k] = (uint8_t)width;
	}
	if (!store)
		put_results(d, decode_operand(d, i, 0), bytes, &r);
	op = emit(d, t, bytes, elements);
	add_results(op, &r);
	if (code == OP_sured)
		put_reduction(d, &op->access);
}
