// Device and constant variables with initial values, pointers among them; a struct as a parameter.
// nvcc: -arch=sm_75
//@ buffer o : u32[256] = 0
//@ launch k<<<2, 32>>>(o, {s32:5, f32:2.5, u8:200, u64:0x123456789, u16:7})
//@ launch after<<<1, 32>>>(o)
//@ expect o[0..63] == 64 * 5 + i
//@ expect o[64..95] == counter
//@ expect counter == 64
//@ expect o[128..159] == 1145327953
//@ expect o[96..127] == 1 + 7 + 200 + 5 + (i - 96) % 4 * 10
#include "reference.h"
struct P {
	int a;
	float b;
	unsigned char c;
	unsigned long long d;
	unsigned short e;
};
__device__ unsigned counter;
__device__ int table[4] = {0, 10, 20, 30};
__device__ int *ptr = &table[1];
__constant__ struct {
	short x[3];
	double y;
	const char *s;
} cs = {{1, 2, 3}, 0.5, "DC"};
__device__ const char *const strs[3] = {"ab", "hello", "QQDD"};
__managed__ int man = 3;
__shared__ int shv[64];
K k(uint32_t *o, P p)
{
	int i = blockIdx.x * 32 + threadIdx.x;
	shv[threadIdx.x] = p.a;
	__syncthreads();
	atomicAdd(&counter, 1);
	o[i] = 64 * shv[31 - threadIdx.x] + i;
	if (i < 32)
		o[96 + i] = cs.x[0] + p.e + p.c + p.a + ptr[(int)(i % 4) - 1];
	if (p.d != 0x123456789ull || p.b != 2.5f || cs.y != 0.5 || cs.s[1] != 'C')
		o[0] = 0;
}
K after(uint32_t *o)
{
	int i = threadIdx.x;
	o[64 + i] = counter;
	uint32_t v;
	memcpy(&v, strs[2], 4);
	o[128 + i] = v + (man == 3 ? 0 : 1) + (strs[1][4] == 'o' ? 0 : 1);
}
int main()
{
	uint32_t v;
	memcpy(&v, "QQDD", 4);
	printf("%u\n", v);
}
