/* Random tensor copies: every number comes from the family and the index. */
#include "tensor.h"
#include <string.h>

const char *const family_name[FAMILIES] = {
	[F_IMAGE_TILED] = "image.tiled",
	[F_IMAGE_IM2COL] = "image.im2col",
	[F_IMAGE_REFUSED] = "image.refused",
	[F_LOAD] = "load",
	[F_LOAD_CTA] = "load.cta",
	[F_IM2COL] = "load.im2col",
	[F_INTERLEAVE] = "load.interleave",
	[F_INTERLEAVE_IM2COL] = "load.interleave.im2col",
	[F_STORE] = "store",
	[F_STORE_IM2COL] = "store.im2col",
	[F_STORE_INTERLEAVE] = "store.interleave",
	[F_REDUCE] = "reduce",
	[F_REDUCE_IM2COL] = "reduce.im2col",
	[F_MULTICAST] = "multicast",
	[F_REPLACE] = "replace",
	[F_REPLACED] = "replaced",
	[F_MISUSE] = "misuse",
};
const unsigned family_cases[FAMILIES] = {
	[F_IMAGE_TILED] = 256,
	[F_IMAGE_IM2COL] = 256,
	[F_IMAGE_REFUSED] = 768,
	[F_LOAD] = 320,
	[F_LOAD_CTA] = 64,
	[F_IM2COL] = 256,
	[F_INTERLEAVE] = 96,
	[F_INTERLEAVE_IM2COL] = 64,
	[F_STORE] = 128,
	[F_STORE_IM2COL] = 128,
	[F_STORE_INTERLEAVE] = 64,
	[F_REDUCE] = 192,
	[F_REDUCE_IM2COL] = 64,
	[F_MULTICAST] = 64,
	[F_REPLACE] = 4 * REPLACEMENTS,
	[F_REPLACED] = 64,
	[F_MISUSE] = 40,
};
const char *const operation_name[8] = {"add", "min", "max", "inc", "dec", "and", "or", "xor"};

enum { U8, U16, U32, S32, U64, S64, F16, F32, F64, BF16, F32_FTZ, TF32, TF32_FTZ };

unsigned type_size(unsigned type)
{
	static const uint8_t size[] = {1, 2, 4, 4, 8, 8, 2, 4, 8, 2, 4, 4, 4};

	return type < sizeof size ? size[type] : 1;
}

uint64_t random_of(uint64_t *state)
{
	uint64_t z = *state += 0x9e3779b97f4a7c15u;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
	z = (z ^ z >> 27) * 0x94d049bb133111ebu;
	return z ^ z >> 31;
}

/* LOW to HIGH. */
static int64_t among(uint64_t *r, int64_t low, int64_t high)
{
	return low + (int64_t)(random_of(r) % (uint64_t)(high - low + 1));
}

static bool is_float(unsigned type) { return type >= F16; }

static unsigned reduced_type(uint64_t *r, unsigned operation)
{
	static const uint8_t add[] = {U32, S32, U64, F16, F32, BF16, F32_FTZ},
			     order[] = {U32, S32, U64, S64, F16, BF16}, bits[] = {U32, S32, U64};

	switch (operation) {
	case 0: return add[among(r, 0, sizeof add - 1)];
	case 1:
	case 2: return order[among(r, 0, sizeof order - 1)];
	case 3:
	case 4: return U32;
	default: return bits[among(r, 0, sizeof bits - 1)];
	}
}

/* The number of elements in the innermost dimension of a box: a multiple of 16 bytes. */
static uint32_t inner(uint64_t *r, const struct tensor_case *c)
{
	unsigned es = type_size(c->type), most = c->swizzle ? 16u << c->swizzle : 512;

	if (c->interleave)
		return (uint32_t)among(r, 1, 4) * (c->interleave == 1 ? 16 : 32) / es;
	if (most > 256 * es)
		most = 256 * es;
	return (uint32_t)among(r, 1, most / 16) * 16 / es;
}

