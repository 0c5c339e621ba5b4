/* Matrices of a warp: addresses of ldmatrix, stmatrix and wmma, movmatrix, mma. All 32 lanes
 * execute these instructions together. (PTX ISA 9.7.16) */
#include "interp/memory/undefined.h"
#include "interp/state/exec.h"
#include "interp/sync/gather.h"
#include "interp/sync/matrix.h"
#include "interp/sync/sync.h"
#include <string.h>

bool matrix_together(struct warp *w, const struct op *op, uint32_t mask)
{
	if (!warp_together(w, op))
		return false;
	if (mask != UINT32_MAX && sync_checks(w))
		finding(w, op, lane_first(mask), DIAG_S0110,
			"only %d of the 32 lanes of warp %u execute this instruction together",
			__builtin_popcount(mask), w->index);
	return true;
}

/* --- addresses --- */

static void address_use(struct warp *w, const struct op *op, uint32_t lanes,
	const struct op_address *a, bool writes)
{
	if (w->frame->defined && a->width)
		undefined_use(w, op, lanes, a->place,
			writes ? "used in the address of a store"
			       : "used in the address of a load");
}

enum flow exec_row_address(struct warp *w, const struct op *op, uint32_t mask)
{
	const struct op_rows *r = op->rows;
	uint64_t row[LANES];
	uint32_t givers = 0;

	if (!matrix_together(w, op, mask))
		return FLOW_SWITCH;
	for (unsigned k = 0; k < op->ndests; k++)
		FOR_LANES(lane, mask)
			givers |= 1u << r->from[k][lane];
	address_use(w, op, givers, r->address, r->writes);
	FOR_LANES(lane, givers) {
		uint64_t offset;

		row[lane] = sync_address_of(w, r->address, lane);
		if (row[lane] % r->aligned) {
			access_fault(w, op, lane, r->address->space, row[lane], r->aligned,
				r->aligned, r->writes ? ACCESS_WRITE : ACCESS_READ);
			return FLOW_STOP;
		}
		if (r->address->space == W_NONE && window_space(row[lane], &offset) != W_shared) {
			fault(w, op, lane, DIAG_F0206, "0x%llx is not an address in shared memory",
				(unsigned long long)row[lane]);
			return FLOW_STOP;
		}
	}
	for (unsigned k = 0; k < op->ndests; k++) {
		uint64_t *to = op_lanes(w, op, k);

		FOR_LANES(lane, mask)
			to[lane] = row[r->from[k][lane]] + r->offset[k][lane];
	}
	return FLOW_NEXT;
}

/* All lanes give the same matrix, whose lines are aligned. */
static void fragment_check(struct warp *w, const struct op *op, uint32_t mask)
{
	const struct op_fragment *f = op->fragment;
	unsigned first = lane_first(mask);
	uint64_t base = sync_address_of(w, f->address, first);
	uint32_t stride = sync_value(w, op, 1, first);
	uint64_t bytes = (uint64_t)stride * f->stride_bits / 8;

	if (!sync_checks(w))
		return;
	FOR_LANES(lane, mask)
		if (sync_address_of(w, f->address, lane) != base ||
			sync_value(w, op, 1, lane) != stride) {
			finding(w, op, lane, DIAG_S0111,
				"lane %u gives address 0x%llx and stride %u, lane %u address 0x%llx and stride %u: "
				"all lanes of a warp name the same matrix",
				lane, (unsigned long long)sync_address_of(w, f->address, lane),
				sync_value(w, op, 1, lane), first, (unsigned long long)base,
				stride);
			return;
		}
	if (base % f->aligned || bytes % (f->aligned < 16 ? f->aligned : 16u))
		finding(w, op, first, DIAG_S0111,
			"the matrix at 0x%llx has lines %llu bytes apart: here it begins at a multiple of %u bytes, and each line at one of %u",
			(unsigned long long)base, (unsigned long long)bytes, f->aligned,
			f->aligned < 16 ? f->aligned : 16u);
}

enum flow exec_fragment_address(struct warp *w, const struct op *op, uint32_t mask)
{
	const struct op_fragment *f = op->fragment;
	uint64_t *to = op_lanes(w, op, 0);

	if (f->first && !matrix_together(w, op, mask))
		return FLOW_SWITCH;
	address_use(w, op, mask, f->address, f->writes);
	if (w->frame->defined)
		undefined_use(w, op, mask, op->at[1], "used as the stride of a matrix");
	if (f->first)
		fragment_check(w, op, mask);
	FOR_LANES(lane, mask) {
		uint64_t stride = sync_value(w, op, 1, lane);

		to[lane] = sync_address_of(w, f->address, lane) +
			(f->line[lane] * stride * f->stride_bits +
				(uint64_t)f->along[lane] * f->bits) /
				8;
	}
	return FLOW_NEXT;
}

