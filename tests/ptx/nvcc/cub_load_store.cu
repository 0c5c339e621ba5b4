// cub::BlockLoad and BlockStore in four ways: each
// thread's elements, transposed through shared memory.
//@ buffer in : u32[256] = iota(0)
//@ buffer out : u32[1024] = 0
//@ launch k<<<1, 64>>>(in, out)
//@ expect out[0..767] == i % 256 * 10 + i % 4
//@ expect out[768..1023] == (i - 768) * 10 + (i - 768) / 64
//@ expect clean
#include <cub/block/block_load.cuh>
#include <cub/block/block_store.cuh>
template <cub::BlockLoadAlgorithm L, cub::BlockStoreAlgorithm S> static __device__ void copy(const unsigned *in, unsigned *out)
{
	using load = cub::BlockLoad<unsigned, 64, 4, L>;
	using store = cub::BlockStore<unsigned, 64, 4, S>;
	__shared__ union {
		typename load::TempStorage l;
		typename store::TempStorage s;
	} room;
	unsigned x[4];
	load(room.l).Load(in, x);
	__syncthreads();
	for (int n = 0; n < 4; n++)
		x[n] = x[n] * 10 + n;
	store(room.s).Store(out, x);
	__syncthreads();
}
extern "C" __global__ void k(const unsigned *in, unsigned *out)
{
	copy<cub::BLOCK_LOAD_DIRECT, cub::BLOCK_STORE_VECTORIZE>(in, out);
	copy<cub::BLOCK_LOAD_TRANSPOSE, cub::BLOCK_STORE_DIRECT>(in, out + 256);
	copy<cub::BLOCK_LOAD_WARP_TRANSPOSE, cub::BLOCK_STORE_WARP_TRANSPOSE>(in, out + 512);
	copy<cub::BLOCK_LOAD_STRIPED, cub::BLOCK_STORE_STRIPED>(in, out + 768);
}
