// Exclusive prefix sum (work-efficient, up and down a tree) of 2 x 128 elements in dynamic shared memory.
//@ buffer in : s32[256] = iota(1)
//@ buffer out : s32[256] = -1
//@ launch scan<<<1, 128, 1024>>>(in, out, 256)
//@ expect out[0..255] == i * (i + 1) / 2
extern "C" __global__ void scan(const int *in, int *out, int n)
{
	extern __shared__ int tmp[];
	int t = threadIdx.x, offset = 1;
	tmp[2 * t] = in[2 * t];
	tmp[2 * t + 1] = in[2 * t + 1];
	for (int d = n >> 1; d > 0; d >>= 1) {
		__syncthreads();
		if (t < d)
			tmp[offset * (2 * t + 2) - 1] += tmp[offset * (2 * t + 1) - 1];
		offset *= 2;
	}
	if (t == 0)
		tmp[n - 1] = 0;
	for (int d = 1; d < n; d *= 2) {
		offset >>= 1;
		__syncthreads();
		if (t < d) {
			int a = offset * (2 * t + 1) - 1, b = offset * (2 * t + 2) - 1, x = tmp[a];
			tmp[a] = tmp[b];
			tmp[b] += x;
		}
	}
	__syncthreads();
	out[2 * t] = tmp[2 * t];
	out[2 * t + 1] = tmp[2 * t + 1];
}
