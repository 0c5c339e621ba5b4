/* Vectors of which each group of elements is stored without some of them, and with the places of
 * the others: spcompress and spdecompress, a register at a time. (PTX ISA 9.7.10.30, 9.7.10.31) */
#ifndef PTXI_ARITH_SPARSE_H
#define PTXI_ARITH_SPARSE_H
#include "arith/arith.h"

struct sparse {
	uint8_t bits;     /* of an element: 8 or 16 */
	uint8_t index;    /* bits of a place: 2 or 4 */
	uint8_t from, to; /* elements that are stored, and of the group */
	/* the first bit of the places in their register; decompress: of the elements in theirs, and
	 * which element of a group is the first of the result */
	uint8_t places, values, first;
};
uint64_t sparse_control(const struct sparse *s);

/* Kernels (arith.h). d, places, a, b, descriptor, places, control: the greatest or smallest two of
 * each four elements of a and b; their places are added to those in the last source. */
arith_kernel sparse_compress;
/* d, places, values, control. */
arith_kernel sparse_expand;
/* p, descriptor, control: whether the descriptor does not fit elements of that size. */
arith_kernel sparse_misfit;

#endif
