// The steps of a reduction within a warp need __syncwarp since Volta; the helper is inlined.
//@ buffer in : s32[32] = iota(0)
//@ buffer out : s32[1]
//@ launch reduce<<<1, 32>>>(in, out)
//@ expect clean
__device__ __forceinline__ void step(int *s, int t, int d)
{
    if (t < d)
        s[t] += s[t + d]; // wrong: R0101
}

extern "C" __global__ void reduce(const int *in, int *out)
{
    __shared__ int s[32];
    int t = threadIdx.x;
    s[t] = in[t];
    __syncwarp();
    for (int d = 16; d; d /= 2)
        step(s, t, d);
    __syncwarp();
    if (t == 0)
        *out = s[0];
}
