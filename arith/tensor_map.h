/* Tensor maps: the 128-byte image that the driver makes and tensormap.replace changes, and which
 * bytes a copy through one moves. (PTX ISA 5.5)
 *
 * The manual leaves the image open. Here it is as the driver of an H100 makes it, measured
 * (docs/HARDWARE.md); so are the copies. */
#ifndef PTXI_ARITH_TENSOR_MAP_H
#define PTXI_ARITH_TENSOR_MAP_H
#include "arith/swizzle.h"
#include "isa/isa.h"
#include <stdbool.h>
#include <stdint.h>

enum { TENSOR_IMAGE = 128, TENSOR_DIMS = 5, TENSOR_ALIGN = 64 };

/* The types of elements, numbered as tensormap.replace numbers them. */
enum tensor_type {
	TENSOR_U8,
	TENSOR_U16,
	TENSOR_U32,
	TENSOR_S32,
	TENSOR_U64,
	TENSOR_S64,
	TENSOR_F16,
	TENSOR_F32,
	TENSOR_F32_FTZ,
	TENSOR_F64,
	TENSOR_BF16,
	TENSOR_TF32,
	TENSOR_TF32_FTZ,
	TENSOR_B4X16,     /* 16 of 4 bits in 8 bytes */
	TENSOR_B4X16_P64, /* in shared memory 8 bytes of padding follow each 16 */
	TENSOR_B6X16_P32, /* 16 of 6 bits in 12 bytes; in shared memory 4 of padding follow */
	TENSOR_TYPES
};
unsigned tensor_type_bytes(enum tensor_type t); /* at least 1 */
bool tensor_type_rounds(enum tensor_type t);    /* copies to shared memory round to tf32 */
/* The type whose operations cp.reduce.async.bulk.tensor performs: bits for .and, .or and .xor. */
enum type tensor_type_plain(enum tensor_type t);

/* The bytes that a swizzle of 128 bytes keeps together. (PTX ISA 5.5.7) */
enum tensor_atom { ATOM_16, ATOM_32, ATOM_32_FLIP_8, ATOM_64 };

struct tensor_map {
	bool im2col;
	uint8_t type, rank; /* enum tensor_type; 1 to 5 */
	uint8_t interleave; /* 0; 1: slices of 16 bytes; 2: of 32 */
	uint8_t swizzle;    /* enum swizzle */
	uint8_t atom;       /* enum tensor_atom */
	uint8_t promotion;  /* of the L2 cache: a hint */
	bool nan;           /* what is outside of the tensor is NaN, otherwise zero */
	uint64_t address;
	uint64_t dim[TENSOR_DIMS];        /* elements; interleaved: dim[0] counts slices */
	uint64_t stride[TENSOR_DIMS - 1]; /* bytes from one index of dim[k + 1] to the next */
	uint32_t step[TENSOR_DIMS];       /* traversal strides */
	uint32_t box[TENSOR_DIMS];        /* unless im2col */
	int32_t lower[TENSOR_DIMS - 2], upper[TENSOR_DIMS - 2]; /* corners: im2col */
	uint32_t channels, pixels;
};

/* Bytes of dimension 0 in global memory. */
uint64_t tensor_dim_bytes(const struct tensor_map *m);
/* Reads an image. False: it is none. */
bool tensor_map_read(const unsigned char *image, struct tensor_map *m);
void tensor_map_write(const struct tensor_map *m, unsigned char *image);
/* What the driver refuses in M, or NULL. */
const char *tensor_map_refused(const struct tensor_map *m);

/* The fields that tensormap.replace changes, as its words are. */
enum tensor_field {
	FIELD_ADDRESS,
	FIELD_RANK,
	FIELD_BOX,
	FIELD_DIM,
	FIELD_STRIDE,
	FIELD_STEP,
	FIELD_TYPE,
	FIELD_INTERLEAVE,
	FIELD_SWIZZLE,
	FIELD_ATOM,
	FIELD_FILL,
};
/* Replaces field F, the one of dimension ORDINAL, in the image. */
void tensor_image_replace(
	unsigned char *image, enum tensor_field f, unsigned ordinal, uint64_t value);

enum tensor_mode {
	TENSOR_TILE,
	TENSOR_IM2COL,
	TENSOR_W, /* im2col::w, im2col_no_offs::w */
	TENSOR_W128,
	TENSOR_FOUR /* gather4, scatter4 */
};
static inline bool tensor_mode_unrolls(enum tensor_mode m)
{
	return m == TENSOR_IM2COL || m == TENSOR_W || m == TENSOR_W128;
}
/* A copy through a map. */
struct tensor_copy {
	const struct tensor_map *map;
	enum tensor_mode mode;
	bool store;              /* to global memory */
	int32_t at[TENSOR_DIMS]; /* FOUR: the column and four rows */
	/* im2col; of W and W128: wHalo and wOffset */
	uint16_t offset[TENSOR_DIMS - 2];
};
/* What hinders the copy, or NULL. */
const char *tensor_copy_refused(const struct tensor_copy *c);
/* Rows of the box, which are row_bytes long in global memory, and the distance between them in
 * shared memory. */
uint64_t tensor_rows(const struct tensor_copy *c);
uint32_t tensor_row_bytes(const struct tensor_copy *c);
uint32_t tensor_pitch(const struct tensor_copy *c);
/* Bytes in global memory of the 16 bytes of shared memory that hold 16 elements, the others being
 * padding; 16 for types without padding. */
unsigned tensor_packed(const struct tensor_map *m);
/* Bytes that stay together and where they are: those that would be at ADDRESS in shared memory. */
unsigned tensor_piece(const struct tensor_map *m);
uint32_t tensor_place(const struct tensor_map *m, uint32_t address);

/* A row: BEFORE and AFTER are bytes outside of the tensor, INSIDE those at ADDRESS. Copies to
 * global memory write whole 16 bytes, PADDED in all: past the end of dimension 0 into the row's
 * padding. */
struct tensor_row {
	uint64_t address;
	uint32_t before, inside, after, padded;
};
struct tensor_walk {
	const struct tensor_copy *copy;
	int64_t index[TENSOR_DIMS]; /* of the next row; im2col: without the offsets */
	int64_t last[TENSOR_DIMS];  /* W, W128: of the last row that is no halo */
	uint64_t done;
};
void tensor_begin(struct tensor_walk *w, const struct tensor_copy *c);
/* The next row. False: there is none. */
bool tensor_next(struct tensor_walk *w, struct tensor_row *r);
/* A word of tf32, rounded from one of f32. */
uint32_t tensor_round(uint32_t f32);
#endif
