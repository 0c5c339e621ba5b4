// Votes, matches, reductions of a warp, barriers that count.
// prints 1 0 55555555 11111111 496 31 48 1
#include <cstdio>
__global__ void ask(unsigned *out)
{
	unsigned t = threadIdx.x, lane = t % 32;
	unsigned any = __any_sync(~0u, lane == 3), all = __all_sync(~0u, lane < 31),
		 even = __ballot_sync(~0u, lane % 2 == 0), same = __match_any_sync(~0u, lane % 4),
		 sum = __reduce_add_sync(~0u, lane), most = __reduce_max_sync(~0u, lane),
		 count = __syncthreads_count(t < 48), every = __syncthreads_and(t < 64);

	if (t == 0) {
		unsigned result[] = {any, all, even, same, sum, most, count, every};

		for (int k = 0; k < 8; k++)
			out[k] = result[k];
	}
}
int main()
{
	unsigned *out;

	cudaMallocManaged(&out, 8 * sizeof *out);
	ask<<<1, 64>>>(out);
	cudaDeviceSynchronize();
	printf("%u %u %x %x %u %u %u %u\n", out[0], out[1], out[2], out[3], out[4], out[5], out[6],
		out[7]);
}
