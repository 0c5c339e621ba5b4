/* How programs find the driver's functions, and the names of its errors. */
#define _GNU_SOURCE
#include "cuda/driver.h"
#include <dlfcn.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

enum { INTERFACE = 13000 }; /* the version of the interface that is spoken: 13.0 */

CUresult cuInit(unsigned flags) { return flags ? CUDA_ERROR_INVALID_VALUE : driver_begin(); }

CUresult cuDriverGetVersion(int *version)
{
	if (!version)
		return CUDA_ERROR_INVALID_VALUE;
	*version = INTERFACE;
	return CUDA_SUCCESS;
}

static const struct {
	CUresult number;
	const char *name, *text;
} errors[] = {
#define ERROR(name, number, text) {name, #name, text},
#include "cuda/errors.def"
#undef ERROR
};

CUresult cuGetErrorName(CUresult error, const char **name)
{
	if (!name)
		return CUDA_ERROR_INVALID_VALUE;
	*name = NULL;
	for (size_t k = 0; k < sizeof errors / sizeof errors[0]; k++)
		if (errors[k].number == error)
			*name = errors[k].name;
	return *name ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

CUresult cuGetErrorString(CUresult error, const char **text)
{
	if (!text)
		return CUDA_ERROR_INVALID_VALUE;
	*text = NULL;
	for (size_t k = 0; k < sizeof errors / sizeof errors[0]; k++)
		if (errors[k].number == error)
			*text = errors[k].text;
	return *text ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

static const struct {
	const char *name;
	void (*function)(void);
	int since;
	void (*per_thread)(void); /* NULL: the same */
} functions[] = {
#define CU(name, symbol, since, parameters) {#name, (void (*)(void))symbol, since, NULL},
#define CS(name, symbol, since, suffix, parameters, arguments) \
	{#name, (void (*)(void))symbol, since, (void (*)(void))symbol##suffix},
#include "cuda/functions.def"
#undef CU
};

CUresult cuGetProcAddress_v2(
	const char *name, void **function, int version, uint64_t flags, unsigned *status)
{
	int best = 0;
	unsigned found = CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND;

	if (!name || !function)
		return CUDA_ERROR_INVALID_VALUE;
	*function = NULL;
	for (size_t k = 0; k < sizeof functions / sizeof functions[0]; k++) {
		if (strcmp(functions[k].name, name) != 0)
			continue;
		if (functions[k].since > version) {
			if (!best)
				found = CU_GET_PROC_ADDRESS_VERSION_NOT_SUFFICIENT;
		} else if (functions[k].since > best) {
			best = functions[k].since;
			found = CU_GET_PROC_ADDRESS_SUCCESS;
			memcpy(function,
				flags & CU_GET_PROC_ADDRESS_PER_THREAD && functions[k].per_thread
					? &functions[k].per_thread
					: &functions[k].function,
				sizeof *function);
		}
	}
	if (status)
		*status = found;
	return found == CU_GET_PROC_ADDRESS_SUCCESS || status ? CUDA_SUCCESS : CUDA_ERROR_NOT_FOUND;
}

CUresult cuGetProcAddress(const char *name, void **function, int version, uint64_t flags)
{
	return cuGetProcAddress_v2(name, function, version, flags, NULL);
}

/* Its tables are not documented. The CUDA runtime cannot do without them; compilers, which run in
 * the process too, can. */
CUresult cuGetExportTable(const void **table, const void *id)
{
	static atomic_flag said = ATOMIC_FLAG_INIT;
	const char *slash, *file;
	Dl_info caller;

	(void)id;
	if (table)
		*table = NULL;
	if (!dladdr(__builtin_return_address(0), &caller) || !caller.dli_fname ||
		strstr(caller.dli_fname, "libnv") || atomic_flag_test_and_set(&said))
		return CUDA_ERROR_NOT_FOUND;
	slash = strrchr(caller.dli_fname, '/');
	file = slash ? slash + 1 : caller.dli_fname;
	if (strncmp(file, "lib", 3) == 0 && strncmp(file, "libffi", 6) && strstr(file, ".so"))
		fprintf(stderr,
			"ptxi: %s has machine code and a CUDA runtime of its own: it needs a GPU; ptxi runs PTX\n",
			file);
	else
		fprintf(stderr,
			"ptxi: %s asks the driver for tables that are not documented, as NVIDIA's static CUDA runtime does; relink the program with 'nvcc -cudart shared', so that ptxi's runtime is used\n",
			caller.dli_fname);
	return CUDA_ERROR_NOT_FOUND;
}

CUresult cuProfilerStart(void) { return context_enter(); }

CUresult cuProfilerStop(void) { return context_enter(); }
