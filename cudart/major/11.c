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

#include "cudart/major/older.inc"
