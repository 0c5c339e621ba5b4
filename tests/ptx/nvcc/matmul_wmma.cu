// nvcc: -arch=sm_80
// A product of matrices of half by wmma: tiles of A and B go through shared memory, and each warp computes 16 x 16 elements. Sums of small integers are exact.
//@ case right
//@ buffer a : f16[4096]
//@ buffer b : f16[4096]
//@ buffer c : f32[4096] = -1
//@ buffer r : f32[4096] = 0
//@ launch fill<<<16, 256>>>(a, b)
//@ launch matmul<<<(2, 2), 128>>>(a, b, c, 64, 64, 64)
//@ launch plain<<<16, 256>>>(a, b, r, 64, 64, 64)
//@ expect c[0..4095] == r[i]
//@ expect clean
//@ case without_the_second_barrier
//@ buffer a : f16[4096] = 1
//@ buffer b : f16[4096] = 1
//@ buffer c : f32[4096] = -1
//@ launch matmul_missing<<<(2, 2), 128>>>(a, b, c, 64, 64, 64)
//@ expect race
#include <mma.h>
using namespace nvcuda;

template <bool second> __device__ void tiles(const half *a, const half *b, float *c, int m, int n, int k)
{
	__shared__ __align__(32) half as[32][24], bs[16][40]; // padded: no bank conflicts
	wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> fa;
	wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::row_major> fb;
	wmma::fragment<wmma::accumulator, 16, 16, 16, float> fc;
	int warp = threadIdx.x / 32, row = blockIdx.y * 32, column = blockIdx.x * 32;

	wmma::fill_fragment(fc, 0.0f);
	for (int k0 = 0; k0 < k; k0 += 16) {
		for (int i = threadIdx.x; i < 32 * 16; i += 128) {
			as[i / 16][i % 16] = a[(row + i / 16) * k + k0 + i % 16];
			bs[i / 32][i % 32] = b[(k0 + i / 32) * n + column + i % 32];
		}
		__syncthreads();
		wmma::load_matrix_sync(fa, &as[warp / 2 * 16][0], 24);
		wmma::load_matrix_sync(fb, &bs[0][warp % 2 * 16], 40);
		wmma::mma_sync(fc, fa, fb, fc);
		if (second)
			__syncthreads(); // all have read the tiles
	}
	wmma::store_matrix_sync(c + (row + warp / 2 * 16) * n + column + warp % 2 * 16, fc, n, wmma::mem_row_major);
}

extern "C" __global__ void matmul(const half *a, const half *b, float *c, int m, int n, int k) { tiles<true>(a, b, c, m, n, k); }
extern "C" __global__ void matmul_missing(const half *a, const half *b, float *c, int m, int n, int k) { tiles<false>(a, b, c, m, n, k); }

extern "C" __global__ void plain(const half *a, const half *b, float *r, int m, int n, int k)
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
