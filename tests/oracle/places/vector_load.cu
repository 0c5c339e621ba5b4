// float4 loads, but the rows have 6 elements.
//@ buffer a : f32[48] = iota(0)
//@ buffer b : f32[8]
//@ launch rows<<<1, 8>>>(a, b)
//@ expect clean
__device__ float4 load4(const float *p)
{
    return __ldg(reinterpret_cast<const float4 *>(p)); // wrong: F0202
}

extern "C" __global__ void rows(const float *a, float *b)
{
    float4 v = load4(a + 6 * threadIdx.x);
    b[threadIdx.x] = v.x + v.y + v.z + v.w;
}
