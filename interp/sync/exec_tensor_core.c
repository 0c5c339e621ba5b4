/* tcgen05: tensor memory, and the products in it. (PTX ISA 9.7.18)
 *
 * Every operation takes effect when it executes. With --check=sync, those that are asynchronous
 * stay in the queue of asynchronous operations until a tcgen05.commit has arrived on its mbarrier,
 * so that what the program may not do meanwhile is reported (async_check.c, tensor_memory.c). */
#include "arith/arith.h"
#include "arith/fp.h"
#include "interp/memory/undefined.h"
#include "interp/state/exec.h"
#include "interp/state/weak_memory.h"
#include "interp/state/warp.h"
#include "interp/sync/matrix.h"
#include "interp/sync/matrix_tile.h"
#include "interp/sync/mbarrier_table.h"
#include "interp/sync/tensor_memory.h"
#include <math.h>
#include <string.h>

static const struct op_tcgen *operands(const struct op *op) { return op->async.operands->tcgen; }

static uint32_t word_at(const struct warp *w, uint32_t place, unsigned lane)
{
	return ((const uint32_t *)op_place(w, place))[lane];
}

static uint64_t wide_at(const struct warp *w, uint32_t place, unsigned lane)
{
	return ((const uint64_t *)op_place(w, place))[lane];
}

static bool bit_at(const struct warp *w, uint32_t place, unsigned lane)
{
	return *(const uint32_t *)op_place(w, place) >> lane & 1;
}

static void use(struct warp *w, const struct op *op, uint32_t mask, uint32_t place, const char *as)
{
	if (w->frame->defined)
		undefined_use(w, op, mask, place, as);
}

static uint32_t tcgen_address(
	struct warp *w, const struct op *op, const struct op_address *a, unsigned lane)
{
	if (a->width)
		use(w, op, 1u << lane, a->place, "used as an address in tensor memory");
	return (uint32_t)sync_address_of(w, a, lane);
}

/* All lanes of a warp give the same value. */
static void check_same(struct warp *w, const struct op *op, uint32_t mask, const char *what,
	uint32_t (*value)(const struct warp *w, const struct op *op, unsigned lane))
{
	unsigned first = lane_first(mask);

	if (!sync_checks(w))
		return;
	FOR_LANES(lane, mask)
		if (value(w, op, lane) != value(w, op, first)) {
			finding(w, op, lane, DIAG_S0514, "lane %u gives 0x%x as %s, lane %u 0x%x",
				lane, value(w, op, lane), what, first, value(w, op, first));
			return;
		}
}

/* --- alloc, dealloc (PTX ISA 9.7.18.7) --- */

enum { RETRY = 4000 /* ns */ };

static uint32_t columns_of(const struct warp *w, const struct op *op, unsigned lane)
{
	return word_at(w, operands(op)->value[1], lane);
}

static bool columns_valid(const struct op_tcgen *x, uint32_t n)
{
	return n >= 32 && n <= TCGEN_COLUMNS && (x->exclusive ? n % 32 == 0 : !(n & (n - 1)));
}

/* The group sleeps, and executes OP again. */
static enum flow try_later(struct warp *w, const struct op *op)
{
	struct group *g = &w->group[w->current];

	g->pc = op_index(w, op);
	g->state = GROUP_SLEEP;
	g->wake = warp_clock(w, op) + RETRY;
	return FLOW_SWITCH;
}

static enum flow alloc(struct warp *w, const struct op *op, uint32_t mask)
{
	const struct op_tcgen *x = operands(op);
	unsigned lane = lane_first(mask);
	uint32_t n = columns_of(w, op, lane), column = 0;
	struct sync_place p;

	use(w, op, mask, x->value[1], "used as the number of columns");
	check_same(w, op, mask, "the number of columns", columns_of);
	if (!columns_valid(x, n))
		return fault(w, op, lane, DIAG_S0511,
			"%u columns: tensor memory is allocated in %s", n,
			x->exclusive ? "a multiple of 32 columns up to 512"
				     : "32, 64, 128, 256 or 512 columns");
	if (!sync_reach(w, op, lane, x->at.space, sync_address_of(w, &x->at, lane), 4, 4,
		    ACCESS_WRITE, &p))
		return FLOW_STOP;
	if (p.space != W_shared || p.cta != w->cta)
		return fault(w, op, lane, DIAG_S0514,
			"the address of the allocation is written to 0x%llx, which is not in the CTA's shared memory",
			(unsigned long long)p.address);
	if (!tcgen_allocate(w, op, n, x->exclusive, &column))
		return try_later(w, op);
	memcpy(p.host, &column, sizeof column);
	weak_memory_overwritten(w->machine, p.host, sizeof column);
	if (p.defined)
		memset(p.defined, 0xff, sizeof column);
	w->worker->stats.bytes_stored[1] += sizeof column;
	sync_written(w, op, lane, &p, sizeof column, sizeof column);
	if (w->machine->interest & INTEREST_SYNC)
		observers_sync(w->machine,
			&(struct sync_event){.kind = SYNC_WARP,
				.cta = w->cta,
				.warp = w,
				.op = op,
				.mask = w->active});
	return FLOW_NEXT;
}

