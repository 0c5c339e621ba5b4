/* The rules of --check=init bit by bit: whatever the undefined bits are, the bits of the result that count as defined stay the same; and no more are undefined than need be. */
#include "base/rng.h"
#include "interp/undefined_bits.h"
#include <criterion/criterion.h>

static uint64_t ones(unsigned bits)
{
	return bits >= 64 ? UINT64_MAX : (UINT64_C(1) << bits) - 1;
}

static uint64_t extend(uint64_t v, unsigned bits, bool is_signed)
{
	v &= ones(bits);
	return is_signed && v >> (bits - 1) & 1 ? v | ~ones(bits) : v;
}

/* What the instruction computes, by the manual's words; N bits. */
static uint64_t compute(const struct op *op, const uint64_t *v, unsigned n)
{
	unsigned by = (uint32_t)v[1] > n ? n : (unsigned)v[1], position = (uint8_t)v[1], length = (uint8_t)v[2];
	uint64_t r = 0;

	switch ((enum bits_rule)op->flag[3]) {
	case BITS_COPY: return v[0];
	case BITS_AND: return v[0] & v[1];
	case BITS_OR: return v[0] | v[1];
	case BITS_XOR: return v[0] ^ v[1];
	case BITS_NOT: return ~v[0];
	case BITS_SHL: return by == 64 ? 0 : v[0] << by;
	case BITS_SHR: return by == 64 ? 0 : (v[0] & ones(n)) >> by;
	case BITS_SHR_SIGNED: return (uint64_t)((int64_t)extend(v[0], n, true) >> (by > n - 1 ? n - 1 : by));
	case BITS_CARRY: return v[0] + v[1];
	case BITS_EXTEND: return extend(extend(v[0], 8u * op->bytes, op->flag[0]), 8u * op->vector, op->flag[1]);
	case BITS_SELECT: return v[2] & 1 ? v[0] : v[1];
	case BITS_INSERT:
		r = v[1];
		for (unsigned k = 0; k < (uint8_t)v[3] && k + (uint8_t)v[2] < n; k++)
			r = (r & ~(UINT64_C(1) << (k + (uint8_t)v[2]))) | (v[0] >> k & 1) << (k + (uint8_t)v[2]);
		return r;
	case BITS_EXTRACT:
	case BITS_EXTRACT_SIGNED:
		for (unsigned k = 0; k < n; k++) {
			unsigned at = position + (k < length ? k : length - 1);
			bool sign = op->flag[3] == BITS_EXTRACT_SIGNED && length;

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
		struct op op = {.flag = {(uint8_t)(rng_next(&r) & 1), (uint8_t)(rng_next(&r) & 1), 0, (uint8_t)(1 + rng_next(&r) % BITS_PERMUTE)}};
		unsigned rule = op.flag[3];
		unsigned width = rule >= BITS_INSERT ? widths[1 + rng_next(&r) % 2] : widths[rng_next(&r) % 3], n = 8 * width;
		bool counts = rule == BITS_SHL || rule == BITS_SHR || rule == BITS_SHR_SIGNED || rule >= BITS_INSERT;
		uint64_t v[4], u[4], other[4];

		if (rule == BITS_PERMUTE)
			n = 8 * (width = 4);
		op.width[0] = (uint8_t)width;
		op.bytes = (uint8_t)(1 << rng_next(&r) % 4);
		op.vector = (uint8_t)(1 << rng_next(&r) % 4);
		if (rule == BITS_EXTEND) {
			n = 8 * (width = op.vector);
			op.width[0] = (uint8_t)width;
		}
		for (unsigned k = 0; k < 4; k++) {
			bool count = counts && k >= (rule == BITS_INSERT || rule == BITS_PERMUTE ? 2 : 1);

			v[k] = rng_next(&r) & (count && rule != BITS_PERMUTE ? (rule >= BITS_INSERT ? 0x4f : 0x47) : ones(n));
			u[k] = rng_next(&r) & rng_next(&r) & (rng_next(&r) % 4 == 0 ? 0 : ones(n));
			if (count || (rule == BITS_SELECT && k == 2))
				u[k] = rng_next(&r) % 8 ? 0 : u[k] & 0x1f;
			if (rule == BITS_SELECT && k == 2) {
				v[k] &= 1;
				u[k] &= 1;
			}
			other[k] = v[k] ^ (rng_next(&r) & u[k]);
		}
		uint64_t undefined = bits_of_result(&op, v, u), a = compute(&op, v, n), b = compute(&op, other, n);

		cr_assert_eq((a ^ b) & ~undefined & ones(n), 0, "rule %u, %u bits: %llx or %llx, %llx undefined", rule, n, (unsigned long long)a, (unsigned long long)b,
			     (unsigned long long)undefined);
	}
}

static uint64_t bits(enum bits_rule rule, unsigned width, uint64_t a, uint64_t ua, uint64_t b, uint64_t ub)
{
	const struct op op = {.flag = {1, 0, 0, (uint8_t)rule}, .width = {(uint8_t)width}, .bytes = 1, .vector = 4};

	return bits_of_result(&op, (const uint64_t[4]){a, b, 8, 8}, (const uint64_t[4]){ua, ub, 0, 0}) & ones(8 * width);
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
	cr_assert_eq(bits(BITS_SELECT, 4, 0, 0xff, 0, 0xff00), 0xff);
	cr_assert_eq(bits(BITS_INSERT, 4, 0, 0xf, 0, 0xffffffff), 0xffff0fff);
	cr_assert_eq(bits(BITS_EXTRACT, 4, 0, 0xff00ff00, 8, 0), 0xff);
	cr_assert_eq(bits(BITS_EXTRACT_SIGNED, 4, 0, 0x8000, 8, 0), 0xffffff80);
	cr_assert_eq(bits(BITS_WHOLE, 4, 0, 1, 0, 0), 0xffffffff);
}
