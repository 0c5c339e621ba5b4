// printf on the device, with arguments of all kinds.
// prints 1 -2 3 4000000000 -5000000000 x 2.5 0x1f text 100%
#include <cstdio>
__global__ void say()
{
	printf("%d %i %u %u %lld %c %.1f %#x %s 100%%\n", 1, -2, 3u, 4000000000u, -5000000000ll,
		'x', 2.5, 31, "text");
}
int main()
{
	say<<<1, 1>>>();
	cudaDeviceSynchronize();
}
