// Whole programs in small: grids that synchronise, graphs, tiles, matrices of a warp, prints, calls through pointers, lanes that meet.
// nvcc: -arch=sm_90
//@ case grid_sync
//@ buffer a : s32[6] = iota(0)
//@ buffer b : s32[6] = 0
//@ launch grid_sync<<<3, 2>>>(a, b) cooperative
//@ always b[0..5] == 7 * i
//@ case sense_barrier
//@ buffer count : s32[2] = 0
//@ buffer a : s32[3] = 0
//@ buffer out : s32[3] = 0
//@ launch sense_barrier<<<3, 1>>>(count, a, out)
//@ always out[0] == 2 && out[1] == 3 && out[2] == 1
//@ case histogram
//@ buffer in : s32[64] = iota(0)
//@ buffer bins : s32[4] = 0
//@ launch histogram<<<2, 32>>>(in, bins)
//@ always bins[0..3] == 16
//@ case transpose
//@ buffer in : s32[64] = iota(0)
//@ buffer out : s32[64] = 0
//@ launch transpose<<<1, (8, 8)>>>(in, out)
//@ always out[0..63] == i % 8 * 8 + i / 8
//@ case stencil
//@ buffer a : s32[66] = 1
//@ buffer b : s32[66] = 1
//@ launch stencil<<<4, 16>>>(a, b)
//@ launch stencil<<<4, 16>>>(b, a)
//@ always a[2..63] == 9
//@ case matmul_tiles
//@ buffer a : s32[16] = iota(0)
//@ buffer b : s32[16] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1}
//@ buffer c : s32[16] = 0
//@ launch matmul_tiles<<<(2, 2), (2, 2)>>>(a, b, c)
//@ always c[0..15] == i
//@ case matmul_mma
//@ buffer a : f16[128] = 1
//@ buffer b : f16[64] = 2
//@ buffer c : f32[128] = 0
//@ launch matmul_mma<<<1, 32>>>(a, b, c)
//@ always c[0..127] == 16
//@ case prints
//@ buffer out : s32[1] = 0
//@ launch prints<<<2, 1>>>(out)
//@ always out == 2
//@ case aggregated
//@ buffer count : s32[1] = 0
//@ buffer out : s32[4] = -1
//@ launch aggregated<<<1, 4>>>(count, out)
//@ always count == 2 && out[0] + out[2] == 1
//@ case calls
//@ buffer in : s32[4] = {0, 1, 1, 0}
//@ buffer out : s32[4] = 0
//@ launch calls<<<1, 4>>>(in, out)
//@ always out[0..3] == in[i] * 30 + 10 + i
//@ case shortest_paths
//@ buffer dist : u32[4] = {0, 100, 100, 100}
//@ launch relax<<<1, 4>>>(dist)
//@ launch relax<<<1, 4>>>(dist)
//@ launch relax<<<1, 4>>>(dist)
//@ always dist[0] == 0 && dist[1] == 3 && dist[2] == 1 && dist[3] == 4
//@ case components
//@ buffer parent : s32[4] = iota(0)
//@ launch components<<<3, 1>>>(parent)
//@ always parent[0] == 0 && parent[3] < 3
//@ case flag
//@ buffer data : s32[1] = 0
//@ buffer ready : s32[1] = 0
//@ buffer out : s32[1] = 0
//@ launch flag<<<2, 32>>>(data, ready, out)
//@ always out == 42
//@ case rows
//@ buffer row : s32[4] = {0, 3, 4, 9}
//@ buffer x : s32[9] = 1
//@ buffer y : s32[3] = 0
//@ launch rows<<<1, 3>>>(row, x, y)
//@ always y[0] == 3 && y[1] == 1 && y[2] == 5
//@ case bits
//@ buffer bits : u32[2] = 0
//@ launch set_bits<<<2, 16>>>(bits)
//@ always bits[0] == 0xffff && bits[1] == 0xffff
//@ case two_streams
//@ buffer data : s32[1] = 0
//@ buffer ready : s32[1] = 0
//@ buffer out : s32[1] = 0
//@ launch give<<<1, 1, 0, 1>>>(data, ready)
//@ launch take<<<1, 1, 0, 2>>>(data, ready, out)
//@ always out == 42
#include <cooperative_groups.h>
#include <cuda/atomic>
#include <cuda_fp16.h>
#include <stdio.h>
namespace cg = cooperative_groups;
using cuda::thread_scope_device;
typedef cuda::atomic_ref<int, thread_scope_device> place;

