// Copies of pinned memory beside kernels.
// prints 3 6 9
// planted R0101
#include <cstdio>
__global__ void triple(int *data) { data[threadIdx.x] *= 3; } // HERE
int main()
{
	cudaStream_t work, copies;
	cudaEvent_t copied;
	int *host, *data;

	cudaMallocHost(&host, 64 * sizeof(int));
	cudaMalloc(&data, 64 * sizeof(int));
	cudaStreamCreateWithFlags(&work, cudaStreamNonBlocking);
	cudaStreamCreateWithFlags(&copies, cudaStreamNonBlocking);
	cudaEventCreate(&copied);
	for (int k = 0; k < 64; k++)
		host[k] = k;
	cudaMemcpyAsync(data, host, 64 * sizeof(int), cudaMemcpyHostToDevice, work);
	cudaEventRecord(copied, work);
	cudaStreamWaitEvent(copies, copied, 0);
	triple<<<1, 64, 0, work>>>(data);
#ifndef PLANTED
	cudaStreamSynchronize(work);
#endif
	cudaMemcpyAsync(host, data, 64 * sizeof(int), cudaMemcpyDeviceToHost, copies);
	cudaStreamSynchronize(copies);
	cudaDeviceSynchronize();
	printf("%d %d %d\n", host[1], host[2], host[3]);
}
