/* Products of matrices in a warp's registers: mma and wmma.mma. (PTX ISA 9.7.16)
 *
 * Integers and f64 are exact. The manual leaves open how the other formats are summed; here it is
 * as on an H100, measured (docs/HARDWARE.md). */
#ifndef PTXI_ARITH_MATRIX_H
#define PTXI_ARITH_MATRIX_H
#include "arith/arith.h"
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
	/* .kind: elements of 6 and 4 bits in A and B occupy bytes, but PACKED ones half of one */
	bool kind, packed;
	uint8_t scales;     /* block scales of a row of A, and of a column of B: 0, 1, 2 or 4 */
	uint8_t scale_type; /* ue8m0 or ue4m3 */
};

/* The block scales of A and B, 32 lanes each: four scales a lane, the first byte that counts, and
 * which lanes of four give theirs. (PTX ISA 9.7.16.3) */
struct matrix_scales {
	const uint32_t *data[2];
	unsigned byte[2], thread[2];
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
 * sparse only; SCALES: if there are any. */
void matrix_multiply(const struct matrix_product *p, void *const *d, const void *const *a,
	const void *const *b, const void *const *c, const uint32_t *metadata,
	const struct matrix_scales *scales);
/* The lanes whose metadata count. */
uint32_t matrix_metadata_lanes(const struct matrix_form *f);
/* The chunks of a row of a sparse A; and the lane that has the four bits of metadata for one of
 * them, at bit *SHIFT. */
unsigned matrix_chunks(const struct matrix_form *f);
unsigned matrix_metadata_lane(
	const struct matrix_form *f, unsigned row, unsigned chunk, unsigned *shift);
/* The lane that gives the scales of row GROUP of A (B: column), of those that THREAD chooses. */
unsigned matrix_scale_lane(bool b, unsigned group, unsigned thread);

/* ldmatrix of elements of 6 or 4 bits, side by side in a row of memory. A lane gets four of one
 * row, or (TRANSPOSED) one of each of four rows. */
struct matrix_narrow {
	uint8_t bits;
	bool is_signed, transposed;
};
uint64_t matrix_narrow_control(const struct matrix_narrow *n);
/* Kernels (arith.h). d, low, high, control: the four elements in a byte each, from the bytes in
 * which each begins and ends. d, a, control: TRANSPOSED only: the address at which the element ends
 * that begins at a. */
arith_kernel matrix_widen, matrix_end;

#endif
