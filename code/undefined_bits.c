/* The rules of undefined_bits.h. A bit of `and` is defined if one source has a defined 0, of `or`
 * if one has a defined 1; shifts, bit fields and bytes move with the value; a comparison is defined
 * if its result is the same for every value that its sources may have. */
#include "code/undefined_bits.h"
#include <math.h>
#include <string.h>

static uint64_t low_bytes(unsigned n) { return n >= 8 ? UINT64_MAX : (UINT64_C(1) << 8 * n) - 1; }

static enum bits_rule cvt_rule(const struct decoder *d, const struct ir_insn *i, struct op_alu *how)
{
	enum type type[2] = {TYPE_NONE, TYPE_NONE};
	unsigned n = 0;

	for (unsigned k = 0; k < i->nwords; k++) {
		enum type t = word_type((enum word)d->module->word[i->word + k]);

		if (t == TYPE_NONE)
			return BITS_WHOLE; /* .sat, a rounding */
		if (n < 2)
			type[n++] = t;
	}
	for (unsigned k = 0; k < 2; k++)
		if (n < 2 ||
			(type_info[type[k]].class != CLASS_UNSIGNED &&
				type_info[type[k]].class != CLASS_SIGNED))
			return BITS_WHOLE;
	how->to_bytes = (uint8_t)type_bytes(type[0]);
	how->from_bytes = (uint8_t)type_bytes(type[1]);
	how->from_signed = type_info[type[1]].class == CLASS_SIGNED;
	how->to_signed = type_info[type[0]].class == CLASS_SIGNED;
	return BITS_EXTEND;
}

static enum bits_rule comparison_rule(const struct decoder *d, struct op_alu *how, enum type t)
{
	static const uint16_t compare[] = {W_eq, W_ne, W_lt, W_le, W_gt, W_ge, W_lo, W_ls, W_hi,
		W_hs, W_equ, W_neu, W_ltu, W_leu, W_gtu, W_geu, W_num, W_nan};
	static const uint16_t with[] = {W_and, W_or, W_xor};

	how->compare = (uint16_t)decode_which(d, compare, sizeof compare / sizeof *compare);
	how->type = (uint8_t)t;
	how->ftz = decode_has(d, W_ftz);
	how->with = (uint16_t)decode_which(d, with, sizeof with / sizeof *with);
	return BITS_COMPARE;
}

static enum bits_rule opcode_rule(
	const struct decoder *d, const struct ir_insn *i, struct op_alu *how)
{
	enum type t = decode_type(d);
	bool is_signed = t != TYPE_NONE && type_info[t].class == CLASS_SIGNED;

	switch ((int)ir_form(i)->opcode) {
	case OP_mov: return BITS_COPY;
	case OP_and: return BITS_AND;
	case OP_or: return BITS_OR;
	case OP_xor: return BITS_XOR;
	case OP_not: return BITS_NOT;
	case OP_shl: return BITS_SHL;
	case OP_shr: return is_signed ? BITS_SHR_SIGNED : BITS_SHR;
	case OP_add:
	case OP_sub:
		return i->nwords == 1 && t != TYPE_NONE &&
				(type_info[t].class == CLASS_UNSIGNED || is_signed)
			? BITS_CARRY
			: BITS_WHOLE;
	case OP_cvt: return cvt_rule(d, i, how);
	case OP_selp: return BITS_SELECT;
	case OP_slct:
		how->type = (uint8_t)t;
		how->ftz = decode_has(d, W_ftz);
		return BITS_SELECT_SIGN;
	case OP_setp:
	case OP_set: return comparison_rule(d, how, t);
	case OP_lop3:
		how->with = decode_has(d, W_or) ? W_or : decode_has(d, W_and) ? W_and : W_NONE;
		return BITS_LOGIC;
	case OP_min:
	case OP_max:
		how->type = (uint8_t)t;
		if (i->nwords != 1 || t == TYPE_NONE ||
			(type_info[t].class != CLASS_UNSIGNED && !is_signed))
			return BITS_WHOLE;
		return ir_form(i)->opcode == OP_min ? BITS_MIN : BITS_MAX;
	case OP_bfi: return BITS_INSERT;
	case OP_bfe: return is_signed ? BITS_EXTRACT_SIGNED : BITS_EXTRACT;
	case OP_prmt: return i->nwords == 1 ? BITS_PERMUTE : BITS_WHOLE;
	default: return BITS_WHOLE;
	}
}

