// The tile has no halo.
//@ buffer a : s32[32] = iota(0)
//@ buffer b : s32[32]
//@ launch blur<<<1, 32>>>(a, b)
//@ expect clean
extern "C" __global__ void blur(const int *a, int *b)
{
    __shared__ int tile[32];
    int t = threadIdx.x;
    tile[t] = a[t];
    __syncthreads();
    b[t] = tile[t] +
           tile[t + 1]; // wrong: F0201
}
