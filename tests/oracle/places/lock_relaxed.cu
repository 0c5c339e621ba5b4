// A lock of atomics without fences does not order what it protects.
//@ buffer lock : s32[1] = 0
//@ buffer sum : s32[1] = 0
//@ launch add<<<4, 1>>>(lock, sum)
//@ expect clean
__device__ void take(int *lock)
{
    while (atomicCAS(lock, 0, 1) != 0)
        ;
}

__device__ void give(int *lock) { atomicExch(lock, 0); }

extern "C" __global__ void add(int *lock, int *sum)
{
    take(lock);
    *sum += 1; // wrong: R0101
    give(lock);
}
