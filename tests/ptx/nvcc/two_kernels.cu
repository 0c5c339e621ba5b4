// Two kernels that coordinate: by an event between two streams; by a flag while both run; and a wait that gives up after a time limit.
//@ buffer data : s32[64] = 0
//@ buffer out : s32[64] = 0
//@ launch produce<<<2, 32, 0, 1>>>(data)
//@ record ready 1
//@ wait ready 2
//@ launch consume<<<2, 32, 0, 2>>>(data, out)
//@ expect out[0..63] == i * i + 1
//@ case flag
//@ buffer flag : s32[1] = 0
//@ buffer data : s32[1] = 0
//@ buffer out : s32[1] = 0
//@ launch wait_flag<<<1, 1, 0, 1>>>(flag, data, out, 5000000000)
//@ launch set_flag<<<1, 1, 0, 2>>>(flag, data)
//@ expect out[0] == 99
//@ case time_limit
//@ buffer flag : s32[1] = 0
//@ buffer data : s32[1] = 0
//@ buffer out : s32[1] = 0
//@ launch wait_flag<<<1, 1, 0, 1>>>(flag, data, out, 1000000)   # nobody sets the flag: a millisecond, then -1
//@ expect out[0] == -1
extern "C" __global__ void produce(int *data)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	data[i] = i * i;
}
extern "C" __global__ void consume(const int *data, int *out)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	out[i] = data[i] + 1;
}
__device__ unsigned long long now()
{
	unsigned long long t;
	asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(t));
	return t;
}
extern "C" __global__ void set_flag(int *flag, int *data)
{
	data[0] = 99;
	__threadfence();
	atomicExch(flag, 1);
}
extern "C" __global__ void wait_flag(int *flag, int *data, int *out, unsigned long long limit)
{
	unsigned long long start = now();
	while (atomicAdd(flag, 0) == 0) {
		if (now() - start > limit) {
			out[0] = -1;
			return;
		}
		__nanosleep(200);
	}
	__threadfence();
	out[0] = data[0];
}