/* Bytes of what dimension 0 counts: an element, or a slice of an interleaved tensor. */
static unsigned unit_of(const struct tensor_case *c)
{
	return c->interleave ? 16 * c->interleave : type_size(c->type);
}

/* What the box has of dimension 0. */
static uint32_t along(const struct tensor_case *c)
{
	return c->interleave ? (c->box[0] + c->step[0] - 1) / c->step[0] : c->box[0];
}

/* Bytes from a row of the box to the next in shared memory. */
static uint32_t pitch_of(const struct tensor_case *c)
{
	uint32_t row = unit_of(c) *
		(c->interleave && c->im2col ? 1
				: c->im2col ? c->channels
					    : along(c)),
		 span = c->swizzle && !c->interleave ? 16u << c->swizzle : 0;

	return row > span ? row : span;
}

/* Rows of the box, as long as dimension 0. */
static uint32_t rows_of(const struct tensor_case *c)
{
	uint32_t n = 1;

	if (c->im2col)
		return c->pixels;
	for (unsigned k = 1; k < c->rank; k++)
		if (!c->interleave || k != c->rank - 2)
			n *= (c->box[k] + c->step[k] - 1) / c->step[k];
	return n;
}

static void sizes(uint64_t *r, struct tensor_case *c)
{
	uint64_t align = c->interleave == 2 ? 32 : 16, bytes;

	for (;;) {
		uint32_t first = c->interleave && c->im2col ? 6
			: c->im2col                         ? c->channels
							    : c->box[0];

		c->dim[0] = (uint64_t)among(r, 1, 2 * (int64_t)first + 1);
		bytes = (c->dim[0] * unit_of(c) + align - 1) / align * align +
			(uint64_t)among(r, 0, 2) * align;
		c->stride[0] = bytes;
		for (unsigned k = 1; k < c->rank; k++) {
			c->dim[k] = (uint64_t)among(
				r, 1, c->im2col ? 9 : 2 * (int64_t)c->box[k] + 2);
			bytes = bytes * c->dim[k] + (uint64_t)among(r, 0, 2) * align;
			c->stride[k] = bytes;
		}
		if (bytes <= BUFFER - 4096)
			return;
		for (unsigned k = 1; k < c->rank && !c->im2col; k++)
			c->box[k] = c->box[k] > 1 ? c->box[k] / 2 : 1;
	}
}

static void tiled(uint64_t *r, struct tensor_case *c)
{
	int64_t es = type_size(c->type);

	c->box[0] = c->interleave ? (uint32_t)(among(r, 1, es > 2 ? 4 : 1) * 16 / es) : inner(r, c);
	for (unsigned k = 0; k < MOST_DIMS; k++)
		c->step[k] = 1;
	for (unsigned k = c->interleave ? 0 : 1; k < c->rank; k++) {
		if (k)
			c->box[k] = (uint32_t)among(r, 1, 9);
		if (among(r, 0, 3) == 0)
			c->step[k] = (uint32_t)among(r, 2, 8);
	}
	sizes(r, c);
	while (pitch_of(c) * rows_of(c) > BOX_ROOM) {
		unsigned most = c->rank - 1;

		for (unsigned k = 1; k < c->rank; k++)
			if (c->box[k] > c->box[most])
				most = k;
		c->box[most]--;
	}
	c->bytes = unit_of(c) * along(c) * rows_of(c);
}

/* The dimension that corner K of an im2col box is about. */
static unsigned corner_dim(const struct tensor_case *c, unsigned k)
{
	return c->interleave ? k : k + 1;
}

