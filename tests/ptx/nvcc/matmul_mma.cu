// nvcc: -arch=sm_80
// A product of matrices of half by mma: tiles of A and B go through shared memory by cp.async, two at a time; ldmatrix brings them into the registers of mma. Each of
// four warps computes 16 x 32 elements.
//@ case right
//@ buffer a : f16[4096]
//@ buffer b : f16[4096]
//@ buffer c : f32[4096] = -1
//@ buffer r : f32[4096] = 0
//@ launch fill<<<16, 256>>>(a, b)
//@ launch matmul<<<(2, 1), 128>>>(a, b, c, 64, 64)
//@ launch plain<<<16, 256>>>(a, b, r, 64, 64)
//@ expect c[0..4095] == r[i]
//@ expect clean
//@ case without_the_barrier_after_the_wait
//@ set check=race
//@ buffer a : f16[4096] = 1
//@ buffer b : f16[4096] = 1
//@ buffer c : f32[4096] = -1
//@ launch matmul_missing<<<(2, 1), 128>>>(a, b, c, 64, 64)
//@ expect race
#include <cuda_fp16.h>

__device__ unsigned shared_address(const void *p) { return (unsigned)__cvta_generic_to_shared(p); }

__device__ void copy16(void *to, const void *from)
{
	asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(shared_address(to)), "l"(from));
}

template <bool barrier> __device__ void tiles(const half *a, const half *b, float *c, int n, int k)
{
	__shared__ __align__(16) half as[2][64][24], bs[2][16][40];
	int lane = threadIdx.x % 32, row = threadIdx.x / 32 * 16, column = blockIdx.x * 32;
	float sum[4][4] = {};

	auto fetch = [&](int stage, int k0) {
		int i = threadIdx.x;

		copy16(&as[stage][i / 2][i % 2 * 8], a + i / 2 * k + k0 + i % 2 * 8);
		if (i < 64)
			copy16(&bs[stage][i / 4][i % 4 * 8], b + (k0 + i / 4) * n + column + i % 4 * 8);
		asm volatile("cp.async.commit_group;");
	};
	fetch(0, 0);
	for (int k0 = 0, stage = 0; k0 < k; k0 += 16, stage ^= 1) {
		unsigned x[4], y[4][2];

		asm volatile("cp.async.wait_group 0;" ::: "memory");
		if (barrier)
			__syncthreads(); // the other threads' copies; and all have read the other tiles
		if (k0 + 16 < k)
			fetch(stage ^ 1, k0 + 16);
		asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
			     : "=r"(x[0]), "=r"(x[1]), "=r"(x[2]), "=r"(x[3])
			     : "r"(shared_address(&as[stage][row + lane % 16][lane / 16 * 8])));
		for (int j = 0; j < 4; j++) {
			asm volatile("ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16 {%0, %1}, [%2];"
				     : "=r"(y[j][0]), "=r"(y[j][1])
				     : "r"(shared_address(&bs[stage][lane % 16][j * 8])));
			asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
				     : "+f"(sum[j][0]), "+f"(sum[j][1]), "+f"(sum[j][2]), "+f"(sum[j][3])
				     : "r"(x[0]), "r"(x[1]), "r"(x[2]), "r"(x[3]), "r"(y[j][0]), "r"(y[j][1]));
		}
	}
	for (int j = 0; j < 4; j++)
		for (int e = 0; e < 4; e++)
			c[(row + lane / 4 + e / 2 * 8) * n + column + j * 8 + lane % 4 * 2 + e % 2] = sum[j][e];
}

extern "C" __global__ void matmul(const half *a, const half *b, float *c, int n, int k) { tiles<true>(a, b, c, n, k); }
extern "C" __global__ void matmul_missing(const half *a, const half *b, float *c, int n, int k) { tiles<false>(a, b, c, n, k); }

extern "C" __global__ void plain(const half *a, const half *b, float *r, int n, int k)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	float sum = 0;

	for (int j = 0; j < k; j++)
		sum += __half2float(a[i / n * k + j]) * __half2float(b[j * n + i % n]);
	r[i] = sum;
}

extern "C" __global__ void fill(half *a, half *b)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;

	a[i] = __int2half_rn((i * 7 + i / 64) % 9 - 4);
	b[i] = __int2half_rn((i * 5 + i / 64 * 3) % 7 - 3);
}
