/* What the runtime of version 11 has of its own. */
#ifndef PTXI_CUDART_MAJOR_11_H
#define PTXI_CUDART_MAJOR_11_H
#include "cudart/major/older.h"

SHOWN cudaError_t cudaGetDeviceProperties(struct cudaDeviceProp11 *p, int device);
/* The first 52 bytes of the later struct. */
SHOWN cudaError_t cudaFuncGetAttributes(void *out, const void *entry);
SHOWN cudaError_t cudaGetTextureObjectTextureDesc_v2(void *out, uint64_t texture);
SHOWN cudaError_t cudaCreateTextureObject_v2(uint64_t *texture,
	const struct cudaResourceDesc *resource, const struct cudaTextureDesc *desc,
	const struct cudaResourceViewDesc *view);
SHOWN cudaError_t cudaGraphInstantiate(
	CUgraphExec *exec, CUgraph graph, CUgraphNode *bad, char *log, size_t room);

#endif
