// An assertion in an inlined function: the last index is one too large.
//@ buffer a : s32[32] = iota(0)
//@ buffer b : s32[32]
//@ launch gather<<<1, 32>>>(a, b)
//@ expect clean
#include <cassert>
__device__ int at(const int *a, int i, int n)
{
    assert(i < n); // wrong: F0210
    return a[i];
}

extern "C" __global__ void gather(const int *a, int *b)
{
    b[threadIdx.x] = at(a, threadIdx.x + 1, 32);
}
