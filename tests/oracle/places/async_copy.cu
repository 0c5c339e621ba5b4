// The copy of cp.async was not waited for.
//@ buffer a : s32[128] = iota(0)
//@ buffer b : s32[128]
//@ launch copy<<<1, 32>>>(a, b)
//@ expect clean
__device__ void start(int4 *to, const int4 *from)
{
    unsigned at = (unsigned)__cvta_generic_to_shared(to);
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(at), "l"(from) : "memory");
    asm volatile("cp.async.commit_group;" ::: "memory");
}

extern "C" __global__ void copy(const int4 *a, int4 *b)
{
    __shared__ int4 tile[32];
    int t = threadIdx.x;
    start(&tile[t], &a[t]);
    b[t] = tile[t]; // wrong: S0301
}
