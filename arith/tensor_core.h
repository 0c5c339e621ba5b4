/* Products of tensor memory: what a tcgen05 instruction descriptor says, and which lane and column
 * of tensor memory each element is in. (PTX ISA 9.7.18)
 *
 * A product is formed as wgmma forms one, 16 rows at a time (warpgroup.h). No GPU was at hand: all
 * this is from the manual. */
#ifndef PTXI_ARITH_TENSOR_CORE_H
#define PTXI_ARITH_TENSOR_CORE_H
#include "arith/warpgroup.h"
#include "isa/vocab.h"

enum { TCGEN_LANES = 128, TCGEN_COLUMNS = 512 };

/* --- tcgen05.ld and tcgen05.st --- */

enum tcgen_shape {
	SHAPE_32X32B,
	SHAPE_16X64B,
	SHAPE_16X128B,
	SHAPE_16X256B,
	SHAPE_16X32BX2,
};
/* The place of register R of thread T of the warp: its lane and column relative to the address.
 * SPLIT: the distance of the second half of .16x32bx2. HALVES: of the low half of the register; the
 * other half is in the next column. */
void tcgen_fragment(enum tcgen_shape shape, unsigned r, unsigned t, unsigned split, bool halves,
	unsigned *lane, unsigned *column);
/* The lanes that a warp accesses. */
unsigned tcgen_shape_lanes(enum tcgen_shape shape);

/* --- tcgen05.mma --- */

enum tcgen_kind {
	TCGEN_F16,
	TCGEN_TF32,
	TCGEN_F8F6F4,
	TCGEN_I8,
	/* with block scales: */
	TCGEN_MXF8F6F4,
	TCGEN_MXF4,
	TCGEN_MXF4NVF4
};

/* What a product is, apart from its addresses. */
struct tcgen_form {
	uint16_t m, n;
	bool pair, ws, sparse; /* .cta_group::2; of the instruction */
	uint8_t scales;        /* of each row of A, and column of B: 0, 1, 2 or 4 */
	uint8_t a, b;          /* enum type of the elements in memory */
	bool negated[2], transposed[2];
	uint8_t selector;        /* sparse */
	uint8_t scale_byte[2];   /* the first byte of a word that has scale factors of A, B */
	struct matrix_form part; /* 16 rows and 8 columns of it */
	const char *missing;     /* why ptxi does not execute the product; NULL: it does */
};
/* Fills F, of which pair, ws, sparse and scales are set. Returns NULL, or what is wrong with the
 * descriptor. */
const char *tcgen_form_read(struct tcgen_form *f, enum tcgen_kind kind, uint32_t descriptor);
/* The same for the descriptor of a matrix (B: of matrix B) of F in shared memory. */
const char *tcgen_tile(const struct tcgen_form *f, bool b, uint64_t descriptor, struct tile *t);
/* Rows of A, or columns of B, that each CTA has in its shared memory. */
unsigned tcgen_rows(const struct tcgen_form *f, bool b);

/* Where element ROW, COLUMN of D is: relative to the address, in CTA 0 or 1 of the pair. */
struct tcgen_place {
	uint8_t cta, lane;
	uint16_t column;
};
struct tcgen_place tcgen_d_place(const struct tcgen_form *f, unsigned row, unsigned column);
/* Where the scale factors of row INDEX of A in a CTA (B: of column INDEX of B) are: relative to the
 * address, in copy COPY of tcgen_scale_copies(). */
struct tcgen_place tcgen_scale_place(
	const struct tcgen_form *f, bool b, unsigned index, unsigned copy);
unsigned tcgen_scale_copies(const struct tcgen_form *f, bool b);
unsigned tcgen_scale_columns(const struct tcgen_form *f, bool b);
/* Where the four bits of metadata for a chunk of row ROW of A in a CTA are (from bit *SHIFT of the
 * word on), in copy COPY of tcgen_metadata_copies(). */
struct tcgen_place tcgen_metadata_place(
	const struct tcgen_form *f, unsigned row, unsigned chunk, unsigned copy, unsigned *shift);
unsigned tcgen_metadata_copies(const struct tcgen_form *f);
unsigned tcgen_metadata_columns(const struct tcgen_form *f);
/* Whether four bits of metadata mean something. */
bool tcgen_metadata_valid(const struct tcgen_form *f, unsigned nibble);

/* The columns of tensor memory that D has; and whether it has only 16 lanes of each warp's 32. */
unsigned tcgen_d_columns(const struct tcgen_form *f);
bool tcgen_d_half(const struct tcgen_form *f);
/* Elements of four or six bits, 16 of them packed in the first bytes of each 16, get a byte each:
 * four bits from bit 2 on, six bits from bit 0 on. BITS 8: nothing to do. */
void tcgen_unpack(unsigned bits, uint8_t *row, unsigned bytes);
/* Such bytes of type T become e4m3 (f8f6f4 only: block-scaled products take them as they are). */
void tcgen_widen(enum type t, uint8_t *row, unsigned bytes);
/* .ws: whether COLUMN of B counts as zero. NULL, or what is wrong with the descriptor; or
 * F->missing is set. */
const char *tcgen_zero_check(struct tcgen_form *f, uint64_t descriptor);
bool tcgen_zero_column(const struct tcgen_form *f, uint64_t descriptor, unsigned column);

#endif
