/* A product is computed in three steps: the registers are spread out into matrices, the sums are
 * formed, and D is put into the registers. */
#include "arith/matrix.h"
#include "arith/fp.h"
#include "arith/matrix_sum.h"
#include "arith/rounding.h"
#include "base/assert.h"
#include "isa/vocab.h"

enum { LANES = 32, GROUPS = SUM_ROWS, COLUMNS = SUM_COLUMNS, STORED = SUM_LENGTH, INNER = 128 };

static bool is_small(enum type t)
{
	return t == TYPE_e4m3 || t == TYPE_e5m2 || t == TYPE_e3m2 || t == TYPE_e2m3 ||
		t == TYPE_e2m1;
}

/* Bits of an element of type T of A or B in a register. */
static unsigned bits_in_register(const struct matrix_form *f, enum type t)
{
	return is_small(t) ? (f->packed ? 4 : 8) : type_info[t].bits;
}

/* --- layouts --- */

static bool is_swapped(const struct matrix_form *f) { return f->m == 8 && f->n > 8; }

struct fragment matrix_fragment(const struct matrix_form *f, char matrix)
{
	bool swapped = is_swapped(f), a = matrix == 'a', b = matrix == 'b';
	enum type t = (enum type)(a ? f->a : b ? f->b : matrix == 'c' ? f->c : f->d);
	unsigned bits = bits_in_register(f, t),
		 inner = a || b ? f->k
		: swapped       ? f->m
				: f->n,
		 groups = b || (swapped && !a) ? f->n : f->m;

	if (f->quads && (a || b))
		return fragment_of_quad(
			bits, 4, (a ? f->a_columns : f->b_rows) ? QUAD_ACROSS : QUAD_GROUP);
	if (f->quads)
		return fragment_of_quad(bits, 8, bits == 32 ? QUAD_F32 : QUAD_GROUP);
	if (t == TYPE_b1) { /* 32 of them at a time */
		bits = 32;
		inner /= 32;
	}
	if (a && f->sparse)
		inner /= 2;
	return fragment_of(bits, groups, inner, !a && !b, swapped ? !a : !b);
}

static bool becomes_half(const struct matrix_form *f)
{
	return is_small((enum type)f->a) && !f->warpgroup && !f->kind;
}

static int least_power(enum type t)
{
	switch ((int)t) {
	case TYPE_bf16:
	case TYPE_tf32: return -126;
	case TYPE_e4m3:
	case TYPE_ue4m3: return -6;
	case TYPE_e3m2: return -2;
	case TYPE_e2m3:
	case TYPE_e2m1: return 0;
	case TYPE_ue8m0: return -127;
	default: return -14;
	}
}

/* Where product K of a row stands among the row's products. Those of e4m3 and e5m2 in mma are
 * summed in two halves: on hardware they become .f16, two of each four in one register and two in
 * another. */
static unsigned product_at(const struct matrix_form *f, unsigned k)
{
	unsigned half = f->k / (f->sparse ? 4u : 2u);

	return becomes_half(f) ? (k & 2 ? half : 0) + k / 4 * 2 + (k & 1) : k;
}

/* For each element of each register: its row and column in the arrays below. */
static const uint16_t *places_of(
	struct arena *arena, const struct matrix_product *p, const struct fragment *f, char matrix)
{
	unsigned per = fragment_per_register(f), n = f->registers * LANES * per, at = 0;
	uint16_t *place = ARENA_ARRAY(arena, uint16_t, n);

	for (unsigned r = 0; r < f->registers; r++)
		for (unsigned e = 0; e < per; e++)
			for (unsigned lane = 0; lane < LANES; lane++) {
				unsigned group = 0, inner = 0, row, column;

				fragment_place(f, r, lane, e, &group, &inner);
				row = group;
				column = inner;
				if (matrix == 'a')
					column = product_at(&p->form, inner);
				if (matrix == 'b') {
					row = p->form.quads ? group / 8 * 4 + inner : inner;
					column = p->form.quads ? group % 8 : group;
				}
				place[at++] = (uint16_t)(row * (matrix == 'a' ? STORED : COLUMNS) +
					column);
			}
	return place;
}

