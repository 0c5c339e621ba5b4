/* Memory: allocations of the device and the host, copies and fills. */
#include "cuda/array.h"
#include "cuda/work.h"
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* --- allocations --- */

/* Host memory that was allocated or registered, and managed memory. */
struct host_block {
	struct host_block *next;
	char *host;
	size_t size;
	CUdeviceptr address;
	enum { HOST_ALLOCATED, HOST_REGISTERED, MANAGED } kind;
	unsigned flags;
};

static struct {
	pthread_mutex_t lock;
	struct host_block *first;
} blocks = {.lock = PTHREAD_MUTEX_INITIALIZER};

/* A copy of the block that contains P; false: there is none. */
static bool find_block(const void *p, struct host_block *out)
{
	const struct host_block *b;

	pthread_mutex_lock(&blocks.lock);
	for (b = blocks.first; b; b = b->next)
		if ((uintptr_t)p - (uintptr_t)b->host < b->size)
			break;
	if (b)
		*out = *b;
	pthread_mutex_unlock(&blocks.lock);
	return b != NULL;
}

static CUresult note_block(struct host_block b)
{
	struct host_block *own = malloc(sizeof *own);

	if (!own)
		return CUDA_ERROR_OUT_OF_MEMORY;
	pthread_mutex_lock(&blocks.lock);
	*own = b;
	own->next = blocks.first;
	blocks.first = own;
	pthread_mutex_unlock(&blocks.lock);
	return CUDA_SUCCESS;
}

static void forget_block(const void *host)
{
	struct host_block **at, *b;

	pthread_mutex_lock(&blocks.lock);
	at = &blocks.first;
	while (*at && (*at)->host != host)
		at = &(*at)->next;
	b = *at;
	if (b)
		*at = b->next;
	pthread_mutex_unlock(&blocks.lock);
	free(b);
}

/* The result of an allocation, which fails without losing the device when memory is used up. */
static CUresult allocated(enum ptxi_exit e)
{
	return e == PTXI_UNDECIDED && !ptxi_device_status(driver_device())
		? CUDA_ERROR_OUT_OF_MEMORY
		: driver_result(e);
}

/* Allocations are known by their order, and by where they are made. */
CUresult driver_alloc(CUdeviceptr *address, size_t size, unsigned flags, struct owned *o)
{
	CUresult r = context_enter();
	char number[40], name[80];

	if (r || !address || !size)
		return r ? r : CUDA_ERROR_INVALID_VALUE;
	o->number = owned_number();
	o->made = place_here();
	o->device = context_current()->device;
	o->size = size;
	snprintf(number, sizeof number, "allocation %u", o->number);
	place_mark(name, sizeof name, number, o->made);
	if (o->kind == OWNED_REGISTERED)
		r = allocated(ptxi_adopt(driver_device(), o->host, size, name, NULL, address));
	else
		r = allocated(ptxi_alloc(driver_device(), size, flags, name, NULL, address));
	if (r)
		return r;
	o->address = *address;
	if (o->kind == OWNED_PINNED || o->kind == OWNED_MANAGED)
		o->host = (char *)(uintptr_t)*address;
	owned_add(o);
	return r;
}

static CUresult alloc(CUdeviceptr *address, size_t size)
{
	return driver_alloc(address, size, 0, &(struct owned){.kind = OWNED_DEVICE});
}

CUresult cuMemGetInfo_v2(size_t *left, size_t *total)
{
	CUresult r = context_enter();
	uint64_t l, t;

	if (r || !left || !total)
		return r ? r : CUDA_ERROR_INVALID_VALUE;
	r = driver_result(ptxi_memory(driver_device(), &l, &t));
	*left = (size_t)l;
	*total = (size_t)t;
	return r;
}

CUresult cuMemAlloc_v2(CUdeviceptr *address, size_t size) { return alloc(address, size); }

CUresult cuMemAllocPitch_v2(
	CUdeviceptr *address, size_t *pitch, size_t width, size_t height, unsigned element)
{
	enum { ALIGN = 512 };

	if (!pitch || !width || !height || width > SIZE_MAX / 2 - ALIGN ||
		(element != 4 && element != 8 && element != 16))
		return CUDA_ERROR_INVALID_VALUE;
	*pitch = (width + ALIGN - 1) / ALIGN * ALIGN;
	if (height > SIZE_MAX / *pitch)
		return CUDA_ERROR_OUT_OF_MEMORY;
	return alloc(address, *pitch * height);
}

/* Whether the host has memory at P. */
static bool is_mapped(const void *p)
{
	uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);

	return msync((void *)((uintptr_t)p / page * page), page, MS_ASYNC) == 0;
}

