// Prefix sums and compaction: in warps, in blocks, and over blocks that wait for each other.
// nvcc: -arch=sm_90
//@ case warp_scan
//@ buffer in : s32[32] = 1
//@ buffer out : s32[32] = 0
//@ launch warp_scan<<<1, 32>>>(in, out)
//@ always out[0..31] == i + 1
//@ case hillis_steele
//@ buffer in : s32[64] = 1
//@ buffer out : s32[64] = 0
//@ launch hillis_steele<<<1, 64>>>(in, out)
//@ always out[0..63] == i + 1
//@ case blelloch
//@ buffer in : s32[64] = 1
//@ buffer out : s32[64] = 0
//@ launch blelloch<<<1, 32>>>(in, out)
//@ always out[0..63] == i
//@ case block_scan
//@ buffer in : s32[128] = 1
//@ buffer out : s32[128] = 0
//@ launch block_scan<<<1, 128>>>(in, out)
//@ always out[0..127] == i + 1
//@ case chained_scan
//@ buffer in : s32[32] = 1
//@ buffer sums : s32[4] = -1
//@ buffer out : s32[32] = 0
//@ launch chained_scan<<<4, 8>>>(in, sums, out)
//@ always out[0..31] == i + 1
//@ case look_back
//@ buffer in : s32[24] = 1
//@ buffer state : u64[3] = 0
//@ buffer out : s32[24] = 0
//@ launch look_back<<<3, 8>>>(in, state, out)
//@ always out[0..23] == i + 1
//@ case compact
//@ buffer in : s32[64] = iota(0)
//@ buffer count : s32[1] = 0
//@ buffer out : s32[64] = -1
//@ launch compact<<<1, 64>>>(in, count, out)
//@ always count == 22 && sum(out[0..21]) == 693
//@ case segmented_scan
//@ buffer in : s32[32] = 1
//@ buffer out : s32[32] = 0
//@ launch segmented_scan<<<1, 32>>>(in, out)
//@ always out[0..31] == i % 5 + 1
#include <cuda/atomic>

__device__ int scanned(int v)
{
	for (int d = 1; d < 32; d *= 2) {
		int other = __shfl_up_sync(~0u, v, d);

		if ((threadIdx.x & 31) >= d)
			v += other;
	}
	return v;
}

extern "C" __global__ void warp_scan(const int *in, int *out)
{
	out[threadIdx.x] = scanned(in[threadIdx.x]);
}

extern "C" __global__ void hillis_steele(const int *in, int *out)
{
	__shared__ int box[2][64];
	int t = threadIdx.x, from = 0;

	box[0][t] = in[t];
	for (int d = 1; d < blockDim.x; d *= 2) {
		__syncthreads();
		box[1 - from][t] = box[from][t] + (t >= d ? box[from][t - d] : 0);
		from = 1 - from;
	}
	out[t] = box[from][t];
}

extern "C" __global__ void blelloch(const int *in, int *out)
{
	__shared__ int x[64];
	int t = threadIdx.x, step = 1;

	x[2 * t] = in[2 * t];
	x[2 * t + 1] = in[2 * t + 1];
	for (int d = blockDim.x; d > 0; d /= 2, step *= 2) {
		__syncthreads();
		if (t < d)
			x[step * (2 * t + 2) - 1] += x[step * (2 * t + 1) - 1];
	}
	if (t == 0)
		x[63] = 0;
	for (int d = 1; d <= blockDim.x; d *= 2) {
		step /= 2;
		__syncthreads();
		if (t < d) {
			int a = step * (2 * t + 1) - 1, b = step * (2 * t + 2) - 1, left = x[a];

			x[a] = x[b];
			x[b] += left;
		}
	}
	__syncthreads();
	out[2 * t] = x[2 * t];
	out[2 * t + 1] = x[2 * t + 1];
}

extern "C" __global__ void block_scan(const int *in, int *out)
{
	__shared__ int ends[4];
	int t = threadIdx.x, v = scanned(in[t]);

	if (t % 32 == 31)
		ends[t / 32] = v;
	__syncthreads();
	for (int k = 0; k < t / 32; k++)
		v += ends[k];
	out[t] = v;
}

// Each block waits for the sum of all before it.
extern "C" __global__ void chained_scan(const int *in, int *sums, int *out)
{
	__shared__ int before, box[8];
	int t = threadIdx.x, b = blockIdx.x;

	box[t] = in[b * blockDim.x + t];
	__syncthreads();
	if (t == 0) {
		int total = 0;

		for (int k = 0; k < blockDim.x; k++)
			total += box[k];
		before = 0;
		if (b > 0) {
			cuda::atomic_ref<int, cuda::thread_scope_device> left(sums[b - 1]);

			while ((before = left.load(cuda::memory_order_acquire)) < 0)
				;
		}
		cuda::atomic_ref<int, cuda::thread_scope_device>(sums[b]).store(before + total, cuda::memory_order_release);
	}
	__syncthreads();
	int sum = before;
	for (int k = 0; k <= t; k++)
		sum += box[k];
	out[b * blockDim.x + t] = sum;
}

// Decoupled look-back: a block publishes its own sum (1), adds the sums to its left until one includes all before it (2), and publishes that.
extern "C" __global__ void look_back(const int *in, unsigned long long *state, int *out)
{
	__shared__ int before, box[8];
	int t = threadIdx.x, b = blockIdx.x;

	box[t] = in[b * blockDim.x + t];
	__syncthreads();
	if (t == 0) {
		unsigned total = 0, sum = 0;

		for (int k = 0; k < blockDim.x; k++)
			total += box[k];
		if (b > 0)
			*(volatile unsigned long long *)&state[b] = 1ull << 32 | total;
		for (int k = b - 1; k >= 0; k--) {
			unsigned long long seen;

			while (!((seen = *(volatile unsigned long long *)&state[k]) >> 32))
				;
			sum += (unsigned)seen;
			if (seen >> 32 == 2)
				break;
		}
		*(volatile unsigned long long *)&state[b] = 2ull << 32 | (sum + total);
		before = sum;
	}
	__syncthreads();
	int sum = before;
	for (int k = 0; k <= t; k++)
		sum += box[k];
	out[b * blockDim.x + t] = sum;
}

// Multiples of 3, gathered: each warp asks once for as many places as it needs.
extern "C" __global__ void compact(const int *in, int *count, int *out)
{
	int v = in[threadIdx.x], lane = threadIdx.x & 31, base = 0;
	unsigned votes = __ballot_sync(~0u, v % 3 == 0);

	if (lane == 0)
		base = atomicAdd(count, __popc(votes));
	base = __shfl_sync(~0u, base, 0);
	if (v % 3 == 0)
		out[base + __popc(votes & ((1u << lane) - 1))] = v;
}

// A sum that begins again every five elements.
extern "C" __global__ void segmented_scan(const int *in, int *out)
{
	int t = threadIdx.x, v = in[t];
	unsigned heads = __ballot_sync(~0u, t % 5 == 0), first = 31 - __clz(heads & (~0u >> (31 - t)));

	for (int d = 1; d < 32; d *= 2) {
		int other = __shfl_up_sync(~0u, v, d);

		if (t >= first + d)
			v += other;
	}
	out[t] = v;
}
