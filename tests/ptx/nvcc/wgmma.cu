// A product by wgmma with two stages, of which one group stays in flight (wait_group 1), against sums of single products.
// nvcc: -arch=sm_90a
//@ buffer a : f16[8192] = random(1)
//@ buffer b : f16[2048] = random(2)
//@ buffer c : f32[1024] = 0
//@ buffer wrong : u32[1] = 0
//@ launch multiply<<<1, 128>>>(a, b, c, 128)
//@ launch compare<<<8, 128>>>(a, b, c, 128, wrong)
//@ expect wrong[0] == 0
//@ expect clean
#include <cstdint>
#include <cuda_fp16.h>
__device__ inline void fence() { asm volatile("wgmma.fence.sync.aligned;\n" ::: "memory"); }
__device__ inline void commit() { asm volatile("wgmma.commit_group.sync.aligned;\n" ::: "memory"); }
template <int N> __device__ inline void wait() { asm volatile("wgmma.wait_group.sync.aligned %0;\n" ::"n"(N) : "memory"); }
__device__ inline void product(float (&d)[8], uint64_t a, uint64_t b)
{
	asm volatile("wgmma.mma_async.sync.aligned.m64n16k16.f32.f16.f16 {%0, %1, %2, %3, %4, %5, %6, %7}, %8, %9, 1, 1, 1, 0, 0;\n"
		: "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]), "+f"(d[4]), "+f"(d[5]), "+f"(d[6]), "+f"(d[7]) : "l"(a), "l"(b));
}
__device__ inline uint64_t descriptor(const void *p)
{
	return (uint64_t)((__cvta_generic_to_shared(p) & 0x3ffff) >> 4) | (uint64_t)(1024 >> 4) << 16 | (uint64_t)(128 >> 4) << 32;
}
// c[64][16] = a[64][k] * b[16][k]
extern "C" __global__ void multiply(const __half *a, const __half *b, float *c, int k)
{
	__shared__ __align__(1024) __half sa[2][64 * 32], sb[2][64 * 32];
	float d[8] = {0};
	int t = threadIdx.x, lane = t % 32, row = t / 32 * 16 + lane / 4;

	for (int k0 = 0, s = 0; k0 < k; k0 += 32, s ^= 1) {
		for (int i = t; i < 64 * 32; i += 128)
			sa[s][i % 32 / 8 * 512 + i / 32 * 8 + i % 8] = a[i / 32 * k + k0 + i % 32];
		for (int i = t; i < 16 * 32; i += 128)
			sb[s][i % 32 / 8 * 512 + i / 32 * 8 + i % 8] = b[i / 32 * k + k0 + i % 32];
		asm volatile("fence.proxy.async;\n" ::: "memory");
		__syncthreads();
		fence();
		for (int j = 0; j < 2; j++)
			product(d, descriptor(sa[s] + j * 1024), descriptor(sb[s] + j * 1024));
		commit();
		wait<1>();
		__syncthreads();
	}
	wait<0>();
	for (int j = 0; j < 2; j++)
		for (int e = 0; e < 4; e++)
			c[(row + e / 2 * 8) * 16 + j * 8 + lane % 4 * 2 + e % 2] = d[j * 4 + e];
}
// the same, one element a thread
extern "C" __global__ void compare(const __half *a, const __half *b, const float *c, int k, unsigned *wrong)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	float sum = 0;

	for (int j = 0; j < k; j++)
		sum += __half2float(a[i / 16 * k + j]) * __half2float(b[i % 16 * k + j]);
	if (fabsf(sum - c[i]) > 1e-3f)
		atomicAdd(wrong, 1);
}
