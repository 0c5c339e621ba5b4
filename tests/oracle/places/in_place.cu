// A stencil in place: other blocks have already replaced what this one reads.
//@ buffer a : s32[64] = iota(0)
//@ launch smooth<<<2, 32>>>(a)
//@ expect clean
extern "C" __global__ void smooth(int *a)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int left = i ? a[i - 1] : 0; // wrong: R0101
    __syncthreads();
    a[i] += left;
}