static void im2col(uint64_t *r, struct tensor_case *c, bool store)
{
	static const int most[] = {3, 2, 1};
	bool empty;

	c->channels = inner(r, c);
	for (unsigned k = 0; k < MOST_DIMS; k++) {
		bool inside = k + 1 < c->rank && (c->interleave ? k + 2 < c->rank : k > 0);

		c->step[k] = inside && among(r, 0, 3) == 0 ? (uint32_t)among(r, 2, 3) : 1;
	}
	c->step[0] = 1;
	c->pixels = (uint32_t)among(
		r, 1, BOX_ROOM / pitch_of(c) < 96 ? BOX_ROOM / pitch_of(c) : 96);
	c->bytes = (c->interleave ? 16 * c->interleave : c->channels * type_size(c->type)) *
		c->pixels;
	do {
		empty = false;
		sizes(r, c);
		for (unsigned k = 0; k < 3; k++) {
			bool used = k + 2 < c->rank;

			c->lower[k] = used ? (int)among(r, store ? 0 : -most[k], most[k]) : 0;
			c->upper[k] = used ? (int)among(r, -most[k], store ? 0 : most[k]) : 0;
			empty |= used && c->lower[k] >= (int)c->dim[corner_dim(c, k)] + c->upper[k];
		}
	} while (empty);
}

/* Where the copy begins. */
static void position(uint64_t *r, struct tensor_case *c, bool store)
{
	int line = 16 / (int)type_size(c->type);

	for (unsigned k = 0; k < c->rank; k++) {
		int64_t dim = (int64_t)c->dim[k],
			box = c->im2col ? (k ? 1 : c->channels) : c->box[k];

		c->at[k] = (int32_t)(store || (c->im2col && k + 1 == c->rank)
				? among(r, 0, dim - 1)
				: among(r, -box - 1, dim + 1));
	}
	for (unsigned k = 0; c->im2col && k + 2 < c->rank; k++) {
		unsigned d = corner_dim(c, k);

		c->at[d] = (int32_t)among(r, c->lower[k], (int)c->dim[d] - 1 + c->upper[k]);
		c->offset[k] = store ? 0 : (uint16_t)among(r, 0, 2);
	}
	if (!c->interleave)
		c->at[0] = c->at[0] / line * line;
}

/* One parameter out of its range. */
static void spoil(uint64_t *r, struct tensor_case *c)
{
	unsigned k = (unsigned)among(r, 0, c->rank - 1);

	switch (among(r, 0, 15)) {
	case 0: c->type = (unsigned)among(r, 13, 16); break;
	case 1: c->rank = (unsigned)among(r, 0, 6); break;
	case 2: c->interleave = (unsigned)among(r, 0, 3); break;
	case 3: c->swizzle = (unsigned)among(r, 0, 7); break;
	case 4: c->promotion = (unsigned)among(r, 0, 4); break;
	case 5: c->fill = (unsigned)among(r, 0, 2); break;
	case 6: c->address += (uint64_t)among(r, 0, 4) * 8; break;
	case 7: c->dim[k] = (uint64_t)among(r, 0, 2) + (among(r, 0, 1) ? 0xffffffffu : 0); break;
	case 8:
		c->stride[k] = among(r, 0, 1) ? (uint64_t)among(r, 0, 4) * 8
					      : ((uint64_t)1 << among(r, 36, 42)) - 16;
		break;
	case 9: c->box[k] = (uint32_t)among(r, 0, 1) * 256 + (uint32_t)among(r, 0, 2); break;
	case 10: c->step[k] = (uint32_t)among(r, 0, 9); break;
	case 11:
		c->lower[k % 3] = (int)among(r, -129, 128);
		c->upper[k % 3] = (int)among(r, -40, 40);
		break;
	case 12: c->channels = (uint32_t)among(r, 0, 300); break;
	case 13:
		c->interleave = (unsigned)among(r, 0, 2);
		c->swizzle = (unsigned)among(r, 0, 3);
		break;
	case 14:
		c->box[0] = (uint32_t)among(r, 1, 256);
		c->channels = (uint32_t)among(r, 1, 256);
		break;
	default: c->pixels = (uint32_t)among(r, 0, 1) * 1024 + (uint32_t)among(r, 0, 2); break;
	}
}

