/* The configurations of textures that are recorded, and the texels and coordinates of each: the
 * same numbers for the GPU's program (record.cu) and for the interpreter (main.c). C and C++. */
#ifndef ORACLE_TEXTURE_INPUTS_H
#define ORACLE_TEXTURE_INPUTS_H
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

enum { SAMPLES = 1024 };
enum shape {
	SHAPE_LINEAR, /* a row of memory, by index */
	SHAPE_1D,
	SHAPE_2D,
	SHAPE_PITCH, /* two dimensions in ordinary memory */
	SHAPE_3D,
	SHAPE_A1D,
	SHAPE_A2D,
	SHAPE_GATHER_R, /* tld4 */
	SHAPE_GATHER_A,
	SHAPE_HALF2, /* results of 16 bits: .v2.f16x2, .v4.f16 */
	SHAPE_HALF4,
	SHAPE_CUBE,
	SHAPE_ACUBE,
	SHAPES
};
static const char *const shape_name[] __attribute__((unused)) = {"linear", "1d", "2d", "pitch",
	"3d", "a1d", "a2d", "tld4.r.2d", "tld4.a.2d", "2d.v2.f16x2", "2d.v4.f16", "cube", "acube"};
enum { FORMATS = 16 };
static const int formats[FORMATS][3] = {{0, 8, 1}, {0, 8, 2}, {0, 8, 4}, {1, 8, 1}, {1, 8, 4},
	{0, 16, 1}, {0, 16, 4}, {1, 16, 2}, {0, 32, 1}, {0, 32, 4}, {1, 32, 2}, {2, 16, 1},
	{2, 16, 4}, {2, 32, 1}, {2, 32, 2}, {2, 32, 4}};

struct configuration {
	unsigned number;
	int shape, kind, bits, channels; /* kind: 0 unsigned, 1 signed, 2 floating point */
	bool filters, normalized, unit_range, floats; /* floats: the coordinates */
	int outside;                                  /* 0 wrap, 1 clamp, 2 mirror, 3 border */
	int size[3];
};

static uint64_t input_state;
static inline uint32_t input_random(void)
{
	input_state = input_state * 6364136223846793005ull + 1442695040888963407ull;
	return (uint32_t)(input_state >> 33);
}

static inline bool is_cube(int shape) { return shape == SHAPE_CUBE || shape == SHAPE_ACUBE; }
static inline bool is_gather(int shape)
{
	return shape == SHAPE_GATHER_R || shape == SHAPE_GATHER_A;
}

static inline bool makes_sense(const struct configuration *c)
{
	const bool numbers = c->kind == 2 || c->unit_range;
	const bool every = (c->kind == 2 && c->bits == 32) ||
		(c->kind == 0 && c->bits == 8 && c->channels == 4);
	if (c->shape == SHAPE_LINEAR)
		return !c->filters && !c->normalized && !c->floats && !c->outside &&
			!(c->unit_range && (c->kind == 2 || c->bits == 32));
	if ((is_gather(c->shape) || is_cube(c->shape)) && !c->floats)
		return false;
	if (is_cube(c->shape) && !c->normalized)
		return false;
	if ((c->shape == SHAPE_HALF2 || c->shape == SHAPE_HALF4) && (c->outside != 1 || !numbers))
		return false;
	if ((c->unit_range && (c->kind == 2 || c->bits == 32)) ||
		(c->filters && (!numbers || !c->floats)))
		return false;
	return (c->outside == 1 || every) && !(c->normalized && !c->floats && c->outside != 1);
}

/* Sets C to the next configuration; false after the last one. Start with all zeros. */
static inline bool next_configuration(struct configuration *c)
{
	static unsigned at;
	const unsigned all = SHAPES * FORMATS * 64;
	if (c->number == 0)
		at = 0;
	while (at < all) {
		const unsigned k = at++;
		const int *f = formats[k / 64 % FORMATS];
		struct configuration n = {c->number + 1, (int)(k / 64 / FORMATS), f[0], f[1], f[2],
			(k >> 5 & 1) != 0, (k >> 4 & 1) != 0, (k >> 3 & 1) != 0, (k >> 2 & 1) != 0,
			(int)(k & 3), {0, 0, 0}};
		if (!makes_sense(&n))
			continue;
		input_state = n.number * 1000003ull;
		input_random();
		const bool flat = n.shape == SHAPE_LINEAR || n.shape == SHAPE_1D ||
			n.shape == SHAPE_A1D,
			   deep = n.shape == SHAPE_3D || n.shape == SHAPE_A1D ||
			n.shape == SHAPE_A2D;
		if (is_cube(n.shape)) {
			n.size[0] = n.size[1] = 4 + (int)(input_random() % 9);
			n.size[2] = n.shape == SHAPE_CUBE ? 6 : 18;
			*c = n;
			return true;
		}
		n.size[0] = 5 + (int)(input_random() % 13);
		n.size[1] = flat ? 0 : 4 + (int)(input_random() % 9);
		n.size[2] = deep ? 3 + (int)(input_random() % 3) : 0;
		*c = n;
		return true;
	}
	return false;
}

