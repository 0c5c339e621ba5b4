// A neighbour's element of shared memory is read before the CTA has met.
//@ buffer in : s32[64] = iota(0)
//@ buffer out : s32[64]
//@ launch shift<<<1, 64>>>(in, out)
//@ expect clean
extern "C" __global__ void shift(const int *in, int *out)
{
    __shared__ int tile[64];
    int t = threadIdx.x;
    tile[t] = in[t];
    out[t] = tile[(t + 1) % 64]; // wrong: R0101
}
