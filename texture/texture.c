/* Addressing and filtering of textures. See texture.h. */
#include "texture/texture.h"
#include "arith/soft.h"
#include "base/assert.h"
#include <limits.h>
#include <math.h>
#include <string.h>

enum { ONE = 256 }; /* fractions have 8 bits */
enum { CUBE_FACES = 6 };

static unsigned dimensions(const struct texture *t) { return t->size[2] ? 3 : 2; }
static uint32_t size_of(const struct texture *t, unsigned d) { return t->size[d] ? t->size[d] : 1; }

uint64_t texture_bytes(const struct texture *t)
{
	const uint64_t row = (uint64_t)t->size[0] * texel_bytes(t);
	const uint64_t rows = t->size[1] ? t->size[1] - 1u : 0;
	const uint64_t layers = t->layers ? t->layers : 1u,
		       slices = (t->size[2]               ? t->size[2]
						: t->cube ? layers * CUBE_FACES
							  : layers) -
		1u;
	return slices * t->slice + rows * t->pitch + row;
}

static const char *shape_refused(const struct texture *t)
{
	const uint64_t row = (uint64_t)t->size[0] * texel_bytes(t);
	if (!t->size[0] || (t->size[2] && !t->size[1]))
		return "a texture has a width, and a height where it has a depth";
	for (unsigned d = 0; d < 3; d++)
		if (t->size[d] > (t->linear ? 1u << 30 : 1u << 17))
			return "a dimension has at most 131072 texels";
	if (t->layers > 2048)
		return "there are at most 2048 layers";
	if (t->pitch % texel_bytes(t) || t->slice % texel_bytes(t) || t->pitch < row ||
		t->pitch > UINT32_MAX)
		return "the pitch is a multiple of a texel, and no less than a row";
	if ((t->size[2] || t->layers || t->cube) &&
		(t->slice < t->pitch * size_of(t, 1) || t->slice > UINT64_MAX >> 14))
		return "slices do not overlap";
	if (t->layers && t->size[2])
		return "an array has textures of one or two dimensions";
	if (t->cube && (t->size[0] != t->size[1] || t->size[2]))
		return "the faces of a cube are squares: two dimensions of one size";
	return NULL;
}

const char *texture_refused(const struct texture *t)
{
	const bool fits = t->bits == 16 || t->bits == 32 ||
		(t->bits == 8 && t->kind != TEXEL_FLOAT);
	const char *why;
	if (t->kind > TEXEL_FLOAT || !fits ||
		(t->channels != 1 && t->channels != 2 && t->channels != 4))
		return "a texel has one, two or four channels: integers of 8, 16 or 32 bits, f16 or f32";
	why = shape_refused(t);
	if (why)
		return why;
	if (t->unit_range && (t->kind == TEXEL_FLOAT || t->bits == 32))
		return "unit is for integers of 8 and 16 bits";
	if (t->filters && t->kind != TEXEL_FLOAT && !t->unit_range)
		return "integers are filtered with unit, as numbers from 0 or -1 to 1";
	if (t->linear && (t->size[1] || t->layers || t->filters || t->normalized))
		return "a row of memory (linear) is read by index, without filter";
	for (unsigned d = 0; d < 3; d++)
		if (t->outside[d] > OUTSIDE_BORDER)
			return "outside is wrap, clamp, mirror or border";
	return NULL;
}

/* --- coordinates --- */

static float float_of(uint32_t bits)
{
	float f;
	memcpy(&f, &bits, sizeof f);
	return f;
}

/* Texel I of SIZE, or -1: outside. */
static int64_t texel_at(int64_t i, uint32_t size, enum texture_outside outside)
{
	const int64_t n = size;
	if (i >= 0 && i < n)
		return i;
	switch (outside) {
	case OUTSIDE_BORDER: return -1;
	case OUTSIDE_CLAMP: return i < 0 ? 0 : n - 1;
	case OUTSIDE_WRAP: return (i % n + n) % n;
	case OUTSIDE_MIRROR: {
		const int64_t k = (i % (2 * n) + 2 * n) % (2 * n);
		return k < n ? k : 2 * n - 1 - k;
	}
	}
	never();
}

