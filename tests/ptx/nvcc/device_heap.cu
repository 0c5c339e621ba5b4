// malloc, new, printf and assert in a kernel.
// nvcc: -arch=sm_75
//@ buffer o : u32[128] = 0
//@ launch lists<<<2, 64>>>(o)
//@ launch say<<<1, 3>>>()
//@ expect o[0..127] == (i % 10) * (i % 10 + 1) / 2 + 7
//@ expect prints "t=0 1.500 abc x 18446744073709551615 -1 0x2a %"
//@ expect prints "t=2 3.500 abc z 18446744073709551613 -3 0x2c %"
//@ expect prints "    2|002|2   |+2|1.0e+00"
#include "reference.h"
#include <cassert>
struct N {
	N *next;
	int v;
};
K lists(uint32_t *o)
{
	int t = blockIdx.x * 64 + threadIdx.x;
	N *h = nullptr;
	for (int i = 0; i <= t % 10; i++) {
		N *n = (N *)malloc(sizeof *n);
		assert(n);
		n->next = h;
		n->v = i;
		h = n;
	}
	int s = 0;
	while (h) {
		s += h->v;
		N *n = h->next;
		free(h);
		h = n;
	}
	int *a = new int[t + 1];
	a[t] = 7;
	s += a[t];
	delete[] a;
	o[t] = s;
}
K say()
{
	int t = threadIdx.x;
	printf("t=%d %.3f %s %c %llu %d 0x%x %%\n", t, 1.5 + t, "abc", 'x' + t, ~0ull - t, -1 - t, 42 + t);
	if (t == 2)
		printf("%5d|%03d|%-4d|%+d|%.1e\n", t, t, t, t, 1.0);
}
int main()
{
}
