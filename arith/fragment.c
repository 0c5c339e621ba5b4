/* Which element of a matrix is where in a warp's registers. */
#include "arith/fragment.h"

struct fragment fragment_of(
	unsigned bits, unsigned groups, unsigned inner, bool accumulator, bool paired)
{
	unsigned bytes = bits == 64 ? 8 : 4, elements = accumulator ? 2 : bytes * 8 / bits;
	unsigned blocks = inner / (4 * elements);

	return (struct fragment){
		.registers = (uint8_t)(groups / 8 * blocks * elements * bits / (bytes * 8)),
		.bytes = (uint8_t)bytes,
		.bits = (uint8_t)bits,
		.elements = (uint8_t)elements,
		.pairs = paired && groups > 8 ? 2 : 1,
		.inner = (uint8_t)blocks};
}

struct fragment fragment_of_quad(unsigned bits, unsigned elements, enum quad quad)
{
	return (struct fragment){.registers = (uint8_t)(elements * bits / 32),
		.bytes = 4,
		.bits = (uint8_t)bits,
		.quad = (uint8_t)quad};
}

static void quad_place(enum quad quad, unsigned lane, unsigned e, unsigned *group, unsigned *inner)
{
	unsigned base = (lane & 15) / 4 * 8 + (lane >= 16 ? 4 : 0), x = lane & 3;

	switch (quad) {
	case QUAD_NONE: break;
	case QUAD_GROUP:
		*group = base + x;
		*inner = e;
		break;
	case QUAD_ACROSS:
		*group = base + e;
		*inner = x;
		break;
	case QUAD_F32:
		*group = base + (x & 1) + (e & 2);
		*inner = (e & 4) + (x & 2) + (e & 1);
		break;
	}
}

void fragment_place(const struct fragment *f, unsigned reg, unsigned lane, unsigned e,
	unsigned *group, unsigned *inner)
{
	unsigned per = fragment_per_register(f);

	if (f->quad != QUAD_NONE) {
		quad_place((enum quad)f->quad, lane, reg * per + e, group, inner);
		return;
	}
	unsigned registers = f->elements / per, block = reg / registers,
		 row = block / f->pairs % f->inner,
		 eight = block % f->pairs + block / (f->pairs * f->inner) * f->pairs;

	*group = eight * 8 + lane / 4;
	*inner = (row * 4 + lane % 4) * f->elements + reg % registers * per + e;
}
