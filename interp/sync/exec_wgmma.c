/* wgmma: products of matrices by the four warps of a warpgroup. (PTX ISA 9.7.17)
 *
 * Every warp forms its own 16 rows of D, when the instruction executes. The operation then stays in
 * the queue of asynchronous operations until a wait_group waits for it, so that --check=sync
 * reports what the program may not do meanwhile (async_check.c, wgmma_check.c). */
#include "interp/memory/undefined.h"
#include "interp/state/exec.h"
#include "interp/state/weak_memory.h"
#include "interp/sync/async.h"
#include "interp/sync/matrix.h"
#include <string.h>

enum { CHUNK = WARPGROUP_CHUNK, MAX_RUNS = 16384 };

/* The columns of B, or the rows of A that this warp multiplies; and which of them have bytes that
 * were never written. */
struct operand {
	uint8_t row[WARPGROUP_COLUMNS][WARPGROUP_BYTES];
	bool undefined[WARPGROUP_COLUMNS];
};

/* The chunks of shared memory that the operation reads: a bit for each 16 bytes. */
struct chunks {
	uint64_t bit[MAX_RUNS / 64];
};

static bool is_undefined(const uint8_t *defined)
{
	for (unsigned k = 0; k < CHUNK; k++)
		if (defined[k] != 0xff)
			return true;
	return false;
}

static void put_chunk(struct operand *to, const struct tile *t, unsigned i, unsigned column,
	unsigned first, const uint8_t *from, const uint8_t *defined)
{
	bool undefined = defined && is_undefined(defined);

	if (!t->transposed) {
		memcpy(&to->row[i - first][column * CHUNK], from, CHUNK);
		to->undefined[i - first] |= undefined;
		return;
	}
	for (unsigned e = 0; e < 8; e++) {
		memcpy(&to->row[column * 8 + e - first][i * 2], from + e * 2, 2);
		to->undefined[column * 8 + e - first] |= undefined;
	}
}

/* Reads ROWS rows from FIRST on, of BYTES bytes each. False after a fault. */
static bool read_tile(struct warp *w, const struct op *op, const struct tile *t, unsigned first,
	unsigned rows, unsigned bytes, struct operand *to, struct chunks *read)
{
	struct cta *c = w->cta;
	unsigned begin = t->transposed ? 0 : first, end = t->transposed ? bytes / 2 : first + rows,
		 left = t->transposed ? first / 8 : 0,
		 right = t->transposed ? (first + rows) / 8 : bytes / CHUNK;

	memset(to->undefined, 0, sizeof to->undefined);
	for (unsigned i = begin; i < end; i++)
		for (unsigned k = left; k < right; k++) {
			uint32_t at = tile_chunk(t, i, k);

			if (at >= MAX_RUNS * CHUNK || at > c->shared_bytes ||
				c->shared_bytes - at < CHUNK) {
				access_fault(w, op, lane_first(w->active), W_shared, at, CHUNK,
					CHUNK, ACCESS_READ);
				return false;
			}
			put_chunk(to, t, i, k, first, c->shared + at,
				c->shared_defined ? c->shared_defined + at : NULL);
			read->bit[at / CHUNK / 64] |= UINT64_C(1) << (at / CHUNK % 64);
		}
	return true;
}

/* Queues the operation, with a part for each run of bytes that it reads. */
static bool queue(struct warp *w, const struct op *op, const struct chunks *read)
{
	const uint32_t *filling = async_filling(w, GROUPS_WGMMA);
	uint32_t limit = w->cta->shared_bytes / CHUNK, n = 0;
	struct copy *c;

	for (uint32_t k = 0; k < limit; k++)
		n += read->bit[k / 64] >> k % 64 & 1 &&
			!(k && read->bit[(k - 1) / 64] >> (k - 1) % 64 & 1);
	c = async_issue(w, op, COPY_WGMMA, n);
	if (!c)
		return false;
	n = 0;
	for (uint32_t k = 0; k < limit; k++) {
		uint32_t begin = k;

		while (k < limit && read->bit[k / 64] >> k % 64 & 1)
			k++;
		if (k == begin)
			continue;
		struct copy_part *p = &c->part[n++];

		p->lane = (uint8_t)lane_first(w->live);
		p->take = (k - begin) * CHUNK;
		p->group = filling[p->lane];
		p->from = (struct sync_place){.space = W_shared,
			.cta = w->cta,
			.offset = begin * CHUNK,
			.address = begin * CHUNK,
			.host = w->cta->shared + begin * CHUNK,
			.defined = w->cta->shared_defined ? w->cta->shared_defined + begin * CHUNK
							  : NULL};
	}
	async_issued(c);
	return true;
}

/* UNDEFINED_ROWS: which of the warp's 16 rows of A have bits that were never written. */
static bool read_operands(struct warp *w, const struct op *op, uint32_t (*a)[LANES],
	struct operand *b, struct chunks *read, bool *undefined_rows)
{
	const struct op_wgmma *m = op->async.operands->wgmma;
	const struct warpgroup_form *f = &m->product->form;
	unsigned lane = lane_first(w->active);
	struct tile tile = tile_of(
		((const uint64_t *)op_place(w, m->descriptor[1]))[lane], f->transposed[1]);

