// Two modules of one program: each file is compiled on its own, and the host passes the address of the other's variable.
#include <cstdio>
__device__ int counts[32];
void second(int *counts, cudaStream_t stream);

__global__ void put(int n)
{
	counts[threadIdx.x] = n + threadIdx.x;
}

int main()
{
	cudaStream_t a, b;
	cudaEvent_t done;
	int *address;

	cudaStreamCreateWithFlags(&a, cudaStreamNonBlocking);
	cudaStreamCreateWithFlags(&b, cudaStreamNonBlocking);
	cudaEventCreate(&done);
	cudaGetSymbolAddress((void **)&address, counts);
	put<<<1, 32, 0, a>>>(100);
	cudaEventRecord(done, a);
#ifndef PLANTED
	cudaStreamWaitEvent(b, done);
#endif
	second(address, b);
	cudaDeviceSynchronize();
}
