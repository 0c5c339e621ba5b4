// A barrier of libcu++ that expects one thread more than the CTA has: the wait is library code.
//@ buffer out : s32[32]
//@ launch meet<<<1, 32>>>(out)
//@ expect clean
#include <cuda/barrier>
extern "C" __global__ void meet(int *out)
{
    __shared__ cuda::barrier<cuda::thread_scope_block> bar;
    if (threadIdx.x == 0)
        init(&bar, blockDim.x + 1);
    __syncthreads();
    bar.arrive_and_wait(); // wrong: D0201
    out[threadIdx.x] = 1;
}
