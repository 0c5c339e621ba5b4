/* Copies and fills: the work that the functions of the driver give to a stream. */
#include "cuda/array.h"
#include "cuda/work.h"

static bool is_device(CUdeviceptr address)
{
	struct ptxi_allocation a;

	return !ptxi_find(driver_device(), address, &a);
}

/* Whether P, a side of W, is where its direction says: otherwise that is a finding. Memory of the
 * device that was freed, or bytes outside allocations, are found when the copy is queued. */
static bool is_where(const struct work *w, const char *which, unsigned type, const void *p)
{
	struct owned o;
	bool known = owned_find((uintptr_t)p, &o), device = known && !o.host,
	     host = !known && memory_is_mapped(p) && !is_device((uintptr_t)p),
	     array = array_is_handle((uintptr_t)p);
	struct text t = {0};

	if (!array && (type == CU_MEMORYTYPE_HOST ? !device : !host))
		return true;
	text_printf(&t, "%s: the %s, which should be memory of the %s, is ",
		place_api(w->place, w->caller), which,
		type == CU_MEMORYTYPE_HOST ? "host" : "device");
	if (array)
		array_name((uintptr_t)p, &t);
	else if (device)
		owned_name(&o, &t);
	else
		text_puts(&t, "memory of the host");
	host_finding(DIAG_H0104, w->place, text_str(&t), NULL);
	text_free(&t);
	return false;
}

/* One side of a copy that is no array: exactly one of the results is not zero. */
static CUresult side(const struct work *w, const char *which, unsigned type, CUdeviceptr address,
	const void *host, size_t offset, uint64_t *device_out, char **host_out)
{
	struct owned o;

	if (type == CU_MEMORYTYPE_UNIFIED) {
		type = is_device(address) || (owned_find(address, &o) && !o.host)
			? CU_MEMORYTYPE_DEVICE
			: CU_MEMORYTYPE_HOST;
		host = (const void *)(uintptr_t)address;
	}
	if (type != CU_MEMORYTYPE_HOST && type != CU_MEMORYTYPE_DEVICE)
		return CUDA_ERROR_INVALID_VALUE;
	if (type == CU_MEMORYTYPE_HOST ? !host : !address)
		return CUDA_ERROR_INVALID_VALUE;
	if (!is_where(w, which, type,
		    type == CU_MEMORYTYPE_HOST ? host : (const void *)(uintptr_t)address))
		return CUDA_ERROR_INVALID_VALUE;
	if (type == CU_MEMORYTYPE_HOST)
		*host_out = (char *)(uintptr_t)host + offset;
	else
		*device_out = address + offset;
	return CUDA_SUCCESS;
}

CUresult copy_work(const CUDA_MEMCPY3D *c, bool async, struct work *w)
{
	struct work_copy *k = &w->copy;
	char *from_host = NULL;
	CUresult r;

	if (!c)
		return CUDA_ERROR_INVALID_VALUE;
	w->kind = WORK_COPY;
	w->place = w->place ? w->place : place_here();
	k->width = c->width;
	k->height = c->height;
	k->depth = c->depth;
	if (!k->width || !k->height || !k->depth) {
		w->kind = WORK_EMPTY;
		return CUDA_SUCCESS;
	}
	k->to_pitch = c->dst_pitch ? c->dst_pitch : c->dst_x + c->width;
	k->from_pitch = c->src_pitch ? c->src_pitch : c->src_x + c->width;
	k->to_slice = k->to_pitch * (c->dst_height ? c->dst_height : c->height);
	k->from_slice = k->from_pitch * (c->src_height ? c->src_height : c->height);
	if ((c->dst_type != CU_MEMORYTYPE_ARRAY && k->to_pitch < c->width) ||
		(c->src_type != CU_MEMORYTYPE_ARRAY && k->from_pitch < c->width))
		return CUDA_ERROR_INVALID_VALUE;
	if (c->dst_type == CU_MEMORYTYPE_ARRAY)
		r = array_side(w, &(struct array_place){c->dst_array, c->dst_x, c->dst_y, c->dst_z},
			&k->to, &k->to_pitch, &k->to_slice);
	else
		r = side(w, "destination", c->dst_type, c->dst_device, c->dst_host,
			c->dst_x + c->dst_y * k->to_pitch + c->dst_z * k->to_slice, &k->to,
			&k->to_host);
	if (r)
		return r;
	if (c->src_type == CU_MEMORYTYPE_ARRAY)
		r = array_side(w, &(struct array_place){c->src_array, c->src_x, c->src_y, c->src_z},
			&k->from, &k->from_pitch, &k->from_slice);
	else
		r = side(w, "source", c->src_type, c->src_device, c->src_host,
			c->src_x + c->src_y * k->from_pitch + c->src_z * k->from_slice, &k->from,
			&from_host);
	k->from_host = from_host;
	/* memory that is not pinned is read before an asynchronous copy returns */
	k->staged = async && from_host && !memory_is_pinned(from_host);
	return r;
}

