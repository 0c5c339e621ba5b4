// The optional result is written although the caller passed none.
//@ buffer a : s32[32] = iota(0)
//@ launch count<<<1, 32>>>(a, 0)
//@ expect clean
struct result {
    int found;
    __device__ void set(int n)
    {
        found = n; // wrong: F0203
    }
};

extern "C" __global__ void count(const int *a, result *r)
{
    int n = __syncthreads_count(a[threadIdx.x] > 7);
    if (threadIdx.x == 0)
        r->set(n);
}
