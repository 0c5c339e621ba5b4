// An atomic operation of the block's scope on a counter that all blocks share.
//@ buffer a : s32[64] = iota(0)
//@ buffer count : s32[1] = 0
//@ launch odd<<<2, 32>>>(a, count)
//@ expect clean
extern "C" __global__ void odd(const int *a, int *count)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (a[i] & 1)
        atomicAdd_block(count, 1); // wrong: R0102
}
