/* Tensor maps of sm_100 and later: the tables of the manual for swizzles (PTX ISA 5.5.7), what
 * images keep, and the rules of narrow elements (9.7.10.28.5.1). Maps of an H100 are compared with
 * recordings (tests/oracle/tensor). */
#include "arith/tensor_map.h"
#include <criterion/criterion.h>
#include <string.h>

static struct tensor_map tile(enum tensor_type type, uint64_t width, uint32_t box)
{
	return (struct tensor_map){.type = (uint8_t)type,
		.rank = 2,
		.address = 0x1000,
		.dim = {width, 64},
		.stride = {width * 8},
		.step = {1, 1},
		.box = {box, 8}};
}

/* ROWS rows of eight pieces of 16 bytes: where each of them is, as the manual's tables have it. */
struct layout {
	uint8_t swizzle, atom;
	unsigned rows;
	const char *pieces[8];
};

Test(tensor_map, swizzles_of_the_manual)
{
	static const struct layout layouts[] = {
		{SWIZZLE_32, ATOM_16, 2, {"01234567", "10325476"}},
		{SWIZZLE_96, ATOM_16, 2, {"01234567", "10325476"}},
		{SWIZZLE_64, ATOM_16, 4, {"01234567", "10325476", "23016745", "32107654"}},
		{SWIZZLE_128, ATOM_16, 8,
			{"01234567", "10325476", "23016745", "32107654", "45670123", "54761032",
				"67452301", "76543210"}},
		{SWIZZLE_128, ATOM_32, 4, {"01234567", "23016745", "45670123", "67452301"}},
		{SWIZZLE_128, ATOM_64, 2, {"01234567", "45670123"}},
	};

	for (unsigned n = 0; n < sizeof layouts / sizeof *layouts; n++) {
		const struct layout *l = &layouts[n];
		const struct tensor_map m = {.swizzle = l->swizzle, .atom = l->atom};

		for (unsigned at = 0; at < 8 * 128; at += 16) {
			const unsigned row = at / 128, piece = at / 16 % 8,
				       want = (unsigned)(l->pieces[row % l->rows][piece] - '0');

			cr_expect_eq(tensor_place(&m, at), row * 128 + want * 16,
				"layout %u, row %u, piece %u", n, row, piece);
		}
	}
}

/* The flip changes the places of 8 bytes in each 16 of every other line. */
Test(tensor_map, flip)
{
	const struct tensor_map plain = {.swizzle = SWIZZLE_128, .atom = ATOM_32},
				flip = {.swizzle = SWIZZLE_128, .atom = ATOM_32_FLIP_8};

	for (unsigned at = 0; at < 1024; at += 8)
		cr_expect_eq(tensor_place(&flip, at),
			tensor_place(&plain, at) ^ (at / 128 % 2 ? 8 : 0), "at %u", at);
}

Test(tensor_map, images_keep_what_is_new)
{
	for (unsigned type = 0; type < TENSOR_TYPES; type++)
		for (unsigned swizzle = 0; swizzle <= SWIZZLE_96; swizzle++)
			for (unsigned atom = 0; atom <= ATOM_64; atom++) {
				struct tensor_map m = tile((enum tensor_type)type, 128, 128), n;
				unsigned char image[TENSOR_IMAGE];

				m.swizzle = (uint8_t)swizzle;
				m.atom = (uint8_t)atom;
				tensor_map_write(&m, image);
				cr_assert(tensor_map_read(image, &n));
				cr_expect(n.type == type && n.swizzle == swizzle && n.atom == atom,
					"type %u, swizzle %u, atom %u", type, swizzle, atom);
				/* tensormap.replace sets the same fields */
				tensor_image_replace(image, FIELD_SWIZZLE, 0, SWIZZLE_96);
				tensor_image_replace(image, FIELD_ATOM, 0, 3 - atom);
				cr_assert(tensor_map_read(image, &n));
				cr_expect(n.swizzle == SWIZZLE_96 && n.atom == 3 - atom);
				tensor_image_replace(image, FIELD_SWIZZLE, 0, SWIZZLE_32);
				cr_assert(tensor_map_read(image, &n));
				cr_expect(n.swizzle == SWIZZLE_32 && n.type == type);
			}
}

