/* Makes a function of pieces: for each op those that compute it, or one that calls its executor.
 * Results of some lanes are computed for all, into scratch memory, and blended into the register.
 *
 * Where a straight run may have to stop, a piece looks whether it contains the ops until the next
 * such place: at targets of branches and after everything that may stop. What is left of a run
 * otherwise is the interpreter's. */
#include "stencil/unit.h"
#include "arith/table.h"
#include "arith/text.h"
#include "base/memory.h"
#include "isa/isa.h"
#include "native/writer.h"
#include "stencil/access.h"
#include "stencil/copy.h"
#include "stencil/run.h"
#include <string.h>

/* --- kernels --- */

static unsigned slot_of(arith_kernel *kernel)
{
	return (unsigned)((uint64_t)(uintptr_t)kernel * 0x9e3779b97f4a7c15u >> 40) &
		(STENCIL_SLOTS - 1);
}

const char *stencil_missing(void)
{
	if (!piece_table[PIECE_enter].bytes)
		return "this ptxi was built without pieces of machine code";
	return arith_processor() < 3 ? "pieces of machine code need an x86-64-v3 processor" : NULL;
}

static arith_kernel *kernel_of(const struct stencil_entry *e)
{
	return arith_kernel_of(e->kernel >> 12, e->kernel & 0xfff);
}

/* The entry of RUN, or a free one. */
static unsigned find_kernel(const struct stencil_map *m, arith_kernel *run)
{
	unsigned at = slot_of(run);

	while (m->slot[at].piece && kernel_of(&m->slot[at]) != run)
		at = (at + 1) & (STENCIL_SLOTS - 1);
	return at;
}

void stencil_map_fill(struct stencil_map *m)
{
	unsigned n = 0;

	*m = (struct stencil_map){0};
	for (unsigned file = 0; file < ARITH_FILE_COUNT; file++)
		for (unsigned k = 0; k < piece_rows_of_file[file]; k++) {
			unsigned at;

			if (arith_rows[file].row[k].key.op == OP_lop3)
				m->lop3 = arith_kernel_of(file, k);
			if (!piece_of_row[file][k] || n > STENCIL_SLOTS / 2)
				continue;
			at = find_kernel(m, arith_kernel_of(file, k));
			n += !m->slot[at].piece;
			m->slot[at] = (struct stencil_entry){
				(uint16_t)(file << 12 | k), piece_of_row[file][k]};
		}
}

/* The piece of OP, which has a kernel, or PIECE_NONE. */
static unsigned piece_of(const struct stencil_map *m, const struct op *op)
{
	const struct stencil_entry *e = &m->slot[find_kernel(m, op->run.kernel)];
	const struct arith_row *row = &arith_rows[e->kernel >> 12].row[e->kernel & 0xfff];

	if (!e->piece || row->noperands != op->noperands || op->noperands > 5 || op->ndests != 1 ||
		op->width[0] == 16 || memcmp(row->width, op->width, op->noperands) != 0)
		return PIECE_NONE;
	return e->piece;
}

/* --- a function --- */

struct builder {
	const struct stencil_map *map;
	const struct code_func *c;
	bool entry, whole; /* it is a kernel; the copy for whole groups */
	struct copier copy;
	uint32_t *label; /* [nops + 1] where what leads to an op goes */
	uint8_t *looks;  /* [nops + 1] whether a piece looks at the run before it */
	struct stencil_code *out;
};

static struct spot spot_of(const struct op *op, unsigned k)
{
	/* a step is 8 lanes; of a predicate, their 8 bits */
	return (struct spot){op->at[k] & 1 ? BANK_CONSTANTS : BANK_FRAME, op->at[k] & ~1u,
		op->width[k] ? 32 / PIECE_STEPS * op->width[k] : 1};
}

