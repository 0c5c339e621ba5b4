/* The hash table from keys to rows, generated at build time (arith/make/). */
#ifndef PTXI_ARITH_SLOTS_H
#define PTXI_ARITH_SLOTS_H
#include "arith/table.h"
#include <string.h>

enum { ARITH_SLOTS = 1 << 13, ARITH_FREE_SLOT = UINT16_MAX };
/* file << 12 | row, the same numbers in every version */
extern const uint16_t arith_slot[ARITH_SLOTS];

static inline uint32_t arith_hash(const struct arith_key *k)
{
	uint64_t x, y;
	_Static_assert(sizeof *k == 12, "a key has no padding");
	memcpy(&x, k, 8);
	memcpy(&y, (const char *)k + 4, 8);
	x = (x ^ y >> 32 << 17) * 0x9e3779b97f4a7c15u;
	x = (x ^ x >> 29 ^ y) * 0xbf58476d1ce4e5b9u;
	return (uint32_t)(x >> 40) & (ARITH_SLOTS - 1);
}

#endif
