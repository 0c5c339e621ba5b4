/* Which of equal elements are chosen is open: here the first ones. They keep their order. */
#include "arith/sparse.h"

enum { LANES = 32, RESERVED = 5 };

uint64_t sparse_control(const struct sparse *s)
{
	return s->bits | (uint64_t)s->index << 8 | (uint64_t)s->from << 16 | (uint64_t)s->to << 24 |
		(uint64_t)s->places << 32 | (uint64_t)s->values << 40 | (uint64_t)s->first << 48;
}

static struct sparse control_read(const void *word)
{
	uint64_t x = *(const uint64_t *)word;

	return (struct sparse){.bits = (uint8_t)x,
		.index = (uint8_t)(x >> 8),
		.from = (uint8_t)(x >> 16),
		.to = (uint8_t)(x >> 24),
		.places = (uint8_t)(x >> 32),
		.values = (uint8_t)(x >> 40),
		.first = (uint8_t)(x >> 48)};
}

/* The types of a descriptor, by its bits 2 to 4: of 16 bits f16 and bf16; of 8 bits u8, s8, e5m2,
 * e4m3, e3m2, e2m3. */
static unsigned type_of(uint32_t descriptor) { return descriptor >> 2 & 7; }

void sparse_misfit(void *const *v, uint32_t mask)
{
	struct sparse s = control_read(v[2]);
	const uint32_t *descriptor = v[1];
	uint32_t yes = 0;

	for (unsigned lane = 0; lane < LANES; lane++)
		yes |= (uint32_t)(type_of(descriptor[lane]) > (s.bits == 16 ? 1 : 5) ||
			       descriptor[lane] >> RESERVED)
			<< lane;
	*(uint32_t *)v[0] = (*(uint32_t *)v[0] & ~mask) | (yes & mask);
}

/* Elements in the order of their keys: -0 is below +0, NaN above everything. */
static int key_of(uint32_t x, unsigned bits, uint32_t descriptor)
{
	/* the codes of infinity; above it are NaNs */
	static const uint16_t most[2][6] = {{0, 0, 0x7c, 0x7e, 0x1f, 0x1f}, {0x7c00, 0x7f80}};
	unsigned type = type_of(descriptor), what = descriptor & 3;
	bool magnitudes = what & 1, smallest = what & 2;
	int key;

	if (bits == 8 && type < 2) {
		key = type ? (int)(int8_t)x : (int)x;
		key = magnitudes && key < 0 ? -key : key;
		return smallest ? -key : key;
	}
	bool six = bits == 8 && type >= 4;
	uint32_t sign = six ? 0x20 : 1u << (bits - 1), magnitude = x & (sign - 1);

	if (magnitude > most[bits == 16][type])
		return 1 << 20;
	key = (int)magnitude;
	if (!magnitudes && x & sign)
		key = -key - 1;
	return smallest ? -key : key;
}

/* The places of the two elements of a group that are chosen, the lower one first. */
static void choose(const uint32_t *x, unsigned bits, uint32_t descriptor, unsigned *place)
{
	int key[4];
	unsigned best = 0, next;

	for (unsigned e = 0; e < 4; e++)
		key[e] = key_of(x[e], bits, descriptor);
	for (unsigned e = 1; e < 4; e++)
		best = key[e] > key[best] ? e : best;
	next = best == 0;
	for (unsigned e = next + 1; e < 4; e++)
		if (e != best && key[e] > key[next])
			next = e;
	place[0] = best < next ? best : next;
	place[1] = best < next ? next : best;
}

void sparse_compress(void *const *v, uint32_t mask)
{
	struct sparse s = control_read(v[6]);
	const uint32_t *low = v[2], *high = v[3], *descriptor = v[4], *before = v[5];
	uint32_t *to = v[0], *places = v[1];

	for (unsigned lane = 0; lane < LANES; lane++) {
		uint64_t dense = low[lane] | (uint64_t)high[lane] << 32, result = 0, at = 0;

		if (!(mask >> lane & 1) || type_of(descriptor[lane]) > (s.bits == 16 ? 1 : 5))
			continue;
		for (unsigned g = 0; g < 16u / s.bits; g++) {
			uint32_t x[4];
			unsigned place[2];

			for (unsigned e = 0; e < 4; e++)
				x[e] = (uint32_t)(dense >> (g * 4 + e) * s.bits) &
					((1u << s.bits) - 1);
			choose(x, s.bits, descriptor[lane], place);
			for (unsigned k = 0; k < 2; k++) {
				result |= (uint64_t)x[place[k]] << (g * 2 + k) * s.bits;
				at |= (uint64_t)place[k] << (g * 2 + k) * s.index;
			}
		}
		to[lane] = (uint32_t)result;
		places[lane] = before[lane] | (uint32_t)(at << s.places);
	}
}

void sparse_expand(void *const *v, uint32_t mask)
{
	struct sparse s = control_read(v[3]);
	const uint32_t *places = v[1], *values = v[2];
	unsigned each = 32u / s.bits, groups = s.to < each ? each / s.to : 1;
	uint32_t *to = v[0];

	for (unsigned lane = 0; lane < LANES; lane++) {
		uint32_t result[4] = {0}, word = 0;

		if (!(mask >> lane & 1))
			continue;
		for (unsigned k = 0; k < groups * s.from; k++) {
			unsigned place = places[lane] >> (s.places + k * s.index) &
				((1u << s.index) - 1),
				 at = k / s.from * s.to + place - s.first;

			/* a place that the group does not have: nothing */
			if (place < s.to && place >= s.first && at < each)
				result[at] = values[lane] >> (s.values + k * s.bits) &
					((1u << s.bits) - 1);
		}
		for (unsigned e = 0; e < each; e++)
			word |= result[e] << e * s.bits;
		to[lane] = word;
	}
}
