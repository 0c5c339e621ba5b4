// A block writes a row and sets a flag with __threadfence;
// another polls the flag and reads the row.
//@ buffer row : u32[64] = 0
//@ buffer flag : u32[1] = 0
//@ buffer out : u32[64] = 0
//@ launch k<<<2, 64>>>(row, flag, out)
//@ expect out[..] == 2 * (63 - i) + 5
//@ expect clean
extern "C" __global__ void k(unsigned *row, unsigned *flag, unsigned *out)
{
	unsigned t = threadIdx.x;
	if (blockIdx.x == 0) {
		row[t] = 2 * t + 5;
		__syncthreads();
		if (t == 0) {
			__threadfence();
			atomicExch(flag, 1);
		}
	} else {
		if (t == 0) {
			while (atomicAdd(flag, 0) == 0)
				__nanosleep(20);
			__threadfence();
		}
		__syncthreads();
		out[t] = row[63 - t];
	}
}
