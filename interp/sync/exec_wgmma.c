/* wgmma: products of matrices by the four warps of a warpgroup. (PTX ISA 9.7.17)
 *
 * Every warp forms its own 16 rows of D, when the instruction executes. The operation then stays in
 * the queue of asynchronous operations until a wait_group waits for it, so that --check=sync
 * reports what the program may not do meanwhile (async_check.c, wgmma_check.c). */
#include "interp/memory/undefined.h"
#include "interp/state/exec.h"
#include "interp/sync/async.h"
#include "interp/sync/matrix.h"
#include "interp/sync/matrix_tile.h"
#include <string.h>

/* UNDEFINED_ROWS: which of the warp's 16 rows of A have bits that were never written. */
static bool read_operands(struct warp *w, const struct op *op, uint32_t (*a)[LANES],
	struct tile_rows *b, struct tile_chunks *read, bool *undefined_rows)
{
	const struct op_wgmma *m = op->async.operands->wgmma;
	const struct warpgroup_form *f = &m->product->form;
	unsigned lane = lane_first(w->active);
	struct tile tile = tile_of(
		((const uint64_t *)op_place(w, m->descriptor[1]))[lane], f->transposed[1]);

	if (!tile_read(w, op, lane, w->cta, &tile, 0, f->n, warpgroup_bytes(f, true), b, read))
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
	struct tile_rows rows;

	tile = tile_of(((const uint64_t *)op_place(w, m->descriptor[0]))[lane], f->transposed[0]);
	if (!tile_read(w, op, lane, w->cta, &tile, w->index % WARPGROUP_WARPS * WARPGROUP_ROWS,
		    WARPGROUP_ROWS, warpgroup_bytes(f, false), &rows, read))
		return false;
	warpgroup_registers(m->product, (const uint8_t(*)[WARPGROUP_BYTES])rows.row, a);
	memcpy(undefined_rows, rows.undefined, WARPGROUP_ROWS * sizeof *undefined_rows);
	return true;
}

/* --check=init: an element of D is undefined if its row of A, its column of B or its element of C
 * is. */
static void propagate(struct warp *w, const struct op *op, uint32_t mask, const bool *rows,
	const struct tile_rows *b, bool zero)
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
	struct tile_rows b;
	struct tile_chunks read = {0};
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
		m->product->form.part.sparse ? op_place(w, m->metadata) : NULL, NULL);
	for (unsigned k = 0; k < m->registers && mask != UINT32_MAX; k++)
		FOR_LANES(lane, ~mask)
			((uint32_t *)d[k])[lane] = kept[k][lane];
	if (w->frame->defined)
		propagate(w, op, mask, rows, &b, zero);
	w->effect = 1;
	if (w->machine->interest & INTEREST_SYNC)
		return tile_queue(w, op, COPY_WGMMA, lane_first(w->live),
			       async_filling(w, GROUPS_WGMMA)[lane_first(w->live)], w->cta, &read)
			? FLOW_NEXT
			: FLOW_STOP;
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