/* The size of the product as it is computed. */
struct size {
	unsigned rows, columns, stored; /* elements of a row of A in registers */
};
static struct size size_of(const struct matrix_product *p)
{
	const struct matrix_form *f = &p->form;
	unsigned k = f->a == TYPE_b1 ? f->k / 32u : f->k;

	return (struct size){.rows = f->quads ? 32u
			: p->swapped          ? f->n
					      : f->m,
		.columns = p->swapped ? f->m : f->n,
		.stored = f->sparse ? k / 2 : k};
}

/* How many elements of each chunk of a sparse A are stored: two of four (four of eight, in pairs:
 * of 4 bits; one of two: .tf32). */
static unsigned stored_of_chunk(const struct matrix_form *f)
{
	unsigned bits = bits_in_register(f, (enum type)f->a);

	return bits == 32 ? 1 : bits == 4 ? 4 : 2;
}

unsigned matrix_chunks(const struct matrix_form *f) { return f->k / 2u / stored_of_chunk(f); }

unsigned matrix_metadata_lane(
	const struct matrix_form *f, unsigned row, unsigned chunk, unsigned *shift)
{
	unsigned first = row % 8 * 4;

	if (bits_in_register(f, (enum type)f->a) < 16) {
		/* eight chunks a lane: a pair of lanes has rows 0 to 7 and 8 to 15 */
		*shift = chunk % 8 * 4;
		return first + (f->selector * 2u + chunk / 8 * 2 + (row >= 8)) % 4;
	}
	/* four chunks of two rows */
	*shift = chunk % 4 * 4 + (row >= 8 ? 16 : 0);
	return first + (f->selector * (matrix_chunks(f) / 4) + chunk / 4) % 4;
}

uint32_t matrix_metadata_lanes(const struct matrix_form *f)
{
	uint32_t lanes = 0;
	unsigned shift;

	for (unsigned i = 0; i < f->m; i++)
		for (unsigned chunk = 0; chunk < matrix_chunks(f); chunk++)
			lanes |= 1u << matrix_metadata_lane(f, i, chunk, &shift);
	return lanes;
}

/* The row of B for element J of row I of A. With a sparse A, metadata of four bits say which
 * elements of a chunk are stored. */
static unsigned row_of_b(
	const struct matrix_form *f, const uint32_t *metadata, unsigned i, unsigned j)
{
	unsigned kept = stored_of_chunk(f), chunk = j / kept, lane, shift;

	if (!f->sparse)
		return f->quads ? i / 8 * 4 + j : j;
	lane = matrix_metadata_lane(f, i, chunk, &shift);
	unsigned nibble = metadata[lane] >> shift & 15;

	switch (kept) {
	case 1: return chunk * 2 + (nibble >> 3);
	case 2: return chunk * 4 + (nibble >> j % 2 * 2 & 3);
	default: return chunk * 8 + (nibble >> j % 4 / 2 * 2 & 3) * 2 + j % 2;
	}
}

/* INDEX[i * SUM_LENGTH + k]: the row of B for the product of row I that stands at place K. */
static void put_index(
	const struct matrix_form *f, const uint32_t *metadata, struct size size, uint8_t *index)
{
	for (unsigned i = 0; i < size.rows; i++)
		for (unsigned k = 0; k < size.stored; k++)
			index[i * SUM_LENGTH + product_at(f, k)] = (uint8_t)row_of_b(
				f, metadata, i, k);
}

const struct matrix_product *matrix_product_new(struct arena *arena, const struct matrix_form *f)
{
	struct matrix_product *p = ARENA_NEW(arena, struct matrix_product);

	p->form = *f;
	p->swapped = is_swapped(f);
	p->a = matrix_fragment(f, 'a');
	p->b = matrix_fragment(f, 'b');
	p->c = matrix_fragment(f, 'c');
	p->d = matrix_fragment(f, 'd');
	p->a_at = places_of(arena, p, p->swapped ? &p->b : &p->a, 'a');
	p->b_at = places_of(arena, p, p->swapped ? &p->a : &p->b, 'b');
	p->c_at = places_of(arena, p, &p->c, 'c');
	p->d_at = places_of(arena, p, &p->d, 'd');
	p->same = !f->quads;
	if (!f->sparse && f->k <= SUM_INNER && f->a != TYPE_b1) {
		uint8_t *index = ARENA_ARRAY(arena, uint8_t, SUM_ROWS * SUM_LENGTH);

		put_index(f, NULL, size_of(p), index);
		p->index = index;
	}
	return p;
}