/* Wrapping and mirroring need normalized coordinates; without them they clamp. */
static enum texture_outside outside_of(const struct texture *t, unsigned dimension)
{
	const enum texture_outside o = (enum texture_outside)t->outside[dimension];
	return !t->normalized && (o == OUTSIDE_WRAP || o == OUTSIDE_MIRROR) ? OUTSIDE_CLAMP : o;
}

/* Coordinate X in texels: a normalized one has 21 bits below 1. */
static double texels_of(const struct texture *t, float x, unsigned dimension)
{
	return t->normalized ? floor(x * 0x1p21) * 0x1p-21 * size_of(t, dimension) : (double)x;
}

/* The same, in units of 1/256 of a texel. */
static int64_t fixed_point(const struct texture *t, float x, unsigned dimension)
{
	double d = texels_of(t, x, dimension);
	if (!(d > -1e9))
		d = isnan(d) ? 0 : -1e9;
	if (d > 1e9)
		d = 1e9;
	return (int64_t)floor(d * ONE + 0.5);
}

struct along {                 /* one dimension of a footprint */
	int64_t first, second; /* texels; -1: outside */
	unsigned fraction;
};

/* An integer names a texel; there is nothing outside. */
static struct along along_integer(const struct texture *t, int64_t i, unsigned d)
{
	const int64_t k = texel_at(i, size_of(t, d), OUTSIDE_BORDER);
	return (struct along){k, k, 0};
}

static struct along along_float(
	const struct texture *t, float x, unsigned d, int32_t move, bool filters)
{
	const enum texture_outside o = outside_of(t, d);
	if (!filters) {
		const double at = texels_of(t, x, d);
		const int64_t i = isnan(at) ? 0
			: at < -1e9         ? -1000000000
			: at > 1e9          ? 1000000000
					    : (int64_t)floor(at);
		const int64_t k = texel_at(i + move, size_of(t, d), o);
		return (struct along){k, k, 0};
	}
	const int64_t fixed = fixed_point(t, x, d) - ONE / 2;
	const int64_t i = fixed >> 8;
	const int64_t first = texel_at(i + move, size_of(t, d), o),
		      second = texel_at(i + move + 1, size_of(t, d), o);
	/* a coordinate that is clamped has no fraction */
	const bool clamped = first == second && o == OUTSIDE_CLAMP;
	return (struct along){first, second, clamped ? 0 : (unsigned)(fixed & (ONE - 1))};
}

static uint64_t offset_of(const struct texture *t, int64_t x, int64_t y, int64_t z)
{
	if (x < 0 || y < 0 || z < 0)
		return TEXEL_NONE;
	return (uint64_t)x * texel_bytes(t) + (uint64_t)y * t->pitch + (uint64_t)z * t->slice;
}

/* The texels at A, and in slice Z. */
static void put_footprint(
	const struct texture *t, const struct along a[3], bool filters, struct footprint *f)
{
	const unsigned n = dimensions(t);

	*f = (struct footprint){.count = filters ? 1u << n : 1};
	for (unsigned k = 0; k < f->count; k++)
		f->offset[k] = offset_of(t, k & 1 ? a[0].second : a[0].first,
			k & 2 ? a[1].second : a[1].first, k & 4 ? a[2].second : a[2].first);
	for (unsigned d = 0; d < n; d++)
		f->fraction[d] = (uint16_t)a[d].fraction;
}

