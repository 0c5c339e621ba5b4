// Cooperative groups: repeated grid barriers, groups of 8 threads, a tiled partition of a partition, a coalesced group.
//@ case rounds
//@ buffer data : s32[128] = iota(0)
//@ buffer temp : s32[128] = 0
//@ launch rounds<<<4, 32>>>(data, temp, 5) cooperative
//@ expect data[0..127] == (i + 10) % 128
//@ case not_all                                     # one block of the grid leaves before the others' barrier
//@ needs interp      # a GPU hangs until it is stopped
//@ buffer data : s32[128] = iota(0)
//@ launch not_all<<<4, 32>>>(data) cooperative
//@ expect deadlock
//@ case tiles                      # who is coalesced with whom is the schedule's choice
//@ set schedule=fair
//@ buffer out : s32[64] = -1
//@ launch tiles<<<1, 64>>>(out)
//@ expect out[0..63] == i / 8 * 64 + 28 + (i % 2 == 0) * 32
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
namespace cg = cooperative_groups;

extern "C" __global__ void rounds(int *data, int *temp, int n)
{
	auto grid = cg::this_grid();
	int at = grid.thread_rank(), all = grid.size();

	for (int k = 0; k < n; k++) {
		temp[at] = data[(at + 1) % all];
		grid.sync();
		data[at] = temp[(at + 1) % all];
		grid.sync();
	}
}

extern "C" __global__ void not_all(int *data)
{
	auto grid = cg::this_grid();

	if (blockIdx.x == 3)
		return;
	data[grid.thread_rank()] += 1;
	grid.sync();
	data[grid.thread_rank()] += 1;
}

extern "C" __global__ void tiles(int *out)
{
	auto tile = cg::tiled_partition<8>(cg::this_thread_block());
	int t = threadIdx.x, sum = cg::reduce(tile, t, cg::plus<int>());

	if (t % 2 == 0) {
		auto some = cg::coalesced_threads();
		sum += some.size() * 2;
		some.sync();
	}
	tile.sync();
	out[t] = sum;
}
