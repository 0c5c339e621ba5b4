/* Video instructions: operations on bytes, halves and words selected from 32-bit registers. There
 * are too many forms for a loop each, so the form is encoded in a control word that every lane
 * interprets. */
#include "arith/video.h"
#include <string.h>

enum video_op {
	VIDEO_ADD,
	VIDEO_SUB,
	VIDEO_ABSDIFF,
	VIDEO_MIN,
	VIDEO_MAX,
	VIDEO_SHL,
	VIDEO_SHR,
	VIDEO_MAD,
	VIDEO_SET,
	VIDEO_AVRG
};
enum compare { COMPARE_EQ, COMPARE_NE, COMPARE_LT, COMPARE_LE, COMPARE_GT, COMPARE_GE };
enum second { SECOND_NONE, SECOND_ADD, SECOND_MIN, SECOND_MAX };

/* A form. Parts of a scalar form: 0 to 3 bytes, 4 and 5 halves, 7 the word. A selector of a SIMD
 * form has an octal digit for each element, lowest first, which indexes the elements of A followed
 * by those of B. */
struct form {
	uint8_t op, count; /* count: elements, 1 2 4 */
	bool dsigned, asigned, bsigned, sat, wrap, plus_one, negate_product, negate_c;
	uint8_t second, compare, shift; /* shift: right shift of the product */
	/* scalar: the part that receives the result; SIMD: set of destination elements */
	uint8_t part, mask;
	uint16_t a, b; /* selectors */
};

static uint64_t encode_form(const struct form *f)
{
	const bool flag[] = {f->dsigned, f->asigned, f->bsigned, f->sat, f->wrap, f->plus_one,
		f->negate_product, f->negate_c};
	unsigned flags = 0;
	for (unsigned i = 0; i < 8; i++)
		flags |= (flag[i] ? 1u : 0) << i;
	return f->op | (uint64_t)f->count << 4 | (uint64_t)flags << 8 | (uint64_t)f->second << 16 |
		(uint64_t)f->compare << 18 | (uint64_t)f->shift << 21 | (uint64_t)f->part << 26 |
		(uint64_t)f->mask << 29 | (uint64_t)f->a << 36 | (uint64_t)f->b << 48;
}

static struct form decode_form(uint64_t x)
{
	const unsigned flags = (unsigned)(x >> 8) & 0xff;
	return (struct form){.op = x & 15,
		.count = x >> 4 & 15,
		.dsigned = flags & 1,
		.asigned = flags & 2,
		.bsigned = flags & 4,
		.sat = flags & 8,
		.wrap = flags & 16,
		.plus_one = flags & 32,
		.negate_product = flags & 64,
		.negate_c = flags & 128,
		.second = x >> 16 & 3,
		.compare = x >> 18 & 7,
		.shift = x >> 21 & 31,
		.part = x >> 26 & 7,
		.mask = x >> 29 & 15,
		.a = x >> 36 & 0xfff,
		.b = x >> 48 & 0xfff};
}

static int64_t pick_part(uint32_t x, unsigned part, bool is_signed)
{
	if (part == 7)
		return is_signed ? (int32_t)x : (int64_t)x;
	if (part >= 4)
		return is_signed ? (int16_t)(uint16_t)(x >> 16 * (part - 4))
				 : (int64_t)(uint16_t)(x >> 16 * (part - 4));
	return is_signed ? (int8_t)(uint8_t)(x >> 8 * part) : (int64_t)(uint8_t)(x >> 8 * part);
}

static int64_t clamp_bits(int64_t x, unsigned bits, bool is_signed)
{
	const int64_t high = is_signed ? ((int64_t)1 << (bits - 1)) - 1 : ((int64_t)1 << bits) - 1,
		      low = is_signed ? -high - 1 : 0;
	return x > high ? high : x < low ? low : x;
}

static bool compare_parts(unsigned how, int64_t a, int64_t b)
{
	switch (how) {
	case COMPARE_EQ: return a == b;
	case COMPARE_NE: return a != b;
	case COMPARE_LT: return a < b;
	case COMPARE_LE: return a <= b;
	case COMPARE_GT: return a > b;
	default: return a >= b;
	}
}

static int64_t shift_part(const struct form *f, int64_t a, int64_t b)
{
	const int n = (int)(f->wrap ? b & 31 : b > 32 ? 32 : b);
	return f->op == VIDEO_SHR ? a >> n : (int64_t)((uint64_t)a << n);
}

static int64_t operate_parts(const struct form *f, int64_t a, int64_t b)
{
	switch (f->op) {
	case VIDEO_ADD: return a + b;
	case VIDEO_SUB: return a - b;
	case VIDEO_ABSDIFF: return a > b ? a - b : b - a;
	case VIDEO_MIN: return a < b ? a : b;
	case VIDEO_MAX: return a > b ? a : b;
	case VIDEO_AVRG: return a + b >= 0 ? (a + b + 1) >> 1 : (a + b) >> 1;
	case VIDEO_SET: return compare_parts(f->compare, a, b);
	default: return shift_part(f, a, b);
	}
}

