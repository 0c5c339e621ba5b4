// cuda::barrier of a block: arrive with a token, work between, wait; the parity changes with each round.
// nvcc: -arch=sm_80 -arch=sm_90
//@ buffer o : u32[96] = 0
//@ launch k<<<1, 96>>>(o, 5)
//@ expect o[..] == 5 * ((i + 1) % 96) + 0 + 1 + 2 + 3 + 4
//@ expect clean
#include <cuda/barrier>
extern "C" __global__ void k(unsigned *o, unsigned rounds)
{
	using barrier = cuda::barrier<cuda::thread_scope_block>;
	__shared__ barrier b;
	__shared__ unsigned x[2][96];
	unsigned t = threadIdx.x, sum = 0;
	if (t == 0)
		init(&b, 96);
	__syncthreads();
	for (unsigned r = 0; r < rounds; r++) {
		x[r & 1][t] = t + r;
		auto token = b.arrive();
		unsigned other = (t + 1) % 96;
		b.wait(static_cast<barrier::arrival_token &&>(token));
		sum += x[r & 1][other];
	}
	o[t] = sum;
}