/* Whether the copy is waited for: one with the host, unless it is asynchronous and from or to
 * pinned memory. */
static bool is_waited_for(const struct work *w, bool async)
{
	if (w->kind != WORK_COPY)
		return false;
	if (async)
		return w->copy.to_host && !memory_is_pinned(w->copy.to_host);
	return w->copy.to_host || w->copy.from_host;
}

static CUresult copy(const CUDA_MEMCPY3D *c, bool async, CUstream stream, const char *caller)
{
	CUresult r = context_enter();
	struct work w = {.kind = WORK_COPY, .caller = caller};
	ptxi_stream number;

	w.place = place_here();
	r = r ? r : copy_work(c, async, &w);
	w.copy.waited = is_waited_for(&w, async);
	r = r ? r : work_submit(stream, &w);
	if (r || !is_waited_for(&w, async) || stream_captures(stream))
		return r;
	r = stream_number(stream, &number);
	return r ? r : driver_waited(ptxi_sync_stream(driver_device(), number));
}

/* SIZE bytes; the sides are of these types. */
static CUresult copy_line(unsigned to_type, CUdeviceptr to, unsigned from_type, CUdeviceptr from,
	size_t size, bool async, CUstream stream, const char *caller)
{
	CUDA_MEMCPY3D c = {.src_type = from_type,
		.src_host = (const void *)(uintptr_t)from,
		.src_device = from,
		.dst_type = to_type,
		.dst_host = (void *)(uintptr_t)to,
		.dst_device = to,
		.width = size,
		.height = 1,
		.depth = 1};

	return copy(&c, async, stream, caller);
}

enum {
	H = CU_MEMORYTYPE_HOST,
	D = CU_MEMORYTYPE_DEVICE,
	A = CU_MEMORYTYPE_ARRAY,
	U = CU_MEMORYTYPE_UNIFIED
};

CUresult cuMemcpy(CUdeviceptr to, CUdeviceptr from, size_t size)
{
	return copy_line(U, to, U, from, size, false, NULL, "cuMemcpy");
}

CUresult cuMemcpyAsync(CUdeviceptr to, CUdeviceptr from, size_t size, CUstream stream)
{
	return copy_line(U, to, U, from, size, true, stream, "cuMemcpyAsync");
}

CUresult cuMemcpyPeer(
	CUdeviceptr to, CUcontext to_context, CUdeviceptr from, CUcontext from_context, size_t size)
{
	return cuMemcpyPeerAsync(to, to_context, from, from_context, size, NULL);
}

CUresult cuMemcpyPeerAsync(CUdeviceptr to, CUcontext to_context, CUdeviceptr from,
	CUcontext from_context, size_t size, CUstream stream)
{
	if (!handle_is(to_context, HANDLE_CONTEXT) || !handle_is(from_context, HANDLE_CONTEXT))
		return CUDA_ERROR_INVALID_CONTEXT;
	return copy_line(D, to, D, from, size, true, stream, "cuMemcpyPeer");
}

