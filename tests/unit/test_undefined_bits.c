/* The rules of --check=init bit by bit: whatever the undefined bits are, the bits of the result
 * that count as defined stay the same; and no more bits than necessary are undefined. */
#include "base/rng.h"
#include "code/undefined_bits.h"
#include <criterion/criterion.h>

static uint64_t ones(unsigned bits) { return bits >= 64 ? UINT64_MAX : (UINT64_C(1) << bits) - 1; }

static uint64_t extend(uint64_t v, unsigned bits, bool is_signed)
{
	v &= ones(bits);
	return is_signed && v >> (bits - 1) & 1 ? v | ~ones(bits) : v;
}

/* The result of the instruction by the manual; N bits. */
static uint64_t compute(const struct op *op, const uint64_t *v, unsigned n)
{
	unsigned by = (uint32_t)v[1] > n ? n : (unsigned)v[1], position = (uint8_t)v[1],
		 length = (uint8_t)v[2];
	uint64_t r = 0;

	switch ((int)op->alu.rule) {
	case BITS_COPY: return v[0];
	case BITS_AND: return v[0] & v[1];
	case BITS_OR: return v[0] | v[1];
	case BITS_XOR: return v[0] ^ v[1];
	case BITS_NOT: return ~v[0];
	case BITS_SHL: return by == 64 ? 0 : v[0] << by;
	case BITS_SHR: return by == 64 ? 0 : (v[0] & ones(n)) >> by;
	case BITS_SHR_SIGNED:
		return (uint64_t)((int64_t)extend(v[0], n, true) >> (by > n - 1 ? n - 1 : by));
	case BITS_CARRY: return v[0] + v[1];
	case BITS_EXTEND:
		return extend(extend(v[0], 8u * op->alu.from_bytes, op->alu.from_signed),
			8u * op->alu.to_bytes, op->alu.to_signed);
	case BITS_SELECT: return v[2] & 1 ? v[0] : v[1];
	case BITS_INSERT:
		r = v[1];
		for (unsigned k = 0; k < (uint8_t)v[3] && k + (uint8_t)v[2] < n; k++)
			r = (r & ~(UINT64_C(1) << (k + (uint8_t)v[2]))) |
				(v[0] >> k & 1) << (k + (uint8_t)v[2]);
		return r;
	case BITS_EXTRACT:
	case BITS_EXTRACT_SIGNED:
		for (unsigned k = 0; k < n; k++) {
			unsigned at = position + (k < length ? k : length - 1);
			bool sign = op->alu.rule == BITS_EXTRACT_SIGNED && length;

			if (k < length && at < n)
				r |= (v[0] >> at & 1) << k;
			else if (sign)
				r |= (v[0] >> (at < n ? at : n - 1) & 1) << k;
		}
		return r;
	case BITS_PERMUTE:
		for (unsigned k = 0; k < 4; k++) {
			unsigned s = v[2] >> 4 * k & 15;
			uint64_t byte = ((v[0] & UINT32_MAX) | v[1] << 32) >> 8 * (s & 7) & 0xff;

			r |= (s & 8 ? (byte & 0x80 ? 0xff : 0) : byte) << 8 * k;
		}
		return r;
	default: return 0;
	}
}

