// A bulk copy is read after another thread was told that it came, but nobody waited for its bytes.
//@ buffer a : s32[32] = iota(0)
//@ buffer b : s32[32]
//@ launch load<<<1, 32>>>(a, b)
//@ expect clean
extern "C" __global__ void load(const int *a, int *b)
{
    __shared__ alignas(16) int tile[32];
    __shared__ unsigned long long storage;
    unsigned bar = (unsigned)__cvta_generic_to_shared(&storage), to = (unsigned)__cvta_generic_to_shared(tile);
    if (threadIdx.x == 0) {
        asm volatile("mbarrier.init.shared.b64 [%0], 1;" ::"r"(bar) : "memory");
        asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
        asm volatile("mbarrier.arrive.expect_tx.shared.b64 _, [%0], 128;" ::"r"(bar) : "memory");
        asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], 128, [%2];" ::"r"(to), "l"(a), "r"(bar) : "memory");
    }
    __syncthreads();
    b[threadIdx.x] = tile[threadIdx.x]; // wrong: S0301
}
