/* The contents of tiles: in each tile the elements come from one of eight kinds of values, those of
 * C from another of eight, so that sums cancel, products lie far apart, and results overflow. */
#include "matrix.h"
#include <string.h>

struct random {
	uint64_t state;
};

static uint64_t next(struct random *r)
{
	uint64_t z = r->state += 0x9e3779b97f4a7c15u;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
	z = (z ^ z >> 27) * 0x94d049bb133111ebu;
	return z ^ z >> 31;
}

static unsigned below(struct random *r, unsigned n) { return (unsigned)(next(r) >> 33) % n; }

/* Exponent and fraction bits; FREE low bits are ignored by the instruction. */
static const struct {
	uint8_t exponent, fraction, free;
} format[E_COUNT] = {[E_E4M3] = {4, 3, 0},
	[E_E5M2] = {5, 2, 0},
	[E_F16] = {5, 10, 0},
	[E_BF16] = {8, 7, 0},
	[E_TF32] = {8, 10, 13},
	[E_F32] = {8, 23, 0},
	[E_F64] = {11, 52, 0}};

/* The value with EXPONENT (biased; clamped to normal numbers) and FRACTION. */
static uint64_t number(enum element e, uint64_t sign, int exponent, uint64_t fraction)
{
	int most = (1 << format[e].exponent) - 2;
	unsigned f = format[e].fraction;

	exponent = exponent < 1 ? 1 : exponent > most ? most : exponent;
	return (sign & 1) << (format[e].exponent + f) | (uint64_t)exponent << f |
		(fraction & ((UINT64_C(1) << f) - 1));
}

static uint64_t edge(enum element e, struct random *r)
{
	unsigned f = format[e].fraction, w = format[e].exponent;
	uint64_t ones = (UINT64_C(1) << f) - 1, high = (UINT64_C(1) << w) - 1,
		 one = ((UINT64_C(1) << (w - 1)) - 1) << f, sign = next(r) & 1;
	uint64_t v[] = {0, 0, 1, ones, UINT64_C(1) << f, one, one | 1, one | ones,
		(high - 1) << f | ones, (high - 1) << f, high << f, high << f | ones, high << f | 1,
		one};

	return sign << (w + f) | v[below(r, sizeof v / sizeof *v)];
}

/* KIND: of A and B 0..7; of C 8..15. */
static uint64_t real(enum element e, unsigned kind, struct random *r)
{
	unsigned f = format[e].fraction, w = format[e].exponent;
	int bias = (1 << (w - 1)) - 1, span = bias < 16 ? bias : 16;
	uint64_t x = next(r), sign = x >> 63;
	unsigned choice = below(r, 16);

	switch (kind) {
	case 0:
	case 9: return x >> (64 - (1 + w + f));
	case 1:
	case 10: return number(e, sign, bias - 2 + (int)below(r, 4), x);
	case 2:
	case 12: return choice < 6 ? edge(e, r) : number(e, sign, bias - 1 + (int)below(r, 3), x);
	case 3: /* few, far apart */
		return choice < 11
			? sign << (w + f)
			: number(e, sign, bias - span + (int)below(r, 2u * (unsigned)span), x);
	case 4: return choice < 5 ? 0 : number(e, sign, bias - 6 + (int)below(r, 13), 0);
	case 5: /* sums that cancel but for the last bits */
		return choice < 2 ? 0
			: choice < 9
			? number(e, sign, bias, choice & 1)
			: number(e, sign, bias - (choice < 11 ? (int)below(r, (unsigned)bias) : 0),
				  choice & 1 ? 0 : UINT64_MAX);
	case 6:
		return choice < 8 ? sign << (w + f) | (x & ((UINT64_C(1) << f) - 1))
				  : number(e, sign, 1 + (int)below(r, (unsigned)bias), x);
	case 7: return number(e, sign, 1 + (int)below(r, (1u << w) - 2), x);
	case 8: return sign << (w + f) & -(uint64_t)(choice == 0);
	case 11: return number(e, sign, bias - 15 + (int)below(r, 40), x);
	case 13: return number(e, sign, bias + (int)below(r, 9), 0);
	case 14:
		return choice < 8 ? sign << (w + f) | (x & ((UINT64_C(1) << f) - 1))
				  : number(e, sign, 1 + (int)below(r, (unsigned)bias), x);
	default: return number(e, sign, bias - 1 + (int)below(r, 5), UINT64_MAX);
	}
}