static enum flow manage(struct warp *w, const struct op *op, uint32_t mask)
{
	const struct op_tcgen *x = operands(op);
	unsigned lane = lane_first(mask);

	if (!matrix_together(w, op, mask))
		return FLOW_SWITCH;
	if (!tcgen_peer(w, op, lane, x->pair))
		return FLOW_STOP;
	if (x->what == TCGEN_ALLOC)
		return alloc(w, op, mask);
	if (x->what == TCGEN_RELINQUISH) {
		tcgen_relinquish(w);
		return FLOW_NEXT;
	}
	use(w, op, mask, x->value[0], "used as an address in tensor memory");
	use(w, op, mask, x->value[1], "used as the number of columns");
	check_same(w, op, mask, "the number of columns", columns_of);
	tcgen_free(w, op, lane, word_at(w, x->value[0], lane), columns_of(w, op, lane));
	return FLOW_NEXT;
}

/* --- ld, st (PTX ISA 9.7.18.8) --- */

static uint32_t address_of(const struct warp *w, const struct op *op, unsigned lane)
{
	return (uint32_t)sync_address_of(w, &operands(op)->at, lane);
}

/* The lanes and columns that the warp accesses, from ADDRESS on: two ranges of .16x32bx2. */
static bool reach_move(struct warp *w, const struct op *op, uint32_t address, unsigned first)
{
	const struct op_tcgen *x = operands(op);
	unsigned column = address & 0xffff, lane = lane_first(w->active),
		 lanes = tcgen_shape_lanes((enum tcgen_shape)x->shape), t = 0,
		 n = x->registers * (x->halves ? 2u : 1u);
	uint32_t number = tcgen_operation(w, op, lane, 0);
	bool writes = x->what == TCGEN_ST;

	if (x->shape == SHAPE_16X64B || x->shape == SHAPE_16X128B || x->shape == SHAPE_16X256B)
		n *= 2;
	for (; t < (x->shape == SHAPE_16X32BX2 ? 2 : 1); t++)
		if (!tcgen_access(w, op, lane, w->cta, number, first, lanes, column + t * x->split,
			    n, writes))
			return false;
	return true;
}

/* One register of one thread, with its undefined bits. */
static void move_word(struct tcgen_memory *m, const struct op_tcgen *x, unsigned lane,
	unsigned column, uint32_t *value, uint32_t *undefined, bool store)
{
	for (unsigned h = 0; h < (x->halves ? 2 : 1); h++) {
		uint32_t *cell = tcgen_cell(m, lane, column + h),
			 *bits = tcgen_undefined(m, lane, column + h),
			 part = x->halves ? 0xffff : UINT32_MAX;

		if (store) {
			*cell = *value >> 16 * h & part;
			if (bits)
				*bits = *undefined >> 16 * h & part;
			continue;
		}
		*value |= (*cell & part) << 16 * h;
		*undefined |= bits ? (*bits & part) << 16 * h : 0;
	}
}

static enum flow move(struct warp *w, const struct op *op, uint32_t mask)
{
	const struct op_tcgen *x = operands(op);
	struct tcgen_memory *m = tcgen_memory_of(w->cta);
	bool store = x->what == TCGEN_ST;
	uint32_t address, undefined[LANES];
	unsigned own = w->index % WARPGROUP_WARPS * 32, first;

