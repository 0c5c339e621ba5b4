/* Graphs: nodes that were added or captured, and are done in one stream, in an order that their
 * dependencies allow. */
#include "cuda/work.h"
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

struct CUgraphExec_st {
	struct handle handle;
	struct work *work; /* [count], in the order in which they are done */
	unsigned *number;  /* [count] of their nodes */
	CUgraph graph;
	unsigned count;
};

static CUresult find_graph(CUgraph g)
{
	CUresult r = context_enter();

	return r || handle_is(g, HANDLE_GRAPH) ? r : CUDA_ERROR_INVALID_HANDLE;
}

static CUgraph graph_new(void)
{
	CUgraph g = handle_new(HANDLE_GRAPH, sizeof *g);

	if (g)
		g->last = &g->first;
	return g;
}

CUresult cuGraphCreate(CUgraph *graph, unsigned flags)
{
	CUresult r = context_enter();

	if (r || !graph || flags)
		return r ? r : CUDA_ERROR_INVALID_VALUE;
	*graph = graph_new();
	return *graph ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY;
}

CUresult cuGraphDestroy(CUgraph graph)
{
	CUresult r = find_graph(graph);

	if (r)
		return r;
	for (CUgraphNode n = graph->first, next; n; n = next) {
		next = n->next;
		free(n->after);
		free(n->work.own);
		handle_end(n, HANDLE_NODE);
	}
	handle_end(graph, HANDLE_GRAPH);
	return CUDA_SUCCESS;
}

CUresult cuGraphGetNodes(CUgraph graph, CUgraphNode *nodes, size_t *count)
{
	CUresult r = find_graph(graph);
	size_t k = 0;

	if (r || !count)
		return r ? r : CUDA_ERROR_INVALID_VALUE;
	for (CUgraphNode n = graph->first; n && nodes; n = n->next, k++)
		if (k < *count)
			nodes[k] = n;
	*count = graph->count;
	return CUDA_SUCCESS;
}

/* --- nodes --- */

static CUresult add(CUgraphNode *node, CUgraph graph, const CUgraphNode *after, size_t count,
	const struct work *w)
{
	CUresult r = find_graph(graph);
	CUgraphNode n;

	if (r || !node || (count && !after))
		return r ? r : CUDA_ERROR_INVALID_VALUE;
	for (size_t k = 0; k < count; k++)
		if (!handle_is(after[k], HANDLE_NODE) || after[k]->graph != graph)
			return CUDA_ERROR_INVALID_VALUE;
	n = graph_add(graph, w, after, count);
	if (!n)
		return CUDA_ERROR_INVALID_VALUE;
	*node = n;
	return CUDA_SUCCESS;
}

static CUresult of_kernel(const CUDA_KERNEL_NODE_PARAMS *p, struct work *w)
{
	struct kernel_call c;

	if (!p)
		return CUDA_ERROR_INVALID_VALUE;
	c = (struct kernel_call){
		.function = p->function, .shared = p->shared, .args = p->args, .extra = p->extra};
	memcpy(c.grid, p->grid, sizeof c.grid);
	memcpy(c.block, p->block, sizeof c.block);
	return kernel_work(&c, w);
}

CUresult cuGraphAddKernelNode(CUgraphNode *node, CUgraph graph, const CUgraphNode *after,
	size_t count, const CUDA_KERNEL_NODE_PARAMS *parameters)
{
	struct work w = {.kind = WORK_KERNEL};
	CUresult r = of_kernel(parameters, &w);

	return r ? r : add(node, graph, after, count, &w);
}

CUresult cuGraphAddKernelNode_v2(CUgraphNode *node, CUgraph graph, const CUgraphNode *after,
	size_t count, const CUDA_KERNEL_NODE_PARAMS *parameters)
{
	return cuGraphAddKernelNode(node, graph, after, count, parameters);
}

CUresult cuGraphAddMemcpyNode(CUgraphNode *node, CUgraph graph, const CUgraphNode *after,
	size_t count, const CUDA_MEMCPY3D *copy, CUcontext context)
{
	struct work w = {.kind = WORK_COPY};
	CUresult r = copy_work(copy, true, &w);

	(void)context;
	w.copy.staged = false;
	return r ? r : add(node, graph, after, count, &w);
}

