// The tree is right, but its last step is not waited for.
//@ buffer a : s32[64] = iota(0)
//@ buffer mean : f32[64]
//@ launch centre<<<1, 64>>>(a, mean)
//@ expect clean
extern "C" __global__ void centre(const int *a, float *mean)
{
    __shared__ int s[64];
    int t = threadIdx.x;
    s[t] = a[t];
    for (int d = 32; d; d /= 2) {
        __syncthreads();
        if (t < d)
            s[t] += s[t + d];
    }
    mean[t] = s[0] / 64.0f; // wrong: R0101
}
