/* How kernels are written: a loop over 32 lanes, which the compiler vectorises, writes directly to
 * the destination if all lanes are active, otherwise to a temporary that is blended in by the lane
 * mask. The .def files are included twice, once for the functions and once for the rows of the
 * table. */
#ifndef PTXI_ARITH_KERNEL_H
#define PTXI_ARITH_KERNEL_H
#include "arith/table.h"
#include <stdalign.h>
#include <string.h>

#define ARITH_PASTE2(name, level) name##_v##level
#define ARITH_PASTE(name, level) ARITH_PASTE2(name, level)
#define SYM(name) ARITH_PASTE(name, ARITH_LEVEL)

#define ALL_LANES UINT32_MAX

/* A destination may be the same register as a source, lane for lane, so lanes are independent; the
 * compiler cannot know that. */
#if defined(__clang__)
#define LANES(n) _Pragma("clang loop vectorize(assume_safety)") for (unsigned i = 0; i < (n); i++)
#else
#define LANES(n) _Pragma("GCC ivdep") for (unsigned i = 0; i < (n); i++)
#endif
#define ALIGNED(p) __builtin_assume_aligned((p), 64)

static alignas(64) const uint32_t lane_bit[32] = {
	1u << 0,
	1u << 1,
	1u << 2,
	1u << 3,
	1u << 4,
	1u << 5,
	1u << 6,
	1u << 7,
	1u << 8,
	1u << 9,
	1u << 10,
	1u << 11,
	1u << 12,
	1u << 13,
	1u << 14,
	1u << 15,
	1u << 16,
	1u << 17,
	1u << 18,
	1u << 19,
	1u << 20,
	1u << 21,
	1u << 22,
	1u << 23,
	1u << 24,
	1u << 25,
	1u << 26,
	1u << 27,
	1u << 28,
	1u << 29,
	1u << 30,
	1u << 31,
};

/* Copies the lanes of MASK from FROM to TO, for registers of 1, 2, 4, 8 and 16 bytes per lane. */
#define BLEND(bytes, T) \
	static __attribute__((noinline, unused)) void blend##bytes( \
		void *to, const void *from, uint32_t mask) \
	{ \
		T *d = ALIGNED(to); \
		const T *s = ALIGNED(from); \
		LANES(32) \
			d[i] = mask & lane_bit[i] ? s[i] : d[i]; \
	}
BLEND(1, uint8_t)
BLEND(2, uint16_t)
BLEND(4, uint32_t)
BLEND(8, uint64_t)
#undef BLEND
static __attribute__((noinline, unused)) void blend16(void *to, const void *from, uint32_t mask)
{
	uint64_t *d = ALIGNED(to);
	const uint64_t *s = ALIGNED(from);
	for (unsigned i = 0; i < 64; i++)
		d[i] = mask & lane_bit[i / 2] ? s[i] : d[i];
}

typedef void blend_kernel(void *to, const void *from, uint32_t mask);
#define BLEND_OF(bytes) \
	((bytes) == 1                  ? blend1 \
			: (bytes) == 2 ? blend2 \
			: (bytes) == 4 ? blend4 \
			: (bytes) == 8 ? blend8 \
				       : blend16)

static inline void predicate_write(void *to, uint32_t bits, uint32_t mask)
{
	uint32_t *p = to;
	*p = (*p & ~mask) | (bits & mask);
}
/* Some lanes of a kernel with one destination: all of them into a temporary, of which those of the
 * mask are kept. W: its operands, that of the destination free. */
static __attribute__((noinline, unused)) void some_lanes(
	arith_kernel *all, blend_kernel *blend, void *to, uint32_t mask, void **w)
{
	alignas(64) uint64_t temp[64];
	w[0] = temp;
	all(w, ALL_LANES);
	blend(to, temp, mask);
}
/* The same where the last source is the condition code, which such a kernel also writes. */
static __attribute__((noinline, unused)) void some_lanes_carry(
	arith_kernel *all, blend_kernel *blend, void *to, uint32_t mask, void **w, unsigned last)
{
	uint32_t *const code = w[last];
	uint32_t carry = *code;
	w[last] = &carry;
	some_lanes(all, blend, to, mask, w);
	predicate_write(code, carry, mask);
}
#endif
