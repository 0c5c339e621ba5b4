// One of four elements of a local array is never written.
//@ buffer a : s32[32] = iota(0)
//@ buffer b : s32[32]
//@ launch classify<<<1, 32>>>(a, b)
//@ expect clean
extern "C" __global__ void classify(const int *a, int *b)
{
    int count[4];
    int t = threadIdx.x;
    for (int k = 0; k < 3; k++)
        count[(a[t] + k) & 3] = k;
    b[t] = count[(a[t] + 3) & 3]; // wrong: R0201
}
