// The wait leaves one copy in flight, but it is the one that is needed.
//@ buffer a : s32[64] = iota(0)
//@ buffer b : s32[64]
//@ launch stages<<<1, 16>>>(a, b)
//@ expect clean
__device__ void start(int4 *to, const int4 *from)
{
    unsigned at = (unsigned)__cvta_generic_to_shared(to);
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(at), "l"(from) : "memory");
    asm volatile("cp.async.commit_group;" ::: "memory");
}

template <int N> __device__ void wait_prior() { asm volatile("cp.async.wait_group %0;" ::"n"(N) : "memory"); }

extern "C" __global__ void stages(const int4 *a, int4 *b)
{
    __shared__ int4 tile[16];
    int t = threadIdx.x;
    start(&tile[t], &a[t]);
    wait_prior<1>();
    b[t] = tile[t]; // wrong: S0301
}