void bits_rule(const struct decoder *d, const struct ir_insn *i, struct op_alu *how)
{
	how->rule = (uint8_t)opcode_rule(d, i, how);
}

static uint64_t extend_bits(uint64_t v, unsigned bits, bool is_signed)
{
	if (bits >= 64)
		return v;
	v &= (UINT64_C(1) << bits) - 1;
	return is_signed && v >> (bits - 1) & 1 ? v | ~((UINT64_C(1) << bits) - 1) : v;
}

/* The mask of bits [position, position + length) within a value of N bits. */
static uint64_t field_mask(unsigned position, unsigned length, unsigned n)
{
	uint64_t ones = length >= 64 ? UINT64_MAX : (UINT64_C(1) << length) - 1;

	return position >= n ? 0
			     : ones << position & (n == 64 ? UINT64_MAX : (UINT64_C(1) << n) - 1);
}

static uint64_t bfe_bits(const uint64_t *v, const uint64_t *u, unsigned n, bool is_signed)
{
	unsigned position = (uint8_t)v[1], length = (uint8_t)v[2], last;
	uint64_t bits;

	if ((u[1] | u[2]) & 0xff)
		return UINT64_MAX;
	if (!length)
		return 0;
	bits = position < n ? (u[0] & field_mask(position, length, n)) >> position : 0;
	if (!is_signed || position + length < n)
		return extend_bits(bits, length, is_signed);
	last = u[0] >> (n - 1) & 1; /* the sign, which fills the bits above the field */
	return bits | (last ? UINT64_MAX : 0);
}

static uint64_t prmt_bits(const uint64_t *v, const uint64_t *u)
{
	uint64_t both = (u[0] & UINT32_MAX) | u[1] << 32, result = 0;

	if (u[2] & 0xffff)
		return UINT64_MAX;
	for (unsigned k = 0; k < 4; k++) {
		unsigned selector = v[2] >> 4 * k & 15;
		uint64_t byte = both >> 8 * (selector & 7) & 0xff;

		if (selector & 8)
			byte = byte & 0x80 ? 0xff : 0;
		result |= byte << 8 * k;
	}
	return result;
}

/* A truth value that may be undefined: value and undefinedness, one bit each. */
struct truth {
	uint64_t v, u;
};

static uint64_t and_bits(uint64_t v0, uint64_t u0, uint64_t v1, uint64_t u1)
{
	return (u0 | u1) & ~((~u0 & ~v0) | (~u1 & ~v1));
}

static uint64_t or_bits(uint64_t v0, uint64_t u0, uint64_t v1, uint64_t u1)
{
	return (u0 | u1) & ~((~u0 & v0) | (~u1 & v1));
}

/* Whether X combined with the predicate (V, U) by OPERATION is undefined. */
static uint64_t combined_undefined(unsigned operation, struct truth x, uint64_t v, uint64_t u)
{
	return 1 &
		(operation == W_and                  ? and_bits(x.v, x.u, v, u)
				: operation == W_or  ? or_bits(x.v, x.u, v, u)
				: operation == W_xor ? x.u | u
						     : x.u);
}

/* The least and the greatest value that an integer of BITS bits may have, with the sign bit flipped
 * for signed types so that both compare as unsigned numbers. */
struct range {
	uint64_t least, most;
};

static struct range range_of(uint64_t v, uint64_t u, unsigned bits, bool is_signed)
{
	uint64_t ones = bits >= 64 ? UINT64_MAX : (UINT64_C(1) << bits) - 1,
		 sign = is_signed ? UINT64_C(1) << (bits - 1) : 0;

	v ^= sign;
	return (struct range){v & ~u & ones, (v | u) & ones};
}

static struct truth range_less(struct range a, struct range b, bool or_equal)
{
	bool always = or_equal ? a.most <= b.least : a.most < b.least,
	     never = or_equal ? a.least > b.most : a.least >= b.most;