	if (!read_tile(w, op, &tile, 0, f->n, warpgroup_bytes(f, true), b, read))
		return false;
	if (f->registers) {
		for (unsigned k = 0; k < 4; k++)
			memcpy(a[k], op_place(w, m->a[k]), sizeof a[k]);
		for (unsigned i = 0; w->frame->defined && i < WARPGROUP_ROWS; i++)
			for (unsigned k = i / 8; k < 4; k += 2)
				undefined_rows[i] |= (undefined_lanes(w, m->a[k]) >> i % 8 * 4 &
							     0xf) != 0;
		return true;
	}
	struct operand rows;

	tile = tile_of(((const uint64_t *)op_place(w, m->descriptor[0]))[lane], f->transposed[0]);
	if (!read_tile(w, op, &tile, w->index % WARPGROUP_WARPS * WARPGROUP_ROWS, WARPGROUP_ROWS,
		    warpgroup_bytes(f, false), &rows, read))
		return false;
	warpgroup_registers(m->product, (const uint8_t(*)[WARPGROUP_BYTES])rows.row, a);
	memcpy(undefined_rows, rows.undefined, WARPGROUP_ROWS * sizeof *undefined_rows);
	return true;
}

/* --check=init: an element of D is undefined if its row of A, its column of B or its element of C
 * is. */
static void propagate(struct warp *w, const struct op *op, uint32_t mask, const bool *rows,
	const struct operand *b, bool zero)
{
	const struct op_wgmma *m = op->async.operands->wgmma;
	bool half = m->product->form.part.d == TYPE_f16;
	uint32_t all = m->product->form.part.sparse ? undefined_lanes(w, m->metadata) : 0;

	for (unsigned k = 0; k < m->registers; k++) {
		unsigned first = k / (half ? 2 : 4) * 8, high = half ? k % 2 : k % 4 / 2;
		uint32_t undefined = zero ? 0 : undefined_lanes(w, m->d[k]);

		for (unsigned lane = 0; lane < LANES; lane++) {
			unsigned column = first + lane % 4 * 2 + (half ? 0 : k % 2);

			if (all || rows[lane / 4 + 8 * high] || b->undefined[column] ||
				(half && b->undefined[column + 1]))
				undefined |= 1u << lane;
		}
		undefined_whole(w, m->d[k], 4, mask, undefined & mask);
	}
}

static void check_defined(struct warp *w, const struct op *op, uint32_t mask)
{
	const struct op_wgmma *m = op->async.operands->wgmma;

	if (!m->product->form.registers)
		undefined_use(w, op, mask, m->descriptor[0], "used as a matrix descriptor");
	undefined_use(w, op, mask, m->descriptor[1], "used as a matrix descriptor");
	undefined_use(w, op, mask, m->scale, "used as scale-d");
}

enum flow exec_wgmma(struct warp *w, const struct op *op, uint32_t mask)
{
	const struct op_wgmma *m = op->async.operands->wgmma;
	bool zero, rows[WARPGROUP_ROWS] = {false};
	_Alignas(64) uint32_t a[4][LANES], kept[WGMMA_REGISTERS][LANES];
	struct operand b;
	struct chunks read = {0};
	void *d[WGMMA_REGISTERS];

	if (!matrix_together(w, op, mask))
		return FLOW_SWITCH;
	if (w->frame->defined)
		check_defined(w, op, mask);
	if (!read_operands(w, op, a, &b, &read, rows))
		return FLOW_STOP;
	zero = !(*(const uint32_t *)op_place(w, m->scale) >> lane_first(mask) & 1);
	for (unsigned k = 0; k < m->registers; k++) {
		d[k] = op_place(w, m->d[k]);
		if (mask != UINT32_MAX)
			memcpy(kept[k], d[k], sizeof kept[k]);
	}
	warpgroup_multiply(m->product, d, (const uint32_t(*)[LANES])a,
		(const uint8_t(*)[WARPGROUP_BYTES])b.row, zero,
		m->product->form.part.sparse ? op_place(w, m->metadata) : NULL);
	for (unsigned k = 0; k < m->registers && mask != UINT32_MAX; k++)
		FOR_LANES(lane, ~mask)
			((uint32_t *)d[k])[lane] = kept[k][lane];
	if (w->frame->defined)
		propagate(w, op, mask, rows, &b, zero);
	w->effect = 1;
	if (w->machine->interest & INTEREST_SYNC)
		return queue(w, op, &read) ? FLOW_NEXT : FLOW_STOP;
	return FLOW_NEXT;
}

/* --- fence, commit_group, wait_group --- */

enum flow exec_wgmma_fence(struct warp *w, const struct op *op, uint32_t mask)
{
	return matrix_together(w, op, mask) ? FLOW_NEXT : FLOW_SWITCH;
}

enum flow exec_wgmma_commit(struct warp *w, const struct op *op, uint32_t mask)
{
	if (!matrix_together(w, op, mask))
		return FLOW_SWITCH;
	async_commit(w, GROUPS_WGMMA, mask);
	return FLOW_NEXT;
}

enum flow exec_wgmma_wait(struct warp *w, const struct op *op, uint32_t mask)
{
	if (!matrix_together(w, op, mask))
		return FLOW_SWITCH;
	return async_wait(w, op, mask, GROUPS_WGMMA, op->group.keep, false, false) ? FLOW_NEXT
										   : FLOW_STOP;
}
