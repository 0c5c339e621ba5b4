// The next tile is loaded while other threads still read this one.
//@ buffer a : s32[128] = iota(0)
//@ buffer sums : s32[64]
//@ launch tiles<<<1, 64>>>(a, sums, 2)
//@ expect clean
extern "C" __global__ void tiles(const int *a, int *sums, int n)
{
    __shared__ int tile[64];
    int t = threadIdx.x, sum = 0;
    for (int k = 0; k < n; k++) {
        tile[t] = a[k * 64 + t];
        __syncthreads();
        sum += tile[t] * tile[63 - t]; // wrong: R0101
    }
    sums[t] = sum;
}
