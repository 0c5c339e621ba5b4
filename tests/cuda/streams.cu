// Two streams, of which one waits for the other's event.
// prints 64
// planted R0101
#include <cstdio>
__global__ void fill(int *data) { data[threadIdx.x] = 1; }
__global__ void sum(const int *data, int *out)
{
	int n = 0;

	for (int k = 0; k < 64; k++)
		n += data[k]; // HERE
	*out = n;
}
int main()
{
	cudaStream_t a, b;
	cudaEvent_t filled;
	int *data, *out, n;

	cudaMalloc(&data, 64 * sizeof(int));
	cudaMalloc(&out, sizeof(int));
	cudaMemset(data, 0, 64 * sizeof(int));
	cudaDeviceSynchronize();
	cudaStreamCreateWithFlags(&a, cudaStreamNonBlocking);
	cudaStreamCreateWithFlags(&b, cudaStreamNonBlocking);
	cudaEventCreateWithFlags(&filled, cudaEventDisableTiming);
	fill<<<1, 64, 0, a>>>(data);
	cudaEventRecord(filled, a);
#ifndef PLANTED
	cudaStreamWaitEvent(b, filled);
#endif
	sum<<<1, 1, 0, b>>>(data, out);
	cudaDeviceSynchronize();
	cudaMemcpy(&n, out, sizeof n, cudaMemcpyDeviceToHost);
	printf("%d\n", n);
	cudaStreamDestroy(a);
	cudaStreamDestroy(b);
}
