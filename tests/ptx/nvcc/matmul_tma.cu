// A product of matrices of half as Hopper's libraries form it: a producer warp copies tiles of 64 elements of K by tensor copies with swizzles of 128 bytes into four stages, and a warpgroup
// multiplies them by wgmma, one product in flight behind. full: the stage has arrived; empty: its products are done.
// nvcc: -arch=sm_90a
//@ case right
//@ buffer a : f16[65536] = random(1)
//@ buffer b : f16[32768] = random(2)
//@ buffer c : f32[8192] = -1
//@ buffer wrong : u32[1] = 0
//@ tensormap ta : f16[512, 128] = a box=(64, 64) swizzle=128
//@ tensormap tb : f16[512, 64] = b box=(64, 32) swizzle=128
//@ launch matmul<<<(2, 2), 160, 49216>>>(ta, tb, c, 64, 512, 0)
//@ launch compare<<<2, 128>>>(a, b, c, 64, 512, wrong)
//@ expect wrong[0] == 0
//@ expect clean
//@ case one_product_too_late  # the stage is given back while the last product may still read it
//@ set check=sync
//@ buffer a : f16[65536] = random(1)
//@ buffer b : f16[32768] = random(2)
//@ buffer c : f32[8192] = -1
//@ tensormap ta : f16[512, 128] = a box=(64, 64) swizzle=128
//@ tensormap tb : f16[512, 64] = b box=(64, 32) swizzle=128
//@ launch matmul<<<(2, 2), 160, 49216>>>(ta, tb, c, 64, 512, 1)
//@ expect misuse S0302
//@ case without_the_wait_for_the_tiles
//@ set check=sync
//@ buffer a : f16[65536] = random(1)
//@ buffer b : f16[32768] = random(2)
//@ buffer c : f32[8192] = -1
//@ tensormap ta : f16[512, 128] = a box=(64, 64) swizzle=128
//@ tensormap tb : f16[512, 64] = b box=(64, 32) swizzle=128
//@ launch matmul<<<(2, 2), 160, 49216>>>(ta, tb, c, 64, 512, 2)
//@ expect misuse S0301
#include <cstdint>
#include <cuda_fp16.h>

enum { STAGES = 4, ROWS = 64, COLUMNS = 32, DEPTH = 64, CONSUMERS = 128 };
struct map { alignas(64) unsigned char bytes[128]; };
__device__ unsigned shared_address(const void *p) { return (unsigned)__cvta_generic_to_shared(p); }
__device__ void init(uint64_t *b, int n) { asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(shared_address(b)), "r"(n) : "memory"); }
__device__ void arrive(uint64_t *b) { asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(shared_address(b)) : "memory"); }
__device__ void wait(uint64_t *b, unsigned parity)
{
	unsigned done;

	do
		asm volatile("{\n.reg .pred p;\nmbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2;\nselp.u32 %0, 1, 0, p;\n}" : "=r"(done) : "r"(shared_address(b)), "r"(parity) : "memory");
	while (!done);
}
__device__ void fetch(void *to, const map *m, int k, int row, uint64_t *full)
{
	asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%0], [%1, {%2, %3}], [%4];" ::"r"(shared_address(to)), "l"(m), "r"(k), "r"(row),
		"r"(shared_address(full)) : "memory");
}
// rows of 128 bytes, eight of which are 1,024, swizzled
__device__ uint64_t descriptor(const void *p) { return (uint64_t)(shared_address(p) & 0x3ffff) >> 4 | (uint64_t)1 << 16 | (uint64_t)(1024 >> 4) << 32 | (uint64_t)1 << 62; }
__device__ void product(float (&d)[16], uint64_t a, uint64_t b, int add)
{
	asm volatile("{\n.reg .pred p;\nsetp.ne.b32 p, %18, 0;\nwgmma.mma_async.sync.aligned.m64n32k16.f32.f16.f16 {%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15}, %16, %17, p, 1, 1, 0, 0;\n}"
		: "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]), "+f"(d[4]), "+f"(d[5]), "+f"(d[6]), "+f"(d[7]), "+f"(d[8]), "+f"(d[9]), "+f"(d[10]), "+f"(d[11]), "+f"(d[12]), "+f"(d[13]),
		"+f"(d[14]), "+f"(d[15]) : "l"(a), "l"(b), "r"(add));
}
extern "C" __global__ void matmul(const __grid_constant__ map a, const __grid_constant__ map b, float *c, int n, int k, int mistake)
{
	extern __shared__ __align__(1024) __half tiles[];
	__half *const as = tiles, *const bs = tiles + STAGES * ROWS * DEPTH;
	uint64_t *const full = (uint64_t *)(bs + STAGES * COLUMNS * DEPTH), *const empty = full + STAGES;
	const int t = threadIdx.x, row = blockIdx.x * ROWS, column = blockIdx.y * COLUMNS, count = k / DEPTH;

	if (t == 0) {
		for (int s = 0; s < STAGES; s++)
			init(full + s, 1), init(empty + s, CONSUMERS);
		asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
	}
	__syncthreads();
	if (t >= CONSUMERS) {
		if (t == CONSUMERS)
			for (int i = 0; i < count; i++) {
				const int s = i % STAGES;

				if (i >= STAGES)
					wait(empty + s, i / STAGES % 2 ^ 1);
				asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(shared_address(full + s)), "r"((ROWS + COLUMNS) * DEPTH * 2) : "memory");
				fetch(as + s * ROWS * DEPTH, &a, i * DEPTH, row, full + s);
				fetch(bs + s * COLUMNS * DEPTH, &b, i * DEPTH, column, full + s);
			}
		return;
	}
	float d[16];
	for (int i = 0; i < count; i++) {
		const int s = i % STAGES;

		if (mistake != 2 || i != 5)
			wait(full + s, i / STAGES % 2);
		asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
		for (int j = 0; j < DEPTH / 16; j++)
			product(d, descriptor(as + s * ROWS * DEPTH + j * 16), descriptor(bs + s * COLUMNS * DEPTH + j * 16), i + j);
		asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
		asm volatile("wgmma.wait_group.sync.aligned 1;" ::: "memory");
		if (mistake == 1)
			arrive(empty + s);
		else if (i > 0)
			arrive(empty + (i - 1) % STAGES);
	}
	asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
	for (int j = 0; j < COLUMNS / 8; j++)
		for (int e = 0; e < 4; e++)
			c[(row + t / 32 * 16 + t % 32 / 4 + e / 2 * 8) * n + column + j * 8 + t % 4 * 2 + e % 2] = d[j * 4 + e];
}
// every 31st element, one a thread
extern "C" __global__ void compare(const __half *a, const __half *b, const float *c, int n, int k, unsigned *wrong)
{
	int i = (blockIdx.x * blockDim.x + threadIdx.x) * 31;
	float sum = 0;

	for (int j = 0; j < k; j++)
		sum += __half2float(a[i / n * k + j]) * __half2float(b[i % n * k + j]);
	if (fabsf(sum - c[i]) > 1e-2f)
		atomicAdd(wrong, 1);
}
