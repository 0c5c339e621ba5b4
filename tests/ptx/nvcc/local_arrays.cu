// A thread's own arrays in local memory, indexed
// by data: an insertion sort, and a bit set.
//@ buffer sorted : u32[512] = 0
//@ buffer missing : u32[32] = 0
//@ launch k<<<1, 32>>>(sorted, missing)
//@ expect sorted[..] == i % 16 * 3 + i / 16
//@ expect missing[..] == i
//@ expect clean
extern "C" __global__ void k(unsigned *sorted, unsigned *missing)
{
	unsigned t = threadIdx.x, a[16], set[2] = {0, 0};
	for (unsigned n = 0; n < 16; n++) {
		unsigned x = n * 7 % 16 * 3 + t, at = n;
		for (; at > 0 && a[at - 1] > x; at--)
			a[at] = a[at - 1];
		a[at] = x;
	}
	for (unsigned n = 0; n < 16; n++)
		sorted[t * 16 + n] = a[n];
	for (unsigned n = 0; n < 40; n++)
		if (n != t)
			set[n / 32] |= 1u << n % 32;
	unsigned n = 0;
	while (set[n / 32] >> n % 32 & 1)
		n++;
	missing[t] = n;
}
