// The last block adds up the partial sums, but no fence comes before the counter.
//@ buffer a : s32[64] = iota(0)
//@ buffer part : s32[2]
//@ buffer done : u32[1] = 0
//@ buffer total : s32[1]
//@ launch sum<<<2, 1>>>(a, part, done, total)
//@ expect clean
extern "C" __global__ void sum(const int *a, int *part, unsigned *done, int *total)
{
    int s = 0;
    for (int k = 0; k < 32; k++)
        s += a[blockIdx.x * 32 + k];
    part[blockIdx.x] = s;
    if (atomicAdd(done, 1) == gridDim.x - 1)
        *total = part[0] + part[1]; // wrong: R0101
}