CUresult cuMemcpyHtoD_v2(CUdeviceptr to, const void *from, size_t size)
{
	return copy_line(D, to, H, (uintptr_t)from, size, false, NULL, "cuMemcpyHtoD");
}

CUresult cuMemcpyHtoDAsync_v2(CUdeviceptr to, const void *from, size_t size, CUstream stream)
{
	return copy_line(D, to, H, (uintptr_t)from, size, true, stream, "cuMemcpyHtoDAsync");
}

CUresult cuMemcpyDtoH_v2(void *to, CUdeviceptr from, size_t size)
{
	return copy_line(H, (uintptr_t)to, D, from, size, false, NULL, "cuMemcpyDtoH");
}

CUresult cuMemcpyDtoHAsync_v2(void *to, CUdeviceptr from, size_t size, CUstream stream)
{
	return copy_line(H, (uintptr_t)to, D, from, size, true, stream, "cuMemcpyDtoHAsync");
}

CUresult cuMemcpyDtoD_v2(CUdeviceptr to, CUdeviceptr from, size_t size)
{
	return copy_line(D, to, D, from, size, false, NULL, "cuMemcpyDtoD");
}

CUresult cuMemcpyDtoDAsync_v2(CUdeviceptr to, CUdeviceptr from, size_t size, CUstream stream)
{
	return copy_line(D, to, D, from, size, true, stream, "cuMemcpyDtoDAsync");
}

/* A line of SIZE bytes of arrays: TO and FROM are addresses, or arrays with an offset. */
struct line {
	unsigned type;
	uint64_t at;
	size_t offset;
};

static CUresult copy_array(struct line to, struct line from, size_t size, bool async,
	CUstream stream, const char *caller)
{
	CUDA_MEMCPY3D c = {.src_type = from.type,
		.src_x = from.offset,
		.src_host = (const void *)(uintptr_t)from.at,
		.src_device = from.at,
		.src_array = (void *)(uintptr_t)from.at,
		.dst_type = to.type,
		.dst_x = to.offset,
		.dst_host = (void *)(uintptr_t)to.at,
		.dst_device = to.at,
		.dst_array = (void *)(uintptr_t)to.at,
		.width = size,
		.height = 1,
		.depth = 1};

	return copy(&c, async, stream, caller);
}

#define ARRAY(array, offset) ((struct line){A, (uintptr_t)(array), offset})
#define HOST(address) ((struct line){H, (uintptr_t)(address), 0})
#define DEVICE(address) ((struct line){D, address, 0})

CUresult cuMemcpyHtoA_v2(CUarray to, size_t offset, const void *from, size_t size)
{
	return copy_array(ARRAY(to, offset), HOST(from), size, false, NULL, "cuMemcpyHtoA");
}

CUresult cuMemcpyAtoH_v2(void *to, CUarray from, size_t offset, size_t size)
{
	return copy_array(HOST(to), ARRAY(from, offset), size, false, NULL, "cuMemcpyAtoH");
}

CUresult cuMemcpyHtoAAsync_v2(
	CUarray to, size_t offset, const void *from, size_t size, CUstream stream)
{
	return copy_array(ARRAY(to, offset), HOST(from), size, true, stream, "cuMemcpyHtoAAsync");
}

CUresult cuMemcpyAtoHAsync_v2(void *to, CUarray from, size_t offset, size_t size, CUstream stream)
{
	return copy_array(HOST(to), ARRAY(from, offset), size, true, stream, "cuMemcpyAtoHAsync");
}

CUresult cuMemcpyDtoA_v2(CUarray to, size_t offset, CUdeviceptr from, size_t size)
{
	return copy_array(ARRAY(to, offset), DEVICE(from), size, false, NULL, "cuMemcpyDtoA");
}

