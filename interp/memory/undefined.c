/* --check=init for registers: which bits are undefined, their origin, and the findings. */
#include "interp/memory/undefined.h"
#include "base/assert.h"
#include "interp/state/exec.h"
#include "interp/memory/mbarrier_record.h"
#include "interp/memory/name.h"
#include "interp/state/where.h"
#include "code/undefined_bits.h"

/* Each register has WIDTH * 8 words of frame.defined, at least eight: the lanes in which it is
 * defined; the origin of its undefined value; after a load, the lanes whose access was partly
 * written; the undefined lanes whose bits are in frame.bits (in the others all bits are
 * undefined); and the generic address that was loaded. A predicate has only the first word. */
enum { WORD_DEFINED, WORD_ORIGIN, WORD_PARTLY, WORD_PRECISE, WORD_ADDRESS };
/* Origin: 0 not determined yet; 1 + the instruction of a load, with FROM_LOAD while the bytes
 * are still as loaded; FROM_REGISTER with the word of a register that was never written;
 * FROM_NOWHERE: computed from predicates. */
enum { FROM_LOAD = 1 << 30 };
#define FROM_REGISTER (1u << 31)
#define ORIGIN_NUMBER (FROM_LOAD - 1u)
#define FROM_NOWHERE (FROM_REGISTER | ORIGIN_NUMBER)

static uint32_t *words_of(const struct warp *w, uint32_t place, unsigned width)
{
	return width && !(place & 1u) ? &w->frame->defined[place / 4] : NULL;
}

static uint32_t *origin_of(const struct warp *w, uint32_t place, unsigned width)
{
	uint32_t *words = words_of(w, place, width);

	return words ? words + WORD_ORIGIN : NULL;
}

static void put_address(uint32_t *words, uint64_t address)
{
	words[WORD_ADDRESS] = (uint32_t)address;
	words[WORD_ADDRESS + 1] = (uint32_t)(address >> 32);
}

static uint64_t get_address(const uint32_t *words)
{
	return words[WORD_ADDRESS] | (uint64_t)words[WORD_ADDRESS + 1] << 32;
}

static uint64_t generic_address(uint16_t space, uint64_t offset)
{
	return offset +
		(space == W_shared                 ? MEMORY_SHARED_WINDOW
				: space == W_local ? MEMORY_LOCAL_WINDOW
						   : 0);
}

/* The undefined bits of byte BYTE in lane LANE of PLACE, of WIDTH bytes per lane. */
static uint8_t *bits_at(
	const struct warp *w, uint32_t place, unsigned width, unsigned lane, unsigned byte)
{
	return &w->frame->bits[place + lane * width + byte];
}

static uint8_t bits_of(
	const struct warp *w, uint32_t place, unsigned width, unsigned lane, unsigned byte)
{
	if (byte >= width || !(undefined_lanes(w, place) >> lane & 1))
		return 0;
	return width && words_of(w, place, width)[WORD_PRECISE] >> lane & 1
		? *bits_at(w, place, width, lane, byte)
		: 0xff;
}

void undefined_whole(
	struct warp *w, uint32_t place, unsigned width, uint32_t mask, uint32_t undefined)
{
	uint32_t *words = words_of(w, place, width);

	undefined_set(w, place, mask, undefined);
	if (words)
		words[WORD_PRECISE] &= ~mask;
}

void undefined_comes_from(struct warp *w, uint32_t place, unsigned width, const struct op *op)
{
	uint32_t *origin = origin_of(w, place, width);

	if (origin)
		*origin = op->insn + 1;
}

void undefined_comes_from_memory(
	struct warp *w, uint32_t place, unsigned width, const struct op *op, uint64_t address)
{
	uint32_t *words = words_of(w, place, width);

	if (!words)
		return;
	words[WORD_ORIGIN] = (op->insn + 1) | FROM_LOAD;
	words[WORD_PARTLY] = 0;
	put_address(words, address);
}

void undefined_value(
	struct warp *w, uint32_t place, unsigned width, uint32_t mask, const uint32_t *bits)
{
	uint32_t *words = words_of(w, place, width), undefined = 0;

	FOR_LANES(lane, mask) {
		undefined |= (uint32_t)(bits[lane] != 0) << lane;
		for (unsigned b = 0; words && bits[lane] && b < width; b++)
			*bits_at(w, place, width, lane,
				b) = (uint8_t)(b < 4 ? bits[lane] >> 8 * b : 0);
	}
	undefined_set(w, place, mask, undefined);
	if (undefined && words) {
		words[WORD_ORIGIN] = FROM_NOWHERE;
		words[WORD_PRECISE] |= mask;
	}
}