static struct spot scratch_spot(unsigned which, unsigned width)
{
	return (struct spot){BANK_SCRATCH,
		which * (uint32_t)sizeof(((struct stencil_run *)0)->scratch[0]),
		32 / PIECE_STEPS * width};
}

static void put(struct builder *b, unsigned piece, const struct fill *f)
{
	copier_put(&b->copy, piece, 1, f);
}

static unsigned log2_of(unsigned bytes) { return (unsigned)__builtin_ctz(bytes); }

/* Scratch memory WHICH becomes register K of OP in the lanes of the mask. */
static void put_blend(struct builder *b, const struct op *op, unsigned k, unsigned which)
{
	static const uint8_t blend[] = {PIECE_blend1, PIECE_blend2, PIECE_blend4, PIECE_blend8};

	put(b, blend[log2_of(op->width[k])],
		&(struct fill){.place = {spot_of(op, k)},
			.number = {
				which * (uint32_t)sizeof(((struct stencil_run *)0)->scratch[0])}});
}

static bool is_masked(const struct builder *b, const struct op *op)
{
	return !b->whole || op_is_guarded(op);
}

/* Operand 0 of piece PIECE is result K of OP; F has the others. */
static void put_result(
	struct builder *b, const struct op *op, unsigned k, unsigned piece, struct fill *f)
{
	bool masked = is_masked(b, op);

	if (masked)
		put(b, PIECE_scratch, f);
	f->place[0] = masked ? scratch_spot(0, op->width[k]) : spot_of(op, k);
	copier_put(&b->copy, piece, PIECE_STEPS, f);
	if (masked)
		put_blend(b, op, k, 0);
}

static void put_exec(struct builder *b, uint32_t at)
{
	put(b, PIECE_exec, &(struct fill){.number = {at}});
	b->out->called++;
}

static void put_kernel(struct builder *b, const struct op *op, uint32_t at)
{
	static const uint8_t kernel[] = {
		PIECE_kernel2, PIECE_kernel3, PIECE_kernel4, PIECE_kernel5};
	struct fill f = {.number = {at}, .pointer = {(uint64_t)(uintptr_t)op->run.kernel}};

	b->out->called++;
	if (op->noperands < 2 || op->noperands > 5) {
		put(b, PIECE_kernel_any, &f);
		return;
	}
	for (unsigned k = 0; k < op->noperands; k++)
		f.place[k] = spot_of(op, k);
	put(b, kernel[op->noperands - 2], &f);
}

/* --- lop3 --- */

/* The tables of the functions of logic.def. */
static const uint8_t logic_table[] = {
#define LOGIC(name, ...) (uint8_t)(__VA_ARGS__),
#define a 0xf0
#define b 0xcc
#define c 0xaa
#include "stencil/logic.def"
#undef a
#undef b
#undef c
};

/* Table T, whose sources are exchanged: source k of the result is source ORDER[k] of T. */
static uint8_t exchanged(uint8_t t, const uint8_t *order)
{
	uint8_t out = 0;

	for (unsigned k = 0; k < 8; k++) {
		unsigned from = 0;

		for (unsigned j = 0; j < 3; j++)
			from |= (k >> (2 - j) & 1) << (2 - order[j]);
		out |= (uint8_t)((t >> from & 1) << k);
	}
	return out;
}

/* The piece of lop3 OP if its table is a constant that has one; F gets its operands in its order.
 */
static unsigned logic_piece(const struct builder *b, const struct op *op, struct fill *f)
{
	static const uint8_t order[6][3] = {
		{0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}};
	uint64_t table;

	if (op->noperands != 5 || op->width[0] != 4 || op->width[4] != 4 || !(op->at[4] & 1) ||
		!constant_value(b->c, op->at[4], 4, &table))
		return PIECE_NONE;
	for (unsigned k = 0; k < sizeof logic_table; k++)
		for (unsigned j = 0; j < 6; j++)
			if (exchanged((uint8_t)table, order[j]) == logic_table[k]) {
				for (unsigned i = 0; i < 3; i++)
					f->place[1 + i] = spot_of(op, 1u + order[j][i]);
				return PIECE_logic_and3 + k;
			}
	return PIECE_NONE;
}

