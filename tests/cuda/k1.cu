// The first of all threads to change a word wins; three streams ask in turn, and each winner prints.
// prints stream 0: one of 64 threads won
// prints stream 1: one of 64 threads won
// prints stream 2: one of 64 threads won
// prints 3 winners
// planted R0104
#include <cstdio>
__global__ void k1(int *word, int *winners, int stream)
{
#ifdef PLANTED
	if (*word != 0) // HERE
		return;
#endif
	if (atomicCAS(word, 0, (int)threadIdx.x + 1) == 0) { // HERE
		printf("stream %d: one of %d threads won\n", stream, blockDim.x * gridDim.x);
		atomicAdd(winners, 1);
	}
}
int main()
{
	cudaStream_t stream[3];
	cudaEvent_t done[3];
	int *words, *winners, n;

	cudaMalloc(&words, 3 * sizeof(int));
	cudaMalloc(&winners, sizeof(int));
	cudaMemset(words, 0, 3 * sizeof(int));
	cudaMemset(winners, 0, sizeof(int));
	cudaDeviceSynchronize();
	for (int k = 0; k < 3; k++) {
		cudaStreamCreateWithFlags(&stream[k], cudaStreamNonBlocking);
		cudaEventCreate(&done[k]);
		if (k)
			cudaStreamWaitEvent(stream[k], done[k - 1]);
		k1<<<2, 32, 0, stream[k]>>>(words + k, winners, k);
		cudaEventRecord(done[k], stream[k]);
	}
	cudaDeviceSynchronize();
	cudaMemcpy(&n, winners, sizeof n, cudaMemcpyDeviceToHost);
	printf("%d winners\n", n);
}
