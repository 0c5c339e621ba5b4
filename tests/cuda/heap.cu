// A list on the device's heap.
// prints 10 nodes, 45
// planted F0207
#include <cstdio>
struct node {
	int value;
	node *next;
};
__global__ void build(int *out)
{
	node *list = nullptr;

	out[0] = out[1] = 0;
	for (int k = 0; k < 10; k++) {
		node *n = new node;

		n->value = k;
		n->next = list;
		list = n;
	}
	while (list) {
		node *n = list;

		out[0]++;
#ifdef PLANTED
		delete n;
		out[1] += n->value; // HERE
		list = n->next;
#else
		out[1] += n->value;
		list = n->next;
		delete n;
#endif
	}
}
int main()
{
	int *out;

	cudaMallocManaged(&out, 2 * sizeof(int));
	build<<<1, 1>>>(out);
	if (cudaDeviceSynchronize())
		return 1;
	printf("%d nodes, %d\n", out[0], out[1]);
}
