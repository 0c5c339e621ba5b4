// The stencil reads past the end of its input.
//@ buffer a : s32[64] = iota(0)
//@ buffer b : s32[64]
//@ launch stencil<<<2, 32>>>(a, b)
//@ expect clean
extern "C" __global__ void stencil(const int *a, int *b)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int left = i > 0 ? a[i - 1] : 0;
    int right = a[i + 1]; // wrong: F0201
    b[i] = left + right;
}
