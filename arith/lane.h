/* Integer and bit operations on one lane that are too long for an expression. Pure functions,
 * inlined into the kernels' loops. */
#ifndef PTXI_ARITH_LANE_H
#define PTXI_ARITH_LANE_H
#include <stdbool.h>
#include <stdint.h>

static inline int32_t lane_clamp_s32(int64_t x)
{
	return x > INT32_MAX ? INT32_MAX : x < INT32_MIN ? INT32_MIN : (int32_t)x;
}
static inline uint8_t lane_clamp_u8(int32_t x)
{
	return (uint8_t)(x < 0 ? 0 : x > UINT8_MAX ? UINT8_MAX : x);
}
static inline int8_t lane_clamp_s8(int32_t x)
{
	return (int8_t)(x < INT8_MIN ? INT8_MIN : x > INT8_MAX ? INT8_MAX : x);
}

/* The halves of the product of A and B without carries. */
static inline uint64_t lane_clmul_lo(uint64_t a, uint64_t b)
{
	uint64_t p = 0;

	for (unsigned k = 0; k < 64; k++)
		p ^= (a << k) & (0 - (b >> k & 1));
	return p;
}
static inline uint64_t lane_clmul_hi(uint64_t a, uint64_t b)
{
	uint64_t p = 0;

	for (unsigned k = 1; k < 64; k++)
		p ^= (a >> (64 - k)) & (0 - (b >> k & 1));
	return p;
}
static inline uint16_t lane_clamp_u16(int32_t x)
{
	return (uint16_t)(x > UINT16_MAX ? UINT16_MAX : x < 0 ? 0 : x);
}
static inline int16_t lane_clamp_s16(int32_t x)
{
	return (int16_t)(x > INT16_MAX ? INT16_MAX : x < INT16_MIN ? INT16_MIN : x);
}

static inline uint64_t lane_mulhi_u64(uint64_t a, uint64_t b)
{
	return (uint64_t)((unsigned __int128)a * b >> 64);
}
static inline uint64_t lane_mulhi_s64(uint64_t a, uint64_t b)
{
	return (uint64_t)((unsigned __int128)((__int128)(int64_t)a * (int64_t)b) >> 64);
}

/* 24-bit operands are in the low bits of their registers. */
static inline int32_t lane_s24(uint32_t x) { return (int32_t)(x << 8) >> 8; }
static inline uint32_t lane_u24(uint32_t x) { return x & 0xffffffu; }

/* Division: the manual does not define the result for a zero divisor; these are the hardware's. */
static inline uint16_t lane_div_u16(uint16_t a, uint16_t b)
{
	return (uint16_t)(b ? a / b : UINT16_MAX);
}
static inline uint16_t lane_rem_u16(uint16_t a, uint16_t b)
{
	return (uint16_t)(b ? a % b : UINT16_MAX);
}
static inline int16_t lane_div_s16(int16_t a, int16_t b) { return (int16_t)(b ? a / b : -1); }
static inline int16_t lane_rem_s16(int16_t a, int16_t b) { return (int16_t)(b ? a % b : -1); }
/* 32-bit quotients computed as doubles, which vectorise. Rounding cannot reach the next integer: a
 * quotient below 2^32 that is at least 1/b away from it is distinguished by 53 bits. */
static inline uint32_t lane_quotient_u32(uint32_t a, uint32_t b)
{
	const double q = (double)a / (double)(b ? b : 1);
	const bool big = q >= 0x1p31;
	return (uint32_t)(int32_t)(big ? q - 0x1p31 : q) + (big ? 0x80000000u : 0);
}
static inline uint32_t lane_quotient_s32(int32_t a, int32_t b)
{
	const double q = (double)a / (double)(b ? b : 1);
	const bool big = q >= 0x1p31;
	return big ? 0x80000000u : (uint32_t)(int32_t)(big ? 0 : q);
}
static inline uint32_t lane_div_u32(uint32_t a, uint32_t b)
{
	return b ? lane_quotient_u32(a, b) : UINT32_MAX;
}
static inline uint32_t lane_rem_u32(uint32_t a, uint32_t b)
{
	return b ? a - lane_quotient_u32(a, b) * b : UINT32_MAX;
}
static inline int32_t lane_div_s32(int32_t a, int32_t b)
{
	return b ? (int32_t)lane_quotient_s32(a, b) : -1;
}
static inline int32_t lane_rem_s32(int32_t a, int32_t b)
{
	return b ? (int32_t)((uint32_t)a - lane_quotient_s32(a, b) * (uint32_t)b) : -1;
}
static inline uint64_t lane_div_u64(uint64_t a, uint64_t b) { return b ? a / b : UINT64_MAX; }
static inline uint64_t lane_rem_u64(uint64_t a, uint64_t b) { return b ? a % b : UINT64_MAX; }
static inline int64_t lane_div_s64(int64_t a, int64_t b)
{
	return b == 0 ? -1 : b == -1 ? (int64_t)(0u - (uint64_t)a) : a / b;
}
static inline int64_t lane_rem_s64(int64_t a, int64_t b)
{
	return b == 0 ? -1 : b == -1 ? 0 : a % b;
}

