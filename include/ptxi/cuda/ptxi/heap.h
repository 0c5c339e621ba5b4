/* new and delete on the device, where clang's own <new> does not have them. */
#ifndef PTXI_CUDA_HEAP_H
#define PTXI_CUDA_HEAP_H
#include "threads.h"

#ifndef __CLANG_CUDA_WRAPPERS_NEW
__device__ inline void *operator new(size_t size) { return malloc(size); }
__device__ inline void *operator new[](size_t size) { return malloc(size); }
__device__ inline void operator delete(void *p) noexcept { free(p); }
__device__ inline void operator delete[](void *p) noexcept { free(p); }
__device__ inline void operator delete(void *p, size_t) noexcept { free(p); }
__device__ inline void operator delete[](void *p, size_t) noexcept { free(p); }
__device__ inline void *operator new(size_t, void *p) noexcept { return p; }
__device__ inline void *operator new[](size_t, void *p) noexcept { return p; }
#endif

#endif
