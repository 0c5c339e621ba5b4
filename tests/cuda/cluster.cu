// Blocks of a cluster read one another's shared memory.
// prints 1 0 3 2
// planted S0409
#include <cooperative_groups.h>
#include <cstdio>
namespace cg = cooperative_groups;
__global__ void swap(int *out)
{
	__shared__ int mine;
	cg::cluster_group cluster = cg::this_cluster();

	if (threadIdx.x == 0)
		mine = blockIdx.x;
#ifndef PLANTED
	cluster.sync();
#endif
	if (threadIdx.x == 0)
		out[blockIdx.x] = *cluster.map_shared_rank(&mine, cluster.block_rank() ^ 1); // HERE
	cluster.sync();
}
int main()
{
	cudaLaunchConfig_t config = {};
	cudaLaunchAttribute a[1];
	int *out;

	cudaMallocManaged(&out, 4 * sizeof(int));
	config.gridDim = 4;
	config.blockDim = 32;
	a[0].id = cudaLaunchAttributeClusterDimension;
	a[0].val.clusterDim.x = 2;
	a[0].val.clusterDim.y = a[0].val.clusterDim.z = 1;
	config.attrs = a;
	config.numAttrs = 1;
	int held = 0, most = 0;
	if (cudaOccupancyMaxActiveClusters(&held, swap, &config) || held < 2 || cudaOccupancyMaxPotentialClusterSize(&most, swap, &config) || most < 8)
		return 2;
	cudaLaunchKernelEx(&config, swap, out);
	if (cudaDeviceSynchronize())
		return 1;
	printf("%d %d %d %d\n", out[0], out[1], out[2], out[3]);
}