CUresult cuGraphAddMemsetNode(CUgraphNode *node, CUgraph graph, const CUgraphNode *after,
	size_t count, const CUDA_MEMSET_NODE_PARAMS *parameters, CUcontext context)
{
	(void)context;
	if (!parameters ||
		(parameters->element != 1 && parameters->element != 2 && parameters->element != 4))
		return CUDA_ERROR_INVALID_VALUE;
	return add(node, graph, after, count,
		&(struct work){.kind = WORK_FILL,
			.caller = "cuGraphLaunch",
			.address = parameters->address,
			.pitch = parameters->pitch,
			.width = parameters->width,
			.height = parameters->height,
			.value = parameters->value,
			.element = parameters->element});
}

CUresult cuGraphAddHostNode(CUgraphNode *node, CUgraph graph, const CUgraphNode *after,
	size_t count, const CUDA_HOST_NODE_PARAMS *parameters)
{
	if (!parameters || !parameters->work)
		return CUDA_ERROR_INVALID_VALUE;
	return add(node, graph, after, count,
		&(struct work){.kind = WORK_HOST,
			.caller = "cuGraphLaunch",
			.host = parameters->work,
			.self = parameters->self});
}

CUresult cuGraphAddEmptyNode(
	CUgraphNode *node, CUgraph graph, const CUgraphNode *after, size_t count)
{
	return add(node, graph, after, count, &(struct work){.kind = WORK_EMPTY});
}

/* --- capture --- */

static _Atomic uint64_t captures; /* that have begun in this process */

CUresult cuStreamBeginCapture_v2(CUstream stream, int mode)
{
	ptxi_stream number;
	CUresult r = context_enter();

	(void)mode; /* which calls of other threads are refused: ptxi needs to refuse none */
	r = r ? r : stream_number(stream, &number);
	if (r)
		return r;
	if (!number || stream == CU_STREAM_PER_THREAD)
		return CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
	if (stream_captures(stream))
		return CUDA_ERROR_ILLEGAL_STATE;
	stream->capture = graph_new();
	if (!stream->capture)
		return CUDA_ERROR_OUT_OF_MEMORY;
	stream->captured = stream->capture->capture = atomic_fetch_add(&captures, 1) + 1;
	stream->began = true;
	return CUDA_SUCCESS;
}

CUresult cuStreamEndCapture(CUstream stream, CUgraph *graph)
{
	ptxi_stream number;
	CUresult r = context_enter();

	r = r ? r : stream_number(stream, &number);
	if (r || !graph)
		return r ? r : CUDA_ERROR_INVALID_VALUE;
	if (!stream_captures(stream))
		return CUDA_ERROR_ILLEGAL_STATE;
	if (!stream->began)
		return CUDA_ERROR_STREAM_CAPTURE_UNMATCHED;
	*graph = stream->capture;
	stream->capture->capture = 0;
	stream->capture = NULL;
	stream->began = false;
	return CUDA_SUCCESS;
}

CUresult cuStreamIsCapturing(CUstream stream, int *status)
{
	ptxi_stream number;
	CUresult r = context_enter();

	r = r ? r : stream_number(stream, &number);
	if (r || !status)
		return r ? r : CUDA_ERROR_INVALID_VALUE;
	*status = stream_captures(stream) != NULL;
	return CUDA_SUCCESS;
}

CUresult cuThreadExchangeStreamCaptureMode(int *mode)
{
	static _Thread_local int now;
	int before = now;

	if (!mode || *mode < 0 || *mode > 2)
		return CUDA_ERROR_INVALID_VALUE;
	now = *mode;
	*mode = before;
	return CUDA_SUCCESS;
}

/* --- graphs that can be launched --- */

static bool can_follow(const struct CUgraphNode_st *n)
{
	for (size_t k = 0; k < n->nafter; k++)
		if (!n->after[k]->placed)
			return false;
	return true;
}

/* Puts all nodes into E. False: their dependencies have a circle, or there is no memory. */
static bool fill(CUgraphExec e, CUgraph g)
{
	bool more = true;

	for (CUgraphNode n = g->first; n; n = n->next)
		n->placed = false;
	while (more && e->count < g->count) {
		more = false;
		for (CUgraphNode n = g->first; n; n = n->next) {
			struct work *w = &e->work[e->count];

			if (n->placed || !can_follow(n))
				continue;
			n->placed = more = true;
			*w = n->work;
			w->own = NULL;
			if (work_own(w))
				return false;
			e->number[e->count++] = n->number;
		}
	}
	return e->count == g->count;
}