	if (!matrix_together(w, op, mask))
		return FLOW_SWITCH;
	address = tcgen_address(w, op, &x->at, lane_first(mask));
	check_same(w, op, mask, "the address in tensor memory", address_of);
	first = address >> 16;
	if (first % 32 + tcgen_shape_lanes((enum tcgen_shape)x->shape) > 32 || first % 16)
		return fault(w, op, lane_first(mask), DIAG_S0512,
			"this shape cannot begin in lane %u", first);
	if (first / 32 * 32 != own && sync_checks(w))
		finding(w, op, lane_first(mask), DIAG_S0512,
			"address 0x%08x begins in lane %u: warp %u can access lanes %u to %u only",
			address, first, w->index, own, own + 31);
	first = own + first % 32; /* what hardware accesses */
	if (!reach_move(w, op, address, first))
		return FLOW_STOP;
	for (unsigned r = 0; r < x->registers; r++) {
		uint32_t *reg = op_place(w, x->place[r]);

		FOR_LANES(t, mask) {
			unsigned lane, column;

			tcgen_fragment((enum tcgen_shape)x->shape, r, t, x->split, x->halves, &lane,
				&column);
			undefined[t] = store && w->frame->defined
				? undefined_word(w, x->place[r], 4, t)
				: 0;
			if (!store)
				reg[t] = 0;
			move_word(m, x, first + lane, (address & 0xffff) + column, &reg[t],
				&undefined[t], store);
		}
		if (!store && w->frame->defined)
			undefined_value(w, x->place[r], 4, mask, undefined);
	}
	w->effect |= store;
	return FLOW_NEXT;
}

/* --- single threads: cp, commit --- */

static bool queue(struct warp *w, const struct op *op, unsigned lane, uint32_t number,
	struct cta *c, const struct tile_chunks *read)
{
	w->effect = 1;
	return !(w->machine->interest & INTEREST_SYNC) ||
		tile_queue(w, op, COPY_TENSOR, lane, number, c, read);
}

static bool descriptor_fault(
	struct warp *w, const struct op *op, unsigned lane, uint64_t value, const char *what)
{
	fault(w, op, lane, DIAG_S0514, "descriptor 0x%llx: %s", (unsigned long long)value, what);
	return false;
}

/* An operand names what ptxi does not execute. */
static bool not_executed(struct warp *w, const struct op *op, unsigned lane, const char *why)
{
	fault(w, op, lane, DIAG_U0001, "ptxi does not execute this tcgen05 operation: %s", why);
	return false;
}

/* Copies into the tensor memory of C, from its shared memory. */
static bool copy_in(struct warp *w, const struct op *op, unsigned lane, struct cta *c,
	uint32_t number, uint32_t address, const struct tile *t, struct tile_chunks *read)
{
	const struct op_tcgen *x = operands(op);
	struct tcgen_memory *m = tcgen_memory_of(c);
	unsigned column = address & 0xffff;
	struct tile_rows from;

	if (!tcgen_access(
		    w, op, lane, c, number, 0, TCGEN_LANES, column, x->row_bytes / 4u, true) ||
		!tile_read(w, op, lane, c, t, 0, x->rows, x->row_bytes, &from, read))
		return false;
	for (unsigned k = 0; k < x->rows; k++)
		tcgen_unpack(x->bits, from.row[k], x->row_bytes);
	for (unsigned k = 0; k < TCGEN_LANES; k++) {
		unsigned row = x->part[k / 32] * 32u + k % 32;

		for (unsigned e = 0; e < x->row_bytes / 4u; e++) {
			uint32_t *undefined = tcgen_undefined(m, k, column + e);

			memcpy(tcgen_cell(m, k, column + e), &from.row[row][e * 4], 4);
			if (undefined)
				*undefined = from.undefined[row] ? UINT32_MAX : 0;
		}
	}
	return true;
}

static enum flow copy(struct warp *w, const struct op *op, unsigned lane)
{
	const struct op_tcgen *x = operands(op);
	uint64_t descriptor = wide_at(w, x->descriptor[1], lane);
	uint32_t address = tcgen_address(w, op, &x->at, lane), number;
	struct cta *peer = tcgen_peer(w, op, lane, x->pair);
	struct tile_chunks read = {{0}}, other = {{0}};
	struct tile t;
	const char *wrong = tcgen_tile(NULL, false, descriptor, &t);

	use(w, op, 1u << lane, x->descriptor[1], "used as a matrix descriptor");
	if (!peer)
		return FLOW_STOP;
	if (wrong)
		return descriptor_fault(w, op, lane, descriptor, wrong), FLOW_STOP;
	if (address >> 16)
		return fault(w, op, lane, DIAG_S0512, "address 0x%08x does not begin in lane 0",
			address);
	number = tcgen_operation(w, op, lane, 0);
	if (!copy_in(w, op, lane, w->cta, number, address, &t, &read) ||
		(peer != w->cta && !copy_in(w, op, lane, peer, number, address, &t, &other)) ||
		!queue(w, op, lane, number, w->cta, &read))
		return FLOW_STOP;
	return FLOW_NEXT;
}