static inline uint32_t lane_popc32(uint32_t x)
{
	x -= x >> 1 & 0x55555555u;
	x = (x & 0x33333333u) + (x >> 2 & 0x33333333u);
	x = (x + (x >> 4)) & 0x0f0f0f0fu;
	return x * 0x01010101u >> 24;
}
static inline uint32_t lane_popc64(uint64_t x)
{
	return lane_popc32((uint32_t)x) + lane_popc32((uint32_t)(x >> 32));
}
static inline uint32_t lane_clz32(uint32_t x) { return x ? (uint32_t)__builtin_clz(x) : 32; }
static inline uint32_t lane_clz64(uint64_t x) { return x ? (uint32_t)__builtin_clzll(x) : 64; }
static inline uint32_t lane_brev32(uint32_t x)
{
	x = (x >> 1 & 0x55555555u) | (x & 0x55555555u) << 1;
	x = (x >> 2 & 0x33333333u) | (x & 0x33333333u) << 2;
	x = (x >> 4 & 0x0f0f0f0fu) | (x & 0x0f0f0f0fu) << 4;
	return __builtin_bswap32(x);
}
static inline uint64_t lane_brev64(uint64_t x)
{
	return (uint64_t)lane_brev32((uint32_t)x) << 32 | lane_brev32((uint32_t)(x >> 32));
}
/* Position of the most significant one bit; all ones if there is none. The caller complements
 * negative operands. (9.7.1.17 bfind) */
static inline uint32_t lane_bfind32(uint32_t x)
{
	return x ? 31 - (uint32_t)__builtin_clz(x) : UINT32_MAX;
}
static inline uint32_t lane_bfind64(uint64_t x)
{
	return x ? 63 - (uint32_t)__builtin_clzll(x) : UINT32_MAX;
}
static inline uint32_t lane_bfind_shift32(uint32_t x)
{
	return x ? (uint32_t)__builtin_clz(x) : UINT32_MAX;
}
static inline uint32_t lane_bfind_shift64(uint64_t x)
{
	return x ? (uint32_t)__builtin_clzll(x) : UINT32_MAX;
}

/* In PTX, shifts by more than the width are defined. */
static inline uint32_t lane_shl32(uint32_t a, uint32_t n) { return n > 31 ? 0 : a << (n & 31); }
static inline uint32_t lane_shr32(uint32_t a, uint32_t n) { return n > 31 ? 0 : a >> (n & 31); }
static inline int32_t lane_sar32(int32_t a, uint32_t n) { return a >> (n > 31 ? 31 : n); }
static inline uint64_t lane_shl64(uint64_t a, uint32_t n) { return n > 63 ? 0 : a << (n & 63); }
static inline uint64_t lane_shr64(uint64_t a, uint32_t n) { return n > 63 ? 0 : a >> (n & 63); }
static inline int64_t lane_sar64(int64_t a, uint32_t n) { return a >> (n > 63 ? 63 : n); }
/* N is 0 to 32; 32 gives the other source. In 32 bits, of which vectors hold twice as many. */
static inline uint32_t lane_shf_l(uint32_t a, uint32_t b, uint32_t n)
{
	const uint32_t k = n & 31;
	return n > 31 ? a : b << k | a >> 1 >> (31 - k);
}
static inline uint32_t lane_shf_r(uint32_t a, uint32_t b, uint32_t n)
{
	const uint32_t k = n & 31;
	return n > 31 ? b : a >> k | b << 1 << (31 - k);
}

