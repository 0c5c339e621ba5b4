/* Descriptors of matrices in shared memory, and a warp's part of a warpgroup's product. */
#include "arith/warpgroup.h"
#include "base/assert.h"
#include "isa/vocab.h"
#include <string.h>

enum { LANES = 32, PATTERN = 8 /* rows of a pattern */ };

/* --- descriptors (PTX ISA 9.7.17.5.1.2) --- */

static uint32_t encoded(uint64_t descriptor, unsigned bit)
{
	return (uint32_t)(descriptor >> bit & 0x3fff) << 4;
}

struct tile tile_of(uint64_t descriptor, bool transposed)
{
	static const uint16_t row[] = {16, 128, 64, 32};

	return (struct tile){.start = encoded(descriptor, 0),
		.lead = encoded(descriptor, 16),
		.stride = encoded(descriptor, 32),
		.base = descriptor >> 49 & 7,
		.row = row[descriptor >> 62],
		.element = 2,
		.transposed = transposed};
}

uint32_t tile_chunk(const struct tile *t, unsigned i, unsigned column)
{
	bool swizzled = t->row > WARPGROUP_CHUNK;
	unsigned across = t->row / (unsigned)WARPGROUP_CHUNK, rows = t->pairs ? 4 : PATTERN;
	uint32_t at = t->start + i % rows * t->row;

	if (!t->transposed || swizzled)
		at += i / rows * t->stride + column / across * t->lead +
			column % across * WARPGROUP_CHUNK;
	else
		at += i / rows * t->lead + column * t->stride;
	if (t->pairs)
		return at ^ (((at >> 7) - t->base) & 3) << 5;
	return at ^ (((at >> 7) - t->base) & (across - 1)) << 4;
}

/* --- products --- */

unsigned warpgroup_bytes(const struct warpgroup_form *f, bool b)
{
	unsigned bytes = type_info[f->part.a].bits * (unsigned)f->part.k / 8;

	return f->part.sparse && !b ? bytes / 2 : bytes;
}

static void put_places(const struct fragment *f, uint16_t (*at)[LANES])
{
	for (unsigned r = 0; r < f->registers; r++)
		for (unsigned lane = 0; lane < LANES; lane++) {
			unsigned group = 0, inner = 0;

			fragment_place(f, r, lane, 0, &group, &inner);
			at[r][lane] = (uint16_t)(group * WARPGROUP_BYTES + inner * f->bits / 8);
		}
}

const struct warpgroup_product *warpgroup_product_new(
	struct arena *arena, const struct warpgroup_form *f)
{
	struct warpgroup_product *p = ARENA_NEW(arena, struct warpgroup_product);

	p->form = *f;
	p->part = matrix_product_new(arena, &f->part);
	assert(p->part->a.registers == 4 && p->part->b.registers <= 4);
	put_places(&p->part->a, p->a_at);
	put_places(&p->part->b, p->b_at);
	return p;
}

/* N registers from consecutive rows. */
static void registers_load(const uint16_t (*at)[LANES], unsigned n,
	const uint8_t (*row)[WARPGROUP_BYTES], uint32_t (*to)[LANES])
{
	for (unsigned r = 0; r < n; r++)
		for (unsigned lane = 0; lane < LANES; lane++)
			memcpy(&to[r][lane], (const uint8_t *)row + at[r][lane], sizeof **to);
}

void warpgroup_registers(const struct warpgroup_product *p, const uint8_t (*a)[WARPGROUP_BYTES],
	uint32_t (*to)[LANES])
{
	registers_load(p->a_at, 4, a, to);
}

static void negate(const struct matrix_form *f, enum type t, uint32_t (*reg)[LANES], unsigned n)
{
	unsigned bits = t == TYPE_tf32 ? 32 : type_info[t].bits;
	uint32_t signs = bits == 32 ? 0x80000000
		: bits == 16        ? 0x80008000
		: f->packed         ? 0x88888888
		: bits < 8          ? 0x20202020 /* from bit 0 or (e2m1) bit 2 of a byte on */
				    : 0x80808080;

	for (unsigned r = 0; r < n; r++)
		for (unsigned lane = 0; lane < LANES; lane++)
			reg[r][lane] ^= signs;
}

/* The scale factors of N rows of A, or columns of B, in the lanes that give them. */
static void put_scales(bool b, const uint32_t *from, unsigned n, uint32_t *lanes)
{
	for (unsigned k = 0; k < n; k++)
		lanes[matrix_scale_lane(b, k, 0)] = from[k];
}

void warpgroup_multiply(const struct warpgroup_product *p, void *const *d,
	const uint32_t (*a)[LANES], const uint8_t (*b)[WARPGROUP_BYTES], bool zero,
	const uint32_t *metadata, const struct warpgroup_scales *scales)
{
	static _Alignas(64) const uint32_t nothing[LANES];
	const struct matrix_product *part = p->part;
	_Alignas(64) uint32_t left[4][LANES], right[4][LANES];
	uint32_t scale[2][LANES];
	const struct matrix_scales by = {.data = {scale[0], scale[1]}};
	const void *from_a[4], *from_b[4], *from_d[4];
	unsigned registers = part->d.registers;

	memcpy(left, a, sizeof left);
	if (p->form.negated[0])
		negate(&p->form.part, (enum type)p->form.part.a, left, 4);
	for (unsigned k = 0; k < 4; k++) {
		from_a[k] = left[k];
		from_b[k] = right[k];
	}
	if (scales)
		put_scales(false, scales->a, WARPGROUP_ROWS, scale[0]);
	for (unsigned j = 0; j < p->form.n / 8u; j++, d += registers) {
		registers_load(p->b_at, part->b.registers, b + j * 8, right);
		if (p->form.negated[1])
			negate(&p->form.part, (enum type)p->form.part.b, right, part->b.registers);
		if (scales)
			put_scales(true, scales->b + j * 8, 8, scale[1]);
		for (unsigned k = 0; k < registers; k++)
			from_d[k] = zero ? nothing : d[k];
		matrix_multiply(part, d, from_a, from_b, from_d, metadata, scales ? &by : NULL);
	}
}
