/* Replays the texture fetches that a GPU recorded (record.cu): `texture replay FOLDER` computes
 * each configuration of inputs.h by texture/ and compares the digests in FOLDER/texture.tsv. */
#include "tests/oracle/texture/inputs.h"
#include "texture/texture.h"
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

static struct texture texture_of(const struct configuration *c)
{
	const uint64_t row = texel_size(c) * (uint64_t)c->size[0];
	const bool layered = c->shape == SHAPE_A1D || c->shape == SHAPE_A2D;
	const uint8_t o = (uint8_t)c->outside;
	return (struct texture){.size = {(uint32_t)c->size[0], (uint32_t)c->size[1],
					layered ? 0 : (uint32_t)c->size[2]},
		.layers = layered ? (uint32_t)c->size[2] : 0,
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
	const bool gathers = c->shape >= SHAPE_GATHER_R;
	const uint8_t *texel[FOOTPRINT] = {0};
	struct footprint f;
	if (gathers)
		texture_gather(t, at, 0, still, &f);
	else
		texture_footprint(t, at, !c->floats, at[3], still, &f);
	for (unsigned k = 0; k < f.count; k++)
		texel[k] = f.offset[k] == TEXEL_NONE ? NULL : texels + f.offset[k];
	if (!gathers)
		texture_filter(t, &f, texel, result);
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

/* In signed 8-bit integers the filter and tld4 sometimes differ by one of 2^15, and a few sums of
 * f32 in three dimensions in their last bit (docs/HARDWARE.md). */
static bool is_known(const struct configuration *c)
{
	return c->kind == 1 && c->bits == 8 ? c->filters || c->shape >= SHAPE_GATHER_R
					    : c->filters && c->shape == SHAPE_3D && c->kind == 2;
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
	return differ != 0;
}