static enum flow commit(struct warp *w, const struct op *op, unsigned lane)
{
	const struct op_tcgen *x = operands(op);
	const struct op_address *a = &op->async.operands->bar;
	uint32_t ranks = 0, n = 0;
	struct sync_place bar;
	struct copy *c;

	if (a->width)
		use(w, op, 1u << lane, a->place, "used as the address of an mbarrier");
	if (!tcgen_peer(w, op, lane, x->pair) ||
		!sync_reach(w, op, lane, a->space, sync_address_of(w, a, lane), 8, 8,
			ACCESS_READ | ACCESS_WRITE, &bar))
		return FLOW_STOP;
	if (bar.space != W_shared)
		return fault(w, op, lane, DIAG_S0216,
			"an mbarrier must be in shared memory; 0x%llx is not",
			(unsigned long long)bar.address);
	if (x->masks) {
		use(w, op, 1u << lane, x->value[0], "used as a ctaMask");
		ranks = x->bits == 32 ? word_at(w, x->value[0], lane)
				      : ((const uint16_t *)op_place(w, x->value[0]))[lane];
		if (!sync_ranks_exist(w, op, lane, ranks))
			return FLOW_STOP;
	}
	c = async_issue(w, op, COPY_COMMIT, x->masks ? (uint32_t)__builtin_popcount(ranks) : 1);
	if (!c)
		return FLOW_STOP;
	if (!x->masks) {
		c->part[0].lane = (uint8_t)lane;
		c->part[0].bar = bar;
	}
	FOR_LANES(rank, ranks) {
		c->part[n].lane = (uint8_t)lane;
		if (!sync_reach_in_cta(w, op, lane, &bar, rank, 8, &c->part[n++].bar)) {
			async_cancel(c);
			return FLOW_STOP;
		}
	}
	async_issued(c);
	return FLOW_NEXT;
}

/* --- mma (PTX ISA 9.7.18.10) --- */

enum {
	ROW = 32, /* bytes of a row of A, as it is stored */
	TCGEN_ROWS = 256
};

/* A product that a thread issues. */
struct product {
	struct warp *w;
	const struct op *op;
	const struct op_tcgen *x;
	unsigned lane;
	struct cta *cta[2]; /* the even one first; without .cta_group::2: one */
	uint32_t number;
	struct tcgen_form form;
	const struct warpgroup_product *by;
	unsigned first, column; /* the address of D */
	bool zero;              /* D = A * B */
	bool differs, invalid;  /* reported: copies that differ, metadata */
	struct tile_rows a, b;
	struct tile_chunks read[2];
	/* scale factors: of each row of A; of each column of B, in each CTA */
	uint32_t scale[TCGEN_ROWS], scale_b[2][WARPGROUP_COLUMNS];
	uint64_t metadata[TCGEN_ROWS]; /* four bits for each chunk of a row of A */
};

/* Whether lane LANE of D in CTA I must not change. */
static bool is_disabled(const struct product *p, unsigned i, unsigned lane)
{
	return p->x->masks &&
		word_at(p->w, p->x->mask[i * 4 + lane / 32], p->lane) >> lane % 32 & 1;
}

static bool read_shared(struct product *p, bool b, struct tile_rows *to)
{
	const struct tcgen_form *f = &p->form;
	uint64_t descriptor = wide_at(p->w, p->x->descriptor[b], p->lane);
	unsigned rows = tcgen_rows(f, b), bytes = b && f->sparse ? 2 * ROW : ROW;
	struct tile_rows part;
	struct tile t;
	const char *wrong = tcgen_tile(f, b, descriptor, &t);

	use(p->w, p->op, 1u << p->lane, p->x->descriptor[b], "used as a matrix descriptor");
	if (wrong)
		return descriptor_fault(p->w, p->op, p->lane, descriptor, wrong);
	for (unsigned i = 0; i < (f->pair ? 2 : 1); i++) {
		if (!tile_read(p->w, p->op, p->lane, p->cta[i], &t, 0, rows, bytes, &part,
			    &p->read[i]))
			return false;
		memcpy(to->row[i * rows], part.row, rows * sizeof *part.row);
		memcpy(&to->undefined[i * rows], part.undefined, rows * sizeof *part.undefined);
	}
	for (unsigned k = 0; k < rows * (f->pair ? 2 : 1); k++) {
		if (!f->part.packed)
			tcgen_unpack(type_info[b ? f->b : f->a].bits, to->row[k], bytes);
		if (!f->scales)
			tcgen_widen((enum type)(b ? f->b : f->a), to->row[k], bytes);
	}
	return true;
}

