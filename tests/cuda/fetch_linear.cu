// A table in linear memory, read by index through a texture: a gather. What is outside reads as zero.
// prints ints: 0 wrong
// prints pairs: 0 wrong
// prints outside: 0 0
// planted F0207
#include <cstdio>
#include <cstring>
constexpr int N = 256;
__global__ void gather(cudaTextureObject_t table, const int *index, int *out)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;

	out[i] = tex1Dfetch<int>(table, index[i]); // HERE
}
__global__ void gather_pairs(cudaTextureObject_t table, const int *index, float *out)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	float2 v = tex1Dfetch<float2>(table, index[i]);

	out[i] = v.x - v.y;
}
static cudaTextureObject_t texture_of(void *p, cudaChannelFormatDesc texel, size_t bytes)
{
	cudaTextureObject_t t = 0;
	cudaResourceDesc resource;
	cudaTextureDesc sampler;

	memset(&resource, 0, sizeof resource);
	memset(&sampler, 0, sizeof sampler);
	resource.resType = cudaResourceTypeLinear;
	resource.res.linear.devPtr = p;
	resource.res.linear.desc = texel;
	resource.res.linear.sizeInBytes = bytes;
	cudaCreateTextureObject(&t, &resource, &sampler, NULL);
	return t;
}
int main()
{
	static int table[N], index[N], out[N];
	static float2 pairs[N];
	static float difference[N];
	cudaTextureObject_t ints, floats;
	int *d_table, *d_index, *d_out, wrong = 0;
	float2 *d_pairs;

	for (int k = 0; k < N; k++) {
		table[k] = k * k - 1000;
		index[k] = k * 37 % N;
		pairs[k] = make_float2(k * 1.5f, k);
	}
	index[3] = N;
	index[4] = -1;
	cudaMalloc(&d_table, sizeof table);
	cudaMalloc(&d_index, sizeof index);
	cudaMalloc(&d_out, sizeof out);
	cudaMalloc(&d_pairs, sizeof pairs);
	cudaMemcpy(d_table, table, sizeof table, cudaMemcpyHostToDevice);
	cudaMemcpy(d_index, index, sizeof index, cudaMemcpyHostToDevice);
	cudaMemcpy(d_pairs, pairs, sizeof pairs, cudaMemcpyHostToDevice);
	ints = texture_of(d_table, cudaCreateChannelDesc<int>(), sizeof table);
	floats = texture_of(d_pairs, cudaCreateChannelDesc<float2>(), sizeof pairs);
#ifdef PLANTED
	cudaFree(d_table);
#endif
	gather<<<N / 64, 64>>>(ints, d_index, d_out);
	cudaMemcpy(out, d_out, sizeof out, cudaMemcpyDeviceToHost);
	gather_pairs<<<N / 64, 64>>>(floats, d_index, (float *)d_out);
	if (cudaMemcpy(difference, d_out, sizeof out, cudaMemcpyDeviceToHost))
		return 1;
	for (int k = 0; k < N; k++)
		if (k != 3 && k != 4)
			wrong += out[k] != table[index[k]];
	printf("ints: %d wrong\n", wrong);
	wrong = 0;
	for (int k = 0; k < N; k++)
		if (k != 3 && k != 4)
			wrong += difference[k] != index[k] * 0.5f;
	printf("pairs: %d wrong\n", wrong);
	printf("outside: %d %d\n", out[3], out[4]);
	cudaDestroyTextureObject(ints);
	cudaDestroyTextureObject(floats);
}
