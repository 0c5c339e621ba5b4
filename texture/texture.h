/* Textures and surfaces: from coordinates to texels, and from texels to a result, as the hardware
 * computes them. There is no memory here: a footprint says where texels lie, and the caller fetches
 * them. (PTX ISA 5.3, 9.7.12, 9.7.13; the rules that the manual leaves open: docs/HARDWARE.md) */
#ifndef PTXI_TEXTURE_TEXTURE_H
#define PTXI_TEXTURE_TEXTURE_H
#include <stdbool.h>
#include <stdint.h>

enum texel_kind { TEXEL_UNSIGNED, TEXEL_SIGNED, TEXEL_FLOAT };
/* What coordinates outside the texture mean; border: zeros. */
enum texture_outside { OUTSIDE_WRAP, OUTSIDE_CLAMP, OUTSIDE_MIRROR, OUTSIDE_BORDER };

struct texture {
	uint64_t address; /* of the first texel */
	/* texels in x, y and z: 0 for dimensions that it does not have */
	uint32_t size[3];
	uint32_t layers;        /* textures, or cubes, of an array; 0: not an array */
	uint64_t pitch, slice;  /* bytes from row to row; from slice, layer or face to the next */
	uint8_t kind;           /* enum texel_kind */
	uint8_t bits, channels; /* of a channel: 8, 16 or 32; 1, 2 or 4 */
	bool linear;            /* a row of memory that is read by index only: no sampler */
	bool cube;              /* each texture is six: the faces +x, -x, +y, -y, +z, -z */
	bool surface;           /* for suld, sust and sured, not for tex */
	/* the sampler */
	uint8_t outside[3]; /* enum texture_outside, by dimension */
	bool filters;       /* linear interpolation; else the nearest texel */
	bool normalized;    /* coordinates: 0 to 1 across the texture */
	bool unit_range;    /* integers are read as numbers from 0 (or -1) to 1 */
};

static inline unsigned texel_bytes(const struct texture *t) { return t->channels * t->bits / 8u; }
/* Why there is no such texture, or NULL. Its dimensions are at most 2^17 and its layers 2^11, as
 * those of hardware are, or 2^30 in a row of memory. */
const char *texture_refused(const struct texture *t);
/* Bytes from the first texel to the end of the last one. */
uint64_t texture_bytes(const struct texture *t);

enum { FOOTPRINT = 8 };
#define TEXEL_NONE UINT64_MAX
struct footprint {
	unsigned count;             /* 1, 2, 4 or 8 */
	uint64_t offset[FOOTPRINT]; /* from the first texel; TEXEL_NONE: zeros */
	uint16_t fraction[3];       /* of 256: the share of the upper neighbour, by dimension */
};

/* Where the texels for coordinates C lie: as many as the texture has dimensions, bits of f32, or of
 * s32 if INTEGER. LAYER: of an array. MOVE: whole texels that are added. */
void texture_footprint(const struct texture *t, const uint32_t c[3], bool integer, uint32_t layer,
	const int32_t move[3], struct footprint *f);
/* The same for a direction C from the centre of a cube. */
void texture_cube_footprint(
	const struct texture *t, const uint32_t c[3], uint32_t layer, struct footprint *f);
/* The four texels that surround the coordinates of a two-dimensional texture, in the order of
 * tld4's result. */
void texture_gather(const struct texture *t, const uint32_t c[2], uint32_t layer,
	const int32_t move[2], struct footprint *f);
void texture_cube_gather(
	const struct texture *t, const uint32_t c[3], uint32_t layer, struct footprint *f);
/* The result of tex for texels TEXEL (NULL: zeros) of footprint F. */
void texture_filter(const struct texture *t, const struct footprint *f,
	const uint8_t *const texel[FOOTPRINT], uint32_t result[4]);
/* X, a result of texture_filter that is a number, as bits of f16. */
uint16_t texture_half(uint32_t x);
/* Channel K of a texel (NULL: zeros), as tex returns it and as tld4 does: the filter's numbers have
 * 16 bits. */
uint32_t texture_gathered(const struct texture *t, const uint8_t *texel, unsigned k);
uint32_t texture_channel(const struct texture *t, const uint8_t *texel, unsigned k);

/* Where BYTES of a surface lie, from the first texel: at C, of which the first coordinate counts
 * UNIT bytes and the fourth is the layer. False: outside, and OFFSET is the nearest place. */
bool surface_place(const struct texture *t, const int32_t c[4], unsigned unit, unsigned bytes,
	uint64_t *offset);
/* Sets channel K of TEXEL to VALUE, bits of f32, s32 or u32, as sust.p does. */
void surface_put(const struct texture *t, uint8_t *texel, unsigned k, uint32_t value);
#endif
