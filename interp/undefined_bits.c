/* The rules of undefined_bits.h. A bit of `and` is defined where one source has a defined 0, of `or` where one has a defined 1; shifts, fields and bytes move. */
#include "interp/undefined_bits.h"

static uint64_t low_bytes(unsigned n)
{
	return n >= 8 ? UINT64_MAX : (UINT64_C(1) << 8 * n) - 1;
}

static enum bits_rule of_cvt(const struct decoder *d, const struct ir_insn *i, struct op *op)
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
		if (n < 2 || (type_info[type[k]].class != CLASS_UNSIGNED && type_info[type[k]].class != CLASS_SIGNED))
			return BITS_WHOLE;
	op->vector = (uint8_t)type_bytes(type[0]);
	op->bytes = (uint8_t)type_bytes(type[1]);
	op->flag[0] = type_info[type[1]].class == CLASS_SIGNED;
	op->flag[1] = type_info[type[0]].class == CLASS_SIGNED;
	return BITS_EXTEND;
}

enum bits_rule bits_rule(const struct decoder *d, const struct ir_insn *i, struct op *op)
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
		return i->nwords == 1 && t != TYPE_NONE && (type_info[t].class == CLASS_UNSIGNED || is_signed) ? BITS_CARRY : BITS_WHOLE;
	case OP_cvt: return of_cvt(d, i, op);
	case OP_selp: return BITS_SELECT;
	case OP_bfi: return BITS_INSERT;
	case OP_bfe: return is_signed ? BITS_EXTRACT_SIGNED : BITS_EXTRACT;
	case OP_prmt: return i->nwords == 1 ? BITS_PERMUTE : BITS_WHOLE;
	default: return BITS_WHOLE;
	}
}

static uint64_t extend(uint64_t v, unsigned bits, bool is_signed)
{
	if (bits >= 64)
		return v;
	v &= (UINT64_C(1) << bits) - 1;
	return is_signed && v >> (bits - 1) & 1 ? v | ~((UINT64_C(1) << bits) - 1) : v;
}

/* Bits [position, position + length) of a field, as far as they lie in a value of N bits. */
static uint64_t field(unsigned position, unsigned length, unsigned n)
{
	uint64_t ones = length >= 64 ? UINT64_MAX : (UINT64_C(1) << length) - 1;

	return position >= n ? 0 : ones << position & (n == 64 ? UINT64_MAX : (UINT64_C(1) << n) - 1);
}

static uint64_t extracted(const uint64_t *v, const uint64_t *u, unsigned n, bool is_signed)
{
	unsigned position = (uint8_t)v[1], length = (uint8_t)v[2], last;
	uint64_t bits;

	if ((u[1] | u[2]) & 0xff)
		return UINT64_MAX;
	if (!length)
		return 0;
	bits = position < n ? (u[0] & field(position, length, n)) >> position : 0;
	if (!is_signed || position + length < n)
		return extend(bits, length, is_signed);
	last = u[0] >> (n - 1) & 1; /* the sign, which fills what lies above the value */
	return bits | (last ? UINT64_MAX : 0);
}

static uint64_t permuted(const uint64_t *v, const uint64_t *u)
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

uint64_t bits_of_result(const struct op *op, const uint64_t *v, const uint64_t *u)
{
	unsigned n = 8u * op->width[0], by = v[1] > n ? n : (unsigned)v[1];
	uint64_t all = UINT64_MAX, low;

	switch ((enum bits_rule)op->flag[3]) {
	case BITS_COPY: return u[0];
	case BITS_AND: return (u[0] | u[1]) & ~((~u[0] & ~v[0]) | (~u[1] & ~v[1]));
	case BITS_OR: return (u[0] | u[1]) & ~((~u[0] & v[0]) | (~u[1] & v[1]));
	case BITS_XOR: return u[0] | u[1];
	case BITS_NOT: return u[0];
	case BITS_SHL: return u[1] ? all : by >= n ? 0 : u[0] << by;
	case BITS_SHR: return u[1] ? all : by >= n ? 0 : (u[0] & low_bytes(op->width[0])) >> by;
	case BITS_SHR_SIGNED: return u[1] ? all : (uint64_t)((int64_t)extend(u[0], n, true) >> (by >= n ? n - 1 : by));
	case BITS_CARRY:
		low = u[0] | u[1];
		return low ? ~((low & -low) - 1) : 0;
	case BITS_EXTEND: return extend(extend(u[0], 8u * op->bytes, op->flag[0]), 8u * op->vector, op->flag[1]);
	case BITS_SELECT: return u[2] ? all : v[2] ? u[0] : u[1];
	case BITS_INSERT:
		low = field((uint8_t)v[2], (uint8_t)v[3], n);
		return (u[2] | u[3]) & 0xff ? all : (u[1] & ~low) | ((uint8_t)v[2] < n ? u[0] << (uint8_t)v[2] & low : 0);
	case BITS_EXTRACT: return extracted(v, u, n, false);
	case BITS_EXTRACT_SIGNED: return extracted(v, u, n, true);
	case BITS_PERMUTE: return permuted(v, u);
	default: return all;
	}
}