/* HOST is freed by CALLER, which is for other memory. */
static CUresult wrong_free(const void *host, const char *caller, CUresult result)
{
	struct text t = {0};
	struct owned o;
	call_place place = place_here();
	bool known = owned_find((uintptr_t)host, &o), array = array_is_handle((uintptr_t)host);

	text_printf(&t, "%s: %s", place_api(place, caller),
		known && o.is_freed       ? "this has been freed already: "
			: array           ? "this is an array, which cudaFreeArray frees: "
			: known           ? "this is memory of another kind: "
			: is_mapped(host) ? "this is memory of the host, and no allocation"
					  : "this is no allocation");
	if (known)
		owned_name(&o, &t);
	else if (array)
		array_name((uintptr_t)host, &t);
	host_finding(known && o.is_freed ? DIAG_H0105 : DIAG_H0106, place, text_str(&t), NULL);
	text_free(&t);
	return result;
}

/* Whether cuMemFree frees what is at ADDRESS, or says itself why not. */
static bool is_freed_so(CUdeviceptr address)
{
	struct owned o;

	if (array_is_handle(address))
		return false;
	if (!owned_find(address, &o))
		return !is_mapped((const void *)(uintptr_t)address);
	return o.is_freed || o.kind == OWNED_DEVICE || o.kind == OWNED_MANAGED;
}

CUresult driver_dealloc(CUdeviceptr address, const char *caller)
{
	CUresult r = context_enter();
	char marked[80];
	struct ptxi_at at = {.function = marked};
	call_place place;
	enum ptxi_exit e;

	if (r || !address)
		return r;
	place = place_here();
	if (strncmp(caller, "cuMemFree", 9) == 0 && strcmp(caller, "cuMemFreeHost") != 0 &&
		!is_freed_so(address))
		return wrong_free(
			(const void *)(uintptr_t)address, caller, CUDA_ERROR_INVALID_VALUE);
	place_mark(marked, sizeof marked, caller, place);
	driver_runs();
	e = ptxi_dealloc(driver_device(), address, &at);
	if (e)
		return driver_refused(
			owned_was(address) ? DIAG_H0105 : DIAG_H0106, place, caller, e);
	forget_block((const void *)(uintptr_t)address);
	r = driver_ran(e);
	owned_end(address, place);
	return r;
}

CUresult cuMemFree_v2(CUdeviceptr address) { return driver_dealloc(address, "cuMemFree"); }

/* --- pools: names for what is allocated in the order of a stream --- */

struct CUmemPoolHandle_st {
	struct handle handle;
	_Atomic uint64_t used, high; /* bytes */
	uint64_t threshold;
	int flags[CU_MEMPOOL_ATTR_RELEASE_THRESHOLD]; /* attributes 1 to 3 */
};

static struct CUmemPoolHandle_st default_pool = {.handle.kind = HANDLE_POOL};
static CUmemoryPool current_pool = &default_pool;

static CUresult pool_fits(const struct CUmemPoolHandle_st *pool)
{
	CUresult r = context_enter();

	return r || handle_is(pool, HANDLE_POOL) ? r : CUDA_ERROR_INVALID_VALUE;
}

static CUresult find_pool(CUmemoryPool *pool, CUdevice device, CUmemoryPool is)
{
	CUdevice found;
	CUresult r = cuDeviceGet(&found, device);

	if (r || !pool)
		return r ? r : CUDA_ERROR_INVALID_VALUE;
	*pool = is;
	return CUDA_SUCCESS;
}

CUresult cuDeviceGetDefaultMemPool(CUmemoryPool *pool, CUdevice device)
{
	return find_pool(pool, device, &default_pool);
}

CUresult cuDeviceGetMemPool(CUmemoryPool *pool, CUdevice device)
{
	return find_pool(pool, device, current_pool);
}

CUresult cuDeviceSetMemPool(CUdevice device, CUmemoryPool pool)
{
	CUdevice found;
	CUresult r = cuDeviceGet(&found, device);

	if (r || !handle_is(pool, HANDLE_POOL))
		return r ? r : CUDA_ERROR_INVALID_VALUE;
	current_pool = pool;
	return CUDA_SUCCESS;
}

CUresult cuMemPoolCreate(CUmemoryPool *pool, const void *properties)
{
	CUresult r = context_enter();

	if (r || !pool || !properties)
		return r ? r : CUDA_ERROR_INVALID_VALUE;
	*pool = handle_new(HANDLE_POOL, sizeof **pool);
	return *pool ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY;
}