static void exec_free(CUgraphExec e)
{
	for (unsigned k = 0; k < e->count; k++)
		free(e->work[k].own);
	free(e->work);
	free(e->number);
	handle_end(e, HANDLE_EXEC);
}

CUresult cuGraphInstantiateWithFlags(CUgraphExec *exec, CUgraph graph, uint64_t flags)
{
	CUresult r = find_graph(graph);
	CUgraphExec e;

	(void)flags;
	if (r || !exec)
		return r ? r : CUDA_ERROR_INVALID_VALUE;
	e = handle_new(HANDLE_EXEC, sizeof *e);
	if (!e)
		return CUDA_ERROR_OUT_OF_MEMORY;
	e->graph = graph;
	e->work = calloc(graph->count + 1, sizeof *e->work);
	e->number = calloc(graph->count + 1, sizeof *e->number);
	if (!e->work || !e->number || !fill(e, graph)) {
		exec_free(e);
		return CUDA_ERROR_INVALID_VALUE;
	}
	*exec = e;
	return CUDA_SUCCESS;
}

CUresult cuGraphInstantiate_v2(
	CUgraphExec *exec, CUgraph graph, CUgraphNode *bad, char *log, size_t room)
{
	if (bad)
		*bad = NULL;
	if (log && room)
		*log = '\0';
	return cuGraphInstantiateWithFlags(exec, graph, 0);
}

static CUresult find_exec(CUgraphExec e)
{
	CUresult r = context_enter();

	return r || handle_is(e, HANDLE_EXEC) ? r : CUDA_ERROR_INVALID_HANDLE;
}

/* The work of NODE in E, which is of KIND; NULL: there is none. */
static struct work *work_of(CUgraphExec e, CUgraphNode node, enum work_kind kind)
{
	if (!handle_is(node, HANDLE_NODE) || node->graph != e->graph)
		return NULL;
	for (unsigned k = 0; k < e->count; k++)
		if (e->number[k] == node->number)
			return e->work[k].kind == kind ? &e->work[k] : NULL;
	return NULL;
}

CUresult cuGraphExecKernelNodeSetParams(
	CUgraphExec exec, CUgraphNode node, const CUDA_KERNEL_NODE_PARAMS *parameters)
{
	CUresult r = find_exec(exec);
	struct work w = {.kind = WORK_KERNEL}, *old;

	if (r)
		return r;
	old = work_of(exec, node, WORK_KERNEL);
	if (!old)
		return CUDA_ERROR_INVALID_VALUE;
	w.grid.cooperative = old->grid.cooperative;
	memcpy(w.grid.cluster, old->grid.cluster, sizeof w.grid.cluster);
	r = of_kernel(parameters, &w);
	r = r ? r : work_own(&w);
	if (r)
		return r;
	free(old->own);
	*old = w;
	return CUDA_SUCCESS;
}

CUresult cuGraphExecKernelNodeSetParams_v2(
	CUgraphExec exec, CUgraphNode node, const CUDA_KERNEL_NODE_PARAMS *parameters)
{
	return cuGraphExecKernelNodeSetParams(exec, node, parameters);
}

CUresult cuGraphExecMemcpyNodeSetParams(
	CUgraphExec exec, CUgraphNode node, const CUDA_MEMCPY3D *copy, CUcontext context)
{
	CUresult r = find_exec(exec);
	struct work w = {.kind = WORK_COPY}, *old;

	(void)context;
	if (r)
		return r;
	old = work_of(exec, node, WORK_COPY);
	if (!old)
		return CUDA_ERROR_INVALID_VALUE;
	r = copy_work(copy, true, &w);
	w.copy.staged = false;
	if (!r)
		*old = w;
	return r;
}

CUresult cuGraphExecDestroy(CUgraphExec exec)
{
	CUresult r = find_exec(exec);

	if (!r)
		exec_free(exec);
	return r;
}

CUresult cuGraphLaunch(CUgraphExec exec, CUstream stream)
{
	ptxi_stream number;
	CUresult r = find_exec(exec);

	r = r ? r : stream_number(stream, &number);
	for (unsigned k = 0; !r && k < exec->count; k++)
		r = stream_captures(stream) ? work_submit(stream, &exec->work[k])
					    : work_perform(number, &exec->work[k]);
	return r;
}

CUresult cuGraphUpload(CUgraphExec exec, CUstream stream)
{
	ptxi_stream number;
	CUresult r = find_exec(exec);

	return r ? r : stream_number(stream, &number);
}