/* A from tensor memory: its rows are in the lanes of D's. */
static bool read_tensor(struct product *p)
{
	const struct tcgen_form *f = &p->form;
	uint32_t address = tcgen_address(p->w, p->op, &p->x->a, p->lane);
	unsigned column = address & 0xffff;

	if (address >> 16 != p->first)
		return fault(p->w, p->op, p->lane, DIAG_S0512,
			       "matrix A is at 0x%08x, D in lane %u: they begin in the same lane",
			       address, p->first),
		       false;
	for (unsigned i = 0; i < (f->pair ? 2 : 1); i++)
		if (!tcgen_access(p->w, p->op, p->lane, p->cta[i], p->number, 0, TCGEN_LANES,
			    column, ROW / 4, false))
			return false;
	for (unsigned k = 0; k < f->m; k++) {
		struct tcgen_place at = tcgen_d_place(f, k, 0);
		struct tcgen_memory *m = tcgen_memory_of(p->cta[at.cta]);

		p->a.undefined[k] = false;
		for (unsigned e = 0; e < ROW / 4; e++) {
			const uint32_t *bits = tcgen_undefined(m, p->first + at.lane, column + e);

			memcpy(p->a.row[k] + e * 4, tcgen_cell(m, p->first + at.lane, column + e),
				4);
			p->a.undefined[k] |= bits && *bits;
		}
		if (!f->scales)
			tcgen_widen((enum type)f->a, p->a.row[k], ROW);
	}
	return true;
}

/* --- scale factors and metadata --- */

/* N columns from COLUMN on are read in all lanes, of every CTA. */
static bool reach_columns(struct product *p, unsigned column, unsigned n)
{
	for (unsigned i = 0; i < (p->form.pair ? 2 : 1); i++)
		if (!tcgen_access(p->w, p->op, p->lane, p->cta[i], p->number, 0, TCGEN_LANES,
			    column, n, false))
			return false;
	return true;
}

/* BITS of the cell of LANE and COLUMN in C. */
static uint32_t read_cell(
	struct cta *c, unsigned lane, unsigned column, uint32_t bits, bool *undefined)
{
	struct tcgen_memory *m = tcgen_memory_of(c);
	const uint32_t *u = tcgen_undefined(m, lane, column);

	*undefined |= u && *u & bits;
	return *tcgen_cell(m, lane, column) & bits;
}

/* A copy of WHAT has another value than the first one. */
static void report_copy(struct product *p, const char *what, unsigned index,
	struct tcgen_place first, struct tcgen_place other)
{
	if (p->differs || !sync_checks(p->w))
		return;
	p->differs = true;
	finding(p->w, p->op, p->lane, DIAG_S0514,
		"the %s %u must have copies in tensor memory: lanes %u and %u differ", what, index,
		first.lane, other.lane);
}

/* The scale factors of row (B: column) INDEX in C; only the first copy is used. */
static uint32_t read_scale(
	struct product *p, bool b, struct cta *c, unsigned base, unsigned index, bool *undefined)
{
	const struct tcgen_form *f = &p->form;
	unsigned shift = f->scale_byte[b] * 8u;
	uint32_t bits = (f->scales == 4 ? UINT32_MAX : (1u << f->scales * 8) - 1) << shift,
		 first = 0;

	for (unsigned k = 0; k < tcgen_scale_copies(f, b); k++) {
		struct tcgen_place at = tcgen_scale_place(f, b, index, k);
		uint32_t x = read_cell(c, at.lane, base + at.column, bits, undefined);

		if (!k)
			first = x;
		else if (x != first && !*undefined)
			report_copy(p, b ? "scale factors of column" : "scale factors of row",
				index, tcgen_scale_place(f, b, index, 0), at);
	}
	return first >> shift;
}

