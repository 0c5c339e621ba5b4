// Two buffers, but the loads go into the one that is being read: the swap is one step late.
//@ buffer a : s32[96] = iota(0)
//@ buffer b : s32[64]
//@ launch stages<<<1, 32>>>(a, b)
//@ expect clean
extern "C" __global__ void stages(const int *a, int *b)
{
    __shared__ int stage[2][32];
    int t = threadIdx.x;
    stage[0][t] = a[t];
    __syncthreads();
    for (int k = 0; k < 2; k++) {
        stage[k & 1][t] = a[(k + 1) * 32 + t];
        b[k * 32 + t] = stage[k & 1][31 - t]; // wrong: R0101
        __syncthreads();
    }
}