void texture_footprint(const struct texture *t, const uint32_t c[3], bool integer, uint32_t layer,
	const int32_t move[3], struct footprint *f)
{
	const unsigned n = dimensions(t);
	const uint32_t at[3] = {c[0],
		t->size[1]                      ? c[1]
			: t->layers && !integer ? 0x3f000000
						: 0,
		c[2]};
	struct along a[3] = {{0}};
	const bool filters = t->filters && !integer;
	for (unsigned d = 0; d < n; d++)
		a[d] = integer ? along_integer(t, (int64_t)(int32_t)at[d] + move[d], d)
			       : along_float(t, float_of(at[d]), d, move[d], filters);
	if (t->layers)
		a[2].first = a[2].second = layer < t->layers ? layer
			: integer                            ? -1
							     : (int64_t)t->layers - 1;
	if (integer && !t->linear && !t->size[1] && !t->layers)
		a[0].first = -1;
	put_footprint(t, a, filters, f);
}

/* Slice Z of layer LAYER, which is the last one if there is no such layer. */
static int64_t slice_of(const struct texture *t, uint32_t layer)
{
	return t->layers ? layer < t->layers ? layer : t->layers - 1 : 0;
}

static void gather_at(
	const struct texture *t, const struct along a[2], int64_t z, struct footprint *f)
{
	*f = (struct footprint){.count = 4};
	f->offset[0] = offset_of(t, a[0].first, a[1].second, z);
	f->offset[1] = offset_of(t, a[0].second, a[1].second, z);
	f->offset[2] = offset_of(t, a[0].second, a[1].first, z);
	f->offset[3] = offset_of(t, a[0].first, a[1].first, z);
}

void texture_gather(const struct texture *t, const uint32_t c[2], uint32_t layer,
	const int32_t move[2], struct footprint *f)
{
	struct along a[2];

	for (unsigned d = 0; d < 2; d++)
		a[d] = along_float(t, float_of(c[d]), d, move[d], true);
	gather_at(t, a, slice_of(t, layer), f);
}

/* --- cubes --- */

/* Where direction C meets the cube: A in the face, which is the result. The axis of the greatest
 * component names the face, z before y before x. */
static unsigned face_of(
	const struct texture *t, const uint32_t c[3], bool filters, struct along a[2])
{
	/* for each face: the components along the face, and their signs */
	static const struct {
		uint8_t s, t;
		int8_t s_sign, t_sign;
	} faces[CUBE_FACES] = {{2, 1, -1, -1}, {2, 1, 1, -1}, {0, 2, 1, 1}, {0, 2, 1, -1},
		{0, 1, 1, -1}, {0, 1, -1, -1}};
	float v[3], size[3];
	unsigned axis = 2, face;

	for (unsigned d = 0; d < 3; d++) {
		v[d] = float_of(c[d]);
		size[d] = fabsf(v[d]);
	}
	if (size[1] > size[axis])
		axis = 1;
	if (size[0] > size[axis])
		axis = 0;
	face = 2 * axis + (signbit(v[axis]) ? 1u : 0u);
	const float r = 1 / size[axis], s = v[faces[face].s] * r * (float)faces[face].s_sign,
		    u = v[faces[face].t] * r * (float)faces[face].t_sign;
	a[0] = along_float(t, s * 0.5f + 0.5f, 0, 0, filters);
	a[1] = along_float(t, u * 0.5f + 0.5f, 1, 0, filters);
	return face;
}

void texture_cube_footprint(
	const struct texture *t, const uint32_t c[3], uint32_t layer, struct footprint *f)
{
	struct along a[3] = {{0}};

	a[2].first = slice_of(t, layer) * CUBE_FACES + face_of(t, c, t->filters, a);
	a[2].second = a[2].first;
	put_footprint(t, a, t->filters, f);
}

void texture_cube_gather(
	const struct texture *t, const uint32_t c[3], uint32_t layer, struct footprint *f)
{
	struct along a[2];
	const unsigned face = face_of(t, c, true, a);

	gather_at(t, a, slice_of(t, layer) * CUBE_FACES + face, f);
}

/* --- texels --- */

static uint32_t bits_of(float f)
{
	uint32_t x;
	memcpy(&x, &f, sizeof x);
	return x;
}

