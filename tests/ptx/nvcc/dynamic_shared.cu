// Dynamic shared memory, divided into arrays of two
// types; and the same kernel with another size.
//@ buffer o : f64[96] = 0
//@ launch k<<<1, 32, 384>>>(o, 32)
//@ launch k<<<1, 64, 768>>>(&o[32], 64)
//@ expect o[0..31] == (31 - i) * 1.5 + (i * 7 % 32)
//@ expect o[32..95] == (63 - (i - 32)) * 1.5 + ((i - 32) * 7 % 64)
//@ expect clean
extern "C" __global__ void k(double *o, unsigned n)
{
	extern __shared__ double part[];
	unsigned *number = (unsigned *)(part + n), t = threadIdx.x;
	part[t] = t * 1.5;
	number[t * 7 % n] = t;
	__syncthreads();
	o[t] = part[n - 1 - t];
	for (unsigned k = 0; k < n; k++)
		if (number[k] == t)
			o[t] += k;
}