/* bfe.s: the sign is the field's top bit, or the register's if the field extends past it. The
 * 32-bit forms read eight bits of position and length, the 64-bit forms all bits. (9.7.1.20) */
static inline uint32_t lane_bfe_u32(uint32_t a, uint32_t b, uint32_t c)
{
	const uint32_t len = c & 0xff, x = lane_shr32(a, b & 0xff);
	return len > 31 ? x : x & ((1u << len) - 1);
}
static inline uint64_t lane_bfe_u64(uint64_t a, uint32_t b, uint32_t len)
{
	const uint64_t x = lane_shr64(a, b);
	return len > 63 ? x : x & (((uint64_t)1 << len) - 1);
}
static inline uint32_t lane_bfe_s32(uint32_t a, uint32_t b, uint32_t c)
{
	const uint32_t len = c & 0xff, drop = len > 31 ? 0 : 32 - len;
	const int32_t x = lane_sar32((int32_t)a, b & 0xff);
	return len == 0 ? 0 : (uint32_t)((int32_t)((uint32_t)x << (drop & 31)) >> (drop & 31));
}
static inline uint64_t lane_bfe_s64(uint64_t a, uint32_t b, uint32_t len)
{
	const uint32_t drop = len > 63 ? 0 : 64 - len;
	const int64_t x = lane_sar64((int64_t)a, b);
	return len == 0 ? 0 : (uint64_t)((int64_t)((uint64_t)x << (drop & 63)) >> (drop & 63));
}
static inline uint32_t lane_bfi32(uint32_t a, uint32_t b, uint32_t c, uint32_t d)
{
	const uint32_t position = c & 0xff, len = d & 0xff;
	const uint32_t ones = len > 31 ? UINT32_MAX : (1u << len) - 1,
		       field = lane_shl32(ones, position);
	return (b & ~field) | (lane_shl32(a, position) & field);
}
static inline uint64_t lane_bfi64(uint64_t a, uint64_t b, uint32_t position, uint32_t len)
{
	const uint64_t ones = len > 63 ? UINT64_MAX : ((uint64_t)1 << len) - 1,
		       field = lane_shl64(ones, position);
	return (b & ~field) | (lane_shl64(a, position) & field);
}
/* B ones starting at bit A; amounts of 32 and more are clamped, or taken modulo 32. (9.7.1.23
 * bmsk) */
static inline uint32_t lane_bmsk(uint32_t a, uint32_t b)
{
	return lane_shl32(b > 31 ? UINT32_MAX : (1u << b) - 1, a);
}
/* The low B bits, zero- or sign-extended; B = 0 gives 0. (9.7.1.22 szext) */
static inline uint32_t lane_szext_u32(uint32_t a, uint32_t b)
{
	return b > 31 ? a : a & ((1u << b) - 1);
}
static inline uint32_t lane_szext_s32(uint32_t a, uint32_t b)
{
	return b > 31 ? a : b == 0 ? 0 : (uint32_t)((int32_t)(a << (32 - b)) >> (32 - b));
}
/* Position of the |OFFSET|-th set bit from BASE, upwards or downwards; 0xffffffff if there is none.
 * (9.7.1.18 fns) */
static inline uint32_t lane_fns(uint32_t bits, uint32_t base, int32_t offset)
{
	if (base > 31)
		return UINT32_MAX;
	if (offset == 0)
		return bits >> base & 1 ? base : UINT32_MAX;
	uint32_t left = offset < 0 ? 0u - (uint32_t)offset : (uint32_t)offset;
	for (int at = (int)base; at >= 0 && at<32; at += offset> 0 ? 1 : -1)
		if (bits >> at & 1 && --left == 0)
			return (uint32_t)at;
	return UINT32_MAX;
}

/* Any function of three bits, given as a table of eight bits, by seven selections. (9.7.9.6
 * lop3) */