/* --- integers --- */

static uint32_t raw_element(
	const void *const *reg, unsigned r, unsigned lane, unsigned bits, unsigned e)
{
	uint32_t word = ((const uint32_t *)reg[r])[lane];

	return bits == 32 ? word : word >> e * bits & ((1u << bits) - 1);
}

/* For all elements E of registers R of fragment F, in lanes LANE: their places TO in the array. */
#define EVERY_ELEMENT(f, at) \
	for (unsigned r = 0, n_ = 0; r < (f)->registers; r++) \
		for (unsigned e = 0; e < fragment_per_register(f); e++) \
			for (unsigned lane = 0, to; lane < LANES && (to = (at)[n_++], true); lane++)

static int32_t integer_of(uint32_t x, enum type t)
{
	unsigned unused = 32 - type_info[t].bits;

	return type_info[t].class == CLASS_SIGNED ? (int32_t)(x << unused) >> unused : (int32_t)x;
}

static uint32_t saturated(int64_t x, bool saturate)
{
	if (saturate)
		x = x > INT32_MAX ? INT32_MAX : x < INT32_MIN ? INT32_MIN : x;
	return (uint32_t)x;
}

static void multiply_integers(const struct matrix_product *p, void *const *d, const void *const *a,
	const void *const *b, const void *const *c, const uint32_t *metadata)
{
	const struct matrix_form *form = &p->form;
	const struct fragment *fa = p->swapped ? &p->b : &p->a, *fb = p->swapped ? &p->a : &p->b;
	struct size s = size_of(p);
	int32_t left[GROUPS * STORED], right[INNER * COLUMNS];
	int64_t sum[GROUPS * COLUMNS];

	EVERY_ELEMENT(fa, p->a_at)
	left[to] = integer_of(raw_element(a, r, lane, fa->bits, e), (enum type)form->a);
	EVERY_ELEMENT(fb, p->b_at)
	right[to] = integer_of(raw_element(b, r, lane, fb->bits, e), (enum type)form->b);
	EVERY_ELEMENT(&p->c, p->c_at)
	sum[to] = (int32_t)raw_element(c, r, lane, 32, e);
	for (unsigned i = 0; i < s.rows; i++) {
		int32_t part[COLUMNS] = {0};

		for (unsigned k = 0; k < s.stored; k++) {
			const int32_t *x = &right[row_of_b(form, metadata, i, k) * COLUMNS];

			for (unsigned j = 0; j < s.columns; j++)
				part[j] += left[i * STORED + k] * x[j];
		}
		for (unsigned j = 0; j < s.columns; j++)
			sum[i * COLUMNS + j] += part[j];
	}
	EVERY_ELEMENT(&p->d, p->d_at)
	((uint32_t *)d[r])[lane] = saturated(sum[to], form->saturate);
}

static void multiply_bits(const struct matrix_product *p, void *const *d, const void *const *a,
	const void *const *b, const void *const *c)
{
	struct size s = size_of(p);
	uint32_t left[GROUPS * STORED], right[INNER * COLUMNS], sum[GROUPS * COLUMNS];

	EVERY_ELEMENT(&p->a, p->a_at) left[to] = raw_element(a, r, lane, 32, e);
	EVERY_ELEMENT(&p->b, p->b_at) right[to] = raw_element(b, r, lane, 32, e);
	EVERY_ELEMENT(&p->c, p->c_at) sum[to] = raw_element(c, r, lane, 32, e);
	for (unsigned i = 0; i < s.rows; i++)
		for (unsigned j = 0; j < s.columns; j++)
			for (unsigned k = 0; k < s.stored; k++)
				sum[i * COLUMNS + j] += (uint32_t)__builtin_popcount(
					p->form.exclusive
						? left[i * STORED + k] ^ right[k * COLUMNS + j]
						: left[i * STORED + k] & right[k * COLUMNS + j]);
	EVERY_ELEMENT(&p->d, p->d_at)((uint32_t *)d[r])[lane] = sum[to];
}

