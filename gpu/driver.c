/* Loads the CUDA driver: dlopen of libcuda.so.1, then every entry point by name. If one is missing,
 * the driver is too old. */
#include "gpu/driver.h"
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

/* dlsym() returns functions as void *; ISO C does not allow converting that to a function pointer,
 * but copying it works. */
static _Bool driver_find(void *library, const char *symbol, void *pointer, size_t size)
{
	void *found = dlsym(library, symbol);
	memcpy(pointer, &found, size);
	return found != NULL;
}

_Bool driver_open(struct driver *d, const char **why)
{
	memset(d, 0, sizeof *d);
	d->library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
	if (!d->library) {
		*why = "no CUDA driver on this machine (libcuda.so.1 was not found)";
		return 0;
	}
#define CU_FIND(name, symbol, params) \
	if (!driver_find(d->library, symbol, &d->name, sizeof d->name)) { \
		*why = "the CUDA driver is too old: it has no " symbol; \
		return 0; \
	}
	CU_FUNCTIONS(CU_FIND)
#undef CU_FIND
	cu_result r = d->init(0);
	if (r != 0) {
		*why = driver_error(d, r);
		return 0;
	}
	int count = 0;
	if (d->driver_version(&d->version) != 0 || d->device_count(&count) != 0 || count < 1) {
		*why = "the CUDA driver found no device";
		return 0;
	}
	return 1;
}

void driver_close(struct driver *d)
{
	/* The library stays loaded: the driver's own threads may still be running, and the process
	 * ends soon anyway. */
	memset(d, 0, sizeof *d);
}

const char *driver_error(const struct driver *d, cu_result error)
{
	static char words[256];
	const char *name = NULL, *text = NULL;

	if (!d->error_name || d->error_name(error, &name) != 0 || !name ||
		d->error_text(error, &text) != 0 || !text)
		snprintf(words, sizeof words, "CUDA driver error %d", error);
	else
		snprintf(words, sizeof words, "%s: %s", name, text);
	return words;
}