static uint32_t second_operation(const struct form *f, uint32_t x, uint32_t c)
{
	const uint32_t order = f->dsigned ? 0x80000000u : 0;
	switch (f->second) {
	case SECOND_ADD: return x + c;
	case SECOND_MIN: return (x ^ order) < (c ^ order) ? x : c;
	case SECOND_MAX: return (x ^ order) > (c ^ order) ? x : c;
	default: break;
	}
	if (f->part == 7)
		return x;
	const unsigned bits = f->part >= 4 ? 16 : 8, at = bits * (f->part & 3);
	const uint32_t field = ((1u << bits) - 1) << at;
	return (x << at & field) | (c & ~field);
}

static uint32_t scalar_lane(const struct form *f, uint32_t a, uint32_t b, uint32_t c)
{
	int64_t x = operate_parts(
		f, pick_part(a, f->a, f->asigned), pick_part(b, f->b, f->bsigned));
	if (f->sat)
		x = clamp_bits(x, f->part == 7 ? 32 : f->part >= 4 ? 16 : 8, f->dsigned);
	return second_operation(f, (uint32_t)x, c);
}

/* a * b + c in 128 bits, plus one or with a sign changed, shifted right. (9.7.20.1 vmad) */
static uint32_t multiply_add(const struct form *f, uint32_t a, uint32_t b, uint32_t c)
{
	const bool is_signed = f->asigned || f->bsigned || f->negate_product || f->negate_c;
	const __int128 product = (__int128)pick_part(a, f->a, f->asigned) *
		pick_part(b, f->b, f->bsigned);
	const __int128 third = is_signed && !(f->negate_c && !f->asigned && !f->bsigned)
		? (__int128)(int32_t)c
		: (__int128)c;
	const __int128 sum = (f->negate_product ? -product : product) +
		(f->negate_c ? -third : third) + f->plus_one;
	const __int128 x = sum >> f->shift;
	const __int128 high = is_signed ? INT32_MAX : UINT32_MAX, low = is_signed ? INT32_MIN : 0;
	return (uint32_t)(f->sat ? x > high ? high : x < low ? low : x : x);
}

static uint32_t simd_lane(const struct form *f, uint32_t a, uint32_t b, uint32_t c)
{
	const unsigned bits = 32u / f->count;
	const uint64_t both = (uint64_t)b << 32 | a;
	uint32_t d = c;
	for (unsigned k = 0; k < f->count; k++) {
		const unsigned base = f->count == 2 ? 4 : 0, i = f->a >> 3 * k & 7,
			       j = f->b >> 3 * k & 7, half = f->count;
		const uint32_t xa = (uint32_t)(both >> (i / half ? 32 : 0)),
			       xb = (uint32_t)(both >> (j / half ? 32 : 0));
		int64_t x = operate_parts(f, pick_part(xa, base + i % half, f->asigned),
			pick_part(xb, base + j % half, f->bsigned));
		const uint32_t field = (bits == 16 ? 0xffffu : 0xffu) << bits * k;
		if (f->sat)
			x = clamp_bits(x, bits, f->dsigned);
		if (!(f->mask >> k & 1))
			continue;
		d = f->second == SECOND_ADD ? d + (uint32_t)x
					    : (d & ~field) | ((uint32_t)x << bits * k & field);
	}
	return d;
}

static inline void run_lanes(void *const *v, uint32_t mask, const uint32_t *c, const void *control)
{
	const struct form f = decode_form(*(const uint64_t *)control);
	const uint32_t *a = v[1], *b = v[2];
	uint32_t *d = v[0];
	for (unsigned i = 0; i < 32; i++) {
		const uint32_t third = c ? c[i] : 0;
		if (mask >> i & 1)
			d[i] = f.op == VIDEO_MAD ? multiply_add(&f, a[i], b[i], third)
				: f.count == 1   ? scalar_lane(&f, a[i], b[i], third)
						 : simd_lane(&f, a[i], b[i], third);
	}
}
static void run_lanes3(void *const *v, uint32_t mask) { run_lanes(v, mask, NULL, v[3]); }
static void run_lanes4(void *const *v, uint32_t mask) { run_lanes(v, mask, v[3], v[4]); }

/* Reads a name such as "vadd4": the operation and the number of elements. */
static bool read_name(const char *text, struct form *f)
{
	static const struct {
		const char *name;
		uint8_t op, simd;
	} names[] = {{"add", VIDEO_ADD, 1}, {"sub", VIDEO_SUB, 1}, {"absdiff", VIDEO_ABSDIFF, 1},
		{"min", VIDEO_MIN, 1}, {"max", VIDEO_MAX, 1}, {"shl", VIDEO_SHL, 0},
		{"shr", VIDEO_SHR, 0}, {"mad", VIDEO_MAD, 0}, {"set", VIDEO_SET, 1},
		{"avrg", VIDEO_AVRG, 2}};
	if (*text++ != 'v')
		return false;
	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		const size_t len = strlen(names[i].name);
		const char *rest = text + len;
		if (strncmp(text, names[i].name, len) != 0)
			continue;
		f->op = names[i].op;
		f->count = *rest == '2' ? 2 : *rest == '4' ? 4 : 1;
		return f->count == 1 ? *rest == 0 && names[i].simd != 2
				     : rest[1] == 0 && names[i].simd;
	}
	return false;
}

