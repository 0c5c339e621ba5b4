// Locks built with atomicCAS among the threads of one warp: a lock released inside the loop always works; spinning first and releasing afterwards needs every lane to make progress by itself.
//@ buffer count : s32[1] = 0
//@ buffer lock : s32[1] = 0
//@ launch release_inside<<<2, 32>>>(lock, count)
//@ expect count[0] == 64
//@ launch spin_first<<<2, 32>>>(lock, count)
//@ expect count[0] == 128
//@ case every_outcome                      # two blocks, one thread each: the fences make the lock protect the count
//@ buffer count : s32[1] = 0
//@ buffer lock : s32[1] = 0
//@ launch release_inside<<<2, 1>>>(lock, count)
//@ always count[0] == 2 && lock[0] == 0
//@ expect clean
//@ case every_outcome_spin_first
//@ buffer count : s32[1] = 0
//@ buffer lock : s32[1] = 0
//@ launch spin_first<<<2, 1>>>(lock, count)
//@ always count[0] == 2 && lock[0] == 0
//@ expect clean
//@ case single
//@ buffer count : s32[1] = 0
//@ buffer lock : s32[1] = 0
//@ launch single<<<4, 64>>>(lock, count)
//@ expect count[0] == 1
//@ case before_volta
//@ set schedule=lockstep
//@ buffer count : s32[1] = 0
//@ buffer lock : s32[1] = 0
//@ launch release_inside<<<1, 32>>>(lock, count)
//@ expect count[0] == 32
//@ case before_volta_spin_first
//@ set schedule=lockstep
//@ buffer count : s32[1] = 0
//@ buffer lock : s32[1] = 0
//@ launch spin_first<<<1, 32>>>(lock, count)
//@ expect deadlock
extern "C" __global__ void release_inside(int *lock, volatile int *count)
{
	bool done = false;
	while (!done) {
		if (atomicCAS(lock, 0, 1) == 0) {
			__threadfence();
			count[0] = count[0] + 1;
			__threadfence();
			atomicExch(lock, 0);
			done = true;
		}
	}
}
extern "C" __global__ void spin_first(int *lock, volatile int *count)
{
	while (atomicCAS(lock, 0, 1) != 0)
		;
	__threadfence();
	count[0] = count[0] + 1;
	__threadfence();
	atomicExch(lock, 0);
}
extern "C" __global__ void single(int *lock, volatile int *count)
{
	if (atomicCAS(lock, 0, 1) == 0)
		count[0] = count[0] + 1;
}
