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
	SHAPES
};
static const char *const shape_name[] __attribute__((unused)) = {
	"linear", "1d", "2d", "pitch", "3d", "a1d", "a2d", "tld4.r.2d", "tld4.a.2d"};
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

static inline bool makes_sense(const struct configuration *c)
{
	const bool numbers = c->kind == 2 || c->unit_range;
	const bool every = (c->kind == 2 && c->bits == 32) ||
		(c->kind == 0 && c->bits == 8 && c->channels == 4);
	if (c->shape == SHAPE_LINEAR)
		return !c->filters && !c->normalized && !c->floats && !c->outside &&
			!(c->unit_range && (c->kind == 2 || c->bits == 32));
	if (c->shape >= SHAPE_GATHER_R && !c->floats)
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

/* C[SAMPLES][4]: x, y, z and the layer. */
static inline void input_coordinates(const struct configuration *c, uint32_t (*at)[4])
{
	for (unsigned i = 0; i < SAMPLES; i++) {
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
#endif