/* --- f64: a chain of fma --- */

static double fused(double a, double b, double c, enum soft_round mode, bool by_integers)
{
	double r = by_integers || mode != SOFT_RN
		? f64_from(rounded_fused(TYPE_f64, f64_bits(a), f64_bits(b), f64_bits(c), mode))
		: fma(a, b, c);

	return f64_done3(r, b, c, a);
}

static void multiply_doubles(const struct matrix_product *p, void *const *d, const void *const *a,
	const void *const *b, const void *const *c)
{
	struct size s = size_of(p);
	double left[GROUPS * STORED], right[16 * COLUMNS], sum[GROUPS * COLUMNS];
	bool by_integers = rounding_needed();

	EVERY_ELEMENT(&p->a, p->a_at) left[to] = ((const double *)a[r])[lane];
	EVERY_ELEMENT(&p->b, p->b_at) right[to] = ((const double *)b[r])[lane];
	EVERY_ELEMENT(&p->c, p->c_at) sum[to] = ((const double *)c[r])[lane];
	for (unsigned i = 0; i < s.rows; i++)
		for (unsigned j = 0; j < s.columns; j++)
			for (unsigned k = 0; k < s.stored; k++)
				sum[i * COLUMNS + j] = fused(left[i * STORED + k],
					right[k * COLUMNS + j], sum[i * COLUMNS + j],
					(enum soft_round)p->form.rounding, by_integers);
	EVERY_ELEMENT(&p->d, p->d_at)((double *)d[r])[lane] = sum[to];
}

/* --- f16, bf16, tf32, and formats of at most 8 bits --- */

/* The format of BITS bits, FRACTION of them of the fraction, whose least exponent is LEAST: its
 * codes are those of f16 without low and high bits. */
static float narrow_to_f32(uint32_t x, unsigned bits, unsigned fraction, int least)
{
	uint32_t magnitude = x & ((1u << (bits - 1)) - 1);

	return f16_to_f32((uint16_t)((x >> (bits - 1) & 1) << 15 | magnitude << (10 - fraction))) *
		f32_from((uint32_t)(127 + 14 + least) << 23);
}

static float small_to_f32(uint32_t x, enum type t)
{
	switch ((int)t) {
	case TYPE_e5m2: return f16_to_f32((uint16_t)(x << 8));
	case TYPE_e3m2: return narrow_to_f32(x, 6, 2, -2);
	case TYPE_e2m3: return narrow_to_f32(x, 6, 3, 0);
	case TYPE_e2m1: return narrow_to_f32(x, 4, 1, 0);
	case TYPE_ue8m0:
		return f32_from(x == 0xff ? F32_NAN : x ? x << 23 : 0x00400000u); /* 0: 2^-127 */
	case TYPE_ue4m3: x &= 0x7f; break;
	default: break; /* e4m3 */
	}
	return (x & 0x7f) == 0x7f ? f32_from(F32_NAN) : narrow_to_f32(x, 8, 3, -6);
}

/* The elements of register REG: the low ones of 32 lanes, then the next ones. PACKED: of 4 bits
 * each; otherwise an e2m1 is in the middle of a byte. */
static void floats_of(const void *reg, enum type t, bool packed, float *to)
{
	const uint32_t *x = reg;

	switch ((int)t) {
	case TYPE_f16:
	case TYPE_bf16: matrix_halves(x, t == TYPE_bf16, to, to + LANES); break;
	case TYPE_tf32: /* the low 13 bits do not count */
		for (unsigned k = 0; k < LANES; k++)
			to[k] = f32_from(x[k] & ~0x1fffu);
		break;
	case TYPE_f32: memcpy(to, x, LANES * sizeof *to); break;
	default:
		assert(is_small(t));
		for (unsigned k = 0; k < (packed ? 8 : 4) * LANES; k++) {
			uint32_t e = packed ? x[k % LANES] >> k / LANES * 4 & 0xf
					    : x[k % LANES] >> k / LANES * 8 & 0xff;

			to[k] = small_to_f32(t == TYPE_e2m1 && !packed ? e >> 2 : e, t);
		}
		break;
	}
}

