// writeXY and readXY of the fence notes: thread 0 writes X then Y, thread 1 reads Y then X, a fence in between on both sides.
//@ buffer ab : s32[2] = 0
//@ launch xy<<<2, 1>>>(ab)
//@ expect !(ab[0] == 1 && ab[1] == 20)        # new Y with old X is what the fences forbid
//@ expect X == 10 && Y == 20
//@ case every_outcome                      # not one run, but all that the memory model allows
//@ buffer ab : s32[2] = 0
//@ launch xy<<<2, 1>>>(ab)
//@ allow ab[0] == 1 && ab[1] == 2
//@ allow ab[0] == 10 && ab[1] == 2
//@ allow ab[0] == 10 && ab[1] == 20
//@ forbid ab[0] == 1 && ab[1] == 20
//@ expect clean
extern "C" __device__ volatile int X = 1, Y = 2;
extern "C" __global__ void xy(int *ab)
{
	if (blockIdx.x == 0) {
		X = 10;
		__threadfence();
		Y = 20;
	} else {
		int b = Y;
		__threadfence();
		int a = X;
		ab[0] = a;
		ab[1] = b;
	}
}
