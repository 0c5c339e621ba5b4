/* Kernels of directed.def: the only kernels that change the processor's rounding mode, for the
 * duration of one loop over 32 lanes. The loop reads from and writes to memory, so the two compiler
 * barriers keep its arithmetic between the two changes of mode. */
#include "arith/kernel/kernel.h"
#include "arith/fp.h"

#if defined(ARITH_SOFT)
static inline unsigned rounding_begin(enum f32_mode mode) { return mode; }
static inline void rounding_end(unsigned old) { (void)old; }
#elif defined(__x86_64__)
#include <xmmintrin.h>
static inline unsigned rounding_begin(enum f32_mode mode)
{
	const unsigned old = _mm_getcsr();
	_mm_setcsr((old & ~0x6000u) |
		(mode == F32_RZ                  ? 0x6000u
				: mode == F32_RM ? 0x2000u
						 : 0x4000u));
	__asm__ volatile("" ::: "memory");
	return old;
}
static inline void rounding_end(unsigned old)
{
	__asm__ volatile("" ::: "memory");
	_mm_setcsr(old);
}
#else
#include <fenv.h>
static inline unsigned rounding_begin(enum f32_mode mode)
{
	const int old = fegetround();
	fesetround(mode == F32_RZ ? FE_TOWARDZERO : mode == F32_RM ? FE_DOWNWARD : FE_UPWARD);
	__asm__ volatile("" ::: "memory");
	return (unsigned)old;
}
static inline void rounding_end(unsigned old)
{
	__asm__ volatile("" ::: "memory");
	fesetround((int)old);
}
#endif

#include "arith/kernel/functions.h"
#include "arith/kernel/directed.def"

#include "arith/kernel/rows.h"
arith_kernel *const SYM(directed_run)[] = {
#include "arith/kernel/directed.def"
};
