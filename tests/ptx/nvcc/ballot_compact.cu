// The elements for which a predicate holds, packed in order:
// ballots within a warp, a scan over the warps' counts.
//@ buffer in : u32[256] = iota(0)
//@ buffer out : u32[128] = 777
//@ buffer count : u32[1] = 0
//@ launch k<<<1, 256>>>(in, out, count)
//@ expect count == 86
//@ expect out[0..85] == 3 * i
//@ expect out[86..127] == 777
//@ expect clean
extern "C" __global__ void k(const unsigned *in, unsigned *out, unsigned *count)
{
	__shared__ unsigned first[9];
	unsigned t = threadIdx.x, x = in[t], w = t / 32;
	bool keep = x % 3 == 0;
	unsigned mask = __ballot_sync(~0u, keep);
	if (t % 32 == 0)
		first[w + 1] = __popc(mask);
	__syncthreads();
	if (t == 0) {
		first[0] = 0;
		for (unsigned k = 1; k <= 8; k++)
			first[k] += first[k - 1];
		*count = first[8];
	}
	__syncthreads();
	if (keep)
		out[first[w] + __popc(mask & ((1u << t % 32) - 1))] = x;
}
