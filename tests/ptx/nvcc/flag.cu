// Producer and consumer in one grid: block 0 writes the data, executes a fence and sets the flag; block 1 polls the flag, executes a fence and reads.
//@ buffer flag : s32[1] = 0
//@ buffer data : f32[1] = 0
//@ buffer result : f32[1] = 0
//@ launch handover<<<2, 1>>>(flag, data, result)
//@ expect result[0] == 42.5
extern "C" __global__ void handover(int *flag, float *data, float *result)
{
	if (blockIdx.x == 0) {
		data[0] = 42.5f;
		__threadfence();
		atomicExch(flag, 1);
	} else {
		while (atomicAdd(flag, 0) != 1)
			;
		__threadfence();
		result[0] = data[0];
	}
}
