// An inclusive scan of a block, with two buffers in turn.
// prints 1 3 6 8256
// planted R0101
#include <cstdio>
__global__ void scan(const int *in, int *out)
{
	__shared__ int s[2][128];
	int t = threadIdx.x, from = 0;

	s[0][t] = in[t];
	for (int by = 1; by < 128; by *= 2) {
#ifndef PLANTED
		__syncthreads();
#endif
		s[1 - from][t] = s[from][t] + (t >= by ? s[from][t - by] : 0); // HERE
		from = 1 - from;
	}
	out[t] = s[from][t];
}
int main()
{
	int *in, *out;

	cudaMallocManaged(&in, 128 * sizeof(int));
	cudaMallocManaged(&out, 128 * sizeof(int));
	for (int k = 0; k < 128; k++)
		in[k] = k + 1;
	scan<<<1, 128>>>(in, out);
	cudaDeviceSynchronize();
	printf("%d %d %d %d\n", out[0], out[1], out[2], out[127]);
}