extern "C" __global__ void grid_sync(const int *a, int *b)
{
	__shared__ int box[2];
	int i = blockIdx.x * 2 + threadIdx.x;

	box[threadIdx.x] = a[i];
	b[i ^ 1] = 7 * (i ^ 1) - box[threadIdx.x];
	cg::this_grid().sync();
	b[i] += a[i ^ 1];
}

// Blocks meet at a counter; the last one turns the sense.
extern "C" __global__ void sense_barrier(int *count, int *a, int *out)
{
	place c(count[0]), sense(count[1]);
	int b = blockIdx.x;

	a[b] = b + 1;
	if (c.fetch_add(1, cuda::memory_order_acq_rel) == gridDim.x - 1)
		sense.store(1, cuda::memory_order_release);
	else
		while (sense.load(cuda::memory_order_acquire) == 0)
			;
	out[b] = a[(b + 1) % 3];
}

extern "C" __global__ void histogram(const int *in, int *bins)
{
	__shared__ int mine[4];
	int t = threadIdx.x;

	if (t < 4)
		mine[t] = 0;
	__syncthreads();
	atomicAdd(&mine[in[blockIdx.x * blockDim.x + t] % 4], 1);
	__syncthreads();
	if (t < 4)
		atomicAdd(&bins[t], mine[t]);
}

extern "C" __global__ void transpose(const int *in, int *out)
{
	__shared__ int tile[8][9];
	int x = threadIdx.x, y = threadIdx.y;

	tile[y][x] = in[8 * y + x];
	__syncthreads();
	out[8 * y + x] = tile[x][y];
}

extern "C" __global__ void stencil(const int *from, int *to)
{
	__shared__ int box[18];
	int t = threadIdx.x + 1, i = blockIdx.x * blockDim.x + t;

	box[t] = from[i];
	if (t == 1)
		box[0] = from[i - 1];
	if (t == 16)
		box[17] = from[i + 1];
	__syncthreads();
	to[i] = box[t - 1] + box[t] + box[t + 1];
}

extern "C" __global__ void matmul_tiles(const int *a, const int *b, int *c)
{
	__shared__ int as[2][2], bs[2][2];
	int x = threadIdx.x, y = threadIdx.y, row = blockIdx.y * 2 + y, column = blockIdx.x * 2 + x, sum = 0;

	for (int k = 0; k < 4; k += 2) {
		as[y][x] = a[row * 4 + k + x];
		bs[y][x] = b[(k + y) * 4 + column];
		__syncthreads();
		sum += as[y][0] * bs[0][x] + as[y][1] * bs[1][x];
		__syncthreads();
	}
	c[row * 4 + column] = sum;
}

