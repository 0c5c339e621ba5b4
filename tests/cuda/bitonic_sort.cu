// A block sorts in shared memory.
// prints 0 descents
// planted R0101
#include <cstdio>
__global__ void sort(unsigned *data)
{
	__shared__ unsigned s[256];
	unsigned t = threadIdx.x;

	s[t] = data[t];
	for (unsigned size = 2; size <= 256; size *= 2)
		for (unsigned by = size / 2; by; by /= 2) {
			unsigned other = t ^ by;

#ifndef PLANTED
			__syncthreads();
#endif
			if (other > t && (s[t] > s[other]) == ((t & size) == 0)) { // HERE
				unsigned x = s[t];

				s[t] = s[other];
				s[other] = x;
			}
		}
	__syncthreads();
	data[t] = s[t];
}
int main()
{
	unsigned *data, seed = 1;
	int descents = 0;

	cudaMallocManaged(&data, 256 * sizeof *data);
	for (int k = 0; k < 256; k++)
		data[k] = seed = seed * 1664525 + 1013904223;
	sort<<<1, 256>>>(data);
	cudaDeviceSynchronize();
	for (int k = 1; k < 256; k++)
		descents += data[k] < data[k - 1];
	printf("%d descents\n", descents);
}