/* --- registers --- */

/* Lane k gets two elements of column k / 4: those of rows k % 4 * 2 and the next one. */
static void transpose(const uint32_t *from, uint32_t *to)
{
	for (unsigned lane = 0; lane < LANES; lane++) {
		unsigned column = lane / 4, row = lane % 4 * 2, shift = column % 2 * 16;
		uint32_t low = from[row * 4 + column / 2] >> shift & 0xffff,
			 high = from[(row + 1) * 4 + column / 2] >> shift & 0xffff;

		to[lane] = low | high << 16;
	}
}

enum flow exec_movmatrix(struct warp *w, const struct op *op, uint32_t mask)
{
	uint32_t *to = op_lanes(w, op, 0), result[LANES];

	if (!matrix_together(w, op, mask))
		return FLOW_SWITCH;
	if (w->frame->defined) {
		uint32_t bits[LANES], moved[LANES];

		for (unsigned lane = 0; lane < LANES; lane++)
			bits[lane] = undefined_word(w, op->at[1], op->width[1], lane);
		transpose(bits, moved);
		undefined_value(w, op->at[0], op->width[0], mask, moved);
	}
	transpose(op_lanes(w, op, 1), result);
	FOR_LANES(lane, mask)
		to[lane] = result[lane];
	return FLOW_NEXT;
}

static void places(struct warp *w, const uint32_t *place, unsigned n, const void **lanes)
{
	for (unsigned k = 0; k < n; k++)
		lanes[k] = op_place(w, place[k]);
}

/* The selectors of lane 0 count. */
static void scale_selectors(
	struct warp *w, const struct op *op, uint32_t mask, struct matrix_scales *s)
{
	const struct op_mma *m = op->mma;
	const struct matrix_form *f = &m->product->form;
	unsigned values[2][2];
	bool wrong = false;

	for (unsigned side = 0; side < 2; side++) {
		s->data[side] = op_place(w, m->scale[side]);
		for (unsigned k = 0; k < 2; k++) {
			const uint16_t *lanes = op_place(w, m->selector[side][k]);

			values[side][k] = lanes[0];
			if (w->frame->defined)
				undefined_use(w, op, mask, m->selector[side][k],
					"used as a selector of block scales");
			FOR_LANES(lane, mask)
				wrong |= lanes[lane] != lanes[0];
		}
		/* 1X: 0 to 3; 2X: 0 or 2; 4X: 0 */
		wrong |= values[side][0] > 3 || values[side][0] % f->scales ||
			values[side][1] > (side ? 3 : 1);
		s->byte[side] = values[side][0] & 3u & ~(f->scales - 1u);
		s->thread[side] = values[side][1] & (side ? 3u : 1u);
	}
	if (wrong && sync_checks(w))
		finding(w, op, lane_first(mask), DIAG_S0111,
			"the selectors of the block scales are {%u, %u} and {%u, %u}: the same in all lanes, byte-id %s, thread-id 0 or 1 for A and 0 to 3 for B",
			values[0][0], values[0][1], values[1][0], values[1][1],
			f->scales == 1           ? "0 to 3"
				: f->scales == 2 ? "0 or 2"
						 : "0");
}

enum flow exec_mma(struct warp *w, const struct op *op, uint32_t mask)
{
	const struct op_mma *m = op->mma;
	const struct matrix_product *p = m->product;
	const void *a[MATRIX_REGISTERS], *b[MATRIX_REGISTERS], *c[MATRIX_REGISTERS];
	struct matrix_scales scales;
	_Alignas(64) uint64_t result[MATRIX_REGISTERS][LANES];
	void *d[MATRIX_REGISTERS];

	if (!matrix_together(w, op, mask))
		return FLOW_SWITCH;
	places(w, m->place[0], p->a.registers, a);
	places(w, m->place[1], p->b.registers, b);
	places(w, m->place[2], p->c.registers, c);
	if (p->form.scales)
		scale_selectors(w, op, mask, &scales);
	if (w->frame->defined)
		undefined_matrix(w, op, mask, &scales);
	for (unsigned k = 0; k < op->ndests; k++)
		d[k] = mask == UINT32_MAX ? op_lanes(w, op, k) : result[k];
	matrix_multiply(p, d, a, b, c, p->form.sparse ? op_place(w, m->metadata) : NULL, &scales);
	for (unsigned k = 0; k < op->ndests && mask != UINT32_MAX; k++)
		FOR_LANES(lane, mask)
			register_set(op_lanes(w, op, k), lane, op->width[k],
				register_get(result[k], lane, op->width[k]));
	return FLOW_NEXT;
}
