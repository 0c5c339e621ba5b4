/* The runtime of version 11. */
#include "cudart/major/11.h"
#include "cudart/runtime.h"
#include <string.h>

cudaError_t cudaRuntimeGetVersion(int *version) { return runtime_version(version, 11080); }

static cudaError_t fill(struct cudaDeviceProp11 *p, int device)
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
#define PROPERTY_12(attribute, member)
#include "cudart/properties.def"
#undef PROPERTY
#undef PROPERTY_12
	return cudaSuccess;
}

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