static void spread(const struct fragment *f, const uint16_t *at, const void *const *reg,
	enum type t, float *to)
{
	unsigned n = LANES * fragment_per_register(f);
	_Alignas(64) float part[8 * LANES];

	for (unsigned r = 0; r < f->registers; r++, at += n) {
		floats_of(reg[r], t, f->bits == 4, part);
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC unroll 8
#endif
		for (unsigned k = 0; k < n; k++)
			to[at[k]] = part[k];
	}
}

static void put_floats(const struct matrix_product *p, void *const *d, const float *from)
{
	const uint16_t *at = p->d_at;

	for (unsigned r = 0; r < p->d.registers; r++) {
		if (p->form.d == TYPE_f32) {
			float *to = d[r];

			for (unsigned lane = 0; lane < LANES; lane++)
				to[lane] = from[*at++];
			continue;
		}
		uint16_t *to = d[r];

		for (unsigned e = 0; e < 2; e++)
			for (unsigned lane = 0; lane < LANES; lane++)
				to[lane * 2 + e] = f32_to_f16(from[*at++]);
	}
}

unsigned matrix_scale_lane(bool b, unsigned group, unsigned thread)
{
	return b ? group * 4 + thread : group % 8 * 4 + thread * 2 + group / 8;
}

static float scale_of(const struct matrix_form *f, const struct matrix_scales *x, bool b,
	unsigned group, unsigned block)
{
	uint32_t word = x->data[b][matrix_scale_lane(b, group, x->thread[b])];

	return small_to_f32(word >> (x->byte[b] + block) * 8 & 0xff, (enum type)f->scale_type);
}

static void put_scales(
	const struct matrix_form *f, const struct matrix_scales *x, struct matrix_sum *s)
{
	s->block = (uint8_t)(f->scales ? f->k / f->scales : 0);
	s->least_scale = least_power((enum type)f->scale_type);
	for (unsigned block = 0; block < f->scales; block++) {
		for (unsigned i = 0; i < f->m; i++)
			s->a_scale[i][block] = scale_of(f, x, false, i, block);
		for (unsigned j = 0; j < f->n; j++)
			s->b_scale[block][j] = scale_of(f, x, true, j, block);
	}
}

/* The products are summed in groups: 16 of .f16 and .bf16, eight of .tf32 (four in wmma), and half
 * of those of e4m3 and e5m2, to which C is added at the end (in wgmma, and with .kind, all of them,
 * with C). D is .f16 only where C is: otherwise the sum is of .f32, and converted. */