static bool read_scales(struct product *p, bool b)
{
	const struct tcgen_form *f = &p->form;
	uint32_t address = tcgen_address(p->w, p->op, &p->x->scale_at[b], p->lane);
	unsigned column = address & 0xffff, rows = tcgen_rows(f, false);

	/* published programs have the byte, as the instruction descriptor has it, in bits 30, 31 */
	if (address >> 16 & 0x3fff)
		return fault(p->w, p->op, p->lane, DIAG_S0512,
			       "the scale factors of %c are at 0x%08x: they begin in lane 0",
			       b ? 'B' : 'A', address),
		       false;
	if (!reach_columns(p, column, tcgen_scale_columns(f, b)))
		return false;
	for (unsigned k = 0; !b && k < f->m; k++)
		p->scale[k] = read_scale(
			p, b, p->cta[k / rows], column, k % rows, &p->a.undefined[k]);
	for (unsigned i = 0; b && i < (f->pair ? 2 : 1); i++)
		for (unsigned k = 0; k < f->n; k++)
			p->scale_b[i][k] = read_scale(
				p, b, p->cta[i], column, k, &p->b.undefined[k]);
	return true;
}

/* The four bits for chunk CHUNK of row ROW of A, which is row K of CTA C. */
static unsigned read_nibble(
	struct product *p, struct cta *c, unsigned base, unsigned row, unsigned k, unsigned chunk)
{
	bool *undefined = &p->a.undefined[row];
	unsigned first = 0, shift;

	for (unsigned copy = 0; copy < tcgen_metadata_copies(&p->form); copy++) {
		struct tcgen_place at = tcgen_metadata_place(&p->form, k, chunk, copy, &shift);
		unsigned x = read_cell(c, at.lane, base + at.column, 0xfu << shift, undefined) >>
			shift;

		if (!copy)
			first = x;
		else if (x != first && !*undefined)
			report_copy(p, "metadata of row", row,
				tcgen_metadata_place(&p->form, k, chunk, 0, &shift), at);
	}
	if (!*undefined && !tcgen_metadata_valid(&p->form, first) && !p->invalid &&
		sync_checks(p->w)) {
		p->invalid = true;
		finding(p->w, p->op, p->lane, DIAG_S0514,
			"the metadata 0x%x for chunk %u of row %u have no meaning", first, chunk,
			row);
	}
	return first;
}

static bool read_metadata(struct product *p)
{
	const struct tcgen_form *f = &p->form;
	uint32_t address = tcgen_address(p->w, p->op, &p->x->metadata, p->lane);
	unsigned column = address & 0xffff, rows = tcgen_rows(f, false);

	if (address >> 16 != p->first)
		return fault(p->w, p->op, p->lane, DIAG_S0512,
			       "the metadata are at 0x%08x, D in lane %u: they begin in the same lane",
			       address, p->first),
		       false;
	if (tcgen_metadata_columns(f) == 1 && column % 2)
		return not_executed(p->w, p->op, p->lane,
			"what a sparsity selector chooses from an odd column on, the manual shows in a figure only");
	if (!reach_columns(p, column + f->selector, tcgen_metadata_columns(f)))
		return false;
	for (unsigned row = 0; row < f->m; row++) {
		p->metadata[row] = 0;
		for (unsigned chunk = 0; chunk < matrix_chunks(&f->part); chunk++)
			p->metadata[row] |= (uint64_t)read_nibble(p, p->cta[row / rows], column,
						    row, row % rows, chunk)
				<< chunk * 4;
	}
	return true;
}

/* The metadata of the 16 rows from BAND on, in the lanes of a warp's product. */
static void spread_metadata(const struct product *p, unsigned band, uint32_t *lanes)
{
	const struct matrix_form *f = &p->form.part;

	memset(lanes, 0, LANES * sizeof *lanes);
	for (unsigned i = 0; i < WARPGROUP_ROWS; i++)
		for (unsigned chunk = 0; chunk < matrix_chunks(f); chunk++) {
			unsigned shift, lane = matrix_metadata_lane(f, i, chunk, &shift);

			lanes[lane] |= (uint32_t)(p->metadata[band + i] >> chunk * 4 & 15) << shift;
		}
}

/* The cell of D of register R of LANE of the 16 rows from ROW_ on; HALF: of its high half. */
static struct tcgen_place d_place(const struct product *p, unsigned band, unsigned r, unsigned lane,
	unsigned half, unsigned *row, unsigned *column)
{
	bool halves = p->form.part.d == TYPE_f16;
	struct tcgen_place at;

	*row = band + lane / 4 + 8 * (halves ? r % 2 : r % 4 / 2);
	*column = r / (halves ? 2 : 4) * 8 + lane % 4 * 2 + (halves ? half : r % 2);
	at = tcgen_d_place(&p->form, *row, *column);
	at.lane = (uint8_t)(at.lane + p->first);
	at.column = (uint16_t)(at.column + p->column);
	return at;
}

