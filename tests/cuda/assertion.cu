// assert on the device.
// prints no error
// planted F0210
#include <cassert>
#include <cstdio>
__global__ void check(int most)
{
	assert((int)threadIdx.x < most); // HERE
}
int main()
{
#ifdef PLANTED
	check<<<1, 32>>>(31);
#else
	check<<<1, 32>>>(32);
#endif
	printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()) ? "no error" : "");
}
