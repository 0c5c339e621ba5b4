/* Replays what a GPU recorded of textures and surfaces (record.cu, surface.cu): `texture replay
 * FOLDER` computes each configuration of inputs.h by texture/ and compares the digests in
 * FOLDER/texture.tsv and FOLDER/surface.tsv. */
#include "arith/atomic.h"
#include "tests/oracle/texture/inputs.h"
#include "texture/texture.h"
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

static struct texture texture_of(const struct configuration *c)
{
	const uint64_t row = texel_size(c) * (uint64_t)c->size[0];
	const bool layered = c->shape == SHAPE_A1D || c->shape == SHAPE_A2D,
		   cube = is_cube(c->shape);
	const uint8_t o = (uint8_t)c->outside;
	return (struct texture){.size = {(uint32_t)c->size[0], (uint32_t)c->size[1],
					layered || cube ? 0 : (uint32_t)c->size[2]},
		.layers = layered                 ? (uint32_t)c->size[2]
			: c->shape == SHAPE_ACUBE ? (uint32_t)c->size[2] / 6
						  : 0,
		.cube = cube,
		.pitch = row,
		.slice = row * (uint64_t)at_least_one(c->size[1]),
		.kind = (uint8_t)c->kind,
		.bits = (uint8_t)c->bits,
		.channels = (uint8_t)c->channels,
		.linear = c->shape == SHAPE_LINEAR,
		.outside = {o, o, o},
		.filters = c->filters,
		.normalized = c->normalized,
		.unit_range = c->unit_range};
}

static void fetch(const struct configuration *c, const struct texture *t, const uint8_t *texels,
	const uint32_t at[4], uint32_t result[4])
{
	static const int32_t still[3];
	const bool gathers = is_gather(c->shape);
	const uint8_t *texel[FOOTPRINT] = {0};
	struct footprint f;
	if (gathers)
		texture_gather(t, at, 0, still, &f);
	else if (t->cube)
		texture_cube_footprint(t, at, at[3], &f);
	else
		texture_footprint(t, at, !c->floats, at[3], still, &f);
	for (unsigned k = 0; k < f.count; k++)
		texel[k] = f.offset[k] == TEXEL_NONE ? NULL : texels + f.offset[k];
	if (!gathers)
		texture_filter(t, &f, texel, result);
	for (unsigned k = 0; c->shape == SHAPE_HALF4 && k < 4; k++)
		result[k] = texture_half(result[k]);
	if (c->shape == SHAPE_HALF2) {
		for (unsigned k = 0; k < 2; k++)
			result[k] = texture_half(result[2 * k]) |
				(uint32_t)texture_half(result[2 * k + 1]) << 16;
		result[2] = result[3] = 0;
	}
	for (unsigned k = 0; gathers && k < 4; k++)
		result[k] = texture_gathered(t, texel[k], c->shape == SHAPE_GATHER_R ? 0 : 3);
}

static uint64_t replay(const struct configuration *c)
{
	static uint32_t at[SAMPLES][4], result[SAMPLES][4];
	const struct texture t = texture_of(c);
	uint8_t *texels = malloc(texels_size(c));
	if (!texels)
		exit(2);
	input_texels(c, texels);
	input_coordinates(c, at);
	for (unsigned i = 0; i < SAMPLES; i++)
		fetch(c, &t, texels, at[i], result[i]);
	free(texels);
	return digest_of((const uint32_t(*)[4])result);
}

/* In signed 8-bit integers the filter and tld4 sometimes differ by one of 2^15, a few sums of f32
 * in three dimensions in their last bit. The last bit of the reciprocal decides on which side of an
 * edge a direction is that meets it exactly: with wrap or border that is another texel.
 * (docs/HARDWARE.md) */
static bool is_known(const struct configuration *c)
{
	return (c->kind == 1 && c->bits == 8 && (c->filters || is_gather(c->shape))) ||
		(c->filters && c->shape == SHAPE_3D && c->kind == 2) ||
		(is_cube(c->shape) && (c->outside == 0 || c->outside == 3));
}

/* --- surfaces --- */