static uint64_t element(enum element e, unsigned kind, struct random *r)
{
	uint64_t x;

	switch (e) {
	case E_NONE:
	case E_COUNT: return 0;
	case E_B1:
	case E_U4:
	case E_S4:
	case E_U8:
	case E_S8: /* in half of the tiles extreme values, so that sums saturate */
		x = next(r);
		if (kind & 1)
			x = below(r, 4) ? 0x7f7f7f7f : below(r, 2) ? 0x80808080 : 0xffffffff;
		return x & ((UINT64_C(1) << element_bits(e)) - 1);
	case E_S32:
		x = next(r);
		return (uint32_t)(kind & 1 ? x
				: kind & 2 ? 0x7fffffffu - (x & 0xffff)
				: kind & 4 ? 0x80000000u + (x & 0xffff)
					   : x & 0xff);
	case E_TF32: x = real(e, kind, r) << 13; return next(r) & 1 ? x : x | (next(r) & 0x1fff);
	case E_E4M3:
	case E_E5M2:
	case E_F16:
	case E_BF16:
	case E_F32:
	case E_F64: return real(e, kind, r);
	}
	return 0;
}

/* Puts ELEMENTS elements into consecutive bits from word AT on; returns the next word. */
static unsigned fill(uint32_t *words, unsigned at, unsigned nwords, enum element e, unsigned kind,
	struct random *r)
{
	unsigned bits = element_bits(e);

	for (unsigned i = 0; i < nwords; i++)
		if (bits == 64) {
			uint64_t x = element(e, kind, r);

			words[at + i++] = (uint32_t)x;
			words[at + i] = (uint32_t)(x >> 32);
		} else {
			words[at + i] = 0;
			for (unsigned b = 0; b < 32; b += bits)
				words[at + i] |= (uint32_t)element(e, kind, r) << b;
		}
	return at + nwords;
}

/* Two different ascending indices of four elements, or (tf32) one of two, in each four bits. */
static uint32_t metadata(enum element a, struct random *r)
{
	static const uint8_t pairs[] = {0x4, 0x8, 0xc, 0x9, 0xd, 0xe};
	uint32_t x = 0;

	for (unsigned b = 0; b < 32; b += 4)
		x |= (uint32_t)(a == E_TF32 ? (next(r) & 1 ? 0x4 : 0xe) : pairs[below(r, 6)]) << b;
	return x;
}

static unsigned times(unsigned n, unsigned step) { return n ? (n - 1) * step : 0; }

/* A random descriptor of A or (B) B, all of which lies in the image, which begins at a multiple of
 * 1024. The strides of swizzled matrices are multiples of the pattern. In a quarter of the tiles
 * the pattern begins elsewhere, which the base offset says. */
static uint64_t descriptor(const struct matrix_form *f, bool b, struct random *r)
{
	static const unsigned row_of[] = {16, 128, 64, 32};
	unsigned mode = f->swizzle[b], row = row_of[mode], unit = mode ? 8 * row : 16,
		 rows = b ? f->n : 64, k = f->k / (!b && f->sparse ? 2u : 1u),
		 chunks = k * element_bits((enum element)f->a) / 128, most = 64, start, lead,
		 stride, base = mode && below(r, 4) == 0 ? below(r, 8) : 0, end;

	do {
		start = base * 128 + below(r, 4) * (mode ? 1024 : 16);
		lead = unit * (1 + below(r, most));
		stride = unit * (1 + below(r, most));
		if (f->transposed[b]) {
			unsigned blocks = (rows * 2 + row - 1) / row;

			end = times(blocks, mode ? lead : stride) +
				times(k / 8, mode ? stride : lead);
		} else {
			if (mode && chunks * 16 < row)
				start += below(r, row / 16 / chunks) * chunks * 16;
			end = times(rows / 8, stride) +
				(mode ? times(chunks * 16 / row, lead) : times(chunks, lead));
		}
		most = most > 1 ? most - most / 4 : 1;
	} while (start + end + 8 * row + base * 128 > f->image_words * 4);
	return start >> 4 | (uint64_t)(lead >> 4) << 16 | (uint64_t)(stride >> 4) << 32 |
		(uint64_t)base << 49 | (uint64_t)mode << 62;
}

