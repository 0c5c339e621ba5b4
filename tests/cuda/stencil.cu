// Sums of neighbours, with a border of one element on each side in shared memory.
// prints 189 at 63
// planted R0201
#include <cstdio>
__global__ void stencil(const int *in, int *out)
{
	__shared__ int s[66];
	int t = threadIdx.x;

	s[t + 1] = in[t + 1];
#ifndef PLANTED
	if (t == 0)
		s[0] = in[0];
#endif
	if (t == 63)
		s[65] = in[65];
	__syncthreads();
	out[t] = s[t] + s[t + 1] + s[t + 2]; // HERE
}
int main()
{
	int *in, *out;

	cudaMallocManaged(&in, 66 * sizeof(int));
	cudaMallocManaged(&out, 64 * sizeof(int));
	for (int k = 0; k < 66; k++)
		in[k] = k - 1;
	stencil<<<1, 64>>>(in, out);
	cudaDeviceSynchronize();
	printf("%d at %d\n", out[63], 63);
}