uint32_t undefined_word(const struct warp *w, uint32_t place, unsigned width, unsigned lane)
{
	uint32_t bits = 0;

	for (unsigned b = 0; b < width && b < 4; b++)
		bits |= (uint32_t)bits_of(w, place, width, lane, b) << 8 * b;
	return bits;
}

void undefined_load(struct warp *w, const struct op *op, uint32_t mask, const struct access *a,
	unsigned e, uint32_t place, unsigned width)
{
	const struct ir_insn *i = op_insn(w, op);
	uint32_t used = i->pragma_bytes_set ? ir_used_bytes(w->machine->module, i) : UINT32_MAX,
		 undefined = 0, partly = 0, *words = words_of(w, place, width);
	unsigned n = op->access.bytes, total = n * op->access.vector, first = e * n;

	assert(total <= 32); /* .v8.b32 and .v4.b64: the number of bits in used_bytes */
	FOR_LANES(lane, mask) {
		const uint8_t *shadow = a->defined[lane];
		uint8_t bits = 0;

		for (unsigned b = 0; shadow && b < total; b++) {
			uint8_t written = __atomic_load_n(&shadow[b], __ATOMIC_RELAXED);
			bool own = b >= first && b < first + n;

			partly |= (uint32_t)(written != 0) << lane;
			if (!own)
				continue;
			bits = (uint8_t)~written;
			if (bits && used >> b & 1)
				undefined |= 1u << lane;
			if (words && b - first < width)
				*bits_at(w, place, width, lane, b - first) = bits;
		}
		for (unsigned b = n; words && b < width; b++)
			*bits_at(w, place, width, lane,
				b) = op->access.is_signed && bits & 0x80 ? 0xff : 0;
	}
	undefined_set(w, place, mask, undefined);
	if (undefined && words) {
		unsigned lane = lane_first(undefined);

		words[WORD_ORIGIN] = (op->insn + 1) | FROM_LOAD;
		words[WORD_PARTLY] = (words[WORD_PARTLY] & ~mask) | (partly & mask);
		words[WORD_PRECISE] |= mask;
		put_address(words, generic_address(a->space[lane], a->offset[lane]) + first);
	}
}

void undefined_store(struct warp *w, const struct op *op, uint32_t mask, const struct access *a,
	unsigned e, uint32_t place, unsigned width)
{
	const uint32_t *words = words_of(w, place, width);
	uint32_t undefined = undefined_lanes(w, place) & mask, seen = 0,
		 copied = words && words[WORD_ORIGIN] & FROM_LOAD ? words[WORD_PARTLY] : 0;
	unsigned n = op->access.bytes;

	FOR_LANES(lane, mask) {
		uint8_t *shadow = a->defined[lane];
		bool unknown = undefined >> lane & 1, whole = unknown && !words;

		for (unsigned b = 0; shadow && b < n; b++) {
			uint8_t bits = unknown ? bits_of(w, place, width, lane, b) : 0;

			whole = whole || bits == 0xff;
			__atomic_store_n(&shadow[e * n + b], (uint8_t)~bits, __ATOMIC_RELAXED);
		}
		seen |= (uint32_t)(whole && a->space[lane] == W_global) << lane;
	}
	undefined_use(w, op, seen & ~copied, place, "stored to global memory");
}

const char *undefined_register(const struct warp *w, uint32_t place)
{
	const struct ir_module *ir = w->machine->module;
	const struct code_func *code = w->frame->code;
	const struct ir_func *f = &ir->func[code->func];

	for (uint32_t r = 0; r < f->nregs; r++) {
		const struct ir_register *reg = &ir->reg[f->reg + r];
		unsigned n = reg->vector ? reg->vector : 1;

		for (unsigned c = 0; c < n; c++)
			if (code->reg_at[r] + c * code->reg_stride[r] == place)
				return symbol_text(&ir->symbols, reg->name);
	}
	return NULL;
}

static unsigned width_of(const struct op *op, uint32_t place)
{
	for (unsigned k = 0; k < op->noperands; k++)
		if (op->at[k] == place)
			return op->width[k];
	return 0;
}

/* A predicate has no origin: the register compared by its last writer before OP, if that is
 * still undefined. *WIDTH: the register's width; 0: not found, and the result is PLACE. */
