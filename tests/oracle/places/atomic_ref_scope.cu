// A reference of the block's scope to a counter of all blocks: the atomic operation is library code.
//@ buffer count : s32[1] = 0
//@ launch tally<<<2, 32>>>(count)
//@ expect clean
#include <cuda/atomic>
extern "C" __global__ void tally(int *count)
{
    cuda::atomic_ref<int, cuda::thread_scope_block> all(*count);
    all.fetch_add(1, cuda::memory_order_relaxed); // wrong: R0102
}
