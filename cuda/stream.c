/* Streams, events and launches. */
#include "cuda/host.h"
#include "cuda/limits.h"
#include "cuda/work.h"
#include <stdlib.h>
#include <string.h>

/* --- streams --- */

CUresult cuStreamCreateWithPriority(CUstream *stream, unsigned flags, int priority)
{
	CUresult r = context_enter();
	CUstream s;

	if (r || !stream || flags & ~(unsigned)CU_STREAM_NON_BLOCKING)
		return r ? r : CUDA_ERROR_INVALID_VALUE;
	s = handle_new(HANDLE_STREAM, sizeof *s);
	if (!s)
		return CUDA_ERROR_OUT_OF_MEMORY;
	s->flags = flags;
	s->priority = priority;
	r = driver_result(
		ptxi_stream_new(driver_device(), flags ? PTXI_NON_BLOCKING : 0, &s->stream));
	if (r) {
		handle_end(s, HANDLE_STREAM);
		return r;
	}
	*stream = s;
	return CUDA_SUCCESS;
}

CUresult cuStreamCreate(CUstream *stream, unsigned flags)
{
	return cuStreamCreateWithPriority(stream, flags, 0);
}

/* What the stream was given runs nevertheless. */
CUresult cuStreamDestroy_v2(CUstream stream)
{
	ptxi_stream number;
	CUresult r = context_enter();

	r = r ? r : stream_number(stream, &number);
	if (r || !number)
		return r ? r : CUDA_ERROR_INVALID_HANDLE;
	if (stream_captures(stream))
		return CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
	if (stream != CU_STREAM_PER_THREAD) {
		tail_clear(&stream->tail);
		handle_end(stream, HANDLE_STREAM);
	}
	return CUDA_SUCCESS;
}

static CUresult find_stream(CUstream s, const void *out, ptxi_stream *number)
{
	CUresult r = context_enter();

	r = r ? r : stream_number(s, number);
	return r || out ? r : CUDA_ERROR_INVALID_VALUE;
}

/* Whether the program has made S, which exists. */
static bool is_own(CUstream s) { return s && s != CU_STREAM_LEGACY && s != CU_STREAM_PER_THREAD; }

CUresult cuStreamGetFlags(CUstream stream, unsigned *flags)
{
	ptxi_stream number;
	CUresult r = find_stream(stream, flags, &number);

	if (!r)
		*flags = is_own(stream) ? stream->flags : 0;
	return r;
}

CUresult cuStreamGetPriority(CUstream stream, int *priority)
{
	ptxi_stream number;
	CUresult r = find_stream(stream, priority, &number);

	if (!r)
		*priority = is_own(stream) ? stream->priority : 0;
	return r;
}

CUresult cuStreamGetCtx(CUstream stream, CUcontext *context)
{
	ptxi_stream number;
	CUresult r = find_stream(stream, context, &number);

	if (!r)
		*context = context_current();
	return r;
}

CUresult cuStreamGetId(CUstream stream, unsigned long long *id)
{
	ptxi_stream number;
	CUresult r = find_stream(stream, id, &number);

	if (!r)
		*id = number;
	return r;
}

/* A query waits: ptxi runs what is queued when the host asks for it. */
CUresult cuStreamSynchronize(CUstream stream)
{
	ptxi_stream number;
	CUresult r = find_stream(stream, &number, &number);

	if (r)
		return r;
	if (stream_captures(stream))
		return CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
	return driver_waited(ptxi_sync_stream(driver_device(), number));
}

CUresult cuStreamQuery(CUstream stream) { return cuStreamSynchronize(stream); }

/* Memory of all allocations may be used by all streams. */
CUresult cuStreamAttachMemAsync(CUstream stream, CUdeviceptr address, size_t size, unsigned flags)
{
	ptxi_stream number;
	struct ptxi_allocation a;
	CUresult r = find_stream(stream, &a, &number);

	(void)size;
	(void)flags;
	return r ? r : driver_result(ptxi_find(driver_device(), address, &a));
}

/* --- events --- */

