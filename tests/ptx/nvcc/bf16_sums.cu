// bf16: exact products, rounding of what does not fit into eight bits, maxima with NaN, packed conversion.
// nvcc: -arch=sm_80 -arch=sm_90
//@ buffer o : f32[32] = 0
//@ buffer r : f32[4] = 0
//@ buffer m : f32[32] = 0
//@ launch k<<<1, 32>>>(o, r, m)
//@ expect o[..] == 3 * i + 4
//@ expect r[0] == 256 && r[1] == 260 && r[2] == 258 && r[3] == -260
//@ expect m[..] == max(i * 1.0, 16.0)
//@ expect clean
#include <cuda_bf16.h>
extern "C" __global__ void k(float *o, float *r, float *m)
{
	int i = threadIdx.x;
	__nv_bfloat16 x = __float2bfloat16((float)i);
	o[i] = __bfloat162float(__hfma(x, __float2bfloat16(3.0f), __float2bfloat16(4.0f)));
	if (i == 0) {
		r[0] = __bfloat162float(__float2bfloat16(257.0f)); /* halfway: to even */
		r[1] = __bfloat162float(__float2bfloat16(259.0f));
		__nv_bfloat162 two = __floats2bfloat162_rn(258.0f, -259.0f);
		r[2] = __low2float(two);
		r[3] = __high2float(two);
	}
	__nv_bfloat16 most = __hmax(x, i % 2 ? __float2bfloat16(16.0f) : __hmax(__float2bfloat16(16.0f), __float2bfloat16(__int_as_float(0x7fffffff))));
	m[i] = __bfloat162float(most);
}