Test(undefined_bits, what_counts_as_defined_is)
{
	struct rng r = {5};

	for (unsigned round = 0; round < 60000; round++) {
		static const uint8_t widths[] = {2, 4, 8};
		struct op op = {.alu = {.from_signed = rng_next(&r) & 1,
					.to_signed = rng_next(&r) & 1,
					.rule = (uint8_t)(1 + rng_next(&r) % BITS_PERMUTE)}};
		unsigned rule = op.alu.rule;

		if (rule >= BITS_SELECT_SIGN && rule <= BITS_MAX) /* every_value below */
			continue;
		unsigned width = rule >= BITS_INSERT ? widths[1 + rng_next(&r) % 2]
						     : widths[rng_next(&r) % 3],
			 n = 8 * width;
		bool counts = rule == BITS_SHL || rule == BITS_SHR || rule == BITS_SHR_SIGNED ||
			rule >= BITS_INSERT;
		uint64_t v[5] = {0}, u[5] = {0}, other[4];

		if (rule == BITS_PERMUTE)
			n = 8 * (width = 4);
		op.width[0] = (uint8_t)width;
		op.alu.from_bytes = (uint8_t)(1 << rng_next(&r) % 4);
		op.alu.to_bytes = (uint8_t)(1 << rng_next(&r) % 4);
		if (rule == BITS_EXTEND) {
			n = 8 * (width = op.alu.to_bytes);
			op.width[0] = (uint8_t)width;
		}
		for (unsigned k = 0; k < 4; k++) {
			bool count = counts &&
				k >= (rule == BITS_INSERT || rule == BITS_PERMUTE ? 2 : 1);

			v[k] = rng_next(&r) &
				(count && rule != BITS_PERMUTE ? (rule >= BITS_INSERT ? 0x4f : 0x47)
							       : ones(n));
			u[k] = rng_next(&r) & rng_next(&r) & (rng_next(&r) % 4 == 0 ? 0 : ones(n));
			if (count || (rule == BITS_SELECT && k == 2))
				u[k] = rng_next(&r) % 8 ? 0 : u[k] & 0x1f;
			if (rule == BITS_SELECT && k == 2) {
				v[k] &= 1;
				u[k] &= 1;
			}
			other[k] = v[k] ^ (rng_next(&r) & u[k]);
		}
		uint64_t undefined = bits_of_result(&op, v, u, 0), a = compute(&op, v, n),
			 b = compute(&op, other, n);

		cr_assert_eq((a ^ b) & ~undefined & ones(n), 0,
			"rule %u, %u bits: %llx or %llx, %llx undefined", rule, n,
			(unsigned long long)a, (unsigned long long)b,
			(unsigned long long)undefined);
	}
}

static uint64_t bits(
	enum bits_rule rule, unsigned width, uint64_t a, uint64_t ua, uint64_t b, uint64_t ub)
{
	const struct op op = {
		.alu = {.from_signed = true, .rule = (uint8_t)rule, .from_bytes = 1, .to_bytes = 4},
		.width = {(uint8_t)width}};

	return bits_of_result(
		       &op, (const uint64_t[5]){a, b, 8, 8}, (const uint64_t[5]){ua, ub}, 0) &
		ones(8 * width);
}

Test(undefined_bits, no_more_than_need_be)
{
	cr_assert_eq(bits(BITS_AND, 4, 0, 0xffffffff, 0xff00, 0), 0xff00);
	cr_assert_eq(bits(BITS_OR, 4, 0, 0xffffffff, 0xff00, 0), 0xffff00ff);
	cr_assert_eq(bits(BITS_XOR, 4, 0, 3, 0, 6), 7);
	cr_assert_eq(bits(BITS_NOT, 8, 0, 0xf0f0, 0, 0), 0xf0f0);
	cr_assert_eq(bits(BITS_SHL, 4, 0, 0xff0000ff, 8, 0), 0xff00);
	cr_assert_eq(bits(BITS_SHR, 4, 0, 0xff0000ff, 8, 0), 0xff0000);
	cr_assert_eq(bits(BITS_SHR_SIGNED, 4, 0, 0x800000ff, 8, 0), 0xff800000);
	cr_assert_eq(bits(BITS_SHL, 4, 0, 0xff, 40, 0), 0);
	cr_assert_eq(bits(BITS_SHL, 4, 1, 0, 1, 1), 0xffffffff);
	cr_assert_eq(bits(BITS_CARRY, 4, 0, 0x100, 0, 0), 0xffffff00);
	cr_assert_eq(bits(BITS_EXTEND, 4, 0, 0x80, 0, 0), 0xffffff80);
	cr_assert_eq(bits(BITS_EXTEND, 4, 0, 0x8000, 0, 0), 0);
	cr_assert_eq(bits(BITS_SELECT, 4, 0, 0xff, 0, 0xff00), 0xff00, "the predicate is false");
	cr_assert_eq(bits(BITS_INSERT, 4, 0, 0xf, 0, 0xffffffff), 0xffff0fff);
	cr_assert_eq(bits(BITS_EXTRACT, 4, 0, 0xff00ff00, 8, 0), 0xff);
	cr_assert_eq(bits(BITS_EXTRACT_SIGNED, 4, 0, 0x8000, 8, 0), 0xffffff80);
	cr_assert_eq(bits(BITS_WHOLE, 4, 0, 1, 0, 0), 0xffffffff);
}

/* --- conditions: exactly what differs between some values of the undefined bits is undefined
 * --- */

enum { SOURCES = BITS_SOURCES };

