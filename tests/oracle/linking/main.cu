// Compiled with -rdc=true, together with part.cu: functions, variables and a table of functions of one file are used in the other.
#include <cstdio>
extern __device__ int total;
extern __constant__ int scale[];
extern __device__ int (*const steps[2])(int);
__device__ int scaled(int x, int k);

static __device__ int used; // part.cu has one of its own

__global__ void work(int *a)
{
	int i = threadIdx.x;

	a[i] = scaled(a[i], i & 3) + steps[i & 1](i);
#ifdef RACE
	total += 1;
#else
	atomicAdd(&total, 1);
#endif
	if (i == 0)
		used = 5;
}

__global__ void show(int *out)
{
	*out = used;
}

int main()
{
	int a[64], *d, sum = 0, used_here;

	for (int i = 0; i < 64; i++)
		a[i] = i;
	cudaMalloc(&d, sizeof a);
	cudaMemcpy(d, a, sizeof a, cudaMemcpyHostToDevice);
	work<<<1, 64>>>(d);
	cudaMemcpy(a, d, sizeof a, cudaMemcpyDeviceToHost);
	for (int x : a)
		sum += x;
	show<<<1, 1>>>(d);
	cudaMemcpy(&used_here, d, sizeof used_here, cudaMemcpyDeviceToHost);
	cudaMemcpyFromSymbol(a, total, sizeof total);
	printf("%d %d %d %s\n", sum, a[0], used_here, cudaGetErrorString(cudaGetLastError()));
}
