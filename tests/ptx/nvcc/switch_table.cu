// A dense switch, which becomes a jump table, in a loop; and a small interpreter of instructions that are data.
// nvcc: -arch=sm_75 -arch=sm_90
//@ buffer code : u8[16] = {1, 2, 3, 2, 4, 5, 6, 0, 1, 1, 2, 7, 0, 0, 0, 0}
//@ buffer o : s32[32] = 0
//@ launch k<<<1, 32>>>(code, o)
//@ expect o[0..15] == -(((i + 1) * 2 + 5) * 2 - i) * 3
//@ expect o[16..31] == (i + 1 + 1) * 2 + 1000
//@ expect clean
extern "C" __global__ void k(const unsigned char *code, int *o)
{
	int t = threadIdx.x, x = t;
	for (int at = t < 16 ? 0 : 8;; at++)
		switch (code[at]) {
		case 0: o[t] = x; return;
		case 1: x += 1; break;
		case 2: x *= 2; break;
		case 3: x += 5; break;
		case 4: x -= t; break;
		case 5: x = -x; break;
		case 6: x *= 3; break;
		case 7: x += 1000; break;
		default: __trap();
		}
}
