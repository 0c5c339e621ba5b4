// cuda::memcpy_async is not waited for: the barrier is arrived at, not waited on.
//@ buffer a : s32[64] = iota(0)
//@ buffer b : s32[64]
//@ launch copy<<<1, 16>>>(a, b)
//@ expect clean
#include <cuda/barrier>
extern "C" __global__ void copy(const int4 *a, int4 *b)
{
    __shared__ cuda::barrier<cuda::thread_scope_block> bar;
    __shared__ int4 tile[16];
    int t = threadIdx.x;
    if (t == 0)
        init(&bar, blockDim.x);
    __syncthreads();
    cuda::memcpy_async(&tile[t], &a[t], cuda::aligned_size_t<16>(sizeof(int4)), bar);
    (void)bar.arrive();
    b[t] = tile[t]; // wrong: S0301
}
