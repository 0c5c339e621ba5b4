/* Products of a warpgroup's matrices: wgmma. (PTX ISA 9.7.17)
 *
 * Each of the four warps forms 16 rows of D by itself: for every 8 columns as one product of mma
 * (matrix.h). A may be, and B is, in shared memory, where a descriptor says how the matrix lies. */
#ifndef PTXI_ARITH_WARPGROUP_H
#define PTXI_ARITH_WARPGROUP_H
#include "arith/matrix.h"

enum {
	WARPGROUP_WARPS = 4,
	WARPGROUP_ROWS = 16,     /* of A and D, in one warp */
	WARPGROUP_COLUMNS = 256, /* at most */
	WARPGROUP_BYTES = 64,    /* of a row of A or a column of B, at most */
	WARPGROUP_CHUNK = 16     /* bytes that lie together in shared memory */
};

struct warpgroup_form {
	struct matrix_form part; /* 16 rows and 8 columns */
	uint16_t n;
	bool registers;                 /* A is in registers */
	bool transposed[2], negated[2]; /* A, B */
};

/* A matrix in shared memory. Its rows are those of A or the columns of B; chunks are 16 bytes of a
 * row or, if it is transposed, of as many rows as have their elements in a chunk. */
struct tile {
	uint32_t start, lead, stride; /* bytes */
	uint16_t row;                 /* bytes of a row of the swizzled pattern; 16: not swizzled */
	uint8_t base;                 /* rows of 128 bytes by which the pattern is shifted */
	uint8_t element;              /* bytes, if it is transposed */
	bool pairs; /* pairs of chunks change places, in patterns of four rows (tcgen05) */
	bool transposed;
};
struct tile tile_of(uint64_t descriptor, bool transposed);
/* The address of chunk COLUMN of row I; transposed: of the rows from COLUMN * 16 / element on at
 * place I of K. */
uint32_t tile_chunk(const struct tile *t, unsigned i, unsigned column);

/* The bytes of a row of A (without the elements that a sparse A leaves out) or a column of B. */
unsigned warpgroup_bytes(const struct warpgroup_form *f, bool b);

struct warpgroup_product {
	struct warpgroup_form form;
	const struct matrix_product *part;
	/* the place in the rows of A (columns of B) of each lane's part of each register */
	uint16_t a_at[4][32], b_at[4][32];
};
const struct warpgroup_product *warpgroup_product_new(
	struct arena *arena, const struct warpgroup_form *f);
/* The registers of A for the warp's 16 rows. */
void warpgroup_registers(
	const struct warpgroup_product *p, const uint8_t (*a)[WARPGROUP_BYTES], uint32_t (*to)[32]);
/* The scale factors of each row of A and each column of B, a byte each. (tcgen05) */
struct warpgroup_scales {
	uint32_t a[WARPGROUP_ROWS], b[WARPGROUP_COLUMNS];
};
/* D = A * B + D, or (ZERO) A * B. D: registers of 32 lanes, four (.f16: two) for each 8 columns. B:
 * the columns. METADATA: sparse only. SCALES: if there are any. */
void warpgroup_multiply(const struct warpgroup_product *p, void *const *d, const uint32_t (*a)[32],
	const uint8_t (*b)[WARPGROUP_BYTES], bool zero, const uint32_t *metadata,
	const struct warpgroup_scales *scales);

#endif
