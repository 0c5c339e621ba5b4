// Named barriers: two producer warps arrive, two consumer warps wait, at barrier 1; no thread waits for the whole block.
//@ buffer out : s32[64] = 0
//@ launch handoff<<<1, 128>>>(out)
//@ expect out[0..63] == 3 * i
extern "C" __global__ void handoff(int *out)
{
	__shared__ int box[64];
	int t = threadIdx.x;
	if (t < 64) {
		box[t] = 3 * t;
		asm volatile("barrier.cta.arrive.aligned 1, 128;" ::: "memory");
	} else {
		asm volatile("barrier.cta.sync.aligned 1, 128;" ::: "memory");
		out[t - 64] = box[t - 64];
	}
}