	return (struct truth){always, !always && !never};
}

static struct truth compare_integers(
	unsigned operation, const uint64_t *v, const uint64_t *u, enum type t)
{
	unsigned bits = 8u * (unsigned)type_bytes(t);
	bool is_signed = type_info[t].class == CLASS_SIGNED;
	struct range a = range_of(v[0], u[0], bits, is_signed),
		     b = range_of(v[1], u[1], bits, is_signed);
	uint64_t ones = bits >= 64 ? UINT64_MAX : (UINT64_C(1) << bits) - 1,
		 unknown = (u[0] | u[1]) & ones;
	bool differ = (v[0] ^ v[1]) & ~unknown & ones;

	switch (operation) {
	case W_eq: return (struct truth){!differ, unknown && !differ};
	case W_ne: return (struct truth){differ, unknown && !differ};
	case W_lt:
	case W_lo: return range_less(a, b, false);
	case W_le:
	case W_ls: return range_less(a, b, true);
	case W_gt:
	case W_hi: return range_less(b, a, false);
	default: return range_less(b, a, true);
	}
}

static double float_of(uint64_t v, enum type t, bool ftz)
{
	uint32_t low = (uint32_t)v;
	double x;
	float f;

	memcpy(&x, &v, sizeof x);
	if (t == TYPE_f64)
		return x;
	memcpy(&f, &low, sizeof f);
	return ftz && fpclassify(f) == FP_SUBNORMAL ? 0.0 : (double)f;
}

/* Undefined when a source has undefined bits, and for types other than f32 and f64. */
static struct truth compare_floats(const struct op_alu *how, const uint64_t *v, const uint64_t *u)
{
	double a = float_of(v[0], (enum type)how->type, how->ftz),
	       b = float_of(v[1], (enum type)how->type, how->ftz);
	bool unordered = isunordered(a, b), r;

	if (u[0] || u[1] || (how->type != TYPE_f32 && how->type != TYPE_f64))
		return (struct truth){0, 1};
	switch (how->compare) {
	case W_eq: r = !unordered && a == b; break;
	case W_ne: r = !unordered && a != b; break;
	case W_lt: r = isless(a, b); break;
	case W_le: r = islessequal(a, b); break;
	case W_gt: r = isgreater(a, b); break;
	case W_ge: r = isgreaterequal(a, b); break;
	case W_equ: r = unordered || a == b; break;
	case W_neu: r = unordered || a != b; break;
	case W_ltu: r = !isgreaterequal(a, b); break;
	case W_leu: r = !isgreater(a, b); break;
	case W_gtu: r = !islessequal(a, b); break;
	case W_geu: r = !isless(a, b); break;
	case W_num: r = !unordered; break;
	default: r = unordered; break;
	}
	return (struct truth){r, 0};
}

static uint64_t comparison_bits(
	const struct op_alu *how, const uint64_t *v, const uint64_t *u, unsigned dest)
{
	unsigned class = type_info[how->type].class;
	bool integer = class == CLASS_UNSIGNED || class == CLASS_SIGNED || class == CLASS_BITS;
	struct truth x = integer ? compare_integers(how->compare, v, u, (enum type)how->type)
				 : compare_floats(how, v, u);

	x.v ^= dest;
	return combined_undefined(how->with, x, v[2] ^ (how->complemented >> 2 & 1), u[2])
		? UINT64_MAX
		: 0;
}

static uint64_t lop3_bits(
	const struct op_alu *how, const uint64_t *v, const uint64_t *u, unsigned dest)
{
	uint64_t may[2] = {0, 0}; /* bits that may be 0, bits that may be 1 */

	for (unsigned k = 0; k < 8; k++) {
		uint64_t here = UINT32_MAX;

		for (unsigned s = 0; s < 3; s++)
			here &= u[s] | (k >> (2 - s) & 1 ? v[s] : ~v[s]);
		may[v[3] >> k & 1] |= here;
	}
	if (!dest)
		return may[0] & may[1];
	return combined_undefined(how->with,
		(struct truth){(may[1] & ~may[0]) != 0, (may[0] & may[1]) && !(may[1] & ~may[0])},
		v[4] ^ (how->complemented >> 4 & 1), u[4]);
}

