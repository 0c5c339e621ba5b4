// A function of the host between two kernels of a stream.
// prints 1 then 2
#include <cstdio>
__global__ void store(int *p, int v) { *p = v; }
struct seen {
	int *from, value;
};
static void look(void *self)
{
	seen *s = (seen *)self;

	s->value = *s->from;
}
int main()
{
	cudaStream_t stream;
	int *p;
	seen s;

	cudaMallocHost(&p, sizeof *p);
	s.from = p;
	cudaStreamCreate(&stream);
	store<<<1, 1, 0, stream>>>(p, 1);
	cudaLaunchHostFunc(stream, look, &s);
	store<<<1, 1, 0, stream>>>(p, 2);
	cudaStreamSynchronize(stream);
	printf("%d then %d\n", s.value, *p);
}