static uint32_t raw_channel(const struct texture *t, const uint8_t *texel, unsigned k)
{
	uint32_t x = 0;
	memcpy(&x, texel + k * t->bits / 8u, t->bits / 8u); /* little-endian, as on the GPU */
	return x;
}

uint32_t texture_channel(const struct texture *t, const uint8_t *texel, unsigned k)
{
	if (!texel || k >= t->channels)
		return 0;
	const uint32_t x = raw_channel(t, texel, k);
	if (t->kind == TEXEL_FLOAT)
		return t->bits == 16
			? (uint32_t)soft_to_float(TYPE_f32, soft_from_float(TYPE_f16, x),
				  (struct soft_rounding){.mode = SOFT_RN})
			: x;
	const unsigned shift = 32u - t->bits;
	const int32_t i = (int32_t)(x << shift) >> shift;
	if (!t->unit_range)
		return t->kind == TEXEL_SIGNED ? (uint32_t)i : x;
	if (t->kind == TEXEL_UNSIGNED)
		return bits_of((float)((double)x / ((1u << t->bits) - 1)));
	const double v = (double)i / ((1u << (t->bits - 1)) - 1);
	return bits_of((float)(v < -1 ? -1 : v));
}

/* WHOLE parts divided between two neighbours; FRACTION of 256 go to one, a half is rounded up. */
static unsigned part(unsigned whole, unsigned fraction)
{
	return (whole * fraction + ONE / 2) / ONE;
}

/* The texels' weights, of 256: first z is divided, then x, then y. */
static void weights(const struct footprint *f, unsigned w[FOOTPRINT])
{
	const unsigned x = f->fraction[0], y = f->fraction[1];
	for (unsigned z = 0; z < f->count / 4; z++) {
		const unsigned all = z ? f->fraction[2] : ONE - f->fraction[2];
		const unsigned high = part(all, x), low = all - high;
		w[4 * z + 3] = part(high, y);
		w[4 * z + 1] = high - w[4 * z + 3];
		w[4 * z] = part(low, ONE - y);
		w[4 * z + 2] = low - w[4 * z];
	}
}

/* A channel as the filter adds it up: integers in 16 bits, whose greatest one stands for 1. */
static int64_t filtered_integer(const struct texture *t, const uint8_t *texel, unsigned k)
{
	if (!texel)
		return 0;
	const uint32_t x = raw_channel(t, texel, k);
	if (t->kind == TEXEL_UNSIGNED)
		return t->bits == 8 ? x * 257 : x;
	const unsigned shift = 32u - t->bits;
	const int32_t i = (int32_t)(x << shift) >> shift, magnitude = i < 0 ? -i : i;
	if (t->bits == 16)
		return i < -INT16_MAX ? -INT16_MAX : i;
	const int32_t wide = magnitude > INT8_MAX ? INT16_MAX : magnitude * 258 + (magnitude >> 6);
	return i < 0 ? -wide : wide;
}

static uint32_t unit_number(const struct texture *t, double sixteen_bits)
{
	const int greatest = t->kind == TEXEL_UNSIGNED ? UINT16_MAX : INT16_MAX;
	return bits_of((float)(sixteen_bits / greatest));
}

uint32_t texture_gathered(const struct texture *t, const uint8_t *texel, unsigned k)
{
	return t->unit_range && k < t->channels
		? unit_number(t, (double)filtered_integer(t, texel, k))
		: texture_channel(t, texel, k);
}

static uint32_t filter_integers(const struct texture *t, const struct footprint *f,
	const unsigned *w, const uint8_t *const *texel, unsigned k)
{
	int64_t sum = 0;
	for (unsigned i = 0; i < f->count; i++)
		sum += (int64_t)w[i] * filtered_integer(t, texel[i], k);
	return unit_number(t, floor((double)sum / ONE + 0.5));
}

/* X rounded to BITS of significand, at least a multiple of 2^LEAST; a half away from zero. */
static double rounded(double x, int bits, int least)
{
	int e;
	frexp(x, &e);
	e = e - bits < least ? least : e - bits;
	return ldexp(round(ldexp(x, -e)), e);
}

