// The last CTA has more threads than there are elements left; the store is in an inlined template.
//@ buffer a : f32[100] = iota(0)
//@ launch scale<<<4, 32>>>(a, 2.0)
//@ expect clean
template <class T> __device__ __forceinline__ void store(T *p, int i, T x)
{
    p[i] = x; // wrong: F0201
}

extern "C" __global__ void scale(float *a, float x)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    store(a, i, x);
}