static void put_alu(struct builder *b, const struct op *op, uint32_t at)
{
	unsigned piece = piece_of(b->map, op);
	struct fill f = {0};
	bool words = true;

	for (unsigned k = 0; k < op->noperands && k < 5; k++) {
		f.place[k] = spot_of(op, k);
		words = words && !op->width[k];
	}
	if (op->run.kernel == b->map->lop3)
		piece = logic_piece(b, op, &f);
	if (piece == PIECE_NONE) {
		put_kernel(b, op, at);
		return;
	}
	if (op->width[0]) {
		put_result(b, op, 0, piece, &f);
	} else {
		copier_put(&b->copy, piece, words ? 1 : PIECE_STEPS, &f);
		put(b, PIECE_put_predicate, &f);
	}
}

/* PIECE_copy_TO_FROM and PIECE_extend_TO_FROM; extend: TO is wider. */
static unsigned copy_piece(unsigned to, unsigned from, bool is_signed)
{
	static const uint8_t extend[4][4] = {{0}, {PIECE_extend_2_1},
		{PIECE_extend_4_1, PIECE_extend_4_2},
		{PIECE_extend_8_1, PIECE_extend_8_2, PIECE_extend_8_4}};

	return is_signed && to > from ? extend[log2_of(to)][log2_of(from)]
				      : PIECE_copy_1_1 + 4 * log2_of(to) + log2_of(from);
}

static void put_moves(struct builder *b, const struct op *op, enum way way)
{
	struct fill f = {0};

	for (unsigned k = 0; k < op->noperands && k < 5; k++)
		f.place[k] = spot_of(op, k);
	switch ((int)way) {
	case WAY_COPY:
		put_result(b, op, 0, copy_piece(op->width[0], op->width[1], false), &f);
		break;
	case WAY_PACK: put_result(b, op, 0, PIECE_pack, &f); break;
	case WAY_UNPACK: {
		f.place[1] = f.place[2];
		put_result(b, op, 0, PIECE_copy_4_8, &f);
		put_result(b, op, 1, PIECE_high, &f);
		break;
	}
	default:
		copier_put(&b->copy, PIECE_complement, 1, &f);
		put(b, PIECE_put_predicate, &f);
		break;
	}
}

static void put_param(struct builder *b, const struct op *op, uint32_t at)
{
	const struct op_access *a = &op->access;
	const struct fill f = {.place = {spot_of(op, 0)}, .number = {(uint32_t)a->add}};

	if (is_masked(b, op) || a->bytes != op->width[0] || a->bytes < 4 || a->add < 0 ||
		a->add > UINT16_MAX)
		put_exec(b, at);
	else
		put(b, a->bytes == 4 ? PIECE_param4 : PIECE_param8, &f);
}

static void put_sreg(struct builder *b, const struct op *op, uint32_t at)
{
	uint32_t k = op->sreg.component ? op->sreg.component - 1u : 0;
	struct fill f = {.place = {spot_of(op, 0)}, .number = {0, 4 * k}};

	if (is_masked(b, op)) {
		put_exec(b, at);
		return;
	}
	switch ((int)op->sreg.which) {
	case SREG_tid:
		f.number[0] = k * (uint32_t)sizeof(uint32_t[32]);
		put(b, PIECE_lanes, &f);
		break;
	case SREG_ntid:
		f.number[0] = offsetof(struct native_state, block);
		put(b, PIECE_same, &f);
		break;
	case SREG_ctaid:
		f.number[0] = offsetof(struct native_state, ctaid);
		put(b, PIECE_same, &f);
		break;
	case SREG_nctaid:
		f.number[0] = offsetof(struct native_state, grid);
		put(b, PIECE_same, &f);
		break;
	case SREG_warpid: put(b, PIECE_warpid, &f); break;
	default: put_exec(b, at); break;
	}
}

