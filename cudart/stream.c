/* Streams, events and graphs: those of the driver. */
#include "cudart/runtime.h"

cudaError_t cudaStreamCreate(CUstream *stream) { DRIVER(cuStreamCreate(stream, 0)); }

cudaError_t cudaStreamCreateWithFlags(CUstream *stream, unsigned flags)
{
	DRIVER(cuStreamCreate(stream, flags));
}

cudaError_t cudaStreamCreateWithPriority(CUstream *stream, unsigned flags, int priority)
{
	DRIVER(cuStreamCreateWithPriority(stream, flags, priority));
}

cudaError_t cudaStreamDestroy(CUstream stream) { DRIVER(cuStreamDestroy_v2(stream)); }

cudaError_t cudaStreamSynchronize(CUstream stream) { DRIVER(cuStreamSynchronize(stream)); }

cudaError_t cudaStreamQuery(CUstream stream) { DRIVER(cuStreamQuery(stream)); }

cudaError_t cudaStreamWaitEvent(CUstream stream, CUevent event, unsigned flags)
{
	DRIVER(cuStreamWaitEvent(stream, event, flags));
}

cudaError_t cudaStreamGetFlags(CUstream stream, unsigned *flags)
{
	DRIVER(cuStreamGetFlags(stream, flags));
}

cudaError_t cudaStreamGetPriority(CUstream stream, int *priority)
{
	DRIVER(cuStreamGetPriority(stream, priority));
}

cudaError_t cudaStreamGetId(CUstream stream, unsigned long long *id)
{
	DRIVER(cuStreamGetId(stream, id));
}

cudaError_t cudaStreamGetDevice(CUstream stream, int *device)
{
	unsigned long long id;
	int error = runtime_begin();

	error = error ? error : (int)cuStreamGetId(stream, &id);
	return runtime_end(error ? error : (int)cuCtxGetDevice(device));
}

cudaError_t cudaStreamAddCallback(
	CUstream stream, CUstreamCallback work, void *self, unsigned flags)
{
	DRIVER(cuStreamAddCallback(stream, work, self, flags));
}

cudaError_t cudaStreamAttachMemAsync(CUstream stream, void *address, size_t size, unsigned flags)
{
	DRIVER(cuStreamAttachMemAsync(stream, (uintptr_t)address, size, flags));
}

cudaError_t cudaLaunchHostFunc(CUstream stream, CUhostFn work, void *self)
{
	DRIVER(cuLaunchHostFunc(stream, work, self));
}

cudaError_t cudaEventCreate(CUevent *event) { DRIVER(cuEventCreate(event, 0)); }

cudaError_t cudaEventCreateWithFlags(CUevent *event, unsigned flags)
{
	DRIVER(cuEventCreate(event, flags));
}

cudaError_t cudaEventRecord(CUevent event, CUstream stream)
{
	DRIVER(cuEventRecord(event, stream));
}

cudaError_t cudaEventRecordWithFlags(CUevent event, CUstream stream, unsigned flags)
{
	DRIVER(cuEventRecordWithFlags(event, stream, flags));
}

cudaError_t cudaEventSynchronize(CUevent event) { DRIVER(cuEventSynchronize(event)); }

cudaError_t cudaEventQuery(CUevent event) { DRIVER(cuEventQuery(event)); }

cudaError_t cudaEventElapsedTime(float *ms, CUevent begin, CUevent end)
{
	DRIVER(cuEventElapsedTime(ms, begin, end));
}

cudaError_t cudaEventDestroy(CUevent event) { DRIVER(cuEventDestroy_v2(event)); }

/* --- graphs --- */

cudaError_t cudaStreamBeginCapture(CUstream stream, int mode)
{
	DRIVER(cuStreamBeginCapture_v2(stream, mode));
}

cudaError_t cudaStreamEndCapture(CUstream stream, CUgraph *graph)
{
	DRIVER(cuStreamEndCapture(stream, graph));
}

cudaError_t cudaStreamIsCapturing(CUstream stream, int *status)
{
	DRIVER(cuStreamIsCapturing(stream, status));
}

cudaError_t cudaGraphCreate(CUgraph *graph, unsigned flags) { DRIVER(cuGraphCreate(graph, flags)); }

