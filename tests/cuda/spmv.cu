// A sparse matrix times a vector: rows of different lengths.
// prints 0 wrong
#include <cstdio>
__global__ void multiply(
	const int *begin, const int *column, const float *value, const float *x, float *y, int rows)
{
	int row = blockIdx.x * blockDim.x + threadIdx.x;

	if (row < rows) {
		float sum = 0;

		for (int k = begin[row]; k < begin[row + 1]; k++)
			sum += value[k] * __ldg(&x[column[k]]);
		y[row] = sum;
	}
}
int main()
{
	const int rows = 100;
	int *begin, *column, n = 0, wrong = 0;
	float *value, *x, *y;

	cudaMallocManaged(&begin, (rows + 1) * sizeof(int));
	cudaMallocManaged(&column, rows * 4 * sizeof(int));
	cudaMallocManaged(&value, rows * 4 * sizeof(float));
	cudaMallocManaged(&x, rows * sizeof(float));
	cudaMallocManaged(&y, rows * sizeof(float));
	for (int r = 0; r < rows; r++) {
		begin[r] = n;
		x[r] = r;
		for (int k = 0; k < r % 5; k++, n++) {
			column[n] = (r * 7 + k) % rows;
			value[n] = k + 1;
		}
	}
	begin[rows] = n;
	multiply<<<4, 32>>>(begin, column, value, x, y, rows);
	cudaDeviceSynchronize();
	for (int r = 0; r < rows; r++) {
		float sum = 0;

		for (int k = 0; k < r % 5; k++)
			sum += (k + 1) * (float)((r * 7 + k) % rows);
		wrong += y[r] != sum;
	}
	printf("%d wrong\n", wrong);
}
