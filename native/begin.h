/* The first lines of every translated unit, as text: what the shared headers expect to be there. */
#include <stdbool.h>
#include <stdint.h>
#define NULL ((void *)0)
#define memcpy __builtin_memcpy
#define fmaf __builtin_fmaf
#define fma __builtin_fma
#define sqrtf __builtin_sqrtf
#define sqrt __builtin_sqrt
#define fabsf __builtin_fabsf
#define fabs __builtin_fabs
#define rintf __builtin_rintf
#define rint __builtin_rint
#define truncf __builtin_truncf
#define trunc __builtin_trunc
#define floorf __builtin_floorf
#define floor __builtin_floor
#define ceilf __builtin_ceilf
#define ceil __builtin_ceil
#define INFINITY __builtin_inff()
enum { LANES = 32 };
#define INLINE static inline __attribute__((always_inline))
#if defined(__clang__)
#define EVERY_IN(n) \
	_Pragma("clang loop vectorize(assume_safety)") for (unsigned i = 0; i < (n); i++)
#else
#define EVERY_IN(n) _Pragma("GCC ivdep") for (unsigned i = 0; i < (n); i++)
#endif
#define EVERY_LANE(lane) for (unsigned lane = 0; lane < LANES; lane++)
#define FOR_LANES(lane, mask) \
	for (uint32_t lanes_left_ = (mask), lane; \
		lanes_left_ && (lane = (uint32_t)__builtin_ctz(lanes_left_), 1); \
		lanes_left_ &= lanes_left_ - 1)
INLINE unsigned lane_first(uint32_t mask) { return (unsigned)__builtin_ctz(mask); }
