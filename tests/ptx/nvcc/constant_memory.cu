// __constant__ arrays, of numbers and of structures, read by a thread's own index; and written by the host.
// nvcc: -arch=sm_75 -arch=sm_90
//@ buffer o : s32[64] = 0
//@ write factor[..] = {3, 0, 0, 0, 5, 0, 0, 0}
//@ launch k<<<1, 64>>>(o)
//@ expect o[..] == (1 << (i % 8)) * (i % 2 == 0) * 3 + (1 << (i % 8)) * (i % 2) * 5 - 10 * (i % 3)
//@ expect clean
__constant__ int power[8] = {1, 2, 4, 8, 16, 32, 64, 128};
extern "C" __constant__ int factor[2] = {1, 1};
struct pair {
	short low;
	long long high;
};
__constant__ pair step[3] = {{0, 0}, {10, -20}, {-4, 24}};
extern "C" __global__ void k(int *o)
{
	int i = threadIdx.x, s = i % 3 == 0 ? 0 : i % 3 == 1 ? step[1].low : (int)(step[2].low + step[2].high);
	o[i] = power[i % 8] * factor[i % 2] - s - step[0].low;
}
