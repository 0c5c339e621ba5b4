/* Allocations of memory of the device and the host, and what is known of them. */
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

bool memory_is_mapped(const void *p)
{
	uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);

	return msync((void *)((uintptr_t)p / page * page), page, MS_ASYNC) == 0;
}

bool memory_is_pinned(const void *host)
{
	struct host_block b;

	return find_block(host, &b);
}

/* HOST is freed by CALLER, which is for other memory. */
static CUresult wrong_free(const void *host, const char *caller, CUresult result)
{
	struct text t = {0};
	struct owned o;
	call_place place = place_here();
	bool known = owned_find((uintptr_t)host, &o), array = array_is_handle((uintptr_t)host);

	text_printf(&t, "%s: %s", place_api(place, caller),
		known && o.is_freed              ? "this has been freed already: "
			: array                  ? "this is an array, which cudaFreeArray frees: "
			: known                  ? "this is memory of another kind: "
			: memory_is_mapped(host) ? "this is memory of the host, and no allocation"
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
		return !memory_is_mapped((const void *)(uintptr_t)address);
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