CUresult cuEventCreate(CUevent *event, unsigned flags)
{
	CUresult r = context_enter();
	CUevent e;

	if (r || !event)
		return r ? r : CUDA_ERROR_INVALID_VALUE;
	e = handle_new(HANDLE_EVENT, sizeof *e);
	if (!e)
		return CUDA_ERROR_OUT_OF_MEMORY;
	e->flags = flags;
	r = driver_result(ptxi_event_new(driver_device(), &e->event));
	if (r) {
		handle_end(e, HANDLE_EVENT);
		return r;
	}
	*event = e;
	return CUDA_SUCCESS;
}

static CUresult find_event(CUevent event)
{
	CUresult r = context_enter();

	return r || handle_is(event, HANDLE_EVENT) ? r : CUDA_ERROR_INVALID_HANDLE;
}

CUresult cuEventDestroy_v2(CUevent event)
{
	CUresult r = find_event(event);

	if (!r)
		event_end(event);
	return r;
}

CUresult cuEventRecordWithFlags(CUevent event, CUstream stream, unsigned flags)
{
	CUresult r = find_event(event);

	(void)flags;
	return r ? r
		 : work_submit(stream,
			   &(struct work){
				   .kind = WORK_RECORD, .caller = "cuEventRecord", .event = event});
}

CUresult cuEventRecord(CUevent event, CUstream stream)
{
	return cuEventRecordWithFlags(event, stream, 0);
}

CUresult cuStreamWaitEvent(CUstream stream, CUevent event, unsigned flags)
{
	CUresult r = find_event(event);

	(void)flags;
	return r ? r
		 : work_submit(stream,
			   &(struct work){.kind = WORK_WAIT,
				   .caller = "cuStreamWaitEvent",
				   .event = event});
}

CUresult cuEventSynchronize(CUevent event)
{
	CUresult r = find_event(event);

	if (r || !event->recorded)
		return r;
	return driver_waited(ptxi_sync_event(driver_device(), event->event));
}

CUresult cuEventQuery(CUevent event) { return cuEventSynchronize(event); }

/* The time that ptxi took, which is not that of a GPU. */
CUresult cuEventElapsedTime(float *ms, CUevent begin, CUevent end)
{
	CUresult r = find_event(begin);

	r = r ? r : find_event(end);
	if (r || !ms)
		return r ? r : CUDA_ERROR_INVALID_VALUE;
	if (!begin->recorded || !end->recorded ||
		(begin->flags | end->flags) & CU_EVENT_DISABLE_TIMING)
		return CUDA_ERROR_INVALID_HANDLE;
	if (event_pending(begin) || event_pending(end))
		return CUDA_ERROR_NOT_READY;
	*ms = (float)(end->time - begin->time);
	return CUDA_SUCCESS;
}

CUresult cuEventElapsedTime_v2(float *ms, CUevent begin, CUevent end)
{
	return cuEventElapsedTime(ms, begin, end);
}

/* --- launches --- */

/* The buffer of parameters that EXTRA names. */
static CUresult read_extra(void **extra, struct ptxi_grid *g)
{
	for (; *extra != CU_LAUNCH_PARAM_END; extra += 2) {
		if (*extra == CU_LAUNCH_PARAM_BUFFER_POINTER)
			g->buffer = extra[1];
		else if (*extra == CU_LAUNCH_PARAM_BUFFER_SIZE)
			memcpy(&g->size, extra[1], sizeof g->size);
		else
			return CUDA_ERROR_INVALID_VALUE;
	}
	return CUDA_SUCCESS;
}

static void too_much_shared(const struct kernel_call *c, call_place at)
{
	struct text t = {0};

	text_puts(&t, "the launch of ");
	host_kernel(c->function, &t);
	text_printf(&t, " has %u bytes of dynamic shared memory, and may have %u", c->shared,
		c->function->dynamic);
	host_finding(DIAG_H0107, at, text_str(&t),
		"more than 48 KiB is allowed by cudaFuncSetAttribute, "
		"cudaFuncAttributeMaxDynamicSharedMemorySize");
	text_free(&t);
}

