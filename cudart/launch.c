/* The modules that a program contains, their functions and variables, and launches. */
#include "cudart/runtime.h"
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* --- what the program contains --- */

/* A fat binary of the program, loaded when something of it is used first. */
struct binary {
	struct binary *next;
	const void *image;
	CUmodule module;
	int error;
	bool loaded;
};

/* A function or variable, known to host code by the address of its stand-in. */
struct symbol {
	struct symbol *next;
	const void *host;
	struct binary *binary;
	const char *name;
	CUfunction function; /* NULL: not looked up yet, or a variable */
	bool variable;
	void **managed; /* NULL, or where host code reads the address of a managed variable */
};

enum { BUCKETS = 1024 };

static struct {
	pthread_mutex_t lock;
	struct symbol *symbol[BUCKETS];
} known = {.lock = PTHREAD_MUTEX_INITIALIZER};

static struct symbol **bucket(const void *host)
{
	return &known.symbol[((uintptr_t)host >> 3) % BUCKETS];
}

static void add_symbol(
	void **handle, const void *host, const char *name, bool variable, void **managed)
{
	struct symbol *s = calloc(1, sizeof *s);

	if (!s)
		return;
	s->host = host;
	s->binary = (struct binary *)handle;
	s->name = name;
	s->variable = variable;
	s->managed = managed;
	pthread_mutex_lock(&known.lock);
	s->next = *bucket(host);
	*bucket(host) = s;
	pthread_mutex_unlock(&known.lock);
}

void **__cudaRegisterFatBinary(void *wrapper)
{
	struct binary *b = calloc(1, sizeof *b);

	if (b)
		b->image = wrapper;
	return (void **)b;
}

void __cudaRegisterFatBinaryEnd(void **handle) { (void)handle; }

/* The program ends: the driver prints what it has found, and nothing needs to be unloaded. */
void __cudaUnregisterFatBinary(void **handle) { (void)handle; }

void __cudaRegisterFunction(void **handle, const char *entry, char *device_entry, const char *name,
	int threads, void *tid, void *bid, struct dim3 *block, struct dim3 *grid, int *warps)
{
	(void)device_entry;
	(void)threads;
	(void)tid;
	(void)bid;
	(void)block;
	(void)grid;
	(void)warps;
	add_symbol(handle, entry, name, false, NULL);
}

void __cudaRegisterVar(void **handle, char *variable, char *device_variable, const char *name,
	int external, size_t size, int constant, int global)
{
	(void)device_variable;
	(void)external;
	(void)size;
	(void)constant;
	(void)global;
	add_symbol(handle, variable, name, true, NULL);
}

void __cudaRegisterManagedVar(void **handle, void **pointer, char *device_variable,
	const char *name, int external, size_t size, int constant, int global)
{
	(void)device_variable;
	(void)external;
	(void)size;
	(void)constant;
	(void)global;
	add_symbol(handle, pointer, name, true, pointer);
}

/* --- looking it up --- */

static int load(struct binary *b)
{
	if (!b)
		return cudaErrorMemoryAllocation;
	if (!b->loaded) {
		b->error = (int)cuModuleLoadData(&b->module, b->image);
		b->loaded = true;
	}
	return b->error;
}

/* The lock is held. */
static int find(const void *host, bool variable, struct symbol **out)
{
	struct symbol *s = *bucket(host);

	while (s && (s->host != host || s->variable != variable))
		s = s->next;
	*out = s;
	if (!s)
		return variable ? cudaErrorInvalidSymbol : cudaErrorInvalidDeviceFunction;
	return load(s->binary);
}

/* The result R of looking for a name; without one of the module it is NONE. */
static int missing(CUresult r, int none) { return r == CUDA_ERROR_NOT_FOUND ? none : (int)r; }

static int look_up(const void *entry, CUfunction *out)
{
	struct symbol *s;
	int error = find(entry, false, &s);

	if (!error && !s->function)
		error = missing(cuModuleGetFunction(&s->function, s->binary->module, s->name),
			cudaErrorInvalidDeviceFunction);
	if (!error)
		*out = s->function;
	return error;
}

cudaError_t runtime_function(const void *entry, CUfunction *out)
{
	int error = runtime_begin();

	pthread_mutex_lock(&known.lock);
	error = error ? error : look_up(entry, out);
	pthread_mutex_unlock(&known.lock);
	return runtime_end(error);
}

