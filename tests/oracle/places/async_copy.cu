// The copy of cp.async was not waited for.
//@ buffer a : s32[128] = iota(0)
//@ buffer b : s32[128]
//@ launch copy<<<1, 32>>>(a, b)
//@ expect clean
#include <cuda_pipeline_primitives.h>
extern "C" __global__ void copy(const int4 *a, int4 *b)
{
    __shared__ int4 tile[32];
    int t = threadIdx.x;
    __pipeline_memcpy_async(&tile[t], &a[t], sizeof(int4));
    __pipeline_commit();
    b[t] = tile[t]; // wrong: S0301
}
