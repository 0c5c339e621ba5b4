// Grid barrier: a cooperative launch; after grid.sync() every block may read what any other block wrote before it.
//@ buffer data : s32[256] = iota(0)
//@ buffer temp : s32[256] = 0
//@ launch ring<<<8, 32>>>(data, temp, 256) cooperative
//@ expect data[0..254] == 2 * i * i + 2 * i + 1   # i^2 + (i+1)^2
//@ expect data[255] == 255 * 255
#include <cooperative_groups.h>
extern "C" __global__ void ring(int *data, int *temp, int n)
{
	int gid = blockIdx.x * blockDim.x + threadIdx.x;
	if (gid < n)
		temp[gid] = data[gid] * data[gid];
	cooperative_groups::this_grid().sync();
	if (gid < n)
		data[gid] = temp[gid] + temp[(gid + 1) % n];
}