cudaError_t cudaGraphGetNodes(CUgraph graph, CUgraphNode *nodes, size_t *count)
{
	DRIVER(cuGraphGetNodes(graph, nodes, count));
}

cudaError_t cudaGraphInstantiateWithFlags(
	CUgraphExec *exec, CUgraph graph, unsigned long long flags)
{
	DRIVER(cuGraphInstantiateWithFlags(exec, graph, flags));
}

cudaError_t cudaThreadExchangeStreamCaptureMode(int *mode)
{
	DRIVER(cuThreadExchangeStreamCaptureMode(mode));
}

static int kernel_node(const struct cudaKernelNodeParams *p, CUDA_KERNEL_NODE_PARAMS *out)
{
	int error;

	if (!p)
		return cudaErrorInvalidValue;
	*out = (CUDA_KERNEL_NODE_PARAMS){.grid = {p->grid.x, p->grid.y, p->grid.z},
		.block = {p->block.x, p->block.y, p->block.z},
		.shared = p->shared,
		.args = p->args,
		.extra = p->extra};
	error = runtime_function(p->entry, &out->function);
	return error;
}

cudaError_t cudaGraphAddKernelNode(CUgraphNode *node, CUgraph graph, const CUgraphNode *after,
	size_t count, const struct cudaKernelNodeParams *parameters)
{
	CUDA_KERNEL_NODE_PARAMS p;
	int error = kernel_node(parameters, &p);

	return runtime_end(
		error ? error : (int)cuGraphAddKernelNode_v2(node, graph, after, count, &p));
}

cudaError_t cudaGraphExecKernelNodeSetParams(
	CUgraphExec exec, CUgraphNode node, const struct cudaKernelNodeParams *parameters)
{
	CUDA_KERNEL_NODE_PARAMS p;
	int error = kernel_node(parameters, &p);

	return runtime_end(error ? error : (int)cuGraphExecKernelNodeSetParams_v2(exec, node, &p));
}

cudaError_t cudaGraphAddMemcpyNode(CUgraphNode *node, CUgraph graph, const CUgraphNode *after,
	size_t count, const struct cudaMemcpy3DParms *copy)
{
	CUDA_MEMCPY3D c;
	int error = runtime_begin();

	error = error ? error : runtime_box(copy, &c);
	return runtime_end(
		error ? error : (int)cuGraphAddMemcpyNode(node, graph, after, count, &c, NULL));
}

cudaError_t cudaGraphAddMemcpyNode1D(CUgraphNode *node, CUgraph graph, const CUgraphNode *after,
	size_t count, void *to, const void *from, size_t size, int kind)
{
	return cudaGraphAddMemcpyNode(node, graph, after, count,
		&(struct cudaMemcpy3DParms){.from.address = (void *)(uintptr_t)from,
			.from.pitch = size,
			.to.address = to,
			.to.pitch = size,
			.extent = {size, 1, 1},
			.kind = kind});
}

cudaError_t cudaGraphAddMemsetNode(CUgraphNode *node, CUgraph graph, const CUgraphNode *after,
	size_t count, const CUDA_MEMSET_NODE_PARAMS *parameters)
{
	DRIVER(cuGraphAddMemsetNode(node, graph, after, count, parameters, NULL));
}

cudaError_t cudaGraphAddHostNode(CUgraphNode *node, CUgraph graph, const CUgraphNode *after,
	size_t count, const CUDA_HOST_NODE_PARAMS *parameters)
{
	DRIVER(cuGraphAddHostNode(node, graph, after, count, parameters));
}

cudaError_t cudaGraphAddEmptyNode(
	CUgraphNode *node, CUgraph graph, const CUgraphNode *after, size_t count)
{
	DRIVER(cuGraphAddEmptyNode(node, graph, after, count));
}

cudaError_t cudaGraphLaunch(CUgraphExec exec, CUstream stream)
{
	DRIVER(cuGraphLaunch(exec, stream));
}

cudaError_t cudaGraphUpload(CUgraphExec exec, CUstream stream)
{
	DRIVER(cuGraphUpload(exec, stream));
}

cudaError_t cudaGraphExecDestroy(CUgraphExec exec) { DRIVER(cuGraphExecDestroy(exec)); }

cudaError_t cudaGraphDestroy(CUgraph graph) { DRIVER(cuGraphDestroy(graph)); }