cudaError_t runtime_variable(const void *symbol, CUdeviceptr *address, size_t *size)
{
	int error = runtime_begin();
	struct symbol *s;

	pthread_mutex_lock(&known.lock);
	error = error ? error : find(symbol, true, &s);
	if (!error)
		error = missing(cuModuleGetGlobal_v2(address, size, s->binary->module, s->name),
			cudaErrorInvalidSymbol);
	pthread_mutex_unlock(&known.lock);
	return runtime_end(error);
}

/* Called before host code uses a managed variable. */
char __cudaInitModule(void **handle)
{
	int error = runtime_begin();

	pthread_mutex_lock(&known.lock);
	error = error ? error : load((struct binary *)handle);
	for (unsigned k = 0; k < BUCKETS && !error; k++)
		for (struct symbol *s = known.symbol[k]; s; s = s->next) {
			CUdeviceptr address;

			if (s->managed && s->binary == (struct binary *)handle &&
				!cuModuleGetGlobal_v2(&address, NULL, s->binary->module, s->name))
				*s->managed = (void *)(uintptr_t)address;
		}
	pthread_mutex_unlock(&known.lock);
	return runtime_end(error) == cudaSuccess;
}

cudaError_t __cudaGetKernel(CUfunction *kernel, const void *entry)
{
	return runtime_function(entry, kernel);
}

cudaError_t cudaGetFuncBySymbol(CUfunction *function, const void *entry)
{
	return runtime_function(entry, function);
}

/* --- launches --- */

/* What <<<...>>> says, until the kernel's stand-in is called; they can be nested in arguments. */
struct configuration {
	struct dim3 grid, block;
	size_t shared;
	CUstream stream;
};
enum { DEEPEST = 64 };
static _Thread_local struct {
	struct configuration of[DEEPEST];
	unsigned n;
} configurations;

unsigned __cudaPushCallConfiguration(
	struct dim3 grid, struct dim3 block, size_t shared, CUstream stream)
{
	if (configurations.n == DEEPEST)
		return cudaErrorMissingConfiguration;
	configurations.of[configurations.n++] = (struct configuration){grid, block, shared, stream};
	return 0;
}

cudaError_t __cudaPopCallConfiguration(
	struct dim3 *grid, struct dim3 *block, size_t *shared, void *stream)
{
	const struct configuration *c;

	if (!configurations.n)
		return runtime_end(cudaErrorMissingConfiguration);
	c = &configurations.of[--configurations.n];
	*grid = c->grid;
	*block = c->block;
	*shared = c->shared;
	memcpy(stream, &c->stream, sizeof c->stream);
	return cudaSuccess;
}

/* The runtime calls a shape that no device has an invalid configuration. */
static cudaError_t launched(CUresult r)
{
	return runtime_end(r == CUDA_ERROR_INVALID_VALUE ? cudaErrorInvalidConfiguration : (int)r);
}

static CUlaunchConfig driver_config(const struct cudaLaunchConfig *c)
{
	return (CUlaunchConfig){{c->grid.x, c->grid.y, c->grid.z},
		{c->block.x, c->block.y, c->block.z}, (unsigned)c->shared, c->stream, c->attributes,
		c->count};
}

static cudaError_t launch(CUfunction f, const struct cudaLaunchConfig *c, void **args)
{
	CUlaunchConfig config = driver_config(c);
	int error = runtime_begin();

	if (error || c->shared > UINT32_MAX)
		return runtime_end(error ? error : cudaErrorInvalidValue);
	return launched(cuLaunchKernelEx(&config, f, args, NULL));
}

cudaError_t __cudaLaunchKernel(CUfunction kernel, struct dim3 grid, struct dim3 block, void **args,
	size_t shared, CUstream stream)
{
	struct cudaLaunchConfig c = {grid, block, shared, stream, NULL, 0};
	cudaError_t error;

	if (kernel)
		error = launch(kernel, &c, args);
	else /* __cudaGetKernel failed, and said why */
		error = runtime_end(cudaErrorInvalidDeviceFunction);
	/* what <<<...>>> calls drops the error */
	if (error)
		__ptxi_error(error, cudaGetErrorName(error));
	return error;
}

cudaError_t cudaLaunchKernelExC(
	const struct cudaLaunchConfig *config, const void *entry, void **args)
{
	CUfunction f;
	cudaError_t error = config ? runtime_function(entry, &f)
				   : runtime_end(cudaErrorInvalidValue);

	return error ? error : launch(f, config, args);
}

cudaError_t cudaLaunchKernel(const void *entry, struct dim3 grid, struct dim3 block, void **args,
	size_t shared, CUstream stream)
{
	struct cudaLaunchConfig c = {grid, block, shared, stream, NULL, 0};

	return cudaLaunchKernelExC(&c, entry, args);
}

