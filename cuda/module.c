/* Modules, functions and their attributes, occupancy. */
#include "cuda/image.h"
#include "cuda/limits.h"
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* of the functions of modules */

/* --- loading --- */

static CUresult load(CUmodule *module, const struct images *i, struct logs *l)
{
	CUmodule m = handle_new(HANDLE_MODULE, sizeof *m);
	enum ptxi_exit e;

	if (!m)
		return CUDA_ERROR_OUT_OF_MEMORY;
	driver_print(NULL, 0); /* findings of what ran before are no messages about the module */
	e = ptxi_device_link(
		driver_device(), i->of, i->n, i->linked ? 0 : PTXI_LINK_OPEN, &m->module);
	logs_write(l, e != PTXI_OK);
	if (e) {
		handle_end(m, HANDLE_MODULE);
		return driver_result(e);
	}
	*module = m;
	return CUDA_SUCCESS;
}

/* The N bytes of IMAGE (0: as many as it says itself). */
static CUresult load_image(
	CUmodule *module, const void *image, size_t n, const char *name, struct logs *l)
{
	struct images i = {0};
	CUresult r = images_add(&i, image, n, name, false);

	if (!r)
		r = i.n ? load(module, &i, l) : CUDA_ERROR_INVALID_IMAGE;
	images_free(&i);
	return r;
}

CUresult cuModuleLoadDataEx(
	CUmodule *module, const void *image, unsigned count, int *options, void **values)
{
	static _Atomic unsigned number;
	CUresult r = context_enter();
	struct logs l;
	char name[40];

	if (r || !module || !image || (count && (!options || !values)))
		return r ? r : CUDA_ERROR_INVALID_VALUE;
	logs_read(&l, count, options, values);
	snprintf(name, sizeof name, "module %u", atomic_fetch_add(&number, 1) + 1);
	return load_image(module, image, 0, name, &l);
}

CUresult cuModuleLoadData(CUmodule *module, const void *image)
{
	return cuModuleLoadDataEx(module, image, 0, NULL, NULL);
}

CUresult cuModuleLoadFatBinary(CUmodule *module, const void *image)
{
	return cuModuleLoadData(module, image);
}

CUresult cuModuleLoad(CUmodule *module, const char *path)
{
	CUresult r = context_enter();
	struct logs l = {0};
	size_t n;
	char *text;

	if (r || !module || !path)
		return r ? r : CUDA_ERROR_INVALID_VALUE;
	text = image_file(path, &n);
	if (!text)
		return CUDA_ERROR_FILE_NOT_FOUND;
	r = n ? load_image(module, text, n, path, &l) : CUDA_ERROR_INVALID_IMAGE;
	free(text);
	return r;
}

CUresult cuModuleUnload(CUmodule module)
{
	CUresult r = context_enter();
	struct ptxi_at at = {.function = "cuModuleUnload"};
	CUfunction f, next;

	if (r || !handle_is(module, HANDLE_MODULE))
		return r ? r : CUDA_ERROR_INVALID_HANDLE;
	r = driver_waited(ptxi_unload(driver_device(), module->module, &at));
	for (f = module->functions; f; f = next) {
		next = f->next;
		free(f->name);
		handle_end(f, HANDLE_FUNCTION);
	}
	handle_end(module, HANDLE_MODULE);
	return r;
}

CUresult cuModuleGetLoadingMode(int *mode)
{
	CUresult r = driver_ready();

	if (r || !mode)
		return r ? r : CUDA_ERROR_INVALID_VALUE;
	*mode = 1; /* eager */
	return CUDA_SUCCESS;
}

/* --- functions --- */

static CUresult new_function(CUmodule m, const char *name, CUfunction *out)
{
	struct ptxi_function_info i;
	unsigned number;
	CUfunction f;

	enum ptxi_exit e = ptxi_module_function(driver_device(), m->module, name, &number);

	if (e)
		return e == PTXI_USAGE ? CUDA_ERROR_NOT_FOUND : driver_result(e);
	f = handle_new(HANDLE_FUNCTION, sizeof *f);
	if (!f)
		return CUDA_ERROR_OUT_OF_MEMORY;
	ptxi_get_function_info(driver_device(), m->module, number, &i);
	f->module = m;
	f->function = number;
	f->dynamic = i.shared_bytes < DEFAULT_SHARED ? DEFAULT_SHARED - i.shared_bytes : 0;
	f->carveout = -1;
	f->name = strdup(name);
	f->next = m->functions;
	m->functions = f;
	*out = f;
	return CUDA_SUCCESS;
}

