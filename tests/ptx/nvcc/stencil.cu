// Stencil of radius 3 through shared memory: the halo is loaded by the first three threads.
//@ buffer in : f32[600] = iota(0)
//@ buffer out : f32[600] = -1
//@ launch stencil<<<3, 256>>>(in, out, 600)
//@ expect out[3..596] == 7 * i
//@ expect out[0] == 6 && out[599] == 596 + 597 + 598 + 599
extern "C" __global__ void stencil(const float *in, float *out, int n)
{
	__shared__ float tile[256 + 6];
	int g = blockIdx.x * blockDim.x + threadIdx.x, l = threadIdx.x + 3;
	tile[l] = g < n ? in[g] : 0.f;
	if (threadIdx.x < 3) {
		tile[l - 3] = g >= 3 && g - 3 < n ? in[g - 3] : 0.f;
		tile[l + 256] = g + 256 < n ? in[g + 256] : 0.f;
	}
	__syncthreads();
	float r = 0;
	for (int o = -3; o <= 3; o++)
		r += tile[l + o];
	if (g < n)
		out[g] = r;
}
