// Every atomic of CUDA C++: each returns the old value and leaves the new one.
//@ buffer i : s32[16] = 6
//@ buffer u : u32[16] = 6
//@ buffer l : u64[16] = 6
//@ buffer f : f32[8] = 1.5
//@ buffer d : f64[8] = 1.5
//@ buffer h : u16[4] = 1
//@ buffer old : s64[32] = -1
//@ launch table<<<1, 1>>>(i, u, l, f, d, h, old)
//@ expect i[0] == 9 && i[1] == 4 && i[2] == 3 && i[3] == 4 && i[4] == 6 && i[5] == 2 && i[6] == 7 && i[7] == 14 && i[8] == 5
//@ expect u[0] == 7 && u[1] == 0 && u[2] == 5 && u[3] == 5 && u[4] == 6
//@ expect l[0] == 6 + 4294967296 && l[1] == 13 && l[2] == 1 && l[3] == 3
//@ expect f[0] == 2.75 && f[1] == 2 && d[0] == 2.75
//@ expect h[0] == 2 && h[1] == 1
//@ expect old[0..8] == 6
//@ expect old[9..17] == 6
//@ expect old[18] == 1 && old[19] == 1
extern "C" __global__ void table(int *i, unsigned *u, unsigned long long *l, float *f, double *d, unsigned short *h, long long *old)
{
	old[0] = atomicAdd(&i[0], 3);
	old[1] = atomicSub(&i[1], 2);
	old[2] = atomicExch(&i[2], 3);
	old[3] = atomicMin(&i[3], 4);
	old[4] = atomicMax(&i[4], 5);
	old[5] = atomicAnd(&i[5], 3);
	old[6] = atomicOr(&i[6], 1);
	old[7] = atomicXor(&i[7], 8);
	old[8] = atomicCAS(&i[8], 6, 5);
	old[9] = atomicInc(&u[0], 100u);
	old[10] = atomicInc(&u[1], 5u);
	old[11] = atomicDec(&u[2], 100u);
	old[12] = atomicDec(&u[3], 5u);
	old[13] = atomicCAS(&u[4], 7u, 1u);
	old[14] = atomicAdd(&l[0], 4294967296ull);
	old[15] = atomicCAS(&l[1], 6ull, 13ull);
	old[16] = atomicExch(&l[2], 1ull);
	old[17] = atomicMin(&l[3], 3ull);
	atomicAdd(&f[0], 1.25f);
	atomicExch(&f[1], 2.f);
	atomicAdd(&d[0], 1.25);
	old[18] = atomicCAS(&h[0], (unsigned short)1, (unsigned short)2);
	old[19] = atomicCAS(&h[1], (unsigned short)7, (unsigned short)2);
}