/* What it has allocated remains. */
CUresult cuMemPoolDestroy(CUmemoryPool pool)
{
	CUresult r = pool_fits(pool);

	if (r || pool == &default_pool)
		return r ? r : CUDA_ERROR_INVALID_VALUE;
	if (current_pool == pool)
		current_pool = &default_pool;
	handle_end(pool, HANDLE_POOL);
	return CUDA_SUCCESS;
}

/* Nothing is kept that is not in use. */
CUresult cuMemPoolTrimTo(CUmemoryPool pool, size_t keep)
{
	(void)keep;
	return pool_fits(pool);
}

CUresult cuMemPoolSetAttribute(CUmemoryPool pool, int attribute, void *value)
{
	CUresult r = pool_fits(pool);

	if (r || !value || attribute < 1 || attribute > CU_MEMPOOL_ATTR_USED_MEM_HIGH)
		return r ? r : CUDA_ERROR_INVALID_VALUE;
	if (attribute < CU_MEMPOOL_ATTR_RELEASE_THRESHOLD)
		memcpy(&pool->flags[attribute], value, sizeof pool->flags[attribute]);
	else if (attribute == CU_MEMPOOL_ATTR_RELEASE_THRESHOLD)
		memcpy(&pool->threshold, value, sizeof pool->threshold);
	else
		pool->high = pool->used; /* the only value that may be set is 0: begin again */
	return CUDA_SUCCESS;
}

CUresult cuMemPoolGetAttribute(CUmemoryPool pool, int attribute, void *value)
{
	CUresult r = pool_fits(pool);
	uint64_t number;

	if (r || !value || attribute < 1 || attribute > CU_MEMPOOL_ATTR_USED_MEM_HIGH)
		return r ? r : CUDA_ERROR_INVALID_VALUE;
	if (attribute < CU_MEMPOOL_ATTR_RELEASE_THRESHOLD) {
		memcpy(value, &pool->flags[attribute], sizeof pool->flags[attribute]);
		return CUDA_SUCCESS;
	}
	switch (attribute) {
	case CU_MEMPOOL_ATTR_RELEASE_THRESHOLD: number = pool->threshold; break;
	case CU_MEMPOOL_ATTR_RESERVED_MEM_CURRENT:
	case CU_MEMPOOL_ATTR_USED_MEM_CURRENT: number = pool->used; break;
	default: number = pool->high; break;
	}
	memcpy(value, &number, sizeof number);
	return CUDA_SUCCESS;
}

/* All devices may use all memory. */
CUresult cuMemPoolSetAccess(CUmemoryPool pool, const void *access, size_t count)
{
	CUresult r = pool_fits(pool);

	return r || access || !count ? r : CUDA_ERROR_INVALID_VALUE;
}

CUresult cuMemPoolGetAccess(int *access, CUmemoryPool pool, const void *location)
{
	CUresult r = pool_fits(pool);

	if (r || !access || !location)
		return r ? r : CUDA_ERROR_INVALID_VALUE;
	*access = 3; /* reading and writing */
	return CUDA_SUCCESS;
}

CUresult cuMemAllocFromPoolAsync(
	CUdeviceptr *address, size_t size, CUmemoryPool pool, CUstream stream)
{
	ptxi_stream number;
	CUresult r = pool_fits(pool);

	r = r ? r : stream_number(stream, &number);
	r = r ? r
	      : driver_alloc(address, size, 0,
			&(struct owned){.kind = OWNED_DEVICE, .counted = &pool->used});
	if (r)
		return r;
	pool->used += size;
	if (pool->used > pool->high)
		pool->high = pool->used;
	return CUDA_SUCCESS;
}

CUresult cuMemAllocAsync(CUdeviceptr *address, size_t size, CUstream stream)
{
	return cuMemAllocFromPoolAsync(address, size, current_pool, stream);
}

/* Waits for all work, and not only for the stream's. */
CUresult cuMemFreeAsync(CUdeviceptr address, CUstream stream)
{
	ptxi_stream number;
	CUresult r = context_enter();

	r = r ? r : stream_number(stream, &number);
	return r ? r : driver_dealloc(address, "cuMemFreeAsync");
}

/* What the host writes into its memory is not seen, so that all of it counts as written. */
static CUresult alloc_visible(void **host, size_t size, unsigned flags, int kind)
{
	CUdeviceptr address = 0;
	struct owned o = {.kind = kind == MANAGED ? OWNED_MANAGED : OWNED_PINNED};
	CUresult r = host ? driver_alloc(&address, size, PTXI_HOST_VISIBLE | PTXI_INITIALISED, &o)
			  : CUDA_ERROR_INVALID_VALUE;

	if (r)
		return r;
	*host = (void *)(uintptr_t)address;
	return note_block((struct host_block){
		.host = *host, .size = size, .address = address, .kind = kind, .flags = flags});
}

