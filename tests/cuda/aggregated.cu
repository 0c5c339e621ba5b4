// The lanes that are in a branch add once for all of them.
// prints 22 22
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cstdio>
namespace cg = cooperative_groups;
__global__ void count(int *all, int *sum)
{
	auto tile = cg::tiled_partition<8>(cg::this_thread_block());
	int mine = threadIdx.x % 3 == 0;

	if (mine) {
		auto group = cg::coalesced_threads();

		if (group.thread_rank() == 0)
			atomicAdd(all, (int)group.size());
	}
	mine = cg::reduce(tile, mine, cg::plus<int>());
	if (tile.thread_rank() == 0)
		atomicAdd(sum, mine);
}
int main()
{
	int *all, *sum;

	cudaMallocManaged(&all, sizeof *all);
	cudaMallocManaged(&sum, sizeof *sum);
	*all = *sum = 0;
	count<<<1, 64>>>(all, sum);
	cudaDeviceSynchronize();
	printf("%d %d\n", *all, *sum);
}