static uint32_t predicate_source(
	const struct warp *w, const struct op *op, unsigned lane, uint32_t place, unsigned *width)
{
	*width = 0;
	for (const struct op *o = op; o-- > w->frame->code->op;) {
		if (!o->ndests || o->at[0] != place)
			continue;
		for (unsigned k = o->ndests; k < o->noperands; k++)
			if (o->width[k] && undefined_lanes(w, o->at[k]) >> lane & 1) {
				*width = o->width[k];
				return o->at[k];
			}
		break;
	}
	return place;
}

/* Whether the value was read by a shfl from a lane that does not take part. */
static bool from_shuffle(const struct warp *w, const uint32_t *words)
{
	const struct ir_module *ir = w->machine->module;
	uint32_t origin = words[WORD_ORIGIN];

	return origin && !(origin & FROM_REGISTER) &&
		ir_form(&ir->insn[(origin & ORIGIN_NUMBER) - 1])->opcode == OP_shfl;
}

static bool from_shared(const uint32_t *words)
{
	return words[WORD_ORIGIN] && !(words[WORD_ORIGIN] & FROM_REGISTER) &&
		get_address(words) >> MEMORY_SLOT_SHIFT ==
		MEMORY_SHARED_WINDOW >> MEMORY_SLOT_SHIFT;
}

static void origin_say(struct warp *w, const uint32_t *words, const char *name, struct text *t)
{
	uint32_t origin = words[WORD_ORIGIN];

	if (origin & FROM_REGISTER) {
		const char *first = undefined_register(w, (origin & ORIGIN_NUMBER) * 4);

		if (first && name && strcmp(first, name) == 0)
			text_puts(t, ": it was never written");
		else if (first)
			text_printf(t, ": it was computed from %s, which was never written", first);
	} else if (origin) {
		struct line_text line;

		lock_take(&w->machine->fault_lock);
		line = where_line(w->machine, (origin & ORIGIN_NUMBER) - 1);
		lock_give(&w->machine->fault_lock);
		if (from_shuffle(w, words)) {
			text_printf(t,
				": it comes from the shfl at %s, from a lane that has exited or that the membermask does not name",
				line.text);
			return;
		}
		text_printf(t, ": it comes from the load at %s, of memory that was never written (",
			line.text);
		name_address(w, get_address(words), 1, t);
		text_putc(t, ')');
	}
}

static void origin_determine(struct warp *w, uint32_t place, unsigned width);

static void undefined_report(
	struct warp *w, const struct op *op, unsigned lane, uint32_t place, const char *what)
{
	unsigned width = width_of(op, place);
	const char *name = undefined_register(w, place);
	enum diag_code code = DIAG_R0201;
	struct mbarrier_record *cause = NULL;
	struct text t = {0};

	text_printf(&t, "%s%s, %s, has no value", name ? "register " : "an operand",
		name ? name : "", what);
	if (!width)
		place = predicate_source(w, op, lane, place, &width);
	if (width) {
		origin_determine(w, place, width);
		origin_say(w, words_of(w, place, width), name, &t);
		if (from_shuffle(w, words_of(w, place, width)))
			code = DIAG_S0108;
		else if (from_shared(words_of(w, place, width)))
			cause = mbarrier_stale(w, lane);
	}
	mbarrier_finding(w, op, lane, cause, code, "%s", text_str(&t));
	text_free(&t);
}

/* When an undefined PLACE has no origin yet, nothing was ever written to it: the origin is the
 * register itself. */
static void origin_determine(struct warp *w, uint32_t place, unsigned width)
{
	uint32_t *o = origin_of(w, place, width);

	if (o && !*o)
		*o = FROM_REGISTER | place / 4;
}

void undefined_report_use(
	struct warp *w, const struct op *op, uint32_t mask, uint32_t place, const char *what)
{
	uint32_t undefined = undefined_lanes(w, place) & mask;

	origin_determine(w, place, width_of(op, place));
	undefined_report(w, op, lane_first(undefined), place, what);
	undefined_set(w, place, undefined, 0);
}

void undefined_memory(struct warp *w, const struct op *op, uint32_t mask, const struct access *a,
	const char *what)
{
	unsigned lane = lane_first(mask), n = (unsigned)op->access.bytes * op->access.vector;
	struct text t = {0};

	if (a->space[lane] == W_global || a->space[lane] == W_const || a->space[lane] == W_shared)
		name_address(w, generic_address(a->space[lane], a->offset[lane]), n, &t);
	else
		text_printf(&t, "byte %llu of .%s memory", (unsigned long long)a->offset[lane],
			word_text((enum word)a->space[lane]));
	finding(w, op, lane, DIAG_R0201, "%s was never written: %s", what, text_str(&t));
	text_free(&t);
}

