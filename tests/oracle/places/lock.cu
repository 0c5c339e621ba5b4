// One path leaves the critical section without giving the lock back.
//@ buffer lock : s32[1] = 0
//@ buffer sum : s32[1] = 0
//@ launch add<<<4, 1>>>(lock, sum)
//@ expect clean
extern "C" __global__ void add(int *lock, int *sum)
{
    while (atomicCAS(lock, 0, 1) != 0) // wrong: D0201
        ;
    __threadfence();
    int was = atomicAdd(sum, 1);
    if (was == 2)
        return;
    __threadfence();
    atomicExch(lock, 0);
}
