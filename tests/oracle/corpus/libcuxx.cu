// libcu++: atomics and atomic references of every scope, barriers, latches, semaphores, pipelines, complex numbers, chrono.
#include <cuda/atomic>
#include <cuda/barrier>
#include <cuda/latch>
#include <cuda/pipeline>
#include <cuda/semaphore>
#include <cuda/std/array>
#include <cuda/std/chrono>
#include <cuda/std/complex>
#include <cuda/std/functional>
#include <cuda/std/tuple>

template <class T, cuda::thread_scope S> __global__ void atomics(T *x, T *out)
{
	cuda::atomic_ref<T, S> r(x[0]), q(x[1]);
	T seen = r.load(cuda::std::memory_order_acquire);
	r.store(seen + T(1), cuda::std::memory_order_release);
	seen += r.exchange(T(4), cuda::std::memory_order_acq_rel);
	seen += q.fetch_add(T(1));
	seen += q.fetch_max(T(9), cuda::std::memory_order_relaxed);
	while (!r.compare_exchange_weak(seen, seen + T(2), cuda::std::memory_order_acq_rel, cuda::std::memory_order_relaxed))
		;
	cuda::atomic_thread_fence(cuda::std::memory_order_seq_cst, S);
	out[threadIdx.x] = seen;
}

__global__ void barriers(int *data, int n)
{
	__shared__ cuda::barrier<cuda::thread_scope_block> b;
	__shared__ cuda::counting_semaphore<cuda::thread_scope_block, 4> s;
	if (threadIdx.x == 0) {
		init(&b, blockDim.x);
		new (&s) cuda::counting_semaphore<cuda::thread_scope_block, 4>(2);
	}
	__syncthreads();
	for (int k = 0; k < n; k++) {
		auto token = b.arrive();
		data[threadIdx.x] += k;
		b.wait(cuda::std::move(token));
		s.acquire();
		data[0]++;
		s.release();
	}
	b.arrive_and_wait();
}

template <int STAGES> __global__ void pipelines(const float4 *in, float4 *out, int n)
{
	__shared__ float4 stage[STAGES][128];
	__shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, STAGES> state;
	auto block = threadIdx.x;
	auto pipe = cuda::make_pipeline();
	for (int k = 0, ahead = 0; k < n; k++) {
		for (; ahead < n && ahead < k + STAGES; ahead++) {
			pipe.producer_acquire();
			cuda::memcpy_async(&stage[ahead % STAGES][block], in + ahead * 128 + block, sizeof(float4), pipe);
			pipe.producer_commit();
		}
		pipe.consumer_wait();
		out[k * 128 + block] = stage[k % STAGES][block];
		pipe.consumer_release();
	}
	(void)state;
}

__global__ void library(cuda::std::complex<double> *z, float *t)
{
	using namespace cuda::std;
	z[threadIdx.x] = exp(z[threadIdx.x]) * sqrt(z[threadIdx.x + 1]) + pow(z[2], 3.0);
	auto now = chrono::system_clock::now();
	array<float, 4> a{1, 2, 3, 4};
	auto p = make_tuple(a[threadIdx.x & 3], 2.5f);
	t[threadIdx.x] = get<0>(p) + get<1>(p) + float(now.time_since_epoch().count());
}

#define ATOMICS(T)                                                                                                                                             \
	template __global__ void atomics<T, cuda::thread_scope_block>(T *, T *);                                                                                \
	template __global__ void atomics<T, cuda::thread_scope_device>(T *, T *);                                                                               \
	template __global__ void atomics<T, cuda::thread_scope_system>(T *, T *);
ATOMICS(int)
ATOMICS(unsigned)
ATOMICS(long long)
ATOMICS(unsigned long long)
ATOMICS(float)
ATOMICS(double)
template __global__ void pipelines<2>(const float4 *, float4 *, int);
template __global__ void pipelines<4>(const float4 *, float4 *, int);
