// Two vectors are added; the last block has threads to spare.
// prints 1000 right
// planted F0201
#include <cstdio>
#include <vector>
__global__ void add(const float *a, const float *b, float *c, int n)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
#ifndef PLANTED
	if (i < n)
#endif
		c[i] = a[i] + b[i]; // HERE
}
int main()
{
	const int n = 1000;
	std::vector<float> a(n), b(n), c(n);
	float *da, *db, *dc;
	int right = 0;

	for (int i = 0; i < n; i++) {
		a[i] = i;
		b[i] = 2 * i;
	}
	cudaMalloc(&da, n * sizeof(float));
	cudaMalloc(&db, n * sizeof(float));
	cudaMalloc(&dc, n * sizeof(float));
	cudaMemcpy(da, a.data(), n * sizeof(float), cudaMemcpyHostToDevice);
	cudaMemcpy(db, b.data(), n * sizeof(float), cudaMemcpyHostToDevice);
	add<<<(n + 255) / 256, 256>>>(da, db, dc, n);
	cudaMemcpy(c.data(), dc, n * sizeof(float), cudaMemcpyDeviceToHost);
	for (int i = 0; i < n; i++)
		right += c[i] == 3.0f * i;
	printf("%d right\n", right);
	cudaFree(da);
	cudaFree(db);
	cudaFree(dc);
}
