// Kernels that go wrong, launched in each way; the argument chooses one.
#include <cstring>
__global__ void add(int *a, int n)
{
	a[blockIdx.x * blockDim.x + threadIdx.x + n] += 1;
}
__global__ void both()
{
	if (threadIdx.x < 32)
		asm volatile("bar.sync 1, 64;");
	else
		asm volatile("bar.sync 2, 64;");
}
__global__ void spin(int *a)
{
	while (*(volatile int *)a == 0)
		;
}
static inline void go(int *a, int n)
{
	add<<<2, 32>>>(a, n); // INLINE
}

// Each in a function of its own: what an optimiser merges has no line.
#define APART __attribute__((noinline)) static void
static cudaStream_t s, t;
APART race(int *a)
{
	add<<<1, 32, 0, s>>>(a, 0);  // FIRST
	add<<<1, 32, 0, t>>>(a, 16); // SECOND
}
APART inlined(int *a) { go(a, 1); }
APART call(int *a)
{
	int n = 1;
	void *args[] = {&a, &n};

	cudaLaunchKernel((void *)add, dim3(2), dim3(32), args, 0, 0); // CALL
}
APART graph(int *a)
{
	cudaGraph_t g;
	cudaGraphExec_t e;

	cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
	add<<<1, 32, 0, s>>>(a, 40); // CAPTURED
	cudaStreamEndCapture(s, &g);
	cudaGraphInstantiate(&e, g, 0);
	cudaGraphLaunch(e, t);
}
APART node(int *a)
{
	cudaKernelNodeParams p = {};
	cudaGraph_t g;
	cudaGraphExec_t e;
	cudaGraphNode_t n;
	int from = 1;
	void *args[] = {&a, &from};

	p.func = (void *)add;
	p.gridDim = dim3(2);
	p.blockDim = dim3(32);
	p.kernelParams = args;
	cudaGraphCreate(&g, 0);
	cudaGraphAddKernelNode(&n, g, 0, 0, &p); // NODE
	cudaGraphInstantiate(&e, g, 0);
	cudaGraphLaunch(e, t);
}
APART deadlock(int *)
{
	both<<<1, 64>>>(); // DEADLOCK
}
APART livelock(int *a)
{
	spin<<<1, 32>>>(a); // LIVELOCK
}

int main(int, char **argument)
{
	static const struct {
		const char *name;
		void (*function)(int *a);
	} ways[] = {{"race", race}, {"inline", inlined}, {"call", call}, {"graph", graph},
		{"node", node}, {"deadlock", deadlock}, {"livelock", livelock}};
	int *a;

	cudaMalloc(&a, 64 * sizeof(int));
	cudaMemset(a, 0, 64 * sizeof(int));
	cudaStreamCreate(&s);
	cudaStreamCreate(&t);
	for (const auto &w : ways)
		if (strcmp(w.name, argument[1]) == 0)
			w.function(a);
	return cudaDeviceSynchronize() != cudaSuccess;
}