CUresult cuMemAllocManaged(CUdeviceptr *address, size_t size, unsigned flags)
{
	void *host;
	CUresult r = address && (flags == 1 || flags == 2)
		? alloc_visible(&host, size, flags, MANAGED)
		: CUDA_ERROR_INVALID_VALUE;

	if (!r)
		*address = (uintptr_t)host;
	return r;
}

CUresult cuMemHostAlloc(void **host, size_t size, unsigned flags)
{
	return alloc_visible(host, size, flags, HOST_ALLOCATED);
}

CUresult cuMemAllocHost_v2(void **host, size_t size) { return cuMemHostAlloc(host, size, 0); }

CUresult cuMemFreeHost(void *host)
{
	struct host_block b;
	CUresult r = context_enter();

	if (r || !host)
		return r;
	if (!find_block(host, &b) || b.host != host || b.kind != HOST_ALLOCATED)
		return wrong_free(host, "cuMemFreeHost", CUDA_ERROR_INVALID_VALUE);
	return driver_dealloc(b.address, "cuMemFreeHost");
}

CUresult cuMemHostRegister_v2(void *host, size_t size, unsigned flags)
{
	CUresult r = context_enter();
	struct host_block b;
	struct owned o = {.kind = OWNED_REGISTERED, .host = host};

	if (r || !host || !size)
		return r ? r : CUDA_ERROR_INVALID_VALUE;
	if (find_block(host, &b))
		return CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED;
	b = (struct host_block){
		.host = host, .size = size, .kind = HOST_REGISTERED, .flags = flags};
	r = driver_alloc(&b.address, size, 0, &o);
	return r ? r : note_block(b);
}

CUresult cuMemHostUnregister(void *host)
{
	CUresult r = context_enter();
	struct host_block b;

	if (r)
		return r;
	if (!find_block(host, &b) || b.host != host || b.kind != HOST_REGISTERED)
		return wrong_free(
			host, "cuMemHostUnregister", CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED);
	r = driver_dealloc(b.address, "cuMemHostUnregister");
	forget_block(host);
	return r;
}

CUresult cuMemHostGetDevicePointer_v2(CUdeviceptr *address, void *host, unsigned flags)
{
	CUresult r = context_enter();
	struct host_block b;

	if (r || !address || flags || !find_block(host, &b))
		return r ? r : CUDA_ERROR_INVALID_VALUE;
	*address = b.address + (CUdeviceptr)((char *)host - b.host);
	return CUDA_SUCCESS;
}

CUresult cuMemHostGetFlags(unsigned *flags, void *host)
{
	CUresult r = context_enter();
	struct host_block b;

	if (r || !flags || !find_block(host, &b) || b.kind == MANAGED)
		return r ? r : CUDA_ERROR_INVALID_VALUE;
	*flags = b.flags;
	return CUDA_SUCCESS;
}

CUresult cuMemGetAddressRange_v2(CUdeviceptr *base, size_t *size, CUdeviceptr address)
{
	CUresult r = context_enter();
	struct ptxi_allocation a;

	if (r || ptxi_find(driver_device(), address, &a))
		return r ? r : CUDA_ERROR_NOT_FOUND;
	if (base)
		*base = a.address;
	if (size)
		*size = (size_t)a.size;
	return CUDA_SUCCESS;
}

/* --- attributes of pointers --- */

static CUdevice device_of(uint64_t address)
{
	struct owned o;

	return owned_find(address, &o) ? o.device : 0;
}

static CUresult pointer_attribute(void *value, int attribute, CUdeviceptr address,
	const struct ptxi_allocation *a, const struct host_block *b)
{
	void *host = b ? b->host + (address - (uintptr_t)b->host) : NULL;
	CUdeviceptr device = b ? b->address + (address - (uintptr_t)b->host) : address;

	switch (attribute) {
	case CU_POINTER_ATTRIBUTE_CONTEXT: *(CUcontext *)value = context_current(); break;
	case CU_POINTER_ATTRIBUTE_MEMORY_TYPE:
		*(unsigned *)value = b && b->kind != MANAGED ? CU_MEMORYTYPE_HOST
							     : CU_MEMORYTYPE_DEVICE;
		break;
	case CU_POINTER_ATTRIBUTE_DEVICE_POINTER: *(CUdeviceptr *)value = device; break;
	case CU_POINTER_ATTRIBUTE_HOST_POINTER:
		*(void **)value = host;
		return host ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
	case CU_POINTER_ATTRIBUTE_IS_MANAGED: *(char *)value = b && b->kind == MANAGED; break;
	case CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL: *(int *)value = device_of(a->address); break;
	case CU_POINTER_ATTRIBUTE_RANGE_START_ADDR: *(CUdeviceptr *)value = a->address; break;
	case CU_POINTER_ATTRIBUTE_RANGE_SIZE: *(size_t *)value = (size_t)a->size; break;
	case CU_POINTER_ATTRIBUTE_MAPPED: *(char *)value = 1; break;
	default: return CUDA_ERROR_NOT_SUPPORTED;
	}
	return CUDA_SUCCESS;
}

