/* The result of an atomic operation on an integer in memory: isa/atomic.def as a function that
 * folds to a single operation when the operation is constant. */
#ifndef PTXI_ARITH_ATOMIC_H
#define PTXI_ARITH_ATOMIC_H
#include "isa/order.h"

/* OLD is the value in memory, B and C (compare-and-swap: the new value) are the instruction's
 * operands; all are zero-extended. ONES has the bits of an element set. SIGN: the highest of these
 * for signed types, otherwise 0. ATOMIC_NONE returns OLD. */
static inline __attribute__((always_inline)) uint64_t atomic_integer(
	enum atomic what, uint64_t sign, uint64_t ones, uint64_t old, uint64_t b, uint64_t c)
{
	switch (what) {
#define OLD old
#define B b
#define C c
/* flipping the sign bits makes a signed comparison an unsigned one */
#define LESS(x, y) (((x) ^ sign) < ((y) ^ sign))
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