/* A good copy, then a mistake in it; some of them are none. */
static void misuse(unsigned index, struct tensor_case *c)
{
	*c = (struct tensor_case){.family = F_MISUSE,
		.index = index,
		.type = U32,
		.rank = 2,
		.dim = {16, 8, 4},
		.stride = {64, 512, 2048},
		.box = {8, 4, 1},
		.step = {1, 1, 1, 1, 1},
		.at = {4, 1},
		.kernel = "load_2",
		.shared = 1024,
		.bytes = 128};
	if ((index >= 9 && index <= 12) || index == 15 || index == 16 || index == 31) {
		c->rank = 3;
		c->channels = 8;
		c->pixels = 4;
		c->im2col = index != 9;
		c->kernel = "load_im2col_3";
	}
	switch (index) {
	case 1: c->at[0] = 1; break;
	case 2: c->at[0] = 2; break;
	case 3: c->shared = 16; break;
	case 4: c->shared = 64; break;
	case 5: c->swizzle = 3, c->shared = 128, c->bytes = 128; break;
	case 6: c->swizzle = 3, c->shared = 64; break;
	case 7: c->kernel = "load_3"; break;
	case 8: c->kernel = "load_1"; break;
	case 10: c->kernel = "load_3"; break;
	case 11: c->lower[0] = 2; break;
	case 12: c->upper[0] = -7; break;
	case 13: c->kernel = "store_2", c->at[1] = -1; break;
	case 14: c->kernel = "store_2", c->at[0] = -4; break;
	case 15: c->kernel = "store_im2col_3", c->lower[0] = -1; break;
	case 16: c->kernel = "store_im2col_3", c->upper[0] = 1; break;
	case 17: c->kernel = "reduce_add_2", c->type = S64; break;
	case 18: c->kernel = "reduce_add_2", c->type = F64; break;
	case 19: c->kernel = "reduce_add_2", c->type = U8, c->box[0] = 16, c->at[0] = 0; break;
	case 20: c->kernel = "reduce_min_2", c->type = F32; break;
	case 21: c->kernel = "reduce_inc_2", c->type = S32; break;
	case 22: c->kernel = "reduce_and_2", c->type = F16, c->at[0] = 0; break;
	case 23: c->kernel = "reduce_xor_2", c->type = S64; break;
	case 24: c->kernel = "reduce_add_2", c->type = TF32; break;
	case 25: c->kernel = "reduce_or_2", c->type = S32; break;
	case 26: c->patch = 32; break;
	case 27: c->kernel = "store_2", c->shared = 16; break;
	case 28: c->patch = 2, c->patch_with = 1u << 25; break;
	case 29: c->patch = 19, c->patch_with = 0x12345678; break;
	case 30: c->kernel = "reduce_add_2", c->type = F32_FTZ; break;
	case 31: c->at[2] = 4; break;
	case 32: c->kernel = "reduce_max_2", c->type = BF16, c->at[0] = 0; break;
	case 33: c->patch = 2, c->patch_with = 1u << 2; break;
	case 34: c->patch = 2, c->patch_with = 1u << 20; break;
	case 35: c->patch = 2, c->patch_with = 1u << 16; break; /* the bit of tf32 */
	case 36: c->patch = 16, c->patch_with = 0xffff; break;
	case 37: c->patch = 2, c->patch_with = 5u << 4; break; /* six dimensions */
	case 38: c->patch = 7, c->patch_with = 1u << 20; break;
	case 39: c->patch = 15, c->patch_with = 1u << 20; break;
	default: break;
	}
	/* the manual has no such reductions; the driver sets no such bits */
	c->stricter = index == 18 || index == 24 || index == 28 || index == 33 || index == 34;
}

