// A histogram without atomics.
//@ buffer a : s32[64] = iota(0)
//@ buffer bins : s32[4] = 0
//@ launch histogram<<<2, 32>>>(a, bins)
//@ expect clean
extern "C" __global__ void histogram(const int *a, int *bins)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int bin = a[i] & 3;
    bins[bin]++; // wrong: R0101
}
