__device__ unsigned total;
__device__ unsigned table[2][2] = {{3, 1}, {3, 1}};

__device__ unsigned scaled(unsigned x, unsigned where)
{
	return x * table[where][0] + table[where][1];
}
