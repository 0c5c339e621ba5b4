// Lists allocated with malloc on the device: each thread builds one of its
// own length, adds it up and frees it; one block is passed to another thread.
//@ buffer sum : u32[32] = 0
//@ launch k<<<1, 32>>>(sum)
//@ expect sum[..] == i * (i + 1) / 2 + 1000 * (31 - i)
//@ expect clean
struct node {
	unsigned value;
	node *next;
};
extern "C" __global__ void k(unsigned *sum)
{
	__shared__ unsigned *gift[32];
	unsigned t = threadIdx.x, s = 0;
	node *list = nullptr;
	for (unsigned n = 1; n <= t; n++) {
		node *x = (node *)malloc(sizeof(node));
		x->value = n;
		x->next = list;
		list = x;
	}
	gift[t] = (unsigned *)malloc(4);
	*gift[t] = 1000 * t;
	__syncthreads();
	s = *gift[31 - t];
	free(gift[31 - t]);
	while (list) {
		node *x = list;
		s += x->value;
		list = x->next;
		free(x);
	}
	sum[t] = s;
}
