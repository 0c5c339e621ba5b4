/* Random tensor copies that a GPU and the interpreter execute alike, through the functions of
 * CUDA's driver: cases.c chooses them, kernels.c writes their kernels, main.c runs them. */
#ifndef PTXI_ORACLE_TENSOR_H
#define PTXI_ORACLE_TENSOR_H
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

enum {
	REGION = 17 << 10, /* bytes of shared memory that a kernel fills and copies out */
	BOX_ROOM = 12 << 10,
	BUFFER = 64 << 10, /* bytes of the tensor's memory */
	IMAGE = 128,       /* bytes of a tensor map */
	MOST_DIMS = 5,
};

enum family {
	F_IMAGE_TILED, /* what cuTensorMapEncodeTiled makes */
	F_IMAGE_IM2COL,
	F_IMAGE_REFUSED, /* which parameters it refuses */
	F_LOAD,
	F_LOAD_CTA, /* .shared::cta as the destination */
	F_IM2COL,
	F_INTERLEAVE,
	F_INTERLEAVE_IM2COL,
	F_STORE,
	F_STORE_IM2COL,
	F_STORE_INTERLEAVE,
	F_REDUCE,
	F_REDUCE_IM2COL,
	F_MULTICAST,
	F_REPLACE,  /* the image after tensormap.replace */
	F_REPLACED, /* a copy with a replaced map */
	F_MISUSE, /* which mistakes end the kernel: the last family, each case in its own process */
	FAMILIES
};

struct tensor_case {
	enum family family;
	unsigned index;
	bool im2col;
	unsigned type, rank, interleave, swizzle, promotion, fill;
	uint64_t address; /* of an image that is not used */
	uint64_t dim[MOST_DIMS], stride[MOST_DIMS];
	uint32_t box[MOST_DIMS], step[MOST_DIMS];
	int lower[3], upper[3];
	uint32_t channels, pixels;
	int32_t at[MOST_DIMS];
	uint16_t offset[4];
	unsigned operation;         /* of a reduction; the variant of F_REPLACE */
	uint64_t value;             /* the new value of F_REPLACE */
	bool stricter;              /* F_MISUSE: the interpreter refuses what the GPU executed */
	const char *kernel;         /* F_MISUSE: its name */
	uint32_t patch, patch_with; /* F_MISUSE: a word of the image, and bits to flip in it */
	uint32_t shared;            /* where the box lies in shared memory */
	uint32_t bytes;
};

extern const char *const family_name[FAMILIES];
extern const unsigned family_cases[FAMILIES];
extern const char *const operation_name[8];
unsigned type_size(unsigned type);
void case_make(enum family f, unsigned index, struct tensor_case *c);
void case_print(const struct tensor_case *c, FILE *to);
/* A generator of numbers: the same ones everywhere. */
uint64_t random_of(uint64_t *state);

enum { REPLACEMENTS = 43 };
/* Writes the module of all kernels; returns its text. */
char *kernels_text(void);
void kernel_name(const struct tensor_case *c, char *name, size_t room);
#endif