CUresult cuMemcpyAtoD_v2(CUdeviceptr to, CUarray from, size_t offset, size_t size)
{
	return copy_array(DEVICE(to), ARRAY(from, offset), size, false, NULL, "cuMemcpyAtoD");
}

CUresult cuMemcpyAtoA_v2(
	CUarray to, size_t to_offset, CUarray from, size_t from_offset, size_t size)
{
	return copy_array(
		ARRAY(to, to_offset), ARRAY(from, from_offset), size, false, NULL, "cuMemcpyAtoA");
}

static CUresult copy_plane(const CUDA_MEMCPY2D *p, bool async, CUstream stream, const char *caller)
{
	CUDA_MEMCPY3D c;

	if (!p)
		return CUDA_ERROR_INVALID_VALUE;
	c = (CUDA_MEMCPY3D){.src_x = p->src_x,
		.src_y = p->src_y,
		.src_type = p->src_type,
		.src_host = p->src_host,
		.src_device = p->src_device,
		.src_array = p->src_array,
		.src_pitch = p->src_pitch,
		.dst_x = p->dst_x,
		.dst_y = p->dst_y,
		.dst_type = p->dst_type,
		.dst_host = p->dst_host,
		.dst_device = p->dst_device,
		.dst_array = p->dst_array,
		.dst_pitch = p->dst_pitch,
		.width = p->width,
		.height = p->height,
		.depth = 1};
	return copy(&c, async, stream, caller);
}

CUresult cuMemcpy2D_v2(const CUDA_MEMCPY2D *c) { return copy_plane(c, false, NULL, "cuMemcpy2D"); }

CUresult cuMemcpy2DUnaligned_v2(const CUDA_MEMCPY2D *c)
{
	return copy_plane(c, false, NULL, "cuMemcpy2DUnaligned");
}

CUresult cuMemcpy2DAsync_v2(const CUDA_MEMCPY2D *c, CUstream stream)
{
	return copy_plane(c, true, stream, "cuMemcpy2DAsync");
}

CUresult cuMemcpy3D_v2(const CUDA_MEMCPY3D *c) { return copy(c, false, NULL, "cuMemcpy3D"); }

CUresult cuMemcpy3DAsync_v2(const CUDA_MEMCPY3D *c, CUstream stream)
{
	return copy(c, true, stream, "cuMemcpy3DAsync");
}

/* --- fills --- */

/* HEIGHT rows of WIDTH elements of ELEMENT bytes. */
static CUresult fill(CUdeviceptr address, size_t pitch, unsigned value, unsigned element,
	size_t width, size_t height, CUstream stream)
{
	CUresult r = context_enter();
	struct work w = {.kind = WORK_FILL,
		.caller = "cuMemset",
		.address = address,
		.pitch = pitch,
		.width = width,
		.height = height,
		.value = value,
		.element = element};

	if (r || address % element)
		return r ? r : CUDA_ERROR_INVALID_VALUE;
	return work_submit(stream, &w);
}

#define FILLS(bits, type) \
	CUresult cuMemsetD##bits##_v2(CUdeviceptr address, type value, size_t count) \
	{ \
		return fill(address, 0, value, bits / 8, count, 1, NULL); \
	} \
	CUresult cuMemsetD##bits##Async( \
		CUdeviceptr address, type value, size_t count, CUstream stream) \
	{ \
		return fill(address, 0, value, bits / 8, count, 1, stream); \
	} \
	CUresult cuMemsetD2D##bits##_v2( \
		CUdeviceptr address, size_t pitch, type value, size_t width, size_t height) \
	{ \
		return fill(address, pitch, value, bits / 8, width, height, NULL); \
	} \
	CUresult cuMemsetD2D##bits##Async(CUdeviceptr address, size_t pitch, type value, \
		size_t width, size_t height, CUstream stream) \
	{ \
		return fill(address, pitch, value, bits / 8, width, height, stream); \
	}

FILLS(8, unsigned char)
FILLS(16, unsigned short)
FILLS(32, unsigned)