static void multiply_floats(const struct matrix_product *p, void *const *d, const void *const *a,
	const void *const *b, const void *const *c, const uint32_t *metadata,
	const struct matrix_scales *scales)
{
	const struct matrix_form *f = &p->form;
	enum type ta = (enum type)f->a, tb = (enum type)f->b, tc = (enum type)f->c;
	bool small = becomes_half(f), half = f->c == TYPE_f16 && f->d == TYPE_f16,
	     brief = is_small(ta) && f->warpgroup;
	struct size size = size_of(p);
	unsigned most = small      ? size.stored / 2
		: brief || f->kind ? size.stored
		: ta == TYPE_tf32  ? (f->n == 16 ? 4 : 8)
				   : 16;
	float own[SUM_ROWS][SUM_COLUMNS];
	uint8_t index[SUM_ROWS * SUM_LENGTH];
	struct matrix_sum s;

	s.rows = (uint8_t)size.rows;
	s.columns = (uint8_t)size.columns;
	s.length = (uint8_t)(size.stored < most ? size.stored : most);
	s.guard = brief ? 13 : 25;
	s.digits = brief ? 13 : 23;
	s.least = small ? -14 : least_power(ta);
	s.least_b = small ? -14 : least_power(tb);
	spread(p->swapped ? &p->b : &p->a, p->a_at, a, ta, s.a[0]);
	spread(p->swapped ? &p->a : &p->b, p->b_at, b, tb, s.b[0]);
	spread(&p->c, p->c_at, c, tc, s.c[0]);
	put_scales(f, scales, &s);
	s.index = p->index;
	s.same = p->same;
	if (f->sparse) {
		put_index(f, metadata, size, index);
		s.index = index;
		s.same = false;
	}
	if (small) {
		memcpy(own, s.c, sizeof own);
		memset(s.c, 0, sizeof s.c);
	}
	s.half = half;
	if (f->quads) {
		matrix_sum_quads(&s);
		put_floats(p, d, s.c[0]);
		return;
	}
	bool fast = !f->kind && matrix_sum_prepare(&s, size.stored, f->quads ? 16 : f->k);

	for (unsigned k = 0; k < size.stored; k += s.length) {
		if (fast && matrix_sum_finite(&s))
			matrix_sum_fast(&s, k);
		else
			matrix_sum_exact(&s, k);
	}
	for (unsigned i = 0; small && i < size.rows; i++)
		for (unsigned j = 0; j < size.columns; j++)
			s.c[i][j] = half ? f16_to_f32(f32_to_f16(s.c[i][j] + own[i][j]))
					 : f32_canonical(s.c[i][j] + own[i][j]);
	put_floats(p, d, s.c[0]);
}

/* --- ldmatrix --- */

uint64_t matrix_narrow_control(const struct matrix_narrow *n)
{
	return n->bits | (uint64_t)n->is_signed << 8 | (uint64_t)n->transposed << 9;
}

static struct matrix_narrow narrow_read(const void *word)
{
	uint64_t x = *(const uint64_t *)word;

	return (struct matrix_narrow){
		.bits = (uint8_t)x, .is_signed = x >> 8 & 1, .transposed = x >> 9 & 1};
}

/* The place of element E of lane LANE in a byte: its lowest bit. */
static unsigned place_in_byte(const struct matrix_narrow *n, unsigned lane, unsigned e)
{
	return (n->transposed ? lane / 4 : lane % 4 * 4 + e) * n->bits % 8;
}

void matrix_widen(void *const *v, uint32_t mask)
{
	struct matrix_narrow n = narrow_read(v[3]);
	uint32_t *to = v[0], sign = 1u << (n.bits - 1);
	const uint32_t *low = v[1], *high = v[2];

	for (unsigned lane = 0; lane < LANES; lane++) {
		uint32_t word = 0;

		for (unsigned e = 0; e < 4; e++) {
			uint32_t two = (low[lane] >> e * 8 & 0xff) |
				(high[lane] >> e * 8 & 0xff) << 8,
				 x = two >> place_in_byte(&n, lane, e) & (2 * sign - 1);

			if (n.is_signed)
				x = ((x ^ sign) - sign) & 0xff;
			word |= x << e * 8;
		}
		if (mask >> lane & 1)
			to[lane] = word;
	}
}

void matrix_end(void *const *v, uint32_t mask)
{
	struct matrix_narrow n = narrow_read(v[2]);
	uint64_t *to = v[0];
	const uint64_t *from = v[1];

	for (unsigned lane = 0; lane < LANES; lane++)
		if (mask >> lane & 1)
			to[lane] = from[lane] + (place_in_byte(&n, lane, 0) + n.bits - 1) / 8;
}

void matrix_multiply(const struct matrix_product *p, void *const *d, const void *const *a,
	const void *const *b, const void *const *c, const uint32_t *metadata,
	const struct matrix_scales *scales)
{
	const void *const *left = p->swapped ? b : a, *const *right = p->swapped ? a : b;
	enum type t = (enum type)p->form.a;

	if (t == TYPE_f64)
		multiply_doubles(p, d, left, right, c);
	else if (t == TYPE_b1)
		multiply_bits(p, d, left, right, c);
	else if (p->form.d == TYPE_s32)
		multiply_integers(p, d, left, right, c, metadata);
	else
		multiply_floats(p, d, left, right, c, metadata, scales);
}
