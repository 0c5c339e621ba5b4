// Only some warps reach the barrier of the whole CTA.
//@ buffer out : s32[96]
//@ launch sum<<<1, 96>>>(out)
//@ expect clean
extern "C" __global__ void sum(int *out)
{
    __shared__ int s[96];
    int t = threadIdx.x;
    s[t] = t;
    if (t < 40) {
        __syncthreads(); // wrong: S0107
        out[t] = s[95 - t];
    }
}
