// Bins are counted by all threads before all of them are cleared.
//@ buffer a : s32[64] = iota(0)
//@ buffer bins : s32[8]
//@ launch histogram<<<1, 64>>>(a, bins)
//@ expect clean
extern "C" __global__ void histogram(const int *a, int *bins)
{
    __shared__ int bin[8];
    int t = threadIdx.x;
    if (t < 8)
        bin[t] = 0;
    atomicAdd(&bin[a[t] & 7], 1); // wrong: R0104
    __syncthreads();
    if (t < 8)
        bins[t] = bin[t];
}
