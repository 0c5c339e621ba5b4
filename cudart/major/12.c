/* The runtime of version 12. */
#include "cudart/major/12.h"
#include "cudart/runtime.h"
#include <string.h>

cudaError_t cudaRuntimeGetVersion(int *version) { return runtime_version(version, 12000); }

static cudaError_t fill(struct cudaDeviceProp *p, int device)
{
	int error = runtime_begin(), value = 0;
	CUdevice found;

	error = error ? error : (int)cuDeviceGet(&found, device);
	if (error || !p)
		return runtime_end(error ? error : cudaErrorInvalidValue);
	memset(p, 0, sizeof *p);
	cuDeviceGetName(p->name, sizeof p->name, device);
	cuDeviceGetUuid_v2(p->uuid, device);
	cuDeviceTotalMem_v2(&p->memory, device);
#define PROPERTY(attribute, member) \
	cuDeviceGetAttribute(&value, attribute, device); \
	p->member = (__typeof__(p->member))value;
#define PROPERTY_12(attribute, member) PROPERTY(attribute, member)
#include "cudart/properties.def"
#undef PROPERTY
#undef PROPERTY_12
	return cudaSuccess;
}

cudaError_t cudaGetDeviceProperties_v2(struct cudaDeviceProp *p, int device)
{
	return fill(p, device);
}

/* Programs of version 11 call this. */
cudaError_t cudaGetDeviceProperties(struct cudaDeviceProp11 *p, int device)
{
	struct cudaDeviceProp all;
	cudaError_t error = fill(&all, device);

	if (!error && p)
		memcpy(p, &all, sizeof *p);
	return error || p ? error : runtime_end(cudaErrorInvalidValue);
}

cudaError_t cudaFuncGetAttributes(struct cudaFuncAttributes *out, const void *entry)
{
	return runtime_attributes(out, sizeof *out, entry);
}

cudaError_t cudaMemPrefetchAsync_v2(
	const void *address, size_t size, struct location location, unsigned flags, CUstream stream)
{
	(void)location;
	(void)flags;
	return runtime_prefetch(address, size, stream);
}

cudaError_t cudaMemAdvise_v2(const void *address, size_t size, int advice, struct location location)
{
	(void)location;
	return runtime_advise(address, size, advice);
}

cudaError_t cudaGraphInstantiate(CUgraphExec *exec, CUgraph graph, unsigned long long flags)
{
	return cudaGraphInstantiateWithFlags(exec, graph, flags);
}

cudaError_t cudaGetTextureObjectTextureDesc(void *out, uint64_t texture)
{
	return runtime_sampler(out, sizeof(struct cudaTextureDesc), texture);
}

#include "cudart/major/older.inc"