static void refuses(struct tensor_map m, const char *part)
{
	const char *why = tensor_map_refused(&m);

	cr_expect(part ? why && strstr(why, part) : !why, "%s, not %s", why ? why : "accepted",
		part ? part : "accepted");
}

Test(tensor_map, rules_of_narrow_elements)
{
	struct tensor_map m = tile(TENSOR_B6X16_P32, 256, 128);

	refuses(m, NULL);
	m.swizzle = SWIZZLE_128;
	m.atom = ATOM_64;
	refuses(m, NULL);
	m.atom = ATOM_32_FLIP_8;
	refuses(m, "without flip");
	m.atom = ATOM_16;
	m.swizzle = SWIZZLE_64;
	refuses(m, "longer than the span");
	m = tile(TENSOR_B6X16_P32, 256, 64);
	refuses(m, "a box of 128");
	m = tile(TENSOR_B6X16_P32, 192, 128);
	refuses(m, "a multiple of 128");
	m = tile(TENSOR_B4X16_P64, 256, 128);
	refuses(m, NULL);
	m.nan = true;
	refuses(m, "floating-point");
	m.nan = false;
	m.address = 0x1010;
	refuses(m, "a multiple of 32");
	m = tile(TENSOR_B4X16, 62, 32);
	m.stride[0] = 32;
	refuses(m, NULL);
	m.dim[0] = 61;
	refuses(m, "even");
	m = tile(TENSOR_U32, 64, 24);
	m.swizzle = SWIZZLE_96;
	refuses(m, NULL);
	m.box[0] = 28;
	refuses(m, "longer than the span");
	m.box[0] = 24;
	m.atom = ATOM_32;
	refuses(m, "of the swizzle of 128");
}

/* im2col::w reads pixels of W alone, im2col::w::128 always 128 of them, and a halo. */
Test(tensor_map, rows_of_wide_modes)
{
	struct tensor_map m = {.im2col = true,
		.type = TENSOR_U32,
		.rank = 4,
		.swizzle = SWIZZLE_32,
		.address = 0x1000,
		.dim = {8, 9, 7, 64},
		.stride = {32, 288, 2016},
		.step = {1, 1, 1, 1},
		.channels = 8,
		.pixels = 128};
	/* the manual's example: 128 pixels from (0, 3, 2, 7) on, and two of the halo */
	struct tensor_copy c = {.map = &m, .mode = TENSOR_W, .at = {0, 3, 2, 7}, .offset = {2, 0}};
	struct tensor_walk w;
	struct tensor_row r;
	unsigned n = 0, x = 3, image = 7;

	cr_assert_null(tensor_copy_refused(&c));
	cr_expect_eq(tensor_rows(&c), 130);
	tensor_begin(&w, &c);
	for (; n < 128; n++, x++) {
		if (x == 9) {
			x = 0;
			image++;
		}
		cr_assert(tensor_next(&w, &r));
		cr_expect_eq(r.address, 0x1000 + x * 32 + 2 * 288 + image * 2016, "pixel %u", n);
	}
	for (unsigned k = 0; k < 2; k++, x++) { /* the last pixel is the fifth of its row */
		cr_assert(tensor_next(&w, &r));
		cr_expect_eq(r.address, 0x1000 + x * 32 + 2 * 288 + image * 2016, "halo %u", k);
	}
	cr_expect(!tensor_next(&w, &r));
	c.mode = TENSOR_W128;
	cr_expect_eq(tensor_rows(&c), 136);
	c.offset[0] = 32;
	cr_expect_not_null(tensor_copy_refused(&c));
}