void case_make(enum family f, unsigned index, struct tensor_case *c)
{
	if (f == F_MISUSE) {
		misuse(index, c);
		return;
	}
	uint64_t state = (uint64_t)f << 32 | index, *r = &state;
	bool interleaved = f == F_INTERLEAVE || f == F_INTERLEAVE_IM2COL || f == F_STORE_INTERLEAVE,
	     image = f <= F_IMAGE_REFUSED, reduces = f == F_REDUCE || f == F_REDUCE_IM2COL,
	     store = reduces || f == F_STORE || f == F_STORE_IM2COL || f == F_STORE_INTERLEAVE;

	memset(c, 0, sizeof *c);
	c->family = f;
	c->index = index;
	c->im2col = f == F_IMAGE_IM2COL || f == F_IM2COL || f == F_INTERLEAVE_IM2COL ||
		f == F_STORE_IM2COL || f == F_REDUCE_IM2COL || (f == F_IMAGE_REFUSED && index & 1);
	if (image && among(r, 0, 3) == 0)
		interleaved = true;
	c->rank = (unsigned)among(r,
		c->im2col || interleaved   ? 3
			: f == F_MULTICAST ? 2
					   : 1,
		f == F_MULTICAST ? 2 : 5);
	c->operation = reduces ? index % 8 : 0;
	c->type = reduces ? reduced_type(r, c->operation) : (unsigned)among(r, 0, 12);
	if (f == F_REPLACE && index % REPLACEMENTS >= 21 && index % REPLACEMENTS < 34 &&
		index > REPLACEMENTS)
		c->type = TF32 + index % 2;
	c->interleave = interleaved ? (unsigned)among(r, 1, 2) : 0;
	c->swizzle = c->interleave == 2 ? 1 : (unsigned)among(r, 0, 3);
	c->promotion = (unsigned)among(r, 0, 3);
	c->fill = is_float(c->type) ? (unsigned)among(r, 0, 1) : 0;
	c->address = (uint64_t)among(r, 1, 0xffffff) << among(r, 5, 31) & ~(uint64_t)31;
	if (c->im2col)
		im2col(r, c, store);
	else
		tiled(r, c);
	position(r, c, store);
	c->shared = (uint32_t)among(r, 0, (REGION - pitch_of(c) * rows_of(c)) / 128) * 128;
	if (f == F_IMAGE_REFUSED)
		spoil(r, c);
	if (f == F_REPLACE) {
		c->operation = index % REPLACEMENTS;
		c->value = c->operation == 0 ? (uint64_t)among(r, 1, 0xffffffff) * 16
			: c->operation == 1  ? (uint64_t)among(r, 0, 4)
			: c->operation < 7   ? (uint64_t)among(r, 1, 256)
			: c->operation < 12  ? (uint64_t)among(r, 1, 0xffffffff)
			: c->operation < 17  ? (uint64_t)among(r, 1, 8)
					     : (uint64_t)among(r, 1, 0xffffff) * 16;
	}
}

void case_print(const struct tensor_case *c, FILE *to)
{
	fprintf(to, "%s %u: type %u rank %u dim", family_name[c->family], c->index, c->type,
		c->rank);
	for (unsigned k = 0; k < c->rank && k < MOST_DIMS; k++)
		fprintf(to, " %llu", (unsigned long long)c->dim[k]);
	fprintf(to, " stride");
	for (unsigned k = 0; k + 1 < c->rank && k < MOST_DIMS; k++)
		fprintf(to, " %llu", (unsigned long long)c->stride[k]);
	if (c->im2col)
		fprintf(to, " lower %d %d %d upper %d %d %d channels %u pixels %u offsets %u %u %u",
			c->lower[0], c->lower[1], c->lower[2], c->upper[0], c->upper[1],
			c->upper[2], c->channels, c->pixels, c->offset[0], c->offset[1],
			c->offset[2]);
	else
		for (unsigned k = 0; k < c->rank && k < MOST_DIMS; k++)
			fprintf(to, " %s%u", k ? "" : "box ", c->box[k]);
	fprintf(to, " step");
	for (unsigned k = 0; k < c->rank && k < MOST_DIMS; k++)
		fprintf(to, " %u", c->step[k]);
	fprintf(to, " interleave %u swizzle %u promotion %u fill %u at", c->interleave, c->swizzle,
		c->promotion, c->fill);
	for (unsigned k = 0; k < c->rank && k < MOST_DIMS; k++)
		fprintf(to, " %d", c->at[k]);
	fprintf(to, " shared %u bytes %u operation %u value %llx address %llx\n", c->shared,
		c->bytes, c->operation, (unsigned long long)c->value,
		(unsigned long long)c->address);
}