/* The undefined bits of a selection between A and B when the selector is undefined: all except
 * where both are defined and agree. */
static uint64_t either_bits(const uint64_t *v, const uint64_t *u)
{
	return u[0] | u[1] | (v[0] ^ v[1]);
}

static uint64_t selected_by_sign(const struct op_alu *how, const uint64_t *v, const uint64_t *u)
{
	if (how->type == TYPE_f32)
		return u[2]                                       ? either_bits(v, u)
			: float_of(v[2], TYPE_f32, how->ftz) >= 0 ? u[0]
								  : u[1];
	return u[2] >> 31 & 1 ? either_bits(v, u) : v[2] >> 31 & 1 ? u[1] : u[0];
}

static uint64_t min_max_bits(
	const struct op_alu *how, const uint64_t *v, const uint64_t *u, unsigned first)
{
	unsigned bits = 8u * (unsigned)type_bytes((enum type)how->type);
	bool is_signed = type_info[how->type].class == CLASS_SIGNED;
	struct range a = range_of(v[first], u[first], bits, is_signed),
		     b = range_of(v[!first], u[!first], bits, is_signed);

	return range_less(a, b, true).v ? u[0] : range_less(b, a, true).v ? u[1] : UINT64_MAX;
}

uint64_t bits_of_result(const struct op *op, const uint64_t *v, const uint64_t *u, unsigned dest)
{
	const struct op_alu *how = &op->alu;
	unsigned n = 8u * op->width[0], by = v[1] > n ? n : (unsigned)v[1];
	uint64_t all = UINT64_MAX, low, not0 = how->complemented & 1 ? 1 : 0,
		 not1 = how->complemented >> 1 & 1;

	switch ((enum bits_rule)how->rule) {
	case BITS_COPY: return u[0];
	case BITS_AND: return and_bits(v[0] ^ not0, u[0], v[1] ^ not1, u[1]);
	case BITS_OR: return or_bits(v[0] ^ not0, u[0], v[1] ^ not1, u[1]);
	case BITS_XOR: return u[0] | u[1];
	case BITS_NOT: return u[0];
	case BITS_SHL: return u[1] ? all : by >= n ? 0 : u[0] << by;
	case BITS_SHR: return u[1] ? all : by >= n ? 0 : (u[0] & low_bytes(op->width[0])) >> by;
	case BITS_SHR_SIGNED:
		return u[1]
			? all
			: (uint64_t)((int64_t)extend_bits(u[0], n, true) >> (by >= n ? n - 1 : by));
	case BITS_CARRY: low = u[0] | u[1]; return low ? ~((low & -low) - 1) : 0;
	case BITS_EXTEND:
		return extend_bits(extend_bits(u[0], 8u * how->from_bytes, how->from_signed),
			8u * how->to_bytes, how->to_signed);
	case BITS_SELECT:
		return u[2]                                         ? either_bits(v, u)
			: (v[2] ^ (how->complemented >> 2 & 1)) & 1 ? u[0]
								    : u[1];
	case BITS_SELECT_SIGN: return selected_by_sign(how, v, u);
	case BITS_COMPARE: return comparison_bits(how, v, u, dest);
	case BITS_LOGIC: return lop3_bits(how, v, u, dest);
	case BITS_MIN: return min_max_bits(how, v, u, 0);
	case BITS_MAX: return min_max_bits(how, v, u, 1);
	case BITS_INSERT:
		low = field_mask((uint8_t)v[2], (uint8_t)v[3], n);
		return (u[2] | u[3]) & 0xff
			? all
			: (u[1] & ~low) | ((uint8_t)v[2] < n ? u[0] << (uint8_t)v[2] & low : 0);
	case BITS_EXTRACT: return bfe_bits(v, u, n, false);
	case BITS_EXTRACT_SIGNED: return bfe_bits(v, u, n, true);
	case BITS_PERMUTE: return prmt_bits(v, u);
	case BITS_WHOLE: return all;
	}
	return all;
}