static inline int at_least_one(int n) { return n ? n : 1; }
static inline size_t texel_size(const struct configuration *c)
{
	return (size_t)(c->bits / 8 * c->channels);
}
static inline size_t texels_size(const struct configuration *c)
{
	return texel_size(c) *
		(size_t)(c->size[0] * at_least_one(c->size[1]) * at_least_one(c->size[2]));
}

/* The bits of a multiple of 1/64 below 8 as f16. */
static inline uint16_t input_half(float f)
{
	uint32_t u;
	memcpy(&u, &f, 4);
	const uint32_t sign = u >> 16 & 0x8000, exponent = (u >> 23 & 255) - 112;
	return (uint16_t)(f == 0 ? sign : sign | exponent << 10 | (u >> 13 & 0x3ff));
}

static inline void input_texels(const struct configuration *c, uint8_t *texels)
{
	const size_t bytes = (size_t)c->bits / 8;
	for (size_t i = 0; i < texels_size(c); i += bytes) {
		uint32_t r = input_random();
		if (c->kind == 2) {
			float f = (float)((int)(r % 1024) - 512) / 64.0f;
			uint16_t h = input_half(f);
			if (c->bits == 32 && (r >> 12 & 1))
				r = (r & 0x807fffff) | (120 + input_random() % 10) << 23;
			else if (c->bits == 32)
				memcpy(&r, &f, 4);
			else
				r = h;
		}
		memcpy(texels + i, &r, bytes);
	}
}

/* Inside and around the texture: multiples of 1/256 of a texel, halves, and others. */
static inline float input_coordinate(int size, bool normalized)
{
	const uint32_t r = input_random(), how = input_random() % 8;
	float x;
	if (how < 4)
		x = (float)((int)(r % (uint32_t)(size * 512)) - size * 128) / 256.0f +
			(input_random() & 1 ? 0.001f : 0.0f);
	else if (how < 6)
		x = ((float)(r & 0xffffff) / 16777216.0f * 3 - 1) * (float)size;
	else if (how == 6)
		x = (float)((int)(r % (uint32_t)(size * 4)) - size) / 2.0f;
	else
		x = ((float)(r & 0xffff) / 65536.0f * 3 - 1) * (float)size + 1.0f / 512;
	return normalized ? x / (float)size : x;
}

/* A direction from the centre of a cube: anywhere, near or at an edge, along an axis. */
static inline void input_direction(uint32_t at[4])
{
	const uint32_t how = input_random() % 8, axis = input_random() % 3;
	float v[3];

	for (unsigned d = 0; d < 3; d++)
		v[d] = (float)((int)(input_random() & 0xffffff) - 0x800000) / 8388608.0f;
	if (how == 0) /* an edge or a corner */
		v[axis] = input_random() & 1 ? v[(axis + 1) % 3] : -v[(axis + 1) % 3];
	if (how == 1)
		for (unsigned d = 0; d < 3; d++)
			v[d] = (float)((int)(input_random() % 17) - 8) / 8.0f;
	if (how == 2) {
		v[axis] = input_random() & 1 ? 1.0f : -1.0f;
		v[(axis + 1) % 3] = (float)((int)(input_random() % 257) - 128) / 128.0f;
	}
	if (how == 3)
		for (unsigned d = 0; d < 3; d++)
			v[d] *= 1000.0f;
	memcpy(at, v, sizeof v);
}

/* C[SAMPLES][4]: x, y, z and the layer. */
static inline void input_coordinates(const struct configuration *c, uint32_t (*at)[4])
{
	for (unsigned i = 0; i < SAMPLES; i++) {
		if (is_cube(c->shape)) {
			input_direction(at[i]);
			at[i][3] = c->shape == SHAPE_ACUBE ? input_random() % 5 : 0;
			continue;
		}
		for (unsigned d = 0; d < 3; d++) {
			const int size = at_least_one(c->size[d]);
			if (c->floats) {
				const float x = input_coordinate(size, c->normalized);
				memcpy(&at[i][d], &x, 4);
			} else {
				at[i][d] = (uint32_t)((int)(input_random() % (uint32_t)(size + 8)) -
					4);
			}
		}
		at[i][3] = c->size[2] ? input_random() % (uint32_t)(c->size[2] + 2) : 0;
	}
}

/* One line of the recording: the configuration and a digest of its results. */
static inline uint64_t digest_of(const uint32_t (*result)[4])
{
	uint64_t h = 14695981039346656037ull;
	for (unsigned i = 0; i < SAMPLES; i++)
		for (unsigned k = 0; k < 4; k++)
			h = (h ^ result[i][k]) * 1099511628211ull;
	return h;
}

/* --- surfaces --- */

