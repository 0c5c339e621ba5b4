/* What a thread knows of itself, and how threads wait for one another and exchange values. */
#ifndef PTXI_CUDA_THREADS_H
#define PTXI_CUDA_THREADS_H
#include "vectors.h"

#define PTXI_INDEX(type, what) \
	struct ptxi_##what { \
		PTXI_DEVICE unsigned get_x() { return __nvvm_read_ptx_sreg_##what##_x(); } \
		PTXI_DEVICE unsigned get_y() { return __nvvm_read_ptx_sreg_##what##_y(); } \
		PTXI_DEVICE unsigned get_z() { return __nvvm_read_ptx_sreg_##what##_z(); } \
		__declspec(property(get = get_x)) unsigned x; \
		__declspec(property(get = get_y)) unsigned y; \
		__declspec(property(get = get_z)) unsigned z; \
		PTXI_METHOD operator dim3() const { return dim3(get_x(), get_y(), get_z()); } \
		PTXI_METHOD operator uint3() const { return uint3{get_x(), get_y(), get_z()}; } \
	};
PTXI_INDEX(uint3, tid)
PTXI_INDEX(uint3, ctaid)
PTXI_INDEX(dim3, ntid)
PTXI_INDEX(dim3, nctaid)
#undef PTXI_INDEX
extern const __device__ ptxi_tid threadIdx;
extern const __device__ ptxi_ctaid blockIdx;
extern const __device__ ptxi_ntid blockDim;
extern const __device__ ptxi_nctaid gridDim;
static constexpr int warpSize = 32;

/* Some versions of clang have this name, too. */
#define __syncthreads() ptxi_syncthreads()
PTXI_DEVICE void ptxi_syncthreads() { asm volatile("bar.sync 0;" ::: "memory"); }
PTXI_DEVICE void __syncwarp(unsigned mask = ~0u)
{
	asm volatile("bar.warp.sync %0;" ::"r"(mask) : "memory");
}

#define __syncthreads_count(p) ptxi_syncthreads_count(p)
#define __syncthreads_and(p) ptxi_syncthreads_and(p)
#define __syncthreads_or(p) ptxi_syncthreads_or(p)
PTXI_DEVICE int ptxi_syncthreads_count(int p)
{
	int n;

	asm volatile("{ .reg .pred q; setp.ne.u32 q, %1, 0; bar.red.popc.u32 %0, 0, q; }"
		     : "=r"(n)
		     : "r"(p)
		     : "memory");
	return n;
}
#define PTXI_BAR_RED(name, op) \
	PTXI_DEVICE int name(int p) \
	{ \
		int any; \
\
		asm volatile("{ .reg .pred q, a; setp.ne.u32 q, %1, 0; bar.red." op \
			     ".pred a, 0, q; selp.u32 %0, 1, 0, a; }" \
			     : "=r"(any) \
			     : "r"(p) \
			     : "memory"); \
		return any; \
	}
PTXI_BAR_RED(ptxi_syncthreads_and, "and")
PTXI_BAR_RED(ptxi_syncthreads_or, "or")
#undef PTXI_BAR_RED

PTXI_DEVICE void __threadfence_block() { asm volatile("membar.cta;" ::: "memory"); }
PTXI_DEVICE void __threadfence() { asm volatile("membar.gl;" ::: "memory"); }
PTXI_DEVICE void __threadfence_system() { asm volatile("membar.sys;" ::: "memory"); }

/* --- the threads of a warp --- */

PTXI_DEVICE unsigned ptxi_lane()
{
	unsigned lane;

	asm("mov.u32 %0, %%laneid;" : "=r"(lane));
	return lane;
}
PTXI_DEVICE unsigned __activemask()
{
	unsigned mask;

	asm volatile("activemask.b32 %0;" : "=r"(mask));
	return mask;
}

#define PTXI_VOTE(name, op) \
	PTXI_DEVICE int name(unsigned mask, int p) \
	{ \
		int result; \
\
		asm volatile("{ .reg .pred q, a; setp.ne.u32 q, %1, 0; vote.sync." op \
			     ".pred a, q, %2; selp.u32 %0, 1, 0, a; }" \
			     : "=r"(result) \
			     : "r"(p), "r"(mask) \
			     : "memory"); \
		return result; \
	}
PTXI_VOTE(__all_sync, "all")
PTXI_VOTE(__any_sync, "any")
PTXI_VOTE(__uni_sync, "uni")
#undef PTXI_VOTE
PTXI_DEVICE unsigned __ballot_sync(unsigned mask, int p)
{
	unsigned result;

	asm volatile("{ .reg .pred q; setp.ne.u32 q, %1, 0; vote.sync.ballot.b32 %0, q, %2; }"
		     : "=r"(result)
		     : "r"(p), "r"(mask)
		     : "memory");
	return result;
}

/* CLAMP: the lane that bounds the source, below bits for the width. */
#define PTXI_SHUFFLE(name, mode, clamp) \
	PTXI_DEVICE unsigned ptxi_##name(unsigned mask, unsigned v, unsigned lane, int width) \
	{ \
		unsigned result, bounds = (unsigned)(32 - width) << 8 | clamp; \
\
		asm volatile("shfl.sync." mode ".b32 %0, %1, %2, %3, %4;" \
			     : "=r"(result) \
			     : "r"(v), "r"(lane), "r"(bounds), "r"(mask) \
			     : "memory"); \
		return result; \
	} \
	template <class T> \
	PTXI_DEVICE T name(unsigned mask, T value, unsigned lane, int width = warpSize) \
	{ \
		unsigned part[(sizeof(T) + 3) / 4] = {}; \
\
		__builtin_memcpy(part, &value, sizeof value); \
		for (unsigned k = 0; k < (sizeof(T) + 3) / 4; k++) \
			part[k] = ptxi_##name(mask, part[k], lane, width); \
		__builtin_memcpy(&value, part, sizeof value); \
		return value; \
	}
PTXI_SHUFFLE(__shfl_sync, "idx", 31)
PTXI_SHUFFLE(__shfl_up_sync, "up", 0)
PTXI_SHUFFLE(__shfl_down_sync, "down", 31)
PTXI_SHUFFLE(__shfl_xor_sync, "bfly", 31)
#undef PTXI_SHUFFLE

template <class T> PTXI_DEVICE unsigned __match_any_sync(unsigned mask, T value)
{
	unsigned result;
	unsigned long long bits = 0;

	__builtin_memcpy(&bits, &value, sizeof value);
	if constexpr (sizeof(T) == 4)
		asm volatile("match.any.sync.b32 %0, %1, %2;"
			     : "=r"(result)
			     : "r"((unsigned)bits), "r"(mask)
			     : "memory");
	else
		asm volatile("match.any.sync.b64 %0, %1, %2;"
			     : "=r"(result)
			     : "l"(bits), "r"(mask)
			     : "memory");
	return result;
}
template <class T> PTXI_DEVICE unsigned __match_all_sync(unsigned mask, T value, int *all)
{
	unsigned result;
	unsigned long long bits = 0;

	__builtin_memcpy(&bits, &value, sizeof value);
	if constexpr (sizeof(T) == 4)
		asm volatile(
			"{ .reg .pred q; match.all.sync.b32 %0|q, %2, %3; selp.u32 %1, 1, 0, q; }"
			: "=r"(result), "=r"(*all)
			: "r"((unsigned)bits), "r"(mask)
			: "memory");
	else
		asm volatile(
			"{ .reg .pred q; match.all.sync.b64 %0|q, %2, %3; selp.u32 %1, 1, 0, q; }"
			: "=r"(result), "=r"(*all)
			: "l"(bits), "r"(mask)
			: "memory");
	return result;
}

#define PTXI_REDUX(name, type, op) \
	PTXI_DEVICE type name(unsigned mask, type value) \
	{ \
		type result; \
\
		asm volatile("redux.sync." op " %0, %1, %2;" \
			     : "=r"(result) \
			     : "r"(value), "r"(mask) \
			     : "memory"); \
		return result; \
	}
PTXI_REDUX(__reduce_add_sync, unsigned, "add.u32")
PTXI_REDUX(__reduce_add_sync, int, "add.s32")
PTXI_REDUX(__reduce_min_sync, unsigned, "min.u32")
PTXI_REDUX(__reduce_min_sync, int, "min.s32")
PTXI_REDUX(__reduce_max_sync, unsigned, "max.u32")
PTXI_REDUX(__reduce_max_sync, int, "max.s32")
PTXI_REDUX(__reduce_and_sync, unsigned, "and.b32")
PTXI_REDUX(__reduce_or_sync, unsigned, "or.b32")
PTXI_REDUX(__reduce_xor_sync, unsigned, "xor.b32")
#undef PTXI_REDUX

/* --- time, traps --- */

PTXI_DEVICE long long clock64()
{
	long long t;

	asm volatile("mov.u64 %0, %%clock64;" : "=l"(t)::"memory");
	return t;
}
PTXI_DEVICE clock_t clock() { return (clock_t)(int)clock64(); }
PTXI_DEVICE unsigned long long __globaltimer()
{
	unsigned long long t;

	asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(t)::"memory");
	return t;
}
PTXI_DEVICE void __nanosleep(unsigned ns)
{
	asm volatile("nanosleep.u32 %0;" ::"r"(ns) : "memory");
}
PTXI_DEVICE void __trap() { asm volatile("trap;"); }
PTXI_DEVICE void __brkpt() { asm volatile("brkpt;"); }

/* --- output, assertions, the heap: functions of PTX --- */

extern "C" {
__device__ int printf(const char *format, ...);
__device__ void __assertfail(
	const void *what, const void *file, unsigned line, const void *function, size_t size);
__device__ void *malloc(size_t size) noexcept;
__device__ void free(void *p) noexcept;
PTXI_DEVICE void __assert_fail(
	const char *what, const char *file, unsigned line, const char *function)
{
	__assertfail(what, file, line, function, 1);
}
}
/* --- addresses --- */

#define PTXI_SHARED_POINTER(p) ((__attribute__((address_space(3))) void *)(p))
PTXI_DEVICE unsigned ptxi_shared(const void *p)
{
	return (unsigned)(size_t)(__attribute__((address_space(3))) const void *)p;
}
PTXI_DEVICE size_t __cvta_generic_to_shared(const void *p) { return ptxi_shared(p); }
PTXI_DEVICE size_t __cvta_generic_to_global(const void *p)
{
	return (size_t)(__attribute__((address_space(1))) const void *)p;
}
#define PTXI_IS(name, space) \
	PTXI_DEVICE unsigned name(const void *p) \
	{ \
		unsigned is; \
\
		asm("{ .reg .pred q; isspacep." space " q, %1; selp.u32 %0, 1, 0, q; }" \
			: "=r"(is) \
			: "l"(p)); \
		return is; \
	}
PTXI_IS(__isShared, "shared")
PTXI_IS(__isGlobal, "global")
PTXI_IS(__isLocal, "local")
PTXI_IS(__isConstant, "const")
#undef PTXI_IS

/* Loads and stores with a hint for the caches. */
template <class T> PTXI_DEVICE T __ldg(const T *p) { return *p; }
template <class T> PTXI_DEVICE T __ldca(const T *p) { return *p; }
template <class T> PTXI_DEVICE T __ldcg(const T *p) { return *p; }
template <class T> PTXI_DEVICE T __ldcs(const T *p) { return *p; }
template <class T> PTXI_DEVICE T __ldcv(const T *p) { return *(const volatile T *)p; }
template <class T> PTXI_DEVICE void __stcg(T *p, T v) { *p = v; }
template <class T> PTXI_DEVICE void __stcs(T *p, T v) { *p = v; }
template <class T> PTXI_DEVICE void __stwb(T *p, T v) { *p = v; }
template <class T> PTXI_DEVICE void __stwt(T *p, T v) { *(volatile T *)p = v; }

#endif
