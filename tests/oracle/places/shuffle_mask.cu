// The mask names lanes that do not take part.
//@ buffer out : s32[32]
//@ launch total<<<1, 32>>>(out)
//@ expect clean
extern "C" __global__ void total(int *out)
{
    int t = threadIdx.x, v = t;
    if (t < 16) {
        v += __shfl_down_sync(0xff, v, 8); // wrong: S0201
        out[t] = v;
    }
}
