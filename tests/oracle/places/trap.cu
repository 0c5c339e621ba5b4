// A check that fails, two inlined calls deep.
//@ buffer a : s32[32] = iota(0)
//@ launch verify<<<1, 32>>>(a)
//@ expect clean
__device__ void require(bool ok)
{
    if (!ok)
        __trap(); // wrong: F0105
}

__device__ void check_element(const int *a, int i)
{
    require(a[i] != 17);
}

extern "C" __global__ void verify(const int *a)
{
    check_element(a, threadIdx.x);
}
