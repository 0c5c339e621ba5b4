// cub::BlockDiscontinuity, BlockAdjacentDifference and BlockExchange: heads of runs, differences, blocked to striped.
// nvcc: -arch=sm_75 -arch=sm_90
//@ buffer head : u32[128] = 7
//@ buffer diff : s32[128] = 7
//@ buffer strip : u32[128] = 7
//@ launch k<<<1, 64>>>(head, diff, strip)
//@ expect head[..] == (i % 5 == 0)
//@ expect diff[0] == 0 && diff[1..127] == 2 * i - 1
//@ expect strip[..] == i
//@ expect clean
#include <cub/block/block_adjacent_difference.cuh>
#include <cub/block/block_discontinuity.cuh>
#include <cub/block/block_exchange.cuh>
extern "C" __global__ void k(unsigned *head, int *diff, unsigned *strip)
{
	using heads = cub::BlockDiscontinuity<unsigned, 64>;
	using differences = cub::BlockAdjacentDifference<int, 64>;
	using exchange = cub::BlockExchange<unsigned, 64, 2>;
	__shared__ typename heads::TempStorage a;
	__shared__ typename differences::TempStorage b;
	__shared__ typename exchange::TempStorage c;
	unsigned t = threadIdx.x, x[2] = {t * 2 / 5, (t * 2 + 1) / 5}, e[2] = {t * 2, t * 2 + 1};
	int flag[2], y[2] = {(int)(t * t * 4), (int)((t * 2 + 1) * (t * 2 + 1))}, d[2];
	heads(a).FlagHeads(flag, x, cuda::std::not_equal_to<>{});
	differences(b).SubtractLeft(y, d, cuda::std::minus<>{});
	exchange(c).BlockedToStriped(e, e);
	for (int n = 0; n < 2; n++) {
		head[t * 2 + n] = flag[n];
		diff[t * 2 + n] = d[n];
		strip[n * 64 + t] = e[n];
	}
}