static uint32_t scaled(const struct product *p, uint32_t x)
{
	float f;

	if (!p->x->scale)
		return x;
	if (p->form.part.d == TYPE_f16)
		return f32_to_f16(ldexpf(f16_to_f32((uint16_t)x), -p->x->scale));
	memcpy(&f, &x, sizeof f);
	f = ldexpf(f, -p->x->scale);
	memcpy(&x, &f, sizeof f);
	return x;
}

static void load_d(const struct product *p, unsigned band, uint32_t (*d)[LANES], unsigned n)
{
	unsigned halves = p->form.part.d == TYPE_f16 ? 2 : 1, row, column;

	for (unsigned r = 0; r < n; r++)
		for (unsigned lane = 0; lane < LANES; lane++) {
			d[r][lane] = 0;
			for (unsigned h = 0; h < halves && !p->zero; h++) {
				struct tcgen_place at = d_place(p, band, r, lane, h, &row, &column);
				uint32_t x = scaled(p,
					*tcgen_cell(tcgen_memory_of(p->cta[at.cta]), at.lane,
						at.column));

				d[r][lane] |= (halves == 2 ? x & 0xffff : x) << 16 * h;
			}
		}
}

static void store_d(const struct product *p, unsigned band, uint32_t (*d)[LANES], unsigned n)
{
	unsigned halves = p->form.part.d == TYPE_f16 ? 2 : 1, row, column;

	for (unsigned r = 0; r < n; r++)
		for (unsigned lane = 0; lane < LANES; lane++)
			for (unsigned h = 0; h < halves; h++) {
				struct tcgen_place at = d_place(p, band, r, lane, h, &row, &column);
				struct tcgen_memory *m = tcgen_memory_of(p->cta[at.cta]);
				uint32_t *bits = tcgen_undefined(m, at.lane, at.column);

				if (is_disabled(p, at.cta, at.lane))
					continue;
				*tcgen_cell(m, at.lane, at.column) = halves == 2
					? d[r][lane] >> 16 * h & 0xffff
					: d[r][lane];
				if (bits && (p->a.undefined[row] || p->b.undefined[column]))
					*bits = UINT32_MAX;
				else if (bits && p->zero)
					*bits = 0;
			}
}

static void multiply(struct product *p)
{
	_Alignas(64) uint32_t a[4][LANES], d[WGMMA_REGISTERS][LANES];
	struct warpgroup_product by = *p->by;
	unsigned n = p->form.n / (p->form.part.d == TYPE_f16 ? 4u : 2u),
		 rows = tcgen_rows(&p->form, false);
	uint32_t metadata[LANES];
	struct warpgroup_scales scales;
	void *to[WGMMA_REGISTERS];

	by.form.n = p->form.n;
	by.form.negated[0] = p->form.negated[0];
	by.form.negated[1] = p->form.negated[1];
	for (unsigned k = 0; k < n; k++)
		to[k] = d[k];
	for (unsigned band = 0; band < p->form.m; band += WARPGROUP_ROWS) {
		warpgroup_registers(&by, (const uint8_t(*)[WARPGROUP_BYTES])p->a.row + band, a);
		load_d(p, band, d, n);
		if (p->form.sparse)
			spread_metadata(p, band, metadata);
		if (p->form.scales) {
			memcpy(scales.a, p->scale + band, sizeof scales.a);
			memcpy(scales.b, p->scale_b[band / rows], sizeof scales.b);
		}
		warpgroup_multiply(&by, to, (const uint32_t(*)[LANES])a,
			(const uint8_t(*)[WARPGROUP_BYTES])p->b.row, false,
			p->form.sparse ? metadata : NULL, p->form.scales ? &scales : NULL);
		store_d(p, band, d, n);
	}
}

