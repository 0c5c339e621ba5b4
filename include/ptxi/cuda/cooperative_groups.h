/* Cooperative groups: blocks, tiles of a warp, the lanes that run together, clusters and grids. */
#ifndef PTXI_COOPERATIVE_GROUPS_H
#define PTXI_COOPERATIVE_GROUPS_H
#include "cuda_runtime.h"
#include "cuda/barrier"

namespace cooperative_groups
{

PTXI_DEVICE unsigned ptxi_rank(dim3 at, dim3 of) { return (at.z * of.y + at.y) * of.x + at.x; }

class thread_block
{
      public:
	typedef unsigned long long arrival_token;
	PTXI_DEVICE void sync() { __syncthreads(); }
	PTXI_DEVICE unsigned size() { return blockDim.x * blockDim.y * blockDim.z; }
	PTXI_DEVICE unsigned num_threads() { return size(); }
	PTXI_DEVICE unsigned thread_rank() { return ptxi_rank(threadIdx, blockDim); }
	PTXI_DEVICE dim3 group_index() { return blockIdx; }
	PTXI_DEVICE dim3 thread_index() { return threadIdx; }
	PTXI_DEVICE dim3 group_dim() { return blockDim; }
	PTXI_DEVICE dim3 dim_threads() { return blockDim; }
};
PTXI_DEVICE thread_block this_thread_block() { return thread_block(); }

/* Lanes of a warp; MASK: which. */
template <class Self> class ptxi_lanes
{
	PTXI_METHOD unsigned mask() const { return static_cast<const Self *>(this)->ptxi_mask(); }

      public:
	PTXI_METHOD void sync() const { __syncwarp(mask()); }
	PTXI_METHOD int any(int p) const { return __any_sync(mask(), p); }
	PTXI_METHOD int all(int p) const { return __all_sync(mask(), p); }
};

template <unsigned Size, class Parent = void>
class thread_block_tile : public ptxi_lanes<thread_block_tile<Size, Parent>>
{
	static_assert(Size >= 1 && Size <= 32 && (Size & (Size - 1)) == 0,
		"a tile has a power of 2 of threads, at most 32");

	PTXI_DEVICE unsigned first() { return ptxi_lane() & ~(Size - 1); }

      public:
	PTXI_DEVICE unsigned ptxi_mask()
	{
		return Size == 32 ? ~0u : ((1u << (Size % 32)) - 1) << first();
	}
	PTXI_DEVICE constexpr unsigned size() { return Size; }
	PTXI_DEVICE constexpr unsigned num_threads() { return Size; }
	PTXI_DEVICE unsigned thread_rank() { return ptxi_lane() & (Size - 1); }
	PTXI_DEVICE unsigned meta_group_rank() { return thread_block::thread_rank() / Size; }
	PTXI_DEVICE unsigned meta_group_size() { return (thread_block::size() + Size - 1) / Size; }
	template <class T> PTXI_METHOD T shfl(T v, unsigned from) const
	{
		return __shfl_sync(ptxi_mask(), v, from, Size);
	}
	template <class T> PTXI_METHOD T shfl_up(T v, unsigned by) const
	{
		return __shfl_up_sync(ptxi_mask(), v, by, Size);
	}
	template <class T> PTXI_METHOD T shfl_down(T v, unsigned by) const
	{
		return __shfl_down_sync(ptxi_mask(), v, by, Size);
	}
	template <class T> PTXI_METHOD T shfl_xor(T v, unsigned by) const
	{
		return __shfl_xor_sync(ptxi_mask(), v, by, Size);
	}
	PTXI_METHOD unsigned ballot(int p) const
	{
		return (__ballot_sync(ptxi_mask(), p) & ptxi_mask()) >> first();
	}
	template <class T> PTXI_METHOD unsigned match_any(T v) const
	{
		return __match_any_sync(ptxi_mask(), v) >> first();
	}
	template <class T> PTXI_METHOD unsigned match_all(T v, int &all) const
	{
		return __match_all_sync(ptxi_mask(), v, &all) >> first();
	}
};
template <unsigned Size, class Parent>
PTXI_DEVICE thread_block_tile<Size, Parent> tiled_partition(const Parent &)
{
	return thread_block_tile<Size, Parent>();
}

class coalesced_group : public ptxi_lanes<coalesced_group>
{
	unsigned lanes;