/* The lanes in which some source is undefined; *FROM is the index of the first such operand. */
static uint32_t sources_undefined(
	const struct warp *w, const struct op *op, uint32_t mask, unsigned *from)
{
	uint32_t undefined = 0;

	for (unsigned k = op->ndests; k < op->noperands; k++) {
		/* place 0, the condition code, always counts as defined */
		uint32_t u = op->at[k] ? undefined_lanes(w, op->at[k]) & mask : 0;

		if (u && !undefined)
			*from = k;
		undefined |= u;
	}
	return undefined;
}

/* The undefined bits in lane LANE of operands FIRST to END - 1, concatenated by bytes. */
static void gather_bits(const struct warp *w, const struct op *op, unsigned lane, unsigned first,
	unsigned end, uint8_t *bits)
{
	for (unsigned k = first, at = 0; k < end; at += op->width[k++])
		for (unsigned b = 0; b < op->width[k] && at + b < 16; b++)
			bits[at + b] = bits_of(w, op->at[k], op->width[k], lane, b);
}

/* The values V and undefined bits U of OP's sources in lane LANE, as the rules take them. */
static void source_bits(
	const struct warp *w, const struct op *op, unsigned lane, uint64_t *v, uint64_t *u)
{
	for (unsigned k = op->ndests, s = 0; s < BITS_SOURCES; k++, s++) {
		v[s] = u[s] = 0;
		if (k >= op->noperands)
			continue;
		unsigned width = op->width[k];

		v[s] = register_get(op_lanes(w, op, k), lane, width);
		if (!width && op->at[k])
			u[s] = undefined_lanes(w, op->at[k]) >> lane & 1;
		for (unsigned b = 0; b < width && b < 8; b++)
			u[s] |= (uint64_t)bits_of(w, op->at[k], width, lane, b) << 8 * b;
	}
}

/* Whether OP copies the bytes of its sources to its destinations. */
static bool copies_bytes(const struct op *op)
{
	return op->kind == KIND_RESIZE || op->kind == KIND_REGROUP ||
		(op->kind == KIND_ALU && op->alu.rule == BITS_COPY);
}

/* The undefined bits of OP's destinations in lane LANE, concatenated by bytes; a predicate is
 * one byte. */
static void result_bits(const struct warp *w, const struct op *op, unsigned lane, uint8_t *bits)
{
	uint64_t v[BITS_SOURCES], u[BITS_SOURCES], result;

	if (copies_bytes(op) && op->width[0]) {
		gather_bits(w, op, lane, op->ndests, op->noperands, bits);
		return;
	}
	source_bits(w, op, lane, v, u);
	for (unsigned k = 0; k < op->ndests; bits += op->width[k] ? op->width[k] : 1, k++) {
		result = bits_of_result(op, v, u, k);
		if (op->width[k])
			memcpy(bits, &result, op->width[k]);
		else
			bits[0] = result & 1;
	}
}

/* Sets the undefined bits of OP's destinations in the lanes UNDEFINED, and all lanes of MASK to
 * defined or undefined accordingly. */
static void results_set_bits(struct warp *w, const struct op *op, uint32_t mask, uint32_t undefined)
{
	uint32_t any[OP_MAX_OPERANDS] = {0};

	FOR_LANES(lane, undefined) {
		uint8_t bits[32] = {0};
		unsigned at = 0;

		result_bits(w, op, lane, bits);
		for (unsigned k = 0; k < op->ndests; k++)
			for (unsigned b = 0; b < (op->width[k] ? op->width[k] : 1u); b++, at++) {
				uint8_t here = at < sizeof bits ? bits[at] : 0;

				if (op->width[k])
					*bits_at(w, op->at[k], op->width[k], lane, b) = here;
				any[k] |= (uint32_t)(here != 0) << lane;
			}
	}
	for (unsigned k = 0; k < op->ndests; k++) {
		uint32_t *words = words_of(w, op->at[k], op->width[k]);

		undefined_set(w, op->at[k], mask, any[k]);
		if (words)
			words[WORD_PRECISE] |= undefined;
	}
}

/* Whether the rule of OP computes single bits: it copies, or its operands are predicates and
 * registers of at most 8 bytes. */
