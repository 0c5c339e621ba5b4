// A barrier of the whole grid, but the launch has more blocks than it waits for: the counter passes the number.
//@ buffer count : u32[1] = 0
//@ buffer a : s32[96]
//@ launch steps<<<3, 32>>>(count, a, 2)
//@ expect clean
__device__ void grid_sync(unsigned *count, unsigned blocks)
{
    __syncthreads();
    if (threadIdx.x == 0) {
        __threadfence();
        atomicAdd(count, 1);
        while (atomicAdd(count, 0) != blocks) // wrong: D0201
            ;
        __threadfence();
    }
    __syncthreads();
}

extern "C" __global__ void steps(unsigned *count, int *a, unsigned blocks)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    a[i] = i;
    grid_sync(count, blocks);
    a[i] += 1;
}
