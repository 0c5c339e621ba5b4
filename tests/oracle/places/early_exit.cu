// Threads without an element leave, but the mbarrier still expects them.
//@ buffer out : s32[20]
//@ launch stage<<<1, 32>>>(out, 20)
//@ expect clean
__device__ void arrive(unsigned bar)
{
    asm volatile("mbarrier.arrive.shared.b64 _, [%0];" ::"r"(bar) : "memory");
}

__device__ bool done(unsigned bar)
{
    unsigned ok;
    asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.shared.b64 p, [%1], 0; selp.u32 %0, 1, 0, p; }"
                 : "=r"(ok)
                 : "r"(bar)
                 : "memory");
    return ok;
}

extern "C" __global__ void stage(int *out, int n)
{
    __shared__ unsigned long long storage;
    unsigned bar = (unsigned)__cvta_generic_to_shared(&storage);
    if (threadIdx.x == 0)
        asm volatile("mbarrier.init.shared.b64 [%0], %1;" ::"r"(bar), "r"(blockDim.x) : "memory");
    __syncthreads();
    if (threadIdx.x >= n)
        return;
    arrive(bar);
    while (!done(bar)) // wrong: D0201
        ;
    out[threadIdx.x] = 1;
}
