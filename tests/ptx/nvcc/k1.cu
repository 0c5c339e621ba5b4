// "What is the output?" Exactly one thread of 64 succeeds first; no thread succeeds second; the third succeeds at most once.
//@ buffer gg : s32[1] = 0
//@ launch k1<<<2, 32>>>(gg)
//@ expect prints "Thread 0 succeeded 1."
//@ expect prints "Thread 1 succeeded 3."
//@ expect prints 2 lines
//@ expect gg[0] == -1
#include <cstdio>
extern "C" __global__ void k1(int *gg)
{
	int old = atomicCAS(gg, 0, threadIdx.x + 1);
	if (old == 0)
		printf("Thread %d succeeded 1.\n", threadIdx.x);
	old = atomicCAS(gg, 0, threadIdx.x + 1);
	if (old == 0)
		printf("Thread %d succeeded 2.\n", threadIdx.x);
	old = atomicCAS(gg, threadIdx.x, -1);
	if (old == threadIdx.x)
		printf("Thread %d succeeded 3.\n", threadIdx.x);
}