/* One instruction on a surface of two dimensions: STEPS times by one thread. */
enum { STEPS = 64, SURFACE_SIZE = 8 };
/* Its number, its operands (of surface.cu), its words; bytes of an element and elements. */
#define SURFACE_FORMS(X) \
	X(0, ONE, "sust.p", "b32", 4, 1) \
	X(1, TWO, "sust.p", "v2.b32", 4, 2) \
	X(2, FOUR, "sust.p", "v4.b32", 4, 4) \
	X(3, ONE, "sured.b.add", "u32", 4, 1) \
	X(4, ONE, "sured.b.add", "s32", 4, 1) \
	X(5, LONG, "sured.b.add", "u64", 8, 1) \
	X(6, ONE, "sured.b.min", "u32", 4, 1) \
	X(7, ONE, "sured.b.min", "s32", 4, 1) \
	X(8, LONG, "sured.b.min", "u64", 8, 1) \
	X(9, LONG, "sured.b.min", "s64", 8, 1) \
	X(10, ONE, "sured.b.max", "u32", 4, 1) \
	X(11, ONE, "sured.b.max", "s32", 4, 1) \
	X(12, LONG, "sured.b.max", "u64", 8, 1) \
	X(13, LONG, "sured.b.max", "s64", 8, 1) \
	X(14, ONE, "sured.b.and", "b32", 4, 1) \
	X(15, ONE, "sured.b.or", "b32", 4, 1) \
	X(16, ONE, "sured.p.add", "b32", 4, 1) \
	X(17, ONE, "sured.p.min", "b32", 4, 1) \
	X(18, ONE, "sured.p.max", "b32", 4, 1) \
	X(19, ONE, "sured.p.and", "b32", 4, 1) \
	X(20, ONE, "sured.p.or", "b32", 4, 1) \
	X(21, LONG, "sured.p.min", "b64", 8, 1) \
	X(22, LONG, "sured.p.max", "b64", 8, 1)
enum { SURFACE_FORM_COUNT = 23 };
struct surface_case {
	unsigned number;
	int form, kind, bits, channels;
	bool clamp;  /* .clamp, otherwise .zero */
	bool sample; /* .p: the first coordinate counts texels */
	bool reduces;
	int bytes, count;
};

static inline bool next_surface(struct surface_case *c)
{
	static const struct {
		char sample, reduces;
		signed char bytes, count;
	} forms[SURFACE_FORM_COUNT] = {
#define X(number, shape, op, type, bytes, count) \
	{op[5] == 'p' || op[6] == 'p', op[2] == 'r', bytes, count},
		SURFACE_FORMS(X)
#undef X
	};
	static unsigned at;
	if (c->number == 0)
		at = 0;
	while (at < SURFACE_FORM_COUNT * FORMATS * 2) {
		const unsigned k = at++, form = k / 2 / FORMATS;
		const int *f = formats[k / 2 % FORMATS];
		struct surface_case n = {c->number + 1, (int)form, f[0], f[1], f[2], (k & 1) != 0,
			forms[form].sample != 0, forms[form].reduces != 0, forms[form].bytes,
			forms[form].count};
		/* components that the source lacks are unpredictable; a reduction is of texels of
		 * its size */
		if (!n.reduces ? n.channels > n.count
			       : n.kind == 2 || n.bits != 32 ||
					(n.sample ? n.channels * 4 != n.bytes : n.channels == 4))
			continue;
		input_state = n.number * 7000009ull + 11;
		input_random();
		*c = n;
		return true;
	}
	return false;
}

static inline size_t surface_row(const struct surface_case *c)
{
	return (size_t)(c->bits / 8 * c->channels * SURFACE_SIZE);
}

static inline void surface_texels(const struct surface_case *c, uint8_t *texels)
{
	for (size_t i = 0; i < surface_row(c) * SURFACE_SIZE; i++)
		texels[i] = (uint8_t)input_random();
}

/* X, y, and the value's words. */
static inline void surface_steps(const struct surface_case *c, uint32_t (*step)[6])
{
	for (unsigned i = 0; i < STEPS; i++) {
		const int unit = c->sample ? 1 : c->bytes,
			  end = c->sample ? SURFACE_SIZE : (int)surface_row(c) / c->bytes;
		step[i][0] = (uint32_t)(((int)(input_random() % (uint32_t)(end + 4)) - 2) * unit);
		step[i][1] = (uint32_t)((int)(input_random() % (SURFACE_SIZE + 4)) - 2);
		for (unsigned k = 2; k < 6; k++) {
			uint32_t r = input_random() << 1 ^ input_random();
			const uint32_t how = input_random() % 4;
			if (how == 0)
				r = (uint32_t)((int)(r % 600) - 300);
			if (c->kind == 2 && how < 3) {
				const float v = (float)((int)(r % 100000) - 50000) / 37.0f;
				memcpy(&r, &v, 4);
			}
			if (c->kind == 2 && how == 3 && (r & 0x7fffffff) > 0x7f800000)
				r = 0x7f800000;
			step[i][k] = r;
		}
	}
}

static inline uint64_t surface_digest(const struct surface_case *c, const uint8_t *texels)
{
	uint64_t h = 14695981039346656037ull;
	for (size_t i = 0; i < surface_row(c) * SURFACE_SIZE; i++)
		h = (h ^ texels[i]) * 1099511628211ull;
	return h;
}
#endif