static bool holds(unsigned operation, enum type t, uint64_t a, uint64_t b)
{
	if (type_info[t].class == CLASS_SIGNED) {
		a ^= UINT64_C(1) << 31;
		b ^= UINT64_C(1) << 31;
	}
	switch (operation) {
	case W_eq: return a == b;
	case W_ne: return a != b;
	case W_lt:
	case W_lo: return a < b;
	case W_le:
	case W_ls: return a <= b;
	case W_gt:
	case W_hi: return a > b;
	default: return a >= b;
	}
}

static bool holds_of_floats(unsigned operation, uint64_t a, uint64_t b)
{
	uint32_t bits[2] = {(uint32_t)a, (uint32_t)b};
	bool nan = (bits[0] << 1) > 0xff000000 || (bits[1] << 1) > 0xff000000;
	float x, y;

	memcpy(&x, &bits[0], 4);
	memcpy(&y, &bits[1], 4);
	switch (operation) {
	case W_num: return !nan;
	case W_nan: return nan;
	case W_equ: return nan || x == y;
	case W_neu: return nan || x != y;
	case W_ltu: return nan || x < y;
	case W_leu: return nan || x <= y;
	case W_gtu: return nan || x > y;
	case W_geu: return nan || x >= y;
	default:
		return !nan &&
			(operation == W_eq                  ? x == y
					: operation == W_ne ? x != y
					: operation == W_lt ? x < y
					: operation == W_le ? x <= y
					: operation == W_gt ? x > y
							    : x >= y);
	}
}

static bool with(unsigned operation, bool x, bool c)
{
	return operation == W_and    ? x && c
		: operation == W_or  ? x || c
		: operation == W_xor ? x != c
				     : x;
}

static uint64_t value_of(const struct op *op, const uint64_t *v, unsigned dest)
{
	uint64_t r = 0, not [SOURCES];

	for (unsigned k = 0; k < SOURCES; k++)
		not [k] = v[k] ^ (op->alu.complemented >> k & 1);
	switch ((int)op->alu.rule) {
	case BITS_AND: return not [0] & not [1];
	case BITS_OR: return not [0] | not [1];
	case BITS_XOR: return not [0] ^ not [1];
	case BITS_NOT: return ~not [0];
	case BITS_SELECT: return not [2] & 1 ? v[0] : v[1];
	case BITS_SELECT_SIGN:
		return op->alu.type == TYPE_s32          ? (v[2] >> 31 & 1 ? v[1] : v[0])
			: holds_of_floats(W_ge, v[2], 0) ? v[0]
							 : v[1];
	case BITS_COMPARE:
		return with(op->alu.with,
			(op->alu.type == TYPE_f32 ? holds_of_floats(op->alu.compare, v[0], v[1])
						  : holds(op->alu.compare, (enum type)op->alu.type,
							    v[0], v[1])) != (dest == 1),
			not [2] & 1);
	case BITS_LOGIC:
		for (unsigned k = 0; k < 32; k++)
			r |= (v[3] >> ((v[0] >> k & 1) << 2 | (v[1] >> k & 1) << 1 |
					      (v[2] >> k & 1)) &
				     1)
				<< k;
		return dest ? with(op->alu.with, r != 0, not [4] & 1) : r;
	case BITS_MIN: return holds(W_lt, (enum type)op->alu.type, v[0], v[1]) ? v[0] : v[1];
	case BITS_MAX: return holds(W_gt, (enum type)op->alu.type, v[0], v[1]) ? v[0] : v[1];
	default: return 0;
	}
}

/* The next value whose bits outside MASK are 0, after V; 0 after the last. */
static uint64_t next_within(uint64_t v, uint64_t mask) { return (v - mask) & mask; }

static uint64_t vary(const struct op *op, const uint64_t *v, const uint64_t *u, unsigned dest)
{
	uint64_t add[SOURCES] = {0}, differ = 0, first = 0;
	bool any = false;

	for (;;) {
		uint64_t x[SOURCES], r;
		unsigned k = 0;

		for (unsigned s = 0; s < SOURCES; s++)
			x[s] = (v[s] & ~u[s]) | add[s];
		r = value_of(op, x, dest);
		first = any ? first : r;
		any = true;
		differ |= r ^ first;
		while (k < SOURCES && !(add[k] = next_within(add[k], u[k])))
			k++;
		if (k == SOURCES)
			return differ;
	}
}

