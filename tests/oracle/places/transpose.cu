// Rows and columns are mixed up: several threads write one element.
//@ buffer a : s32[64] = iota(0)
//@ buffer b : s32[64]
//@ launch transpose<<<1, (8, 8)>>>(a, b)
//@ expect clean
extern "C" __global__ void transpose(const int *a, int *b)
{
    int x = threadIdx.x, y = threadIdx.y;
    b[x * 7 + y] = a[y * 8 + x]; // wrong: R0101
}
