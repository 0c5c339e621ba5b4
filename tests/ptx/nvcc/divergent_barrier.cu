// The "divergent barrier deadlock" of many textbooks: only even threads reach the barrier. A barrier counts whole warps, so hardware does not hang here.
// ptxi completes as hardware does; the misuse is what --check=sync is for.
//@ set check=none
//@ buffer data : s32[64] = iota(0)
//@ launch divergent<<<1, 64>>>(data)
//@ expect data[0] == 1 && data[1] == 1 && data[2] == 3 && data[63] == 63
//@ case correct
//@ buffer data : s32[64] = iota(0)
//@ launch correct<<<1, 64>>>(data)
//@ expect data[0] == 1 && data[1] == 1 && data[2] == 3 && data[63] == 63
extern "C" __global__ void divergent(int *data)
{
	int t = threadIdx.x;
	if (t % 2 == 0) {
		__syncthreads();
		data[t] = data[t] + 1;
	}
}
extern "C" __global__ void correct(int *data)
{
	int t = threadIdx.x;
	if (t % 2 == 0)
		data[t] = data[t] + 1;
	__syncthreads();
}
