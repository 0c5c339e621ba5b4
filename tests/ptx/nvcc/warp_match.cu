// Match, ballot and reduce of a warp: equal keys counted, their first lane, sums and extremes.
// nvcc: -arch=sm_80 -arch=sm_90
//@ buffer n : u32[64] = 0
//@ buffer lead : u32[64] = 0
//@ buffer red : s32[64] = 0
//@ launch k<<<1, 64>>>(n, lead, red)
//@ expect n[0..31] == 6 + (i % 5 < 2)
//@ expect n[32..63] == 6 + ((i - 32) % 5 < 2)
//@ expect lead[0..31] == i % 5
//@ expect red[0..31] == 496 - 31 + 0
//@ expect red[32..63] == 496 + 32 * 32 - 63 + 32
//@ expect clean
extern "C" __global__ void k(unsigned *n, unsigned *lead, int *red)
{
	unsigned i = threadIdx.x, l = i % 32;
	unsigned same = __match_any_sync(~0u, l % 5);
	n[i] = __popc(same);
	lead[i] = __ffs(same) - 1;
	int all;
	__match_all_sync(~0u, l % 5, &all);
	red[i] = (int)__reduce_add_sync(~0u, i) - (int)__reduce_max_sync(~0u, i) + __reduce_min_sync(~0u, (int)i) + all;
}