CUresult cuModuleGetFunction(CUfunction *function, CUmodule module, const char *name)
{
	CUresult r = context_enter();
	CUfunction f;

	if (r || !function || !name)
		return r ? r : CUDA_ERROR_INVALID_VALUE;
	if (!handle_is(module, HANDLE_MODULE))
		return CUDA_ERROR_INVALID_HANDLE;
	pthread_mutex_lock(&lock);
	f = module->functions;
	while (f && (!f->name || strcmp(f->name, name) != 0))
		f = f->next;
	if (f)
		*function = f;
	else
		r = new_function(module, name, function);
	pthread_mutex_unlock(&lock);
	return r;
}

CUresult cuModuleGetGlobal_v2(
	CUdeviceptr *address, size_t *bytes, CUmodule module, const char *name)
{
	CUresult r = context_enter();
	uint64_t at, size;
	enum ptxi_exit e;

	if (r || !name)
		return r ? r : CUDA_ERROR_INVALID_VALUE;
	if (!handle_is(module, HANDLE_MODULE))
		return CUDA_ERROR_INVALID_HANDLE;
	e = ptxi_module_symbol(driver_device(), module->module, name, &at, &size);
	if (e)
		return e == PTXI_USAGE ? CUDA_ERROR_NOT_FOUND : driver_result(e);
	if (address)
		*address = at;
	if (bytes)
		*bytes = (size_t)size;
	return CUDA_SUCCESS;
}