/* Elements in the first scratch memory become register 0 of OP, through scratch memory WHICH. */
static void put_loaded(struct builder *b, const struct op *op, unsigned which)
{
	unsigned bytes = op->access.bytes;
	bool masked = is_masked(b, op);

	if (which) {
		struct fill f = {
			.place = {masked ? scratch_spot(which, op->width[0]) : spot_of(op, 0),
				scratch_spot(0, bytes)}};

		put(b, PIECE_scratch, &f);
		copier_put(&b->copy, copy_piece(op->width[0], bytes, op->access.is_signed),
			PIECE_STEPS, &f);
	}
	if (masked)
		put_blend(b, op, 0, which);
}

static void put_access(struct builder *b, const struct op *op, uint32_t at)
{
	const struct op_access *a = &op->access;
	bool store = op->kind == KIND_STORE, shared = a->space == W_shared;
	unsigned value = store ? 1 : 0, width = op->width[value];
	struct spot address = spot_of(op, a->base_operand);
	uint64_t add = (uint64_t)a->add + (a->base == BASE_DYNAMIC ? b->c->shared_end : 0);
	struct fill f = {.place = {spot_of(op, value), address}, .number = {at}};

	if (a->vector != 1 || a->sem != SEM_WEAK || (a->base == BASE_DYNAMIC && !b->entry)) {
		put_exec(b, at);
		return;
	}
	f.pointer[0] = (uint64_t)(uintptr_t)stencil_access_of(
		store, op->width[a->base_operand] == 8, shared, log2_of(a->bytes));
	f.pointer[1] = add;
	b->out->called++;
	f.other = at + 1;
	if (width == a->bytes && (store || !is_masked(b, op))) {
		put(b, PIECE_access, &f);
		return;
	}
	if (store) {
		struct fill narrow = {.place = {scratch_spot(0, a->bytes), spot_of(op, value)}};

		put(b, PIECE_scratch, &f);
		copier_put(&b->copy, copy_piece(a->bytes, width, false), PIECE_STEPS, &narrow);
	}
	put(b, PIECE_access_scratch, &f);
	if (!store)
		put_loaded(b, op, width == a->bytes ? 0 : 1);
}

static void put_jump(struct builder *b, const struct op *op, uint32_t at)
{
	struct fill f = {.number = {at}, .other = op->branch.target};

	if (op_is_guarded(op))
		put(b, PIECE_part, &f);
	f.number[0] = at + 1;
	f.number[1] = op->branch.target;
	put(b, PIECE_jump, &f);
}

static enum way op_way(const struct builder *b, const struct op *op)
{
	return op->kind == KIND_ALU ? WAY_LANES : way_of(b->c, op);
}

static void put_op(struct builder *b, uint32_t at)
{
	const struct op *op = &b->c->op[at];
	enum way way = op_way(b, op);

	if (op_is_guarded(op))
		put(b, PIECE_guard,
			&(struct fill){.place = {{op->guard & 1 ? BANK_CONSTANTS : BANK_FRAME,
					       op->guard & ~1u, 1}},
				.number = {op->guard_xor},
				.other = at + 1});
	b->out->inlined++;
	switch (way) {
	case WAY_LANES:
	case WAY_KERNEL: put_alu(b, op, at); break;
	case WAY_COPY:
	case WAY_PACK:
	case WAY_UNPACK:
	case WAY_NOT: put_moves(b, op, way); break;
	case WAY_PARAM: put_param(b, op, at); break;
	case WAY_SREG: put_sreg(b, op, at); break;
	case WAY_LOAD:
	case WAY_STORE: put_access(b, op, at); break;
	case WAY_BRANCH: put_jump(b, op, at); break;
	case WAY_BARRIER:
		put(b, PIECE_barrier, &(struct fill){.number = {at}});
		b->out->called++;
		break;
	case WAY_NOTHING: break;
	case WAY_LEAVE:
	case WAY_CALL:
	case WAY_ATOMIC: put_exec(b, at); break;
	}
}

