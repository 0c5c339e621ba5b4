/* The runtime of version 13. */
#include "cudart/major/13.h"
#include "cudart/runtime.h"
#include <string.h>

cudaError_t cudaRuntimeGetVersion(int *version) { return runtime_version(version, 13000); }

#define PROPERTIES struct cudaDeviceProp
#include "cudart/major/fill.inc"

cudaError_t cudaGetDeviceProperties(struct cudaDeviceProp *p, int device)
{
	return fill(p, device);
}

cudaError_t cudaPointerGetAttributes(struct cudaPointerAttributes *out, const void *address)
{
	return runtime_pointer(out, sizeof *out, address);
}

cudaError_t cudaFuncGetAttributes(struct cudaFuncAttributes *out, const void *entry)
{
	return runtime_attributes(out, sizeof *out, entry);
}

cudaError_t cudaMemPrefetchAsync(
	const void *address, size_t size, struct location location, unsigned flags, CUstream stream)
{
	(void)location;
	(void)flags;
	return runtime_prefetch(address, size, stream);
}

cudaError_t cudaMemAdvise(const void *address, size_t size, int advice, struct location location)
{
	(void)location;
	return runtime_advise(address, size, advice);
}

cudaError_t cudaGraphInstantiate(CUgraphExec *exec, CUgraph graph, unsigned long long flags)
{
	return cudaGraphInstantiateWithFlags(exec, graph, flags);
}

cudaError_t cudaGraphAddDependencies(CUgraph graph, const CUgraphNode *from, const CUgraphNode *to,
	const void *edges, size_t count)
{
	DRIVER(cuGraphAddDependencies_v2(graph, from, to, edges, count));
}

cudaError_t cudaGetTextureObjectResourceDesc(void *out, uint64_t texture)
{
	return runtime_resource(out, sizeof(struct cudaResourceDesc), texture, 0);
}

cudaError_t cudaGetSurfaceObjectResourceDesc(void *out, uint64_t surface)
{
	return runtime_resource(out, sizeof(struct cudaResourceDesc), surface, 1);
}

cudaError_t cudaGetTextureObjectTextureDesc(void *out, uint64_t texture)
{
	return runtime_sampler(out, sizeof(struct cudaTextureDesc), texture);
}
