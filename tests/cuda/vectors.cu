// Vector types, and structures as arguments.
// prints 10 26 42 58
// planted F0202
#include <cstdio>
struct job {
	const float *in;
	float *out;
	int n;
};
__global__ void sums(job j)
{
	if (threadIdx.x < j.n) {
		float4 v = ((const float4 *)j.in)[threadIdx.x]; // HERE

		j.out[threadIdx.x] = v.x + v.y + v.z + v.w;
	}
}
int main()
{
	float *in, *out;
	job j;

	cudaMallocManaged(&in, 17 * sizeof(float));
	cudaMallocManaged(&out, 4 * sizeof(float));
	for (int k = 0; k < 17; k++)
		in[k] = k + 1;
	j = job{in, out, 4};
#ifdef PLANTED
	j.in++;
#endif
	sums<<<1, 32>>>(j);
	if (cudaDeviceSynchronize())
		return 1;
	printf("%g %g %g %g\n", out[0], out[1], out[2], out[3]);
}