static inline uint32_t lane_choose(uint32_t s, uint32_t one, uint32_t zero)
{
	return (s & one) | (~s & zero);
}
static inline uint32_t lane_lop3(uint32_t a, uint32_t b, uint32_t c, uint32_t t)
{
#define BIT(k) (0u - (t >> (k)&1))
	return lane_choose(a,
		lane_choose(b, lane_choose(c, BIT(7), BIT(6)), lane_choose(c, BIT(5), BIT(4))),
		lane_choose(b, lane_choose(c, BIT(3), BIT(2)), lane_choose(c, BIT(1), BIT(0))));
#undef BIT
}

/* prmt: each nibble of the selector picks one of eight source bytes; bit 3 of a nibble replicates
 * the byte's sign instead. (9.7.10.7) */
static inline uint32_t lane_prmt_byte(uint64_t ab, uint32_t s, unsigned k)
{
	const uint32_t nibble = s >> 4 * k & 15, byte = (uint32_t)(ab >> 8 * (nibble & 7)) & 0xff;
	return (nibble & 8 ? (byte & 0x80 ? 0xffu : 0u) : byte) << 8 * k;
}
static inline uint32_t lane_prmt(uint32_t a, uint32_t b, uint32_t s)
{
	const uint64_t ab = (uint64_t)b << 32 | a;
	return lane_prmt_byte(ab, s, 0) | lane_prmt_byte(ab, s, 1) | lane_prmt_byte(ab, s, 2) |
		lane_prmt_byte(ab, s, 3);
}
static inline uint32_t lane_prmt_f4e(uint32_t a, uint32_t b, uint32_t s)
{
	return (uint32_t)(((uint64_t)b << 32 | a) >> 8 * (s & 3));
}
static inline uint32_t lane_prmt_b4e(uint32_t a, uint32_t b, uint32_t s)
{
	static const uint16_t selector[4] = {0x5670, 0x6701, 0x7012, 0x0123};
	return lane_prmt(a, b, selector[s & 3]);
}
static inline uint32_t lane_prmt_rc8(uint32_t a, uint32_t s)
{
	return (a >> 8 * (s & 3) & 0xff) * 0x01010101u;
}
static inline uint32_t lane_prmt_rc16(uint32_t a, uint32_t s)
{
	return (a >> 16 * (s & 1) & 0xffff) * 0x00010001u;
}
static inline uint32_t lane_prmt_ecl(uint32_t a, uint32_t s)
{
	static const uint16_t selector[4] = {0x3210, 0x3211, 0x3222, 0x3333};
	return lane_prmt(a, 0, selector[s & 3]);
}
static inline uint32_t lane_prmt_ecr(uint32_t a, uint32_t s)
{
	static const uint16_t selector[4] = {0x0000, 0x1110, 0x2210, 0x3210};
	return lane_prmt(a, 0, selector[s & 3]);
}

static inline int32_t lane_byte(uint32_t x, unsigned k, bool is_signed)
{
	const uint32_t byte = x >> 8 * k & 0xff;
	return is_signed ? (int32_t)(int8_t)(uint8_t)byte : (int32_t)byte;
}
static inline int32_t lane_half(uint32_t x, unsigned k, bool is_signed)
{
	const uint32_t half = x >> 16 * k & 0xffff;
	return is_signed ? (int32_t)(int16_t)(uint16_t)half : (int32_t)half;
}
/* The sum of C and four byte products, or two products of a half and a byte (.lo: bytes 0 and 1 of
 * B, .hi: 2 and 3), modulo 2^32. (9.7.1.24, 9.7.1.25) */
static inline uint32_t lane_dp4a(uint32_t a, uint32_t b, uint32_t c, bool sa, bool sb)
{
	return c + (uint32_t)(lane_byte(a, 0, sa) * lane_byte(b, 0, sb)) +
		(uint32_t)(lane_byte(a, 1, sa) * lane_byte(b, 1, sb)) +
		(uint32_t)(lane_byte(a, 2, sa) * lane_byte(b, 2, sb)) +
		(uint32_t)(lane_byte(a, 3, sa) * lane_byte(b, 3, sb));
}
static inline uint32_t lane_dp2a(
	uint32_t a, uint32_t b, uint32_t c, bool sa, bool sb, unsigned first)
{
	return c + (uint32_t)(lane_half(a, 0, sa) * lane_byte(b, first, sb)) +
		(uint32_t)(lane_half(a, 1, sa) * lane_byte(b, first + 1, sb));
}
#endif