static bool read_form(struct product *p)
{
	uint32_t descriptor = word_at(p->w, p->x->instruction, p->lane),
		 address = tcgen_address(p->w, p->op, &p->x->at, p->lane);
	const char *wrong;

	use(p->w, p->op, 1u << p->lane, p->x->instruction, "used as an instruction descriptor");
	use(p->w, p->op, 1u << p->lane, p->x->enable, "used as enable-input-d");
	p->form = (struct tcgen_form){
		.pair = p->x->pair, .ws = p->x->ws, .sparse = p->x->sparse, .scales = p->x->scales};
	wrong = tcgen_form_read(&p->form, (enum tcgen_kind)p->x->kind, descriptor);
	if (wrong)
		return descriptor_fault(p->w, p->op, p->lane, descriptor, wrong);
	if (p->x->zeroes) {
		uint64_t mask = wide_at(p->w, p->x->value[0], p->lane);

		wrong = tcgen_zero_check(&p->form, mask);
		if (wrong)
			return descriptor_fault(p->w, p->op, p->lane, mask, wrong);
	}
	if (p->x->a_in_tensor && tcgen_d_columns(&p->form) != p->form.n)
		p->form.missing =
			"where A lies in tensor memory if D has its columns in several parts, the manual shows in figures only";
	if (p->form.missing)
		return not_executed(p->w, p->op, p->lane, p->form.missing);
	p->first = address >> 16;
	p->column = address & 0xffff;
	if (p->first != 0 && !(tcgen_d_half(&p->form) && p->first == 16))
		return fault(p->w, p->op, p->lane, DIAG_S0512,
			       "D begins in lane %u: with this M it begins in lane 0%s", p->first,
			       tcgen_d_half(&p->form) ? " or 16" : ""),
		       false;
	p->zero = !bit_at(p->w, p->x->enable, p->lane);
	p->number = tcgen_operation(p->w, p->op, p->lane,
		(descriptor & 0x1fffe007) ^ address << 8 ^ (uint32_t)p->x->kind << 5);
	for (unsigned i = 0; i < (p->form.pair ? 2 : 1); i++)
		if (!tcgen_access(p->w, p->op, p->lane, p->cta[i], p->number,
			    tcgen_d_half(&p->form) ? 0 : p->first, TCGEN_LANES, p->column,
			    tcgen_d_columns(&p->form), true))
			return false;
	return true;
}

static void zero_columns(struct product *p)
{
	uint64_t mask = p->x->zeroes ? wide_at(p->w, p->x->value[0], p->lane) : 0;

	for (unsigned k = 0; p->x->zeroes && k < p->form.n; k++)
		if (tcgen_zero_column(&p->form, mask, k)) {
			memset(p->b.row[k], 0, sizeof p->b.row[k]);
			p->b.undefined[k] = false;
		}
}

static enum flow product(struct warp *w, const struct op *op, unsigned lane)
{
	struct product p = {.w = w, .op = op, .x = operands(op), .lane = lane};
	struct cta *peer = tcgen_peer(w, op, lane, p.x->pair);

	if (!peer)
		return FLOW_STOP;
	p.cta[0] = w->cta->cluster_rank & 1 && p.x->pair ? peer : w->cta;
	p.cta[1] = p.cta[0] == peer ? w->cta : peer;
	if (!read_form(&p) ||
		!(p.x->a_in_tensor ? read_tensor(&p) : read_shared(&p, false, &p.a)) ||
		!read_shared(&p, true, &p.b) || (p.form.sparse && !read_metadata(&p)) ||
		(p.form.scales && (!read_scales(&p, false) || !read_scales(&p, true))))
		return FLOW_STOP;
	zero_columns(&p);
	p.by = tcgen_product(w->cta, &p.form.part);
	multiply(&p);
	return queue(w, op, lane, p.number, w->cta, &p.read[w->cta == p.cta[1] && p.x->pair])
		? FLOW_NEXT
		: FLOW_STOP;
}

/* --- all of them --- */

enum flow exec_tcgen(struct warp *w, const struct op *op, uint32_t mask)
{
	enum tcgen_what what = (enum tcgen_what)operands(op)->what;
	enum flow flow = FLOW_NEXT;

	switch (what) {
	case TCGEN_ALLOC:
	case TCGEN_DEALLOC:
	case TCGEN_RELINQUISH: return manage(w, op, mask);
	case TCGEN_LD:
	case TCGEN_ST: return move(w, op, mask);
	case TCGEN_WAIT_LD:
	case TCGEN_WAIT_ST:
		if (!matrix_together(w, op, mask))
			return FLOW_SWITCH;
		tcgen_waits(w, what == TCGEN_WAIT_LD ? TCGEN_LD : TCGEN_ST);
		return FLOW_NEXT;
	case TCGEN_FENCE_BEFORE:
	case TCGEN_FENCE_AFTER: tcgen_fence(w, what == TCGEN_FENCE_BEFORE); return FLOW_NEXT;
	case TCGEN_CP:
	case TCGEN_COMMIT:
	case TCGEN_MMA: break;
	}
	FOR_LANES(lane, mask) {
		flow = what == TCGEN_CP        ? copy(w, op, lane)
			: what == TCGEN_COMMIT ? commit(w, op, lane)
					       : product(w, op, lane);
		if (flow != FLOW_NEXT)
			return flow;
	}
	return flow;
}
