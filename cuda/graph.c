/* Graphs: nodes that were added or captured. A launch gives them to streams: each follows one of
 * those that it depends on in its stream, and waits for events of the others, so that nothing
 * orders nodes which do not depend on each other. */
#include "cuda/work.h"
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

/* A node of a graph that can be launched. */
struct step {
	struct work work;
	unsigned number; /* of its node */
	unsigned *after; /* [nafter] steps, by their position */
	size_t nafter;
	unsigned lane;
	bool continued;   /* a later step follows it in its lane */
	bool joins;       /* another lane waits for it: */
	ptxi_event event; /* for this */
};

struct CUgraphExec_st {
	struct handle handle;
	struct step *step; /* [count], in an order that they allow */
	CUgraph graph;
	unsigned count;
	ptxi_stream *lane; /* [nlanes]; the first is that of the launch */
	unsigned nlanes;
	ptxi_event begin;
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

CUresult cuGraphAddDependencies(
	CUgraph graph, const CUgraphNode *from, const CUgraphNode *to, size_t count)
{
	CUresult r = find_graph(graph);

	if (r || (count && (!from || !to)))
		return r ? r : CUDA_ERROR_INVALID_VALUE;
	for (size_t k = 0; k < count; k++)
		if (!handle_is(from[k], HANDLE_NODE) || !handle_is(to[k], HANDLE_NODE) ||
			from[k]->graph != graph || to[k]->graph != graph)
			return CUDA_ERROR_INVALID_VALUE;
	for (size_t k = 0; k < count; k++)
		if (!node_follows(to[k], &from[k], 1))
			return CUDA_ERROR_OUT_OF_MEMORY;
	return CUDA_SUCCESS;
}

/* EDGES of other kinds than "after" are for programmatic launches. */
CUresult cuGraphAddDependencies_v2(CUgraph graph, const CUgraphNode *from, const CUgraphNode *to,
	const void *edges, size_t count)
{
	return edges ? CUDA_ERROR_NOT_SUPPORTED : cuGraphAddDependencies(graph, from, to, count);
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
	stream->tail.n = 0;
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
	tail_clear(&stream->tail);
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

static bool fill_step(CUgraphExec e, const struct CUgraphNode_st *n)
{
	struct step *s = &e->step[e->count];

	s->work = n->work;
	s->work.own = NULL;
	s->number = n->number;
	s->after = calloc(n->nafter + 1, sizeof *s->after);
	e->count++;
	if (!s->after || work_own(&s->work))
		return false;
	for (size_t k = 0; k < n->nafter; k++)
		s->after[s->nafter++] = n->after[k]->position;
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
			if (n->placed || !can_follow(n))
				continue;
			n->placed = more = true;
			n->position = e->count;
			if (!fill_step(e, n))
				return false;
		}
	}
	return e->count == g->count;
}

/* Gives each step its lane. */
static CUresult plan(CUgraphExec e)
{
	struct ptxi_device *d = driver_device();
	CUresult r = driver_result(ptxi_event_new(d, &e->begin));

	for (unsigned k = 0; k < e->count; k++) {
		struct step *s = &e->step[k];
		bool found = !k;

		for (size_t i = 0; i < s->nafter && !found; i++) {
			struct step *before = &e->step[s->after[i]];

			found = !before->continued;
			if (found) {
				before->continued = true;
				s->lane = before->lane;
			}
		}
		if (!found || !k)
			s->lane = e->nlanes++;
	}
	e->lane = calloc(e->nlanes + 1, sizeof *e->lane);
	if (!e->lane)
		return CUDA_ERROR_OUT_OF_MEMORY;
	for (unsigned k = 1; k < e->nlanes && !r; k++)
		r = driver_result(ptxi_stream_new(d, PTXI_NON_BLOCKING, &e->lane[k]));
	for (unsigned k = 0; k < e->count; k++)
		for (size_t i = 0; i < e->step[k].nafter; i++) {
			struct step *before = &e->step[e->step[k].after[i]];

			before->joins |= before->lane != e->step[k].lane;
		}
	for (unsigned k = 0; k < e->count && !r; k++) {
		struct step *s = &e->step[k];

		s->joins |= s->lane && !s->continued; /* the end of a lane */
		if (s->joins)
			r = driver_result(ptxi_event_new(d, &s->event));
	}
	return r;
}

static void exec_free(CUgraphExec e)
{
	for (unsigned k = 0; k < e->count; k++) {
		free(e->step[k].work.own);
		free(e->step[k].after);
	}
	free(e->step);
	free(e->lane);
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
	e->step = calloc(graph->count + 1, sizeof *e->step);
	r = e->step && fill(e, graph) ? plan(e) : CUDA_ERROR_INVALID_VALUE;
	if (r)
		exec_free(e);
	else
		*exec = e;
	return r;
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
		if (e->step[k].number == node->number)
			return e->step[k].work.kind == kind ? &e->step[k].work : NULL;
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

/* Step K of E, of which LAUNCH is the first lane. */
static CUresult do_step(CUgraphExec e, unsigned k, ptxi_stream launch)
{
	struct ptxi_device *d = driver_device();
	const struct step *s = &e->step[k];
	ptxi_stream stream = s->lane ? e->lane[s->lane] : launch;
	CUresult r = CUDA_SUCCESS;

	if (!s->nafter && s->lane)
		r = driver_result(ptxi_wait(d, stream, e->begin));
	for (size_t i = 0; i < s->nafter && !r; i++) {
		const struct step *before = &e->step[s->after[i]];

		if (before->lane != s->lane)
			r = driver_result(ptxi_wait(d, stream, before->event));
	}
	r = r ? r : work_perform(stream, &s->work);
	if (!r && s->joins)
		r = driver_result(ptxi_record(d, s->event, stream));
	return r;
}

CUresult cuGraphLaunch(CUgraphExec exec, CUstream stream)
{
	struct ptxi_device *d = driver_device();
	ptxi_stream number;
	CUresult r = find_exec(exec);

	r = r ? r : stream_number(stream, &number);
	if (r)
		return r;
	if (stream_captures(stream)) {
		for (unsigned k = 0; !r && k < exec->count; k++)
			r = work_submit(stream, &exec->step[k].work);
		return r;
	}
	if (exec->nlanes > 1)
		r = driver_result(ptxi_record(d, exec->begin, number));
	for (unsigned k = 0; !r && k < exec->count; k++)
		r = do_step(exec, k, number);
	for (unsigned k = 0; !r && k < exec->count; k++)
		if (exec->step[k].lane && !exec->step[k].continued)
			r = driver_result(ptxi_wait(d, number, exec->step[k].event));
	return r;
}

CUresult cuGraphUpload(CUgraphExec exec, CUstream stream)
{
	ptxi_stream number;
	CUresult r = find_exec(exec);

	return r ? r : stream_number(stream, &number);
}