/* Texels are cut off 28 bits below the largest one with a weight in their slice. The sum is exact,
 * and rounded once. */
static uint32_t filter_floats(const struct texture *t, const struct footprint *f, const unsigned *w,
	const uint8_t *const *texel, unsigned k)
{
	double sum = 0;
	for (unsigned z = 0; z < f->count; z += 4) {
		double v[4];
		int top = INT_MIN, e;
		for (unsigned i = 0; i < 4; i++) {
			v[i] = float_of(texture_channel(t, texel[z + i], k));
			frexp(v[i], &e);
			if (w[z + i] && v[i] != 0 && e > top)
				top = e;
		}
		for (unsigned i = 0; i < 4; i++)
			if (w[z + i] && v[i] != 0)
				sum += w[z + i] * ldexp(trunc(ldexp(v[i], 28 - top)), top - 28);
	}
	sum /= ONE;
	return bits_of((float)(t->bits == 16 ? rounded(sum, 11, -24) : rounded(sum, 24, -149)));
}

void texture_filter(const struct texture *t, const struct footprint *f,
	const uint8_t *const texel[FOOTPRINT], uint32_t result[4])
{
	unsigned w[FOOTPRINT];
	if (f->count > 1)
		weights(f, w);
	for (unsigned k = 0; k < 4; k++)
		result[k] = f->count == 1 || k >= t->channels ? texture_channel(t, texel[0], k)
			: t->kind == TEXEL_FLOAT              ? filter_floats(t, f, w, texel, k)
							      : filter_integers(t, f, w, texel, k);
}

static uint16_t half_of(uint32_t x, enum soft_round mode)
{
	return (uint16_t)soft_to_float(
		TYPE_f16, soft_from_float(TYPE_f32, x), (struct soft_rounding){.mode = mode});
}

uint16_t texture_half(uint32_t x) { return half_of(x, SOFT_RN); }

/* --- surfaces --- */

/* Where C is of SIZE, the nearest of 0 to SIZE - 1. */
static int64_t nearest(int64_t c, int64_t size, bool *inside)
{
	const int64_t k = c < 0 ? 0 : c < size ? c : size - 1;

	*inside &= k == c;
	return k;
}

bool surface_place(const struct texture *t, const int32_t c[4], unsigned unit, unsigned bytes,
	uint64_t *offset)
{
	const int64_t row = (int64_t)t->size[0] * texel_bytes(t), x = (int64_t)c[0] * unit,
		      last = row < bytes ? 0 : (row - bytes) / bytes * bytes;
	bool inside = x >= 0 && x + bytes <= row;

	*offset = (uint64_t)(inside ? x : x < 0 ? 0 : last);
	if (t->size[1])
		*offset += (uint64_t)nearest(c[1], t->size[1], &inside) * t->pitch;
	if (t->size[2])
		*offset += (uint64_t)nearest(c[2], t->size[2], &inside) * t->slice;
	if (t->layers)
		*offset += (uint64_t)nearest(c[3], t->layers, &inside) * t->slice;
	return inside;
}

void surface_put(const struct texture *t, uint8_t *texel, unsigned k, uint32_t value)
{
	uint32_t x = value;

	const uint32_t most = t->kind == TEXEL_SIGNED ? (uint32_t)INT32_MAX >> (32u - t->bits)
						      : UINT32_MAX >> (32u - t->bits);

	if (t->kind == TEXEL_FLOAT)
		x = t->bits == 16 ? half_of(value, SOFT_RZ) : value;
	else if (t->kind == TEXEL_UNSIGNED)
		x = value > most ? most : value;
	else
		x = (int32_t)value > (int32_t)most        ? most
			: (int32_t)value < ~(int32_t)most ? ~most
							  : value;
	memcpy(texel + k * t->bits / 8u, &x, t->bits / 8u);
}
