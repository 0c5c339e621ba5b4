// Numbers of 16 bits.
// prints 3.5 6 1 0.333252 65504 inf
// prints 0.334 8
#include <cstdio>
#include <cuda_bf16.h>
#include <cuda_fp16.h>
__global__ void compute(float *out, float third)
{
	__half a = __float2half(1.5f), b = __float2half(2.0f);
	__half2 v = __floats2half2_rn(1.0f, 2.0f);

	out[0] = __half2float(__hadd(a, b));
	out[1] = __half2float(__hfma(a, b, __float2half(3.0f)));
	out[2] = __low2float(__hmul2(v, v));
	out[3] = __half2float(__float2half(third));
	out[4] = __half2float(__float2half(65504.0f));
	out[5] = __half2float(__float2half(70000.0f));
	out[6] = __bfloat162float(__float2bfloat16(third));
	out[7] = __bfloat162float(__hmul(__float2bfloat16(2.0f), __float2bfloat16(4.0f)));
}
int main()
{
	float *out;

	cudaMallocManaged(&out, 8 * sizeof(float));
	compute<<<1, 1>>>(out, 1.0f / 3);
	cudaDeviceSynchronize();
	printf("%g %g %g %g %g %g\n", out[0], out[1], out[2], out[3], out[4], out[5]);
	printf("%.3f %g\n", out[6], out[7]);
}