/* Where a straight run may stop. */
static void find_looks(struct builder *b)
{
	const struct code_func *c = b->c;

	b->looks[0] = 1;
	for (uint32_t k = 0; k < c->nops; k++) {
		const struct op *op = &c->op[k];
		enum way way = op_way(b, op);

		if (way == WAY_BRANCH)
			b->looks[op->branch.target] = 1;
		for (uint32_t j = 0; op->kind == KIND_BRANCH_INDEX && j < op->table->count; j++)
			b->looks[op->table->target[j]] = 1;
		if (way == WAY_BRANCH || way == WAY_LEAVE || way == WAY_BARRIER)
			b->looks[k + 1] = 1;
	}
	for (uint32_t k = c->nops, end = c->nops; k-- > 0; end = b->looks[k] ? k : end)
		b->out->end[k] = end;
}

static void put_ops(struct builder *b)
{
	const struct code_func *c = b->c;

	for (uint32_t k = 0; k < c->nops; k++) {
		b->label[k] = (uint32_t)b->copy.size;
		if (b->looks[k])
			put(b, PIECE_check, &(struct fill){.number = {b->out->end[k], k}});
		if (k && op_is_guarded(&c->op[k - 1]) && !op_is_guarded(&c->op[k]))
			put(b, PIECE_whole, &(struct fill){0});
		b->out->place[k] = (uint32_t)b->copy.size;
		put_op(b, k);
	}
	b->label[c->nops] = (uint32_t)b->copy.size;
	put(b, PIECE_leave, &(struct fill){.number = {0, c->nops}});
	copier_end(&b->copy, b->label);
}

size_t stencil_room(const struct code_func *c)
{
	size_t most = 0, flow = 0;

	/* an op is one piece in four steps, and some of those that are fixed */
	for (unsigned k = 0; k < piece_count; k++)
		most = piece_table[k].bytes > most ? piece_table[k].bytes : most;
	for (unsigned k = PIECE_check; k <= PIECE_put_predicate; k++)
		flow = piece_table[k].bytes > flow ? piece_table[k].bytes : flow;
	return piece_pool_bytes + ((size_t)c->nops + 1) * (PIECE_STEPS * most + 5 * flow);
}

bool stencil_build(const struct stencil_map *m, const struct code_func *c, bool entry,
	unsigned which, uint8_t *at, size_t room, struct stencil_code *out)
{
	struct builder b = {
		.map = m, .c = c, .entry = entry, .whole = which == STENCIL_WHOLE, .out = out};

	*out = (struct stencil_code){.loose = c->loose};
	if (c->nops > STENCIL_MOST_OPS)
		return false;
	b.label = memory_zeroed(c->nops + 1, sizeof *b.label);
	b.looks = memory_zeroed(c->nops + 1, 1);
	out->end = memory_zeroed(c->nops + 1, sizeof *out->end);
	find_looks(&b);
	copier_begin(&b.copy, at, room);
	out->place = memory_zeroed(c->nops + 1, sizeof *out->place);
	put_ops(&b);
	out->enter = (uint32_t)b.copy.size;
	put(&b, PIECE_enter,
		&(struct fill){
			.pointer = {(uint64_t)(uintptr_t)stencil_run, (uint64_t)(uintptr_t)out}});
	out->inlined -= out->called;
	memory_drop(b.label);
	memory_drop(b.looks);
	copier_free(&b.copy);
	out->at = at;
	out->size = b.copy.size;
	if (!b.copy.failed)
		return true;
	stencil_free(out);
	return false;
}

void stencil_free(struct stencil_code *x)
{
	memory_drop(x->end);
	memory_drop(x->place);
	*x = (struct stencil_code){0};
}
