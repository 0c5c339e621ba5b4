/* Products of matrices in a warp's registers: mma and wmma.mma. (PTX ISA 9.7.16)
 *
 * Integers and f64 are exact. The manual leaves open how the other formats are summed; here it is
 * as on an H100, measured (docs/HARDWARE.md). */
#ifndef PTXI_ARITH_MATRIX_H
#define PTXI_ARITH_MATRIX_H
#include "arith/fragment.h"
#include "base/arena.h"
#include <stdbool.h>
#include <stdint.h>

struct matrix_form {
	uint8_t m, n;
	uint16_t k;
	uint8_t a, b, c, d; /* enum type of the elements */
	bool sparse;        /* A has half of its elements */
	uint8_t selector;   /* sparse: which lanes have the metadata */
	bool warpgroup;     /* a part of a product of wgmma */
	bool quads;         /* m8n8k4 of .f16 */
	bool a_columns;     /* quads: A is by columns */
	bool b_rows;        /* quads: B is by rows */
	bool saturate;      /* .satfinite */
	bool exclusive;     /* .b1: xor instead of and */
	uint8_t rounding;   /* .f64: enum soft_round */
};

/* A form with the layouts of its fragments. In a product with eight rows and more columns
 * (m8n32k16) A and B change places: D's transpose is B's times A's. */
struct matrix_product {
	struct matrix_form form;
	bool swapped;
	struct fragment a, b, c, d; /* a and b as the instruction has them */
	/* where each element of a register belongs in the arrays of matrix.c: the low elements of a
	 * register's 32 lanes, then the next ones */
	const uint16_t *a_at, *b_at, *c_at, *d_at;
	/* the rows of B for the elements of each row of A, unless it is sparse; whether all are the
	 * same */
	const uint8_t *index;
	bool same;
};

/* The fragment of A ('a'), B, C or D of F. */
struct fragment matrix_fragment(const struct matrix_form *f, char matrix);
const struct matrix_product *matrix_product_new(struct arena *arena, const struct matrix_form *f);
/* Each register is 32 lanes side by side. The destinations may be the same as sources. METADATA:
 * sparse only. */
void matrix_multiply(const struct matrix_product *p, void *const *d, const void *const *a,
	const void *const *b, const void *const *c, const uint32_t *metadata);

#endif
