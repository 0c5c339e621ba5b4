// printf from two threads in turn: integers, a
// float, a string, a character, a null pointer.
//@ launch k<<<1, 32>>>(6)
//@ expect prints "row 0: 0 squared is 0, half 0.000000 [first]"
//@ expect prints "row 5: 5 squared is 25, half 2.500000 [other]"
//@ expect prints "-3 | 00ff |   x| 18446744073709551615 | (nil) | 1.5e+10 | 100%"
//@ expect prints 7 lines
#include <cstdio>
extern "C" __global__ void k(unsigned rows)
{
	unsigned t = threadIdx.x;
	if (t < rows)
		printf("row %u: %u squared is %u, half %f [%s]\n", t, t, t * t, t / 2.0, t ? "other" : "first");
	__syncwarp();
	if (t == 0)
		printf("%d | %04x | %3c| %llu | %p | %g | 100%%\n", -3, 255, 'x', ~0ull, (void *)nullptr, 1.5e10);
}
