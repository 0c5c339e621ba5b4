/* The inputs: every pair of edge values, then random ones, half of them near interesting values.
 * They are the same on every machine. */
#include "vectors.h"
#include <string.h>

static const uint64_t edge_int[] = {0, 1, 2, 3, 5, 7, 8, 15, 16, 17, 31, 32, 33, 63, 64, 65, 127,
	128, 129, 255, 256, 257, 0x7fff, 0x8000, 0x8001, 0xffff, 0x10000, 0x7ffffffe, 0x7fffffff,
	0x80000000u, 0x80000001u, 0xfffffffe, 0xffffffff, 0x100000000, 0x7fffffffffffffff,
	0x8000000000000000u, 0x8000000000000001u, 0xffffffff80000000u, 0xffffffff7fffffffu,
	0xffffffffffff8000u, 0xffffffffffff7fffu, 0xffffffffffffff80u, 0xffffffffffffff7fu,
	0xfffffffffffffffe, 0xffffffffffffffff, 0x5555555555555555, 0xaaaaaaaaaaaaaaaau,
	0x0123456789abcdef, 0x1f, 0x1f00, 0x181f, 0x1c03};
static const uint64_t edge_f32[] = {0, 0x80000000u, 1, 0x80000001u, 0x007fffff, 0x807fffff,
	0x00800000, 0x80800000u, 0x3f800000, 0xbf800000u, 0x3f000000, 0xbf000000u, 0x3f800001,
	0x3f7fffff, 0x40000000, 0xc0000000u, 0x40400000, 0x3fc00000, 0x40200000, 0xc0200000u,
	0x4b000000, 0x4b000001, 0xcb000001u, 0x4b7fffff, 0x4effffff, 0x4f000000, 0xcf000000u,
	0xcf000001u, 0x4f7fffff, 0x4f800000, 0x5effffff, 0x5f000000, 0xdf000000u, 0x5f7fffff,
	0x5f800000, 0x7f7fffff, 0xff7fffffu, 0x7f800000, 0xff800000u, 0x7fc00000, 0xffc00000u,
	0x7f800001, 0xffbfffffu, 0x7fffffff, 0x477fe000, 0x477fefff, 0x477ff000, 0x477fffff,
	0x33000000, 0x33000001, 0x387fc000, 0x38800000, 0x43e00000, 0x43e80000, 0x47600000,
	0x42fe0000, 0x43000000, 0x437f0000, 0x46fffe00, 0x477fff00, 0x3fa00000, 0x40490fdb};
static const uint64_t edge_f64[] = {0, 0x8000000000000000u, 1, 0x8000000000000001u,
	0x000fffffffffffff, 0x0010000000000000, 0x3ff0000000000000, 0xbff0000000000000u,
	0x3fe0000000000000, 0xbfe0000000000000u, 0x3ff0000000000001, 0x3fefffffffffffff,
	0x4000000000000000, 0x4008000000000000, 0x3ff8000000000000, 0x4004000000000000,
	0xc004000000000000u, 0x4330000000000000, 0x4330000000000001, 0x41dfffffffc00000,
	0x41dfffffffe00000, 0x41e0000000000000, 0xc1e0000000000000u, 0xc1e0000000200000u,
	0x41efffffffe00000, 0x41f0000000000000, 0x43dfffffffffffff, 0x43e0000000000000,
	0xc3e0000000000000u, 0x43efffffffffffff, 0x43f0000000000000, 0x7fefffffffffffff,
	0xffefffffffffffffu, 0x7ff0000000000000, 0xfff0000000000000u, 0x7ff8000000000000,
	0xfff8000000000000u, 0x7ff0000000000001, 0x7fffffffffffffff, 0x47efffffe0000000,
	0x47efffffefffffff, 0x47effffff0000000, 0x36a0000000000000, 0x3690000000000000,
	0x3690000000000001, 0x380fffffc0000000, 0x3810000000000000, 0x40f0000000000000,
	0x3e70000000000000, 0x400921fb54442d18};
static const uint64_t edge_half[] = {0, 0x8000, 1, 0x8001, 0x03ff, 0x83ff, 0x0400, 0x8400, 0x3c00,
	0xbc00, 0x3800, 0x3c01, 0x3bff, 0x4000, 0x4200, 0x4600, 0x7bff, 0xfbff, 0x7c00, 0xfc00,
	0x7e00, 0xfe00, 0x7c01, 0x7fff, 0x3f80, 0xbf80, 0x3f00, 0x3f81, 0x3f7f, 0x4040, 0x7f7f,
	0xff7f, 0x7f80, 0xff80, 0x7fc0, 0x7f81, 0x007f, 0x0080, 0x5800, 0x6400, 0x6401, 0x4f00,
	0x5bff, 0x3e00};

static uint64_t mix(uint64_t z)
{
	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
	z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
	return z ^ (z >> 31);
}

static uint64_t near_one_f32(uint64_t r)
{
	return (r & 0x807fffffu) | (uint64_t)(127 - 12 + (r >> 40) % 25) << 23;
}

uint64_t vector_input(enum pool pool, unsigned k, uint32_t i)
{
	static const struct {
		const uint64_t *value;
		unsigned n;
	} edges[POOL_COUNT] = {{edge_int, sizeof edge_int / 8}, {edge_f32, sizeof edge_f32 / 8},
		{edge_f64, sizeof edge_f64 / 8}, {edge_half, sizeof edge_half / 8},
		{edge_half, sizeof edge_half / 8}};
	unsigned n = edges[pool].n;
	uint64_t r = mix(0x9e3779b97f4a7c15u * (i + 1) + mix(pool * 8u + k + 1)), s = mix(r + 77);

	if (i < n * n) { /* every pair of the first two operands; the others vary */
		unsigned e = k == 0 ? i % n : k == 1 ? i / n : (unsigned)(r % n);
		uint64_t v = edges[pool].value[e];
		return pool == POOL_F16 || pool == POOL_BF16
			? v | edges[pool].value[(e * 7 + 3) % n] << 16
			: v;
	}
	switch ((int)pool) {
	case POOL_INT:
		switch (s & 3) {
		case 0: return r;
		case 1: return r % 72;
		case 2: return (uint64_t)(int64_t)(int32_t)r;
		default: return r >> (s >> 8 & 63);
		}
	case POOL_F32: return s & 1 ? r & 0xffffffff : near_one_f32(r);
	case POOL_F64:
		return s & 1
			? r
			: (r & 0x800fffffffffffffu) | (uint64_t)(1023 - 40 + (s >> 8) % 110) << 52;
	case POOL_BF16:
		return s & 1
			? r & 0xffffffff
			: (near_one_f32(r) >> 16) | (near_one_f32(r >> 7 | r << 57) & 0xffff0000u);
	default:
		return s & 1 ? r & 0xffffffff
			     : (r & 0x83ff83ffu) | (uint64_t)(9 + (s >> 8) % 13) << 10 |
				(uint64_t)(9 + (s >> 16) % 13) << 26;
	}
}