static CUresult find_function(CUfunction f, const void *out)
{
	CUresult r = context_enter();

	if (r || !handle_is(f, HANDLE_FUNCTION))
		return r ? r : CUDA_ERROR_INVALID_HANDLE;
	return out ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

/* PTX has no machine registers: a function counts as using the fewest that compilers assign. */
enum { REGISTERS = 16 };

static CUresult attribute_of(int *value, int attribute, CUfunction f)
{
	struct ptxi_properties p;
	struct ptxi_function_info i;

	ptxi_get_properties(driver_device(), &p);
	ptxi_get_function_info(driver_device(), f->module->module, f->function, &i);
	switch (attribute) {
	case CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK: *value = (int)i.threads; break;
	case CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES: *value = (int)i.shared_bytes; break;
	case CU_FUNC_ATTRIBUTE_CONST_SIZE_BYTES: *value = 0; break;
	case CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES: *value = (int)i.local_bytes; break;
	case CU_FUNC_ATTRIBUTE_NUM_REGS: *value = REGISTERS; break;
	/* libraries compare it with the targets that they were compiled for */
	case CU_FUNC_ATTRIBUTE_PTX_VERSION: *value = (int)i.target; break;
	case CU_FUNC_ATTRIBUTE_BINARY_VERSION: *value = (int)(p.major * 10 + p.minor); break;
	case CU_FUNC_ATTRIBUTE_CACHE_MODE_CA: *value = 0; break;
	case CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES: *value = (int)f->dynamic; break;
	case CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT: *value = f->carveout; break;
	case CU_FUNC_ATTRIBUTE_CLUSTER_SIZE_MUST_BE_SET: *value = i.cluster_required; break;
	case CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_WIDTH: *value = (int)i.cluster[0]; break;
	case CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_HEIGHT: *value = (int)i.cluster[1]; break;
	case CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_DEPTH: *value = (int)i.cluster[2]; break;
	case CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED: *value = f->non_portable; break;
	case CU_FUNC_ATTRIBUTE_CLUSTER_SCHEDULING_POLICY_PREFERENCE: *value = 0; break;
	default: return CUDA_ERROR_INVALID_VALUE;
	}
	return CUDA_SUCCESS;
}

CUresult cuFuncGetAttribute(int *value, int attribute, CUfunction function)
{
	CUresult r = find_function(function, value);

	return r ? r : attribute_of(value, attribute, function);
}

CUresult cuFuncSetAttribute(CUfunction function, int attribute, int value)
{
	CUresult r = find_function(function, function);
	struct ptxi_properties p;
	int shared;

	if (r)
		return r;
	switch (attribute) {
	case CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES:
		ptxi_get_properties(driver_device(), &p);
		attribute_of(&shared, CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES, function);
		if (value < 0 || (unsigned)value + (unsigned)shared > p.shared_per_block)
			return CUDA_ERROR_INVALID_VALUE;
		function->dynamic = (unsigned)value;
		return CUDA_SUCCESS;
	case CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT:
		if (value < -1 || value > 100)
			return CUDA_ERROR_INVALID_VALUE;
		function->carveout = value;
		return CUDA_SUCCESS;
	case CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED:
		function->non_portable = value != 0;
		return CUDA_SUCCESS;
	case CU_FUNC_ATTRIBUTE_CLUSTER_SCHEDULING_POLICY_PREFERENCE: return CUDA_SUCCESS;
	default: return CUDA_ERROR_INVALID_VALUE;
	}
}

CUresult cuFuncSetCacheConfig(CUfunction function, int config)
{
	CUresult r = find_function(function, function);

	return r || (config >= 0 && config <= 3) ? r : CUDA_ERROR_INVALID_VALUE;
}

CUresult cuFuncGetModule(CUmodule *module, CUfunction function)
{
	CUresult r = find_function(function, module);

	if (!r)
		*module = function->module;
	return r;
}

CUresult cuFuncGetName(const char **name, CUfunction function)
{
	CUresult r = find_function(function, name);

	if (!r)
		*name = function->name;
	return r;
}

CUresult cuFuncGetParamInfo(CUfunction function, size_t index, size_t *offset, size_t *size)
{
	CUresult r = find_function(function, offset);
	size_t bytes;

	if (r || index > INT32_MAX)
		return r ? r : CUDA_ERROR_INVALID_VALUE;
	return driver_result(ptxi_function_parameter(driver_device(), function->module->module,
		function->function, (unsigned)index, offset, size ? size : &bytes));
}

/* --- libraries: modules, whose kernels are functions --- */

CUresult cuLibraryLoadData(CUmodule *library, const void *image, int *options, void **values,
	unsigned count, int *library_options, void **library_values, unsigned library_count)
{
	(void)library_options;
	(void)library_values;
	(void)library_count;
	return cuModuleLoadDataEx(library, image, count, options, values);
}

CUresult cuLibraryUnload(CUmodule library) { return cuModuleUnload(library); }

CUresult cuLibraryGetKernel(CUfunction *kernel, CUmodule library, const char *name)
{
	return cuModuleGetFunction(kernel, library, name);
}

CUresult cuLibraryGetModule(CUmodule *module, CUmodule library)
{
	CUresult r = context_enter();

	if (r || !module || !handle_is(library, HANDLE_MODULE))
		return r ? r : CUDA_ERROR_INVALID_HANDLE;
	*module = library;
	return CUDA_SUCCESS;
}

CUresult cuLibraryGetGlobal(CUdeviceptr *address, size_t *bytes, CUmodule library, const char *name)
{
	return cuModuleGetGlobal_v2(address, bytes, library, name);
}

CUresult cuKernelGetFunction(CUfunction *function, CUfunction kernel)
{
	CUresult r = find_function(kernel, function);

	if (!r)
		*function = kernel;
	return r;
}

CUresult cuKernelGetAttribute(int *value, int attribute, CUfunction kernel, CUdevice device)
{
	return device ? CUDA_ERROR_INVALID_DEVICE : cuFuncGetAttribute(value, attribute, kernel);
}

CUresult cuKernelSetAttribute(int attribute, int value, CUfunction kernel, CUdevice device)
{
	return device ? CUDA_ERROR_INVALID_DEVICE : cuFuncSetAttribute(kernel, attribute, value);
}

/* --- occupancy --- */

enum { MOST_THREADS = 1024 }; /* of a block */

/* The most blocks of a cluster of FUNCTION. */
static unsigned most_blocks(CUfunction function)
{
	enum { PORTABLE = 8, NON_PORTABLE = 16 };

	return function->non_portable ? NON_PORTABLE : PORTABLE;
}

CUresult cuOccupancyMaxActiveBlocksPerMultiprocessor(
	int *blocks, CUfunction function, int threads, size_t shared)
{
	CUresult r = find_function(function, blocks);
	unsigned found;

	if (r || threads <= 0 || shared > UINT32_MAX)
		return r ? r : CUDA_ERROR_INVALID_VALUE;
	r = driver_result(ptxi_occupancy(driver_device(), function->module->module,
		function->function, (unsigned)threads, (unsigned)shared, &found));
	*blocks = (int)found;
	return r;
}

CUresult cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(
	int *blocks, CUfunction function, int threads, size_t shared, unsigned flags)
{
	(void)flags;
	return cuOccupancyMaxActiveBlocksPerMultiprocessor(blocks, function, threads, shared);
}

CUresult cuOccupancyMaxPotentialBlockSize(int *blocks, int *threads, CUfunction function,
	CUoccupancyB2DSize shared_of, size_t shared, int most)
{
	CUresult r = find_function(function, threads);
	struct ptxi_properties p;
	int limit, best = 0;

	if (r || !blocks)
		return r ? r : CUDA_ERROR_INVALID_VALUE;
	ptxi_get_properties(driver_device(), &p);
	attribute_of(&limit, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, function);
	if (most > 0 && most < limit)
		limit = most;
	*blocks = *threads = 0;
	/* the largest block of those that keep most threads on a multiprocessor */
	for (int n = limit; n > 0; n = n % (int)p.warp ? n - n % (int)p.warp : n - (int)p.warp) {
		int held;

		r = cuOccupancyMaxActiveBlocksPerMultiprocessor(
			&held, function, n, shared_of ? shared_of(n) : shared);
		if (r)
			return r;
		if (held * n > best) {
			best = held * n;
			*threads = n;
			*blocks = held * (int)p.multiprocessors;
		}
	}
	return CUDA_SUCCESS;
}

CUresult cuOccupancyMaxPotentialBlockSizeWithFlags(int *blocks, int *threads, CUfunction function,
	CUoccupancyB2DSize shared_of, size_t shared, int most, unsigned flags)
{
	(void)flags;
	return cuOccupancyMaxPotentialBlockSize(blocks, threads, function, shared_of, shared, most);
}

/* The blocks of one cluster of FUNCTION with the size that CONFIG or the kernel gives; 1: none
 * does. */
static unsigned cluster_blocks(CUfunction function, const CUlaunchConfig *config)
{
	unsigned size = 1;

	for (unsigned k = 0; k < 3; k++) {
		int own;

		attribute_of(&own, CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_WIDTH + (int)k, function);
		size *= own ? (unsigned)own : 1;
	}
	for (unsigned k = 0; k < config->count; k++) {
		const CUlaunchAttribute *a = &config->attributes[k];

		if (a->id == CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION)
			size = a->value.cluster[0] * a->value.cluster[1] * a->value.cluster[2];
	}
	return size;
}

/* The blocks of FUNCTION that the device holds when they are launched as CONFIG says. */
static CUresult held_blocks(unsigned *held, CUfunction function, const CUlaunchConfig *config)
{
	const size_t most = MOST_THREADS;
	CUresult r = find_function(function, config);
	struct ptxi_properties p;
	int blocks;

	if (r || (config->count && !config->attributes) || config->block[0] > most ||
		config->block[1] > most || config->block[2] > most)
		return r ? r : CUDA_ERROR_INVALID_VALUE;
	ptxi_get_properties(driver_device(), &p);
	r = cuOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, function,
		(int)(config->block[0] * config->block[1] * config->block[2]), config->shared);
	*held = (unsigned)blocks * p.multiprocessors;
	return r;
}

/* Any multiprocessors may hold the blocks of a cluster: this device has no groups of them. */
CUresult cuOccupancyMaxActiveClusters(
	int *clusters, CUfunction function, const CUlaunchConfig *config)
{
	unsigned held, size;
	CUresult r = held_blocks(&held, function, config);

	if (r || !clusters)
		return r ? r : CUDA_ERROR_INVALID_VALUE;
	size = cluster_blocks(function, config);
	if (!size || size > most_blocks(function))
		return CUDA_ERROR_INVALID_CLUSTER_SIZE;
	*clusters = (int)(held / size);
	return CUDA_SUCCESS;
}

CUresult cuOccupancyMaxPotentialClusterSize(
	int *size, CUfunction function, const CUlaunchConfig *config)
{
	unsigned held;
	CUresult r = held_blocks(&held, function, config);

	if (r || !size)
		return r ? r : CUDA_ERROR_INVALID_VALUE;
	*size = (int)(held < most_blocks(function) ? held : most_blocks(function));
	return CUDA_SUCCESS;
}
