// The launch gives half of the dynamic shared memory that the kernel uses.
//@ buffer a : s32[64] = iota(0)
//@ buffer b : s32[64]
//@ launch reverse<<<1, 64, 128>>>(a, b)
//@ expect clean
extern "C" __global__ void reverse(const int *a, int *b)
{
    extern __shared__ int s[];
    int t = threadIdx.x;
    s[t] = a[t]; // wrong: F0201
    __syncthreads();
    b[t] = s[63 - t];
}
