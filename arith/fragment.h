/* How a matrix is spread over the registers of a warp. (PTX ISA 9.7.16.4, 9.7.16.5)
 *
 * All fragments of mma follow one rule. The matrix consists of blocks of eight groups: rows of A, C
 * and D, columns of B. Four lanes hold one group of a block, each of them the same number of
 * elements, one after the other (the inner index: columns of A, C and D, rows of B). The registers
 * hold one block after the other. The fragments of wmma, which the manual leaves open, are laid out
 * as on an H100 (docs/HARDWARE.md): by the same rule. mma.m8n8k4 of .f16 has a rule of its own. */
#ifndef PTXI_ARITH_FRAGMENT_H
#define PTXI_ARITH_FRAGMENT_H
#include <stdbool.h>
#include <stdint.h>

/* The fragments of mma.m8n8k4 of .f16: four products of 8 x 8 x 4, of eight lanes each. */
enum quad {
	QUAD_NONE,
	QUAD_GROUP, /* a lane holds the elements of one group: A by rows, B by columns, C of .f16 */
	QUAD_ACROSS, /* a lane holds one element of each of four groups: A by columns, B by rows */
	QUAD_F32     /* C and D of .f32 */
};

struct fragment {
	uint8_t registers; /* that hold different elements; any further ones repeat them */
	uint8_t bytes;     /* of a lane's register: 4 or 8 */
	uint8_t bits;      /* of an element in it */
	uint8_t elements;  /* of one block in one lane */
	/* 2: each block is followed by that of the next eight groups, in pairs; 1: blocks with the
	 * same groups come first */
	uint8_t pairs;
	uint8_t inner; /* number of blocks with the same groups */
	uint8_t quad;  /* enum quad */
};

/* GROUPS x INNER elements of BITS bits. ACCUMULATOR: C or D, of which a lane holds two elements of
 * a block. PAIRED: A, C or D. */
struct fragment fragment_of(
	unsigned bits, unsigned groups, unsigned inner, bool accumulator, bool paired);
/* ELEMENTS: of a lane. */
struct fragment fragment_of_quad(unsigned bits, unsigned elements, enum quad quad);

static inline unsigned fragment_per_register(const struct fragment *f)
{
	return f->bytes * 8u / f->bits;
}
/* The place in the matrix of element E of register REG of lane LANE. In fragments of quads, groups
 * 8 to 15 belong to the second product, and so on. */
void fragment_place(const struct fragment *f, unsigned reg, unsigned lane, unsigned e,
	unsigned *group, unsigned *inner);

#endif
