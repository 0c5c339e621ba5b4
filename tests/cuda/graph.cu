// Work is captured once, and launched three times.
// prints 27
#include <cstdio>
__global__ void triple(int *x) { *x *= 3; }
int main()
{
	cudaStream_t s;
	cudaGraph_t graph;
	cudaGraphExec_t exec;
	int *x, out, one = 1;

	cudaMalloc(&x, sizeof *x);
	cudaMemcpy(x, &one, sizeof one, cudaMemcpyHostToDevice);
	cudaStreamCreate(&s);
	cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
	triple<<<1, 1, 0, s>>>(x);
	cudaStreamEndCapture(s, &graph);
	cudaGraphInstantiate(&exec, graph, 0);
	for (int k = 0; k < 3; k++)
		cudaGraphLaunch(exec, s);
	cudaStreamSynchronize(s);
	cudaMemcpy(&out, x, sizeof out, cudaMemcpyDeviceToHost);
	printf("%d\n", out);
}
