// Managed variables: one address for the host and the device.
// prints 11 0 1 4 9
// prints the same address
// planted F0201
#include <cstdio>
namespace box
{
__device__ __managed__ int squares[4];
}
__managed__ int counter = 10;
__managed__ int *where;
__global__ void work()
{
#ifdef PLANTED
	box::squares[threadIdx.x + 1] = threadIdx.x; // HERE
#else
	box::squares[threadIdx.x] = threadIdx.x * threadIdx.x;
#endif
	if (threadIdx.x == 0) {
		counter++;
		where = &counter;
	}
}
int main()
{
	work<<<1, 4>>>();
	if (cudaDeviceSynchronize())
		return 1;
	printf("%d", counter);
	for (int x : box::squares)
		printf(" %d", x);
	puts(where == &counter ? "\nthe same address" : "\nanother address");
}