static void wgmma_input(
	const struct matrix_form *f, unsigned tile, uint32_t *words, struct random *r)
{
	unsigned ab = tile & 7, c = 8 + (tile >> 3 & 7), at = 0, half = f->image_words / 2;
	enum element a = (enum element)f->a;

	at = fill(words, at, half, a, ab, r);
	at = fill(words, at, half, (enum element)f->b, ab, r);
	at = fill(words, at, f->nc * WARPGROUP, (enum element)f->c, c, r);
	at = fill(words, at, f->na * WARPGROUP, a, ab, r);
	for (unsigned i = 0; f->sparse && i < WARPGROUP; i++)
		words[at++] = metadata(a, r);
	for (unsigned b = 0; b < 2; b++) {
		uint64_t d = descriptor(f, b != 0, r);

		words[at++] = (uint32_t)d;
		words[at++] = (uint32_t)(d >> 32);
	}
	words[at++] = below(r, 8) != 0; /* scale-d */
	words[at] = words[at + 1] = words[at + 2] = 0;
}

void matrix_input(const struct matrix_form *f, unsigned tile, uint32_t *words)
{
	struct random r = {.state = tile * UINT64_C(0x123456789)};
	unsigned ab = tile & 7, c = 8 + (tile >> 3 & 7), at = 0;
	enum element ea = (enum element)f->a, eb = (enum element)f->b, ec = (enum element)f->c;

	for (const char *p = f->name; *p; p++)
		r.state = (r.state ^ (unsigned char)*p) * UINT64_C(0x100000001b3);
	if (f->what == WGMMA) {
		wgmma_input(f, tile, words, &r);
		return;
	}
	if (f->what >= LDMATRIX) {
		unsigned step = below(&r, 64) * 2 + 1;

		fill(words, 0, f->in_words, E_S32, 1, &r);
		for (unsigned i = 0; f->what == STMATRIX && i < LANES_A_WARP; i++)
			words[f->in_words - 1 - i] = i * step % 128 * 16; /* rows apart */
		return;
	}
	if (f->what == WMMA_LOAD) { /* numbers that no load changes */
		fill(words, 0, f->in_words, E_S32, 1, &r);
		return;
	}
	if (f->what == WMMA) {
		bool ra = !strcmp(f->layout[0], "row"), rb = !strcmp(f->layout[1], "row");
		unsigned na = (ra ? f->m * matrix_stride(f->k, ea)
				  : f->k * matrix_stride(f->m, ea)) *
			element_bits(ea) / 32,
			 nb = (rb ? f->k * matrix_stride(f->n, eb)
				  : f->n * matrix_stride(f->k, eb)) *
			element_bits(eb) / 32;

		at = fill(words, at, na, ea, ab, &r);
		at = fill(words, at, nb, eb, ab, &r);
		fill(words, at, f->in_words - at, ec, c, &r);
		return;
	}
	unsigned wide = ea == E_F64 ? 64 : 32;

	at = fill(words, at, f->na * wide, ea, ab, &r);
	at = fill(words, at, f->nb * wide, eb, ab, &r);
	at = fill(words, at, f->nc * wide, ec, c, &r);
	for (unsigned i = 0; f->sparse && i < LANES_A_WARP; i++)
		words[at + i] = metadata(ea, &r);
}