/* Reads the selector of a scalar operand, such as .b2 or .h1. */
static bool read_part(uint16_t word, uint16_t *part)
{
	const char *text = word_text((enum word)word);
	if (word == W_NONE) {
		*part = 7;
		return true;
	}
	*part = (uint16_t)(text[0] == 'h' ? 4 + text[1] - '0' : text[1] - '0');
	return text[2] == 0 && (text[0] == 'h' ? text[1] <= '1' : text[1] <= '3');
}

/* Reads the selector of a SIMD operand, such as .h32 or .b7654: one digit per element, highest
 * first. */
static bool read_select(uint16_t word, unsigned count, unsigned first, uint16_t *select)
{
	const char *text = word_text((enum word)word);
	*select = 0;
	for (unsigned k = 0; k < count; k++) {
		const unsigned digit = word == W_NONE ? first + k
						      : (unsigned)(text[count - k] - '0');
		if (digit >= 2 * count)
			return false;
		*select = (uint16_t)(*select | digit << 3 * k);
	}
	return word == W_NONE || strlen(text) == count + 1;
}

static bool read_mask(uint16_t word, unsigned count, uint8_t *mask)
{
	*mask = (uint8_t)((1u << count) - 1);
	if (word == W_NONE)
		return true;
	*mask = 0;
	for (const char *digit = word_text((enum word)word) + 1; *digit; digit++)
		*mask = (uint8_t)(*mask | 1u << (*digit - '0'));
	return *mask < 1u << count;
}

static bool read_words(const struct arith_query *q, struct form *f)
{
	unsigned types = 0;
	bool is_signed[3] = {false, false, false};
	for (unsigned i = 0; i < q->nwords; i++) {
		switch ((int)q->word[i]) {
		case W_u32:
		case W_s32:
			if (types == 3)
				return false;
			is_signed[types++] = q->word[i] == W_s32;
			break;
		case W_sat: f->sat = true; break;
		case W_add: f->second = SECOND_ADD; break;
		case W_min: f->second = SECOND_MIN; break;
		case W_max: f->second = SECOND_MAX; break;
		case W_clamp: break;
		case W_wrap: f->wrap = true; break;
		case W_po: f->plus_one = true; break;
		case W_shr7: f->shift = 7; break;
		case W_shr15: f->shift = 15; break;
		case W_eq: f->compare = COMPARE_EQ; break;
		case W_ne: f->compare = COMPARE_NE; break;
		case W_lt: f->compare = COMPARE_LT; break;
		case W_le: f->compare = COMPARE_LE; break;
		case W_gt: f->compare = COMPARE_GT; break;
		case W_ge: f->compare = COMPARE_GE; break;
		default: return false;
		}
	}
	const unsigned first = f->op == VIDEO_SET ? 0 : 1; /* vset has no destination type */
	f->dsigned = first && is_signed[0];
	f->asigned = is_signed[first];
	f->bsigned = is_signed[first + 1];
	return types == first + 2;
}

bool video_find(const struct arith_query *q, struct arith_op *op)
{
	struct form f = {0};
	uint16_t part;
	if (!read_name(opcode_text((enum opcode)q->opcode), &f) || !read_words(q, &f) ||
		q->noperands < 3 || q->noperands > 4)
		return false;
	if (f.count == 1) {
		if (!read_part(q->selector[0], &part) || !read_part(q->selector[1], &f.a) ||
			!read_part(q->selector[2], &f.b))
			return false;
		f.part = (uint8_t)part;
	} else if (!read_mask(q->selector[0], f.count, &f.mask) ||
		!read_select(q->selector[1], f.count, 0, &f.a) ||
		!read_select(q->selector[2], f.count, f.count, &f.b)) {
		return false;
	}
	f.negate_product = f.op == VIDEO_MAD && q->negated[1] != q->negated[2];
	f.negate_c = f.op == VIDEO_MAD && q->noperands == 4 && q->negated[3];
	*op = (struct arith_op){.run = q->noperands == 3 ? run_lanes3 : run_lanes4,
		.noperands = (uint8_t)(q->noperands + 1),
		.ndests = 1,
		.has_control = true,
		.control = encode_form(&f)};
	for (unsigned i = 0; i < q->noperands; i++) {
		op->width[i] = 4;
		if (q->reg_bytes[i] != 0xff && q->reg_bytes[i] != 4)
			return false;
	}
	op->width[q->noperands] = 8;
	return true;
}