CUresult cuPointerGetAttribute(void *value, int attribute, CUdeviceptr address)
{
	CUresult r = context_enter();
	struct ptxi_allocation a = {0};
	struct host_block b;
	bool on_host;

	if (r || !value)
		return r ? r : CUDA_ERROR_INVALID_VALUE;
	on_host = find_block((const void *)(uintptr_t)address, &b);
	if (ptxi_find(driver_device(), on_host ? b.address : address, &a))
		return CUDA_ERROR_INVALID_VALUE;
	return pointer_attribute(value, attribute, address, &a, on_host ? &b : NULL);
}

/* Attributes that ADDRESS does not have are zero. */
CUresult cuPointerGetAttributes(unsigned count, int *attributes, void **values, CUdeviceptr address)
{
	CUresult r = context_enter();
	static const size_t size[] = {[CU_POINTER_ATTRIBUTE_CONTEXT] = sizeof(void *),
		[CU_POINTER_ATTRIBUTE_MEMORY_TYPE] = sizeof(unsigned),
		[CU_POINTER_ATTRIBUTE_DEVICE_POINTER] = sizeof(CUdeviceptr),
		[CU_POINTER_ATTRIBUTE_HOST_POINTER] = sizeof(void *),
		[CU_POINTER_ATTRIBUTE_IS_MANAGED] = 1,
		[CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL] = sizeof(int),
		[CU_POINTER_ATTRIBUTE_RANGE_START_ADDR] = sizeof(CUdeviceptr),
		[CU_POINTER_ATTRIBUTE_RANGE_SIZE] = sizeof(size_t),
		[CU_POINTER_ATTRIBUTE_MAPPED] = 1};

	if (r || (count && (!attributes || !values)))
		return r ? r : CUDA_ERROR_INVALID_VALUE;
	for (unsigned k = 0; k < count; k++) {
		unsigned a = (unsigned)attributes[k];

		if (a >= sizeof size / sizeof size[0] || !size[a])
			return CUDA_ERROR_NOT_SUPPORTED;
		memset(values[k], 0, size[a]);
		cuPointerGetAttribute(values[k], attributes[k], address);
	}
	return CUDA_SUCCESS;
}

/* There is one memory, so that nothing can be moved. */
CUresult cuMemAdvise(CUdeviceptr address, size_t size, int advice, CUdevice device)
{
	CUresult r = context_enter();
	struct ptxi_allocation a;

	(void)size;
	(void)advice;
	(void)device;
	return r ? r : driver_result(ptxi_find(driver_device(), address, &a));
}

CUresult cuMemPrefetchAsync(CUdeviceptr address, size_t size, CUdevice device, CUstream stream)
{
	ptxi_stream number;
	CUresult r = context_enter();

	r = r ? r : stream_number(stream, &number);
	return r ? r : cuMemAdvise(address, size, 0, device);
}

/* --- copies --- */

static bool is_device(CUdeviceptr address)
{
	struct ptxi_allocation a;

	return !ptxi_find(driver_device(), address, &a);
}

static bool is_pinned(const void *host)
{
	struct host_block b;

	return find_block(host, &b);
}

/* Whether P, a side of W, is where its direction says: otherwise that is a finding. Memory of the
 * device that was freed, or bytes outside allocations, are found when the copy is queued. */
static bool is_where(const struct work *w, const char *which, unsigned type, const void *p)
{
	struct owned o;
	bool known = owned_find((uintptr_t)p, &o), device = known && !o.host,
	     host = !known && is_mapped(p) && !is_device((uintptr_t)p),
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
	k->staged = async && from_host && !is_pinned(from_host);
	return r;
}

/* Whether the copy is waited for: one with the host, unless it is asynchronous and from or to
 * pinned memory. */
static bool is_waited_for(const struct work *w, bool async)
{
	if (w->kind != WORK_COPY)
		return false;
	if (async)
		return w->copy.to_host && !is_pinned(w->copy.to_host);
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