cudaError_t cudaLaunchCooperativeKernel(const void *entry, struct dim3 grid, struct dim3 block,
	void **args, size_t shared, CUstream stream)
{
	CUlaunchAttribute a = {.id = CU_LAUNCH_ATTRIBUTE_COOPERATIVE, .value.cooperative = 1};
	struct cudaLaunchConfig c = {grid, block, shared, stream, &a, 1};

	return cudaLaunchKernelExC(&c, entry, args);
}

/* --- attributes --- */

cudaError_t runtime_attributes(void *out, size_t bytes, const void *entry)
{
	struct cudaFuncAttributes found;
	int v[CU_FUNC_ATTRIBUTE_CLUSTER_SCHEDULING_POLICY_PREFERENCE + 1];
	CUfunction f;
	cudaError_t error = out ? runtime_function(entry, &f) : runtime_end(cudaErrorInvalidValue);

	if (error)
		return error;
	for (int k = 0; k < (int)(sizeof v / sizeof v[0]); k++)
		cuFuncGetAttribute(&v[k], k, f);
	found = (struct cudaFuncAttributes){
		.shared = (size_t)v[CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES],
		.constant = (size_t)v[CU_FUNC_ATTRIBUTE_CONST_SIZE_BYTES],
		.local = (size_t)v[CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES],
		.threads = v[CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK],
		.registers = v[CU_FUNC_ATTRIBUTE_NUM_REGS],
		.ptx_version = v[CU_FUNC_ATTRIBUTE_PTX_VERSION],
		.binary_version = v[CU_FUNC_ATTRIBUTE_BINARY_VERSION],
		.cache_mode = v[CU_FUNC_ATTRIBUTE_CACHE_MODE_CA],
		.dynamic = v[CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES],
		.carveout = v[CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT],
		.cluster_required = v[CU_FUNC_ATTRIBUTE_CLUSTER_SIZE_MUST_BE_SET],
		.cluster = {v[CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_WIDTH],
			v[CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_HEIGHT],
			v[CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_DEPTH]},
		.cluster_policy = v[CU_FUNC_ATTRIBUTE_CLUSTER_SCHEDULING_POLICY_PREFERENCE],
		.cluster_any = v[CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED]};
	memcpy(out, &found, bytes);
	return cudaSuccess;
}

cudaError_t cudaFuncSetAttribute(const void *entry, int attribute, int value)
{
	CUfunction f;
	cudaError_t error = runtime_function(entry, &f);

	return error ? error : runtime_end(cuFuncSetAttribute(f, attribute, value));
}

cudaError_t cudaFuncSetCacheConfig(const void *entry, int config)
{
	CUfunction f;
	cudaError_t error = runtime_function(entry, &f);

	return error ? error : runtime_end(cuFuncSetCacheConfig(f, config));
}

cudaError_t cudaFuncGetName(const char **name, const void *entry)
{
	CUfunction f;
	cudaError_t error = runtime_function(entry, &f);

	return error ? error : runtime_end(cuFuncGetName(name, f));
}

cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(
	int *blocks, const void *entry, int threads, size_t shared)
{
	CUfunction f;
	cudaError_t error = runtime_function(entry, &f);

	return error ? error
		     : runtime_end(cuOccupancyMaxActiveBlocksPerMultiprocessor(
			       blocks, f, threads, shared));
}

cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(
	int *blocks, const void *entry, int threads, size_t shared, unsigned flags)
{
	(void)flags;
	return cudaOccupancyMaxActiveBlocksPerMultiprocessor(blocks, entry, threads, shared);
}

/* ASK answers about a launch of ENTRY as CONFIG says. */
static cudaError_t occupancy(CUresult ask(int *, CUfunction, const CUlaunchConfig *), int *out,
	const void *entry, const struct cudaLaunchConfig *config)
{
	CUfunction f;
	cudaError_t error = runtime_function(entry, &f);
	CUlaunchConfig c;

	if (error)
		return error;
	if (!config || config->shared > UINT32_MAX)
		return runtime_end(cudaErrorInvalidValue);
	c = driver_config(config);
	return runtime_end(ask(out, f, &c));
}

cudaError_t cudaOccupancyMaxActiveClusters(
	int *clusters, const void *entry, const struct cudaLaunchConfig *config)
{
	return occupancy(cuOccupancyMaxActiveClusters, clusters, entry, config);
}

cudaError_t cudaOccupancyMaxPotentialClusterSize(
	int *size, const void *entry, const struct cudaLaunchConfig *config)
{
	return occupancy(cuOccupancyMaxPotentialClusterSize, size, entry, config);
}
