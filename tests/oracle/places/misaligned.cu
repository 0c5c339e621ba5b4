// A pair is stored as one element of 8 bytes, at an address that is aligned to 4.
//@ buffer a : f32[64] = iota(0)
//@ launch store2<<<1, 8>>>(a, 1.0)
//@ expect clean
template <int N> __device__ void put(float *p, float2 v)
{
    double both = __hiloint2double(__float_as_int(v.y), __float_as_int(v.x));
    *reinterpret_cast<double *>(p + N) = both; // wrong: F0202
}

extern "C" __global__ void store2(float *a, float x)
{
    put<1>(a + 4 * threadIdx.x, make_float2(x, -x));
}
