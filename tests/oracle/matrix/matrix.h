/* Hardware vectors of the matrix instructions: every form that sm_90 has, on 512 tiles each (wgmma:
 * 64), recorded on a GPU and replayed on the interpreter. A tile is what one warp (wgmma: one
 * warpgroup) computes. Inputs are generated from a seed, so that only digests of the results are
 * stored, 16 for each form. */
#ifndef MATRIX_H
#define MATRIX_H
#include "base/arena.h"
#include "base/text.h"
#include <stdbool.h>
#include <stdint.h>

enum {
	TILES = 512,
	WGMMA_TILES = 64,
	CHUNKS = 16,
	LANES_A_WARP = 32,
	WARPGROUP = 128,
	MOST_FORMS = 1000,
	BATCH = 32
};

enum element {
	E_NONE,
	E_B1,
	E_U4,
	E_S4,
	E_U8,
	E_S8,
	E_E4M3,
	E_E5M2,
	E_F16,
	E_BF16,
	E_TF32,
	E_F32,
	E_S32,
	E_F64,
	E_COUNT
};

/* MMA: random registers; WMMA_LOAD: the registers of a loaded matrix; WMMA: load, multiply, store;
 * ROWS: ldmatrix, stmatrix, movmatrix */
enum what { MMA, WMMA_LOAD, WMMA, LDMATRIX, STMATRIX, MOVMATRIX, WGMMA };

struct matrix_form {
	char name[112];
	uint8_t what, m;
	uint16_t n, k;
	uint8_t a, b, c, d;       /* enum element */
	uint8_t na, nb, nc, nd;   /* registers; those of f64 have 8 bytes */
	uint8_t sparse, selector; /* k / (elements of A in memory), the selector's value */
	const char *layout[3];    /* WMMA: of A, B, and of C and D; WMMA_LOAD: layout[0] */
	char fragment;            /* WMMA_LOAD: a, b, c */
	/* WGMMA: A in registers; swizzle modes of the descriptors of A and B; transpositions; signs
	 */
	bool registers;
	uint8_t swizzle[2], transposed[2], negated[2];
	uint32_t image_words;         /* WGMMA: of shared memory */
	uint32_t in_words, out_words; /* per tile */
};

static inline unsigned matrix_tiles(const struct matrix_form *f)
{
	return f->what == WGMMA ? WGMMA_TILES : TILES;
}
/* All forms. Sets *N. */
const struct matrix_form *matrix_forms(unsigned *n);
/* A PTX module with a kernel "f<i>" for each of N forms. */
void matrix_module(const struct matrix_form *const *f, unsigned n, struct text *out);
/* The in_words words of tile TILE of form F. */
void matrix_input(const struct matrix_form *f, unsigned tile, uint32_t *words);
unsigned element_bits(enum element e);
/* WMMA: elements from one row (column) to the next, and words of the matrix. */
unsigned matrix_stride(unsigned minor, enum element e);

#endif
