__device__ int total;
__constant__ int scale[3] = {2, 3, 5};
static __device__ int used;

__device__ int scaled(int x, int k)
{
	if (threadIdx.x == 0)
		used = 1;
#ifdef BOUNDS
	return x * scale[k];
#else
	return x * scale[k % 3];
#endif
}

static __device__ int next(int x) { return x + 1; }
static __device__ int twice(int x) { return 2 * x; }
extern __device__ int (*const steps[2])(int) = {next, twice};
