/* The runtime of version 11. */
#include "cudart/major/11.h"
#include "cudart/runtime.h"
#include <string.h>

cudaError_t cudaRuntimeGetVersion(int *version) { return runtime_version(version, 11080); }

#define PROPERTIES struct cudaDeviceProp11
#define PROPERTY_12(attribute, member)
#include "cudart/major/fill.inc"

cudaError_t cudaGetDeviceProperties(struct cudaDeviceProp11 *p, int device)
{
	return fill(p, device);
}

cudaError_t cudaFuncGetAttributes(void *out, const void *entry)
{
	return runtime_attributes(
		out, offsetof(struct cudaFuncAttributes, cluster_required), entry);
}

cudaError_t cudaGraphInstantiate(
	CUgraphExec *exec, CUgraph graph, CUgraphNode *bad, char *log, size_t room)
{
	DRIVER(cuGraphInstantiate_v2(exec, graph, bad, log, room));
}

cudaError_t cudaGetTextureObjectTextureDesc(void *out, uint64_t texture)
{
	return runtime_sampler(out, offsetof(struct cudaTextureDesc, seamless_cubemap), texture);
}

cudaError_t cudaGetTextureObjectTextureDesc_v2(void *out, uint64_t texture)
{
	return runtime_sampler(out, sizeof(struct cudaTextureDesc), texture);
}

cudaError_t cudaCreateTextureObject_v2(uint64_t *texture, const struct cudaResourceDesc *resource,
	const struct cudaTextureDesc *desc, const struct cudaResourceViewDesc *view)
{
	return cudaCreateTextureObject(texture, resource, desc, view);
}

#include "cudart/major/older.inc"