static bool computes_bits(const struct op *op)
{
	bool alu = op->kind == KIND_ALU, copy = copies_bytes(op);

	if (!copy && (!alu || op->alu.rule == BITS_WHOLE))
		return false;
	for (unsigned k = 0; k < op->noperands; k++)
		if (op->width[k] > 8 || (k < op->ndests && !op->width[k] && !alu))
			return copy && op->width[k] > 8;
	return true;
}

static void undefined_propagate(struct warp *w, const struct op *op, uint32_t mask)
{
	unsigned from = 0;
	uint32_t undefined = sources_undefined(w, op, mask, &from), origin = 0;
	uint64_t address = 0;
	bool precise = undefined && computes_bits(op);

	if (undefined) {
		const uint32_t *words = words_of(w, op->at[from], op->width[from]);

		origin_determine(w, op->at[from], op->width[from]);
		origin = words ? words[WORD_ORIGIN] & ~(uint32_t)FROM_LOAD : FROM_NOWHERE;
		address = words ? get_address(words) : 0;
	}
	if (precise)
		results_set_bits(w, op, mask, undefined);
	for (unsigned k = 0; k < op->ndests; k++) {
		uint32_t *words = words_of(w, op->at[k], op->width[k]);

		if (!precise)
			undefined_whole(w, op->at[k], op->width[k], mask, undefined);
		if (undefined && words) {
			words[WORD_ORIGIN] = origin;
			put_address(words, address);
		}
	}
}

/* Sets the UNDEFINED lanes of destination K of OP, whose value comes from that of place FROM. */
static void undefined_derive(struct warp *w, const struct op *op, unsigned k, uint32_t mask,
	uint32_t undefined, uint32_t from, unsigned from_width)
{
	uint32_t *words = words_of(w, op->at[k], op->width[k]);

	undefined_whole(w, op->at[k], op->width[k], mask, undefined);
	if (!undefined || !words)
		return;
	origin_determine(w, from, from_width);
	const uint32_t *source = words_of(w, from, from_width);

	words[WORD_ORIGIN] = source ? source[WORD_ORIGIN] & ~(uint32_t)FROM_LOAD : FROM_NOWHERE;
	put_address(words, source ? get_address(source) : 0);
}

/* The lanes of MASK in which one of the N registers at PLACE is undefined; *FROM gets one of these.
 */
static uint32_t fragment_undefined(const struct warp *w, const uint32_t *place, unsigned n,
	uint32_t mask, uint32_t *from, uint32_t *any)
{
	uint32_t lanes = 0;

	for (unsigned k = 0; k < n; k++) {
		uint32_t u = undefined_lanes(w, place[k]) & mask;

		if (u && !*any)
			*from = place[k];
		*any |= u;
		lanes |= u;
	}
	return lanes;
}

/* The lanes of MASK, of those that give block scales of A (B), whose scales are undefined. */
static uint32_t scales_undefined(const struct warp *w, const struct op_mma *m, bool b,
	const struct matrix_scales *s, uint32_t *from, uint32_t *any)
{
	uint32_t givers = 0;

	for (unsigned group = 0; group < (b ? 8 : 16); group++)
		givers |= 1u << matrix_scale_lane(b, group, s->thread[b]);
	return fragment_undefined(w, &m->scale[b], 1, givers, from, any);
}

void undefined_matrix(
	struct warp *w, const struct op *op, uint32_t mask, const struct matrix_scales *scales)
{
	const struct op_mma *m = op->mma;
	const struct matrix_product *p = m->product;
	uint32_t from = 0, any = 0, undefined = 0;
	uint32_t a = fragment_undefined(w, m->place[0], p->a.registers, UINT32_MAX, &from, &any),
		 b = fragment_undefined(w, m->place[1], p->b.registers, UINT32_MAX, &from, &any),
		 c = fragment_undefined(w, m->place[2], p->c.registers, UINT32_MAX, &from, &any);

	if (p->form.sparse)
		a |= fragment_undefined(
			w, &m->metadata, 1, matrix_metadata_lanes(&p->form), &from, &any);
	if (p->form.scales) {
		a |= scales_undefined(w, m, false, scales, &from, &any);
		b |= scales_undefined(w, m, true, scales, &from, &any);
	}
	uint32_t rows = p->swapped ? b : a, columns = p->swapped ? a : b;

	for (unsigned lane = 0; lane < LANES; lane++) {
		/* lanes that hold the same groups: rows lane / 4, columns lane % 4 * 2 and the next
		 */
		uint32_t quad = 0x000f000fu << (lane & 12),
			 row = p->form.quads ? quad : 0xfu << (lane & ~3u),
			 column = p->form.quads ? quad : 0xffu << (lane % 4 * 8);

		undefined |= (uint32_t)((rows & row) || (columns & column) || c >> lane & 1)
			<< lane;
	}
	for (unsigned k = 0; k < op->ndests; k++)
		undefined_derive(w, op, k, mask, undefined & mask, from, p->a.bytes);
}