CUresult kernel_work(const struct kernel_call *c, struct work *w)
{
	struct ptxi_grid *g = &w->grid;
	CUresult r = c->extra && !c->args ? read_extra(c->extra, g) : CUDA_SUCCESS;

	if (!handle_is(c->function, HANDLE_FUNCTION))
		return CUDA_ERROR_INVALID_HANDLE;
	if (r)
		return r;
	memcpy(g->grid, c->grid, sizeof g->grid);
	memcpy(g->block, c->block, sizeof g->block);
	w->place = w->place ? w->place : place_here();
	if (c->shared > c->function->dynamic) {
		too_much_shared(c, w->place);
		return CUDA_ERROR_INVALID_VALUE;
	}
	w->kind = WORK_KERNEL;
	w->caller = "cuLaunchKernel";
	w->function = c->function;
	g->shared_bytes = c->shared;
	g->args = c->args;
	return CUDA_SUCCESS;
}

static CUresult launch(CUstream stream, const struct kernel_call *c, struct work *w)
{
	CUresult r = context_enter();

	r = r ? r : kernel_work(c, w);
	return r ? r : work_submit(stream, w);
}

CUresult cuLaunchKernel(CUfunction function, unsigned grid_x, unsigned grid_y, unsigned grid_z,
	unsigned block_x, unsigned block_y, unsigned block_z, unsigned shared, CUstream stream,
	void **args, void **extra)
{
	return launch(stream,
		&(struct kernel_call){function, {grid_x, grid_y, grid_z},
			{block_x, block_y, block_z}, shared, args, extra},
		&(struct work){.kind = WORK_KERNEL});
}

CUresult cuLaunchCooperativeKernel(CUfunction function, unsigned grid_x, unsigned grid_y,
	unsigned grid_z, unsigned block_x, unsigned block_y, unsigned block_z, unsigned shared,
	CUstream stream, void **args)
{
	return launch(stream,
		&(struct kernel_call){function, {grid_x, grid_y, grid_z},
			{block_x, block_y, block_z}, shared, args, NULL},
		&(struct work){.kind = WORK_KERNEL, .grid.cooperative = 1});
}

CUresult cuLaunchKernelEx(
	const CUlaunchConfig *config, CUfunction function, void **args, void **extra)
{
	struct work w = {.kind = WORK_KERNEL};
	struct kernel_call c = {.function = function, .args = args, .extra = extra};

	if (!config || (config->count && !config->attributes))
		return CUDA_ERROR_INVALID_VALUE;
	memcpy(c.grid, config->grid, sizeof c.grid);
	memcpy(c.block, config->block, sizeof c.block);
	c.shared = config->shared;
	for (unsigned k = 0; k < config->count; k++) {
		const CUlaunchAttribute *a = &config->attributes[k];

		if (a->id == CU_LAUNCH_ATTRIBUTE_COOPERATIVE)
			w.grid.cooperative = a->value.cooperative;
		else if (a->id == CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION)
			memcpy(w.grid.cluster, a->value.cluster, sizeof w.grid.cluster);
	}
	return launch(config->stream, &c, &w);
}

/* --- host functions --- */

CUresult cuLaunchHostFunc(CUstream stream, CUhostFn work, void *self)
{
	CUresult r = context_enter();

	if (r || !work)
		return r ? r : CUDA_ERROR_INVALID_VALUE;
	return work_submit(stream,
		&(struct work){.kind = WORK_HOST,
			.caller = "cuLaunchHostFunc",
			.host = work,
			.self = self});
}

struct callback {
	CUstreamCallback work;
	CUstream stream;
	void *self;
};

static void call_back(void *self)
{
	struct callback c = *(struct callback *)self;

	free(self);
	c.work(c.stream, CUDA_SUCCESS, c.self);
}

CUresult cuStreamAddCallback(CUstream stream, CUstreamCallback work, void *self, unsigned flags)
{
	CUresult r = context_enter();
	struct callback *c;

	if (r || !work || flags)
		return r ? r : CUDA_ERROR_INVALID_VALUE;
	if (stream_captures(stream))
		return CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
	c = malloc(sizeof *c);
	if (!c)
		return CUDA_ERROR_OUT_OF_MEMORY;
	*c = (struct callback){work, stream, self};
	r = cuLaunchHostFunc(stream, call_back, c);
	if (r)
		free(c);
	return r;
}
