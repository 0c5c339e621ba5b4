// The parity of the mbarrier's phase is not flipped: the second wait is for a phase that never completes.
//@ buffer a : s32[64] = iota(0)
//@ buffer out : s32[32]
//@ launch twice<<<1, 32>>>(a, out)
//@ expect clean
#define TRY_WAIT(done, bar, parity) \
    asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.shared.b64 p, [%1], %2; selp.u32 %0, 1, 0, p; }" : "=r"(done) : "r"(bar), "n"(parity) : "memory")

extern "C" __global__ void twice(const int *a, int *out)
{
    __shared__ unsigned long long storage;
    __shared__ int tile[32];
    unsigned bar = (unsigned)__cvta_generic_to_shared(&storage), done;
    int t = threadIdx.x;
    if (t == 0)
        asm volatile("mbarrier.init.shared.b64 [%0], %1;" ::"r"(bar), "r"(blockDim.x) : "memory");
    __syncthreads();
    for (int k = 0; k < 2; k++) {
        tile[t] = a[k * 32 + t];
        asm volatile("mbarrier.arrive.shared.b64 _, [%0];" ::"r"(bar) : "memory");
        do TRY_WAIT(done, bar, 0); while (!done); // wrong: D0201
        out[t] = tile[31 - t];
        __syncthreads();
    }
}