static void undefined_call(struct warp *w, const struct op *op, uint32_t mask)
{
	const struct call_site *c = op->call;

	for (uint32_t k = 0; k < c->nrets; k++)
		if (c->ret[k].kind == ARGUMENT_PLACE)
			undefined_set(w, c->ret[k].place, mask, 0);
	if (op->noperands)
		undefined_use(w, op, mask, op->at[0], "used as the address of a call");
}

void undefined_insn(struct warp *w, const struct op *op, uint32_t active, uint32_t mask)
{
	if (!w->frame->defined)
		return;
	undefined_use(w, op, active, op->guard,
		op->kind == KIND_BRANCH ? "used as the condition of a branch" : "used as a guard");
	if (!mask)
		return;
	switch (op->kind) {
	case KIND_BRANCH:
	case KIND_LOAD: /* accesses to memory check their operands themselves */
	case KIND_STORE:
	case KIND_ATOM:
	case KIND_RED: return;
	/* so do these */
	case KIND_TEXTURE:
	case KIND_MOVMATRIX:
	case KIND_TENSOR:
	case KIND_TENSOR_REPLACE:
	case KIND_MMA:
	case KIND_WGMMA:
	case KIND_TCGEN: return;
	case KIND_ROW_ADDRESS:
	case KIND_FRAGMENT_ADDRESS:
		for (unsigned k = 0; k < op->ndests; k++)
			undefined_set(w, op->at[k], mask, 0);
		return;
	case KIND_SHFL:
	case KIND_VOTE:
	/* their handlers do more, except when lanes meet from different places */
	case KIND_REDUX:
		for (unsigned k = 0; k < op->ndests; k++)
			if (op->at[k] != op->at[op->ndests])
				undefined_set(w, op->at[k], mask, 0);
		return;
	case KIND_CALL: undefined_call(w, op, mask); return;
	case KIND_BRANCH_INDEX:
		undefined_use(w, op, mask, op->at[0], "used as the index of a branch");
		break;
	default: break;
	}
	undefined_propagate(w, op, mask);
}

/* The lanes of which all operands of OP from FIRST to END - 1 are defined. */
static inline uint32_t operands_defined(
	const uint32_t *defined, const struct op *op, unsigned first, unsigned end)
{
	uint32_t all = UINT32_MAX;

	for (unsigned k = first; k < end; k++)
		if (!(op->at[k] & 1u))
			all &= defined[op->at[k] / 4];
	return all;
}

/* undefined_insn() where all sources are defined: mostly the first time that a destination is
 * written. */
static inline void first_results(
	struct warp *w, const struct op *op, uint32_t active, uint32_t mask)
{
	switch ((int)op->kind) {
	case KIND_LOAD:
	case KIND_STORE:
	case KIND_ATOM:
	case KIND_RED: break;
	case KIND_ALU:
	case KIND_RESIZE:
	case KIND_REGROUP:
	case KIND_SREG:
	case KIND_ADDRESS:
	case KIND_CVTA:
		for (unsigned k = 0; k < op->ndests; k++) {
			uint32_t *words = &w->frame->defined[op->at[k] / 4];

			if (op->at[k] & 1u)
				continue;
			words[WORD_DEFINED] |= mask;
			if (op->width[k])
				words[WORD_PRECISE] &= ~mask;
		}
		break;
	default: undefined_insn(w, op, active, mask);
	}
}

void undefined_look(
	struct warp *w, const struct op *op, uint32_t active, uint32_t mask, uint32_t *sure)
{
	struct frame *f = w->frame;
	const uint32_t from = operands_defined(f->defined, op, op->ndests, op->noperands) &
		(op->guard & 1u ? UINT32_MAX : f->defined[op->guard / 4]),
		       to = operands_defined(f->defined, op, 0, op->ndests);

	if (op->kind == KIND_CALL || active & ~from) {
		undefined_insn(w, op, active, mask);
	} else if (active & ~to) {
		first_results(w, op, active, mask);
	} else if (sure) {
		*sure |= active;
		f->any_sure = true;
	}
}

void undefined_unsure(struct frame *f)
{
	memset(f->sure, 0, f->code->nops * sizeof *f->sure);
	f->any_sure = false;
}
