// A bulk copy reads shared memory that was written without a proxy fence.
//@ buffer b : s32[32]
//@ launch store<<<1, 32>>>(b)
//@ expect clean
__device__ void bulk_store(int *to, const int *from)
{
    unsigned at = (unsigned)__cvta_generic_to_shared(from);
    asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], 128;" ::"l"(to), "r"(at) : "memory"); // wrong: S0303
    asm volatile("cp.async.bulk.commit_group;" ::: "memory");
    asm volatile("cp.async.bulk.wait_group 0;" ::: "memory");
}

extern "C" __global__ void store(int *b)
{
    __shared__ alignas(16) int tile[32];
    tile[threadIdx.x] = threadIdx.x;
    __syncthreads();
    if (threadIdx.x == 0)
        bulk_store(b, tile);
}
