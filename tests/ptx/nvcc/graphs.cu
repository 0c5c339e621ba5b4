// Breadth-first search with compare-and-swap; connected components by union-find. main prints the sums that the expectations name.
// nvcc: -arch=sm_75
//@ buffer dist : s32[1000] = 0
//@ buffer fa : s32[1001] = 0
//@ buffer fb : s32[1001] = 0
//@ buffer comp : u32[1000] = 0
//@ launch init<<<8, 128>>>(dist, fa, fb, comp)
//@ launch bfs<<<1, 256>>>(dist, fa, fb)
//@ launch unite<<<8, 128>>>(comp)
//@ launch flat<<<8, 128>>>(comp)
//@ expect sum(dist[0..999]) == 6624
//@ expect sum(comp[0..999]) == 206302
#include "reference.h"
HD int edge(int v, int k)
{
	return (int)(hash32(v * 7 + k) % 1000);
}
HD bool linked(int v)
{
	return hash32(v + 31337) % 3 != 0;
}
K init(int *d, int *a, int *b, uint32_t *comp)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i < 1000) {
		d[i] = i ? -1 : 0;
		comp[i] = i;
	}
	if (i == 0) {
		a[0] = 1;
		a[1] = 0;
		b[0] = 0;
	}
}
K bfs(int *d, int *a, int *b)
{
	for (int level = 1;; level++) {
		int n = a[0];
		if (!n)
			break;
		for (int i = threadIdx.x; i < n; i += blockDim.x) {
			int v = a[1 + i];
			if (v % 5 == 4)
				continue;
			for (int k = 0; k < 3; k++) {
				int u = edge(v, k);
				if (atomicCAS(&d[u], -1, level) == -1)
					b[1 + atomicAdd(&b[0], 1)] = u;
			}
		}
		__syncthreads();
		if (threadIdx.x == 0)
			a[0] = 0;
		int *t = a;
		a = b;
		b = t;
		__syncthreads();
	}
}
__device__ uint32_t find(volatile uint32_t *p, uint32_t x)
{
	while (p[x] != x)
		x = p[x];
	return x;
}
K unite(uint32_t *p)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i >= 1000 || !linked(i))
		return;
	uint32_t u = i, v = edge(i, 9);
	for (;;) {
		u = find(p, u);
		v = find(p, v);
		if (u == v)
			return;
		if (u < v) {
			uint32_t t = u;
			u = v;
			v = t;
		}
		if (atomicCAS(&p[u], u, v) == u)
			return;
	}
}
K flat(uint32_t *p)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i < 1000) {
		uint32_t r = find(p, i);
		((volatile uint32_t *)p)[i] = r;
	}
}
int main()
{
	std::vector<int> d(1000, -1), q{0};
	d[0] = 0;
	for (size_t h = 0; h < q.size(); h++) {
		int v = q[h];
		if (v % 5 == 4)
			continue;
		for (int k = 0; k < 3; k++) {
			int u = edge(v, k);
			if (d[u] < 0) {
				d[u] = d[v] + 1;
				q.push_back(u);
			}
		}
	}
	std::vector<uint32_t> c(1000);
	for (int i = 0; i < 1000; i++)
		c[i] = i;
	for (int again = 1; again;) {
		again = 0;
		for (int i = 0; i < 1000; i++)
			if (linked(i)) {
				uint32_t m = std::min(c[i], c[edge(i, 9)]);
				if (c[i] != m || c[edge(i, 9)] != m) {
					c[i] = c[edge(i, 9)] = m;
					again = 1;
				}
			}
	}
	print("w", d);
	print("c", c);
}
