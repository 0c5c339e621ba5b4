// Every kind of atomic operation.
// prints 96 -96 31 0 31 0 0 2147483647 32
// prints 32.5 32 0
#include <cstdio>
__global__ void work(int *i, unsigned *u, float *f, double *d, unsigned long long *l)
{
	int t = threadIdx.x;

	atomicAdd(&i[0], 3);
	atomicSub(&i[1], 3);
	atomicMax(&i[2], t);
	atomicMin(&i[3], t);
	atomicOr(&u[0], t);
	atomicAnd(&u[1], t);
	atomicXor(&u[2], 5);
	atomicInc(&u[3], 31);
	atomicExch(&i[4], 2147483647);
	atomicAdd_block(&f[0], 1.0f);
	atomicAdd_system(&d[0], 1.0);
	atomicAdd(&l[0], 1ull);
	atomicCAS(&l[1], 0ull, 0ull);
}
int main()
{
	int *i;
	unsigned *u;
	float *f;
	double *d;
	unsigned long long *l;

	cudaMallocManaged(&i, 5 * sizeof *i);
	cudaMallocManaged(&u, 4 * sizeof *u);
	cudaMallocManaged(&f, sizeof *f);
	cudaMallocManaged(&d, sizeof *d);
	cudaMallocManaged(&l, 2 * sizeof *l);
	for (int k = 0; k < 5; k++)
		i[k] = 0;
	u[0] = u[2] = u[3] = 0;
	u[1] = ~0u;
	*f = 0.5f;
	*d = 0;
	l[0] = l[1] = 0;
	work<<<1, 32>>>(i, u, f, d, l);
	cudaDeviceSynchronize();
	printf("%d %d %d %d %u %u %u %d %llu\n", i[0], i[1], i[2], i[3], u[0], u[1], u[2], i[4],
		l[0]);
	printf("%g %g %u\n", *f, *d, u[3]);
}