	/* The lane of rank K. */
	PTXI_METHOD unsigned lane_of(unsigned k) const
	{
		unsigned left = lanes;

		for (; k > 0; k--)
			left &= left - 1;
		return (unsigned)__ffs((int)left) - 1;
	}

      public:
	PTXI_METHOD explicit coalesced_group(unsigned mask) : lanes(mask) {}
	PTXI_METHOD unsigned ptxi_mask() const { return lanes; }
	PTXI_METHOD unsigned size() const { return (unsigned)__popc(lanes); }
	PTXI_METHOD unsigned num_threads() const { return size(); }
	PTXI_METHOD unsigned thread_rank() const
	{
		return (unsigned)__popc(lanes & ((1u << ptxi_lane()) - 1));
	}
	template <class T> PTXI_METHOD T shfl(T v, unsigned from) const
	{
		return __shfl_sync(lanes, v, lane_of(from % size()));
	}
	template <class T> PTXI_METHOD T shfl_up(T v, unsigned by) const
	{
		unsigned rank = thread_rank();

		return __shfl_sync(lanes, v, lane_of(rank < by ? rank : rank - by));
	}
	template <class T> PTXI_METHOD T shfl_down(T v, unsigned by) const
	{
		unsigned rank = thread_rank();

		return __shfl_sync(lanes, v, lane_of(rank + by >= size() ? rank : rank + by));
	}
	PTXI_METHOD unsigned ballot(int p) const
	{
		unsigned votes = __ballot_sync(lanes, p), result = 0;

		for (unsigned left = lanes, k = 0; left; left &= left - 1, k++)
			result |= (votes >> (__ffs((int)left) - 1) & 1) << k;
		return result;
	}
};
PTXI_DEVICE coalesced_group coalesced_threads() { return coalesced_group(__activemask()); }
/* The threads of a group for which VALUE is the same, or of a predicate, true. */
template <class Group, class T>
PTXI_DEVICE coalesced_group labeled_partition(const Group &g, T value)
{
	return coalesced_group(__match_any_sync(g.ptxi_mask(), value));
}
template <class Group> PTXI_DEVICE coalesced_group binary_partition(const Group &g, bool p)
{
	unsigned yes = __ballot_sync(g.ptxi_mask(), p);

	return coalesced_group(p ? yes : g.ptxi_mask() & ~yes);
}

/* The barrier of a cooperative grid: a word of the workspace that the launch has. Block 0 adds what
 * the others leave of 2^31, so that the highest bit changes when all blocks have arrived. */
class grid_group
{
      public:
	PTXI_DEVICE unsigned *ptxi_word()
	{
		unsigned high, low;

		asm("mov.u32 %0, %%envreg1;" : "=r"(high));
		asm("mov.u32 %0, %%envreg2;" : "=r"(low));
		return (unsigned *)((unsigned long long)high << 32 | low) + 1;
	}
	PTXI_DEVICE bool is_valid() { return ptxi_word() != (unsigned *)nullptr + 1; }
	PTXI_DEVICE unsigned num_blocks() { return gridDim.x * gridDim.y * gridDim.z; }
	PTXI_DEVICE unsigned block_rank() { return ptxi_rank(blockIdx, gridDim); }
	PTXI_DEVICE unsigned long long size()
	{
		return (unsigned long long)num_blocks() * thread_block::size();
	}
	PTXI_DEVICE unsigned long long num_threads() { return size(); }
	PTXI_DEVICE unsigned long long thread_rank()
	{
		return (unsigned long long)block_rank() * thread_block::size() +
			thread_block::thread_rank();
	}
	PTXI_DEVICE dim3 group_dim() { return gridDim; }
	PTXI_DEVICE dim3 dim_blocks() { return gridDim; }
	PTXI_DEVICE dim3 block_index() { return blockIdx; }
	PTXI_DEVICE void sync()
	{
		__syncthreads();
		if (thread_block::thread_rank() == 0) {
			unsigned *word = ptxi_word(), old, now,
				 add = block_rank() == 0 ? 0x80000000u - (num_blocks() - 1) : 1;

			__threadfence();
			asm volatile("atom.add.release.gpu.u32 %0, [%1], %2;"
				     : "=r"(old)
				     : "l"(word), "r"(add)
				     : "memory");
			do
				asm volatile("ld.acquire.gpu.u32 %0, [%1];"
					     : "=r"(now)
					     : "l"(word)
					     : "memory");
			while (!((old ^ now) & 0x80000000u));
			__threadfence();
		}
		__syncthreads();
	}
};
PTXI_DEVICE grid_group this_grid() { return grid_group(); }

class cluster_group
{
      public:
#define PTXI_OF_CLUSTER(name, sreg) \
	PTXI_DEVICE unsigned name() \
	{ \
		unsigned n; \
\
		asm("mov.u32 %0, %%" sreg ";" : "=r"(n)); \
		return n; \
	}
	PTXI_OF_CLUSTER(block_rank, "cluster_ctarank")
	PTXI_OF_CLUSTER(num_blocks, "cluster_nctarank")
#undef PTXI_OF_CLUSTER
	PTXI_DEVICE unsigned size() { return num_blocks() * thread_block::size(); }
	PTXI_DEVICE unsigned num_threads() { return size(); }
	PTXI_DEVICE unsigned thread_rank()
	{
		return block_rank() * thread_block::size() + thread_block::thread_rank();
	}
	PTXI_DEVICE void barrier_arrive() { asm volatile("barrier.cluster.arrive;" ::: "memory"); }
	PTXI_DEVICE void barrier_wait() { asm volatile("barrier.cluster.wait;" ::: "memory"); }
	PTXI_DEVICE void sync()
	{
		barrier_arrive();
		barrier_wait();
	}
	template <class T> PTXI_DEVICE T *map_shared_rank(T *p, unsigned rank)
	{
		T *there;

		asm("mapa.u64 %0, %1, %2;" : "=l"(there) : "l"(p), "r"(rank));
		return there;
	}
};
PTXI_DEVICE cluster_group this_cluster() { return cluster_group(); }

template <class Group> PTXI_DEVICE void sync(const Group &g) { g.sync(); }

/* --- asynchronous copies of a group --- */

template <class Group, class T, class Size>
PTXI_DEVICE void memcpy_async(const Group &g, T *to, const T *from, Size bytes)
{
	cuda::ptxi_copy_by_group(g, to, from, bytes);
	asm volatile("cp.async.commit_group;" ::: "memory");
}
template <class Group> PTXI_DEVICE void wait(const Group &g)
{
	asm volatile("cp.async.wait_all;" ::: "memory");
	g.sync();
}
template <unsigned N, class Group> PTXI_DEVICE void wait_prior(const Group &g)
{
	asm volatile("cp.async.wait_group %0;" ::"n"(N) : "memory");
	g.sync();
}

/* --- reductions --- */

template <class T> struct plus {
	PTXI_METHOD T operator()(T a, T b) const { return a + b; }
};
template <class T> struct less {
	PTXI_METHOD T operator()(T a, T b) const { return b < a ? b : a; }
};
template <class T> struct greater {
	PTXI_METHOD T operator()(T a, T b) const { return a < b ? b : a; }
};
template <unsigned Size, class Parent, class T, class Op>
PTXI_DEVICE T reduce(const thread_block_tile<Size, Parent> &g, T v, Op op)
{
	for (unsigned by = Size / 2; by > 0; by /= 2)
		v = op(v, g.shfl_xor(v, by));
	return v;
}
template <class T, class Op> PTXI_DEVICE T reduce(const coalesced_group &g, T v, Op op)
{
	T result = g.shfl(v, 0);

	for (unsigned k = 1; k < g.size(); k++)
		result = op(result, g.shfl(v, k));
	return result;
}
template <unsigned Size, class Parent, class T, class Op>
PTXI_DEVICE T inclusive_scan(const thread_block_tile<Size, Parent> &g, T v, Op op)
{
	for (unsigned by = 1; by < Size; by *= 2) {
		T before = g.shfl_up(v, by);

		if (g.thread_rank() >= by)
			v = op(before, v);
	}
	return v;
}
template <unsigned Size, class Parent, class T>
PTXI_DEVICE T inclusive_scan(const thread_block_tile<Size, Parent> &g, T v)
{
	return inclusive_scan(g, v, plus<T>());
}
template <unsigned Size, class Parent, class T>
PTXI_DEVICE T exclusive_scan(const thread_block_tile<Size, Parent> &g, T v)
{
	return inclusive_scan(g, v, plus<T>()) - v;
}

} // namespace cooperative_groups
#endif
