/* The runtime of version 12. */
#include "cudart/major/12.h"
#include "cudart/runtime.h"
#include <string.h>

cudaError_t cudaRuntimeGetVersion(int *version) { return runtime_version(version, 12000); }

#define PROPERTIES struct cudaDeviceProp
#include "cudart/major/fill.inc"

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