// 16 x 8 elements of a product whose rows have 16 terms.
extern "C" __global__ void matmul_mma(const half *a, const half *b, float *c)
{
	__shared__ __align__(16) half as[16][8], bs[8][8];
	int t = threadIdx.x;
	float d[4] = {};
	unsigned x[2], y;

	for (int i = t; i < 128; i += 32)
		as[i / 8][i % 8] = a[i];
	for (int i = t; i < 64; i += 32)
		bs[i / 8][i % 8] = b[i];
	__syncthreads();
	asm volatile("ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%0, %1}, [%2];"
		     : "=r"(x[0]), "=r"(x[1])
		     : "r"((unsigned)__cvta_generic_to_shared(as[t % 16])));
	asm volatile("ldmatrix.sync.aligned.m8n8.x1.trans.shared.b16 {%0}, [%1];" : "=r"(y) : "r"((unsigned)__cvta_generic_to_shared(bs[t % 8])));
	asm volatile("mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5}, {%6}, {%0, %1, %2, %3};"
		     : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
		     : "r"(x[0]), "r"(x[1]), "r"(y));
	for (int k = 0; k < 4; k++)
		c[(t / 4 + k / 2 * 8) * 8 + t % 4 * 2 + k % 2] = d[k];
}

extern "C" __global__ void prints(int *out)
{
	int before = atomicAdd(out, 1);

	printf("block %d is number %d\n", blockIdx.x, before);
}

// The lanes that get here together ask once.
extern "C" __global__ void aggregated(int *count, int *out)
{
	if (threadIdx.x % 2 == 0) {
		auto group = cg::coalesced_threads();
		int base = 0;

		if (group.thread_rank() == 0)
			base = atomicAdd(count, group.size());
		out[threadIdx.x] = group.shfl(base, 0) + group.thread_rank();
	}
}

__device__ __noinline__ int small(int t) { return 10 + t; }
__device__ __noinline__ int large(int t) { return 40 + t; }

extern "C" __global__ void calls(const int *in, int *out)
{
	int (*f)(int) = in[threadIdx.x] ? large : small;

	out[threadIdx.x] = f(threadIdx.x);
}

// Edges 0-2 (1), 2-1 (2), 0-1 (5), 1-3 (1), one thread each.
extern "C" __global__ void relax(unsigned *dist)
{
	const int from[] = {0, 2, 0, 1}, to[] = {2, 1, 1, 3}, weight[] = {1, 2, 5, 1};
	int t = threadIdx.x;

	atomicMin(&dist[to[t]], dist[from[t]] + weight[t]);
}

// Edges 0-1, 1-2, 2-3: trees are hooked under the smaller root.
extern "C" __global__ void components(int *parent)
{
	int a = blockIdx.x, b = a + 1;

	for (;;) {
		while (place(parent[a]).load(cuda::memory_order_relaxed) != a)
			a = place(parent[a]).load(cuda::memory_order_relaxed);
		while (place(parent[b]).load(cuda::memory_order_relaxed) != b)
			b = place(parent[b]).load(cuda::memory_order_relaxed);
		if (a == b)
			return;
		int large = a > b ? a : b, less = a > b ? b : a;
		if (atomicCAS(&parent[large], large, less) == large)
			return;
	}
}

extern "C" __global__ void flag(int *data, int *ready, int *out)
{
	if (blockIdx.x == 0) {
		if (threadIdx.x == 0) {
			*data = 42;
			place(*ready).store(1, cuda::memory_order_release);
		}
	} else {
		if (threadIdx.x == 0)
			while (!place(*ready).load(cuda::memory_order_acquire))
				;
		__syncthreads();
		if (threadIdx.x == 31)
			*out = *data;
	}
}

// A row's length is data.
extern "C" __global__ void rows(const int *row, const int *x, int *y)
{
	int sum = 0;

	for (int k = row[threadIdx.x]; k < row[threadIdx.x + 1]; k++)
		sum += x[k];
	y[threadIdx.x] = sum;
}

extern "C" __global__ void set_bits(unsigned *bits)
{
	atomicOr(&bits[threadIdx.x % 2], 1u << (blockIdx.x * 8 + threadIdx.x / 2));
}

extern "C" __global__ void give(int *data, int *ready)
{
	*data = 42;
	__threadfence();
	*(volatile int *)ready = 1;
}

extern "C" __global__ void take(const int *data, int *ready, int *out)
{
	while (!*(volatile int *)ready)
		;
	__threadfence();
	*out = *(volatile int *)data;
}
