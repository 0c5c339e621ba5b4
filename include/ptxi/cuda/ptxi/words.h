/* CUDA's words for clang. */
#ifndef PTXI_CUDA_WORDS_H
#define PTXI_CUDA_WORDS_H
#include <stddef.h>
#include <stdint.h>

#define __host__ __attribute__((host))
#define __device__ __attribute__((device))
#define __global__ __attribute__((global))
#define __shared__ __attribute__((shared))
#define __constant__ __attribute__((constant))
#define __launch_bounds__(...) __attribute__((launch_bounds(__VA_ARGS__)))
#define __forceinline__ __inline__ __attribute__((always_inline))
#define __grid_constant__
#if __clang_major__ < 15
#define __noinline__ __attribute__((noinline))
#endif
#define __align__(n) __attribute__((aligned(n)))
#define __builtin_align__(n) __align__(n)
#define CUDARTAPI
#define CUDART_CB

/* In host code, a managed variable is an ordinary one in a section of its own: ptxi cc makes it the
 * device's. */
#ifdef __CUDA_ARCH__
#define __managed__ __attribute__((device))
#else
#define __managed__ __attribute__((section("ptxi_managed"), used))
#endif

#ifndef __CUDACC__
#define __CUDACC__
#endif
#define __CUDACC_VER_MAJOR__ 13
#define __CUDACC_VER_MINOR__ 0
#define CUDART_VERSION 13000
#define CUDA_VERSION 13000

/* Functions of these headers have no lines of their own: a finding in one is at the line that calls
 * it. */
#define PTXI_DEVICE static __device__ __inline__ __attribute__((always_inline, nodebug))
#define PTXI_BOTH static __host__ __device__ __inline__ __attribute__((always_inline, nodebug))
#define PTXI_METHOD __device__ __inline__ __attribute__((always_inline, nodebug))
#define PTXI_BOTH_METHOD __host__ __device__ __inline__ __attribute__((always_inline, nodebug))
/* What is too long to be copied to each call. */
#define PTXI_CALLED static __device__ __attribute__((noinline, nodebug, unused))

#endif
