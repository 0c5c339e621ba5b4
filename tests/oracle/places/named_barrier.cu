// Producer and consumer name different numbers of threads for one barrier.
//@ buffer a : s32[32] = iota(0)
//@ buffer b : s32[32]
//@ launch pass<<<1, 64>>>(a, b)
//@ expect clean
extern "C" __global__ void pass(const int *a, int *b)
{
    __shared__ int tile[32];
    int t = threadIdx.x;
    if (t < 32) {
        tile[t] = a[t];
        asm volatile("bar.arrive 1, 64;" ::: "memory");
    } else {
        asm volatile("bar.sync 1, 32;" ::: "memory"); // wrong: S0101
        b[t - 32] = tile[t - 32];
    }
}
