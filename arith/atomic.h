/* The result of an atomic operation on an integer in memory: isa/atomic.def as a function that
 * folds to one operation if the operation is constant. */
#ifndef PTXI_ARITH_ATOMIC_H
#define PTXI_ARITH_ATOMIC_H
#include "isa/order.h"

/* OLD is in memory, B and C (compare-and-swap: the new value) are the instruction's; all are
 * zero-extended and ONES has the bits of an element. SIGN: the highest of these for signed types,
 * else 0. ATOMIC_NONE leaves what is there. */
static inline __attribute__((always_inline)) uint64_t atomic_integer(
	enum atomic what, uint64_t sign, uint64_t ones, uint64_t old, uint64_t b, uint64_t c)
{
	switch (what) {
#define OLD old
#define B b
#define C c
#define LESS(x, y) \
	(((x) ^ sign) < ((y) ^ sign)) /* flipping the sign bit makes a signed comparison an \
					 unsigned one */
#define ATOMIC(NAME, word, commutes, result) \
	case ATOMIC_##NAME: \
		return (result)&ones;
#include "isa/atomic.def"
#undef OLD
#undef B
#undef C
#undef LESS
	case ATOMIC_NONE: break;
	}
	return old;
}

#endif
