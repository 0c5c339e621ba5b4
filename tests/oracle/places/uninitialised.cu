// Half of the tile is never written; the sum is a function that is not inlined.
//@ buffer a : s32[64] = iota(0)
//@ buffer b : s32[64]
//@ launch fold<<<1, 64>>>(a, b)
//@ expect clean
__device__ __noinline__ void pair(const int *s, int t, int *b)
{
    int other = t ^ 32;
    b[t] = s[t] + s[other]; // wrong: R0201
}

extern "C" __global__ void fold(const int *a, int *b)
{
    __shared__ int tile[64];
    int t = threadIdx.x;
    if (t < 32)
        tile[t] = a[t];
    __syncthreads();
    if (t < 32)
        pair(tile, t, b);
}