static void reduce(const struct surface_case *c, const char *op, const char *type, uint8_t *at,
	const uint32_t value[2])
{
	const bool is_signed = c->sample ? c->kind == 1 : type[0] == 's';
	const uint64_t ones = c->bytes == 8 ? UINT64_MAX : UINT32_MAX,
		       b = value[0] | (c->bytes == 8 ? (uint64_t)value[1] << 32 : 0);
	const enum atomic what = strstr(op, "add") ? ATOMIC_ADD
		: strstr(op, "min")                ? ATOMIC_MIN
		: strstr(op, "max")                ? ATOMIC_MAX
		: strstr(op, "and")                ? ATOMIC_AND
						   : ATOMIC_OR;
	uint64_t old = 0;

	memcpy(&old, at, (size_t)c->bytes);
	old = atomic_integer(what, is_signed ? (ones >> 1) + 1 : 0, ones, old, b, 0);
	memcpy(at, &old, (size_t)c->bytes);
}

static uint64_t replay_surface(const struct surface_case *c)
{
	static const char *const op[][2] = {
#define X(number, shape, op, type, bytes, count) {op, type},
		SURFACE_FORMS(X)
#undef X
	};
	static uint32_t step[STEPS][6];
	static uint8_t texels[16 * SURFACE_SIZE * SURFACE_SIZE];
	const struct texture t = {.size = {SURFACE_SIZE, SURFACE_SIZE, 0},
		.pitch = surface_row(c),
		.slice = surface_row(c) * SURFACE_SIZE,
		.kind = (uint8_t)c->kind,
		.bits = (uint8_t)c->bits,
		.channels = (uint8_t)c->channels,
		.surface = true};
	const unsigned n = c->reduces ? (unsigned)c->bytes : texel_bytes(&t);

	surface_texels(c, texels);
	surface_steps(c, step);
	for (unsigned i = 0; i < STEPS; i++) {
		const int32_t at[4] = {(int32_t)step[i][0], (int32_t)step[i][1], 0, 0};
		uint64_t offset;

		if (!surface_place(&t, at, c->sample ? n : 1, n, &offset) && !c->clamp)
			continue;
		if (c->reduces)
			reduce(c, op[c->form][0], op[c->form][1], texels + offset, step[i] + 2);
		for (unsigned k = 0; !c->reduces && k < t.channels; k++)
			surface_put(&t, texels + offset, k, step[i][2 + k]);
	}
	return surface_digest(c, texels);
}

static int replay_surfaces(const char *folder)
{
	char path[4096];
	unsigned number, same = 0, differ = 0;
	uint64_t digest;

	if (snprintf(path, sizeof path, "%s/surface.tsv", folder) >= (int)sizeof path)
		return 2;
	FILE *f = fopen(path, "r");
	if (!f)
		return perror(path), 2;
	for (struct surface_case c = {0}; next_surface(&c);) {
		if (fscanf(f, "%u %" SCNx64, &number, &digest) != 2 || number != c.number) {
			printf("%s: no line for case %u\n", path, c.number);
			return 1;
		}
		if (replay_surface(&c) == digest) {
			same++;
		} else {
			differ++;
			printf("differs: surface %u, form %d, kind %d, %d bits, %d channels, clamp %d\n",
				c.number, c.form, c.kind, c.bits, c.channels, c.clamp);
		}
	}
	fclose(f);
	printf("surfaces: %u cases of %d instructions the same, %u differ\n", same, STEPS, differ);
	return differ != 0;
}

int main(int argc, char **argv)
{
	char path[4096];
	unsigned number, same = 0, known = 0, differ = 0;
	uint64_t digest;
	if (argc != 3 || snprintf(path, sizeof path, "%s/texture.tsv", argv[2]) >= (int)sizeof path)
		return 2;
	FILE *f = fopen(path, "r");
	if (!f)
		return perror(path), 2;
	for (struct configuration c = {0}; next_configuration(&c);) {
		if (fscanf(f, "%u %" SCNx64, &number, &digest) != 2 || number != c.number) {
			printf("%s: no line for configuration %u\n", path, c.number);
			return 1;
		}
		if (replay(&c) == digest) {
			same++;
		} else if (is_known(&c)) {
			known++;
		} else {
			differ++;
			printf("differs: %u, %s, kind %d, %d bits, %d channels, filters %d, normalized %d, unit range %d, floats %d, outside %d\n",
				c.number, shape_name[c.shape], c.kind, c.bits, c.channels,
				c.filters, c.normalized, c.unit_range, c.floats, c.outside);
		}
	}
	fclose(f);
	printf("textures: %u configurations of %d fetches the same, %u differ in a last bit as described, %u differ\n",
		same, SAMPLES, known, differ);
	return replay_surfaces(argv[2]) || differ != 0;
}