Test(undefined_bits, conditions_by_every_value)
{
	static const uint8_t rule[] = {BITS_AND, BITS_OR, BITS_XOR, BITS_NOT, BITS_SELECT,
		BITS_SELECT_SIGN, BITS_COMPARE, BITS_LOGIC, BITS_MIN, BITS_MAX};
	static const uint16_t integers[] = {W_eq, W_ne, W_lt, W_le, W_gt, W_ge},
			      floats[] = {W_eq, W_ne, W_lt, W_le, W_gt, W_ge, W_equ, W_neu, W_ltu,
				      W_leu, W_gtu, W_geu, W_num, W_nan};
	static const uint16_t joined[] = {0, W_and, W_or, W_xor};
	static const uint32_t number[] = {0, 0x80000000, 0x3f800000, 0xbf800000, 0x7fc00000,
		0x00000001, 0x80000001, 0x40000000};
	struct rng r = {9};
	unsigned defined[sizeof rule] = {0};

	for (unsigned round = 0; round < 40000; round++) {
		unsigned which = (unsigned)(rng_next(&r) % sizeof rule), free = 7;
		uint8_t x = rule[which];
		bool real = (x == BITS_COMPARE || x == BITS_SELECT_SIGN) && rng_next(&r) % 3 == 0,
		     condition = rng_next(&r) & 1;
		struct op op = {
			.alu = {.with = joined[rng_next(&r) % 4],
				.rule = x,
				.type = real                                        ? TYPE_f32
					: x == BITS_SELECT_SIGN || rng_next(&r) & 1 ? TYPE_s32
										    : TYPE_u32}};
		uint64_t v[SOURCES], u[SOURCES];
		bool logic = x == BITS_LOGIC, exact = x != BITS_MIN && x != BITS_MAX;

		op.alu.compare = real ? floats[rng_next(&r) % 14] : integers[rng_next(&r) % 6];
		op.width[0] = x == BITS_COMPARE || (x <= BITS_NOT && condition) ? 0 : 4;
		op.alu.complemented = (uint8_t)(x == BITS_SELECT || x == BITS_COMPARE
				? rng_next(&r) & 4
				: logic        ? rng_next(&r) & 16
				: !op.width[0] ? rng_next(&r) & 3
					       : 0);
		for (unsigned k = 0; k < SOURCES; k++) {
			bool one = (!op.width[0] && x != BITS_COMPARE) ||
				(k == 2 && (x == BITS_SELECT || x == BITS_COMPARE)) || k == 4;

			v[k] = (rng_next(&r) & 1 ? rng_next(&r) & 0x80000007 : rng_next(&r)) &
				UINT32_MAX;
			if (real && !(k < 2 && x == BITS_SELECT_SIGN))
				v[k] = number[rng_next(&r) % 8];
			u[k] = 0;
			while (free && rng_next(&r) % 3)
				u[k] |= rng_next(&r) & 1 ? UINT64_C(1) << rng_next(&r) % 32
							 : 1u << rng_next(&r) % 3,
					free--;
			if (one) {
				v[k] &= 1;
				u[k] = rng_next(&r) & 1;
			}
			if ((logic && k == 3) || (real && x == BITS_COMPARE && k < 2) ||
				(real && k == 2 && x == BITS_SELECT_SIGN))
				u[k] = 0;
			if (k == 3)
				v[k] &= 0xff;
			if ((k == 2 && x <= BITS_NOT) ||
				(k == 2 && x >= BITS_MIN && x <= BITS_MAX) || (k == 3 && !logic) ||
				(k == 4 && !logic))
				u[k] = 0;
		}
		for (unsigned dest = 0; dest < (x == BITS_COMPARE || logic ? 2 : 1); dest++) {
			bool pred = !op.width[0] || (logic && dest);
			uint64_t mask = pred ? 1 : UINT32_MAX, said, differ;

			/* the rules do not know that the parts of a condition depend on the same
			 * bits */
			if (logic && dest && !op.alu.with)
				continue;
			said = bits_of_result(&op, v, u, dest) & mask;
			differ = vary(&op, v, u, dest) & mask;
			defined[which] += !said && (u[0] | u[1] | u[2] | u[4]);
			cr_assert_eq(differ & ~said, 0,
				"rule %u, destination %u: %llx differ, %llx undefined", x, dest,
				(unsigned long long)differ, (unsigned long long)said);
			cr_assert(!exact || said == differ,
				"rule %u, destination %u: only %llx differ, %llx undefined", x,
				dest, (unsigned long long)differ, (unsigned long long)said);
		}
	}
	for (unsigned k = 0; k < sizeof rule; k++)
		cr_assert(defined[k] || rule[k] == BITS_XOR || rule[k] == BITS_NOT, "rule %u",
			rule[k]);
}
