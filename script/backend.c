/* Which backends there are, and the interpreter as one. */
#include "script/backend.h"
#include "check/race.h"
#include "trace/trace.h"
#include "weak/sampler.h"
#include <string.h>

static uint64_t interp_alloc(void *self, uint64_t size, const char *name, bool initialised)
{
	return machine_alloc(self, size, name, initialised);
}

static void interp_element(void *self, uint64_t address, uint32_t bytes)
{
	machine_element(self, address, bytes);
}

static bool interp_write(void *self, uint64_t address, const void *data, uint64_t size)
{
	return machine_write(self, address, data, size);
}

static bool interp_read(void *self, uint64_t address, void *data, uint64_t size, uint8_t *defined)
{
	return machine_read(self, address, data, size, defined);
}

static bool interp_symbol(void *self, const char *name, uint64_t *address, uint64_t *size)
{
	return machine_symbol(self, name, address, size);
}

static uint64_t interp_function(void *self, uint32_t func)
{
	return machine_function_address(self, func);
}

static bool interp_launch(void *self, const struct machine_launch *launch)
{
	return machine_launch(self, launch);
}

static void interp_record(void *self, uint32_t event, uint32_t stream)
{
	machine_record(self, event, stream);
}

static void interp_wait(void *self, uint32_t event, uint32_t stream)
{
	machine_wait(self, event, stream);
}

static enum machine_status interp_sync(void *self)
{
	return machine_sync(self);
}

static const char *interp_output(void *self, size_t *len)
{
	return machine_output(self, len);
}

static bool interp_stats(void *self, struct machine_stats *out)
{
	machine_stats(self, out);
	return true;
}

static void interp_keep(void *self, bool on)
{
	machine_keep_registers(self, on);
}

static bool interp_reg(void *self, uint32_t thread, uint32_t reg, uint64_t *value, bool *defined)
{
	return machine_register(self, thread, reg, value, defined);
}

static void interp_close(void *self)
{
	race_detach(self);
	trace_uninstall(self);
	sampler_detach(self);
	machine_free(self);
}

bool backend_open_interp(const struct backend_request *r, struct backend *out)
{
	struct machine *m = machine_new(r->module, r->options, r->findings);

	if (m) {
		trace_install(m);
		sampler_attach(m);
		if (r->options->checks & CHECK_RACE)
			race_attach(m);
	}
	*out = (struct backend){
		.self = m,
		.alloc = interp_alloc,
		.element = interp_element,
		.write = interp_write,
		.read = interp_read,
		.symbol = interp_symbol,
		.function = interp_function,
		.launch = interp_launch,
		.record = interp_record,
		.wait = interp_wait,
		.sync = interp_sync,
		.output = interp_output,
		.stats = interp_stats,
		.keep_registers = interp_keep,
		.reg = interp_reg,
		.close = interp_close,
	};
	return m != NULL;
}

bool backend_open(const struct backend_request *r, struct backend *out)
{
	return r->kind == BACKEND_GPU ? backend_open_gpu(r, out) : backend_open_interp(r, out);
}

unsigned backend_checks(enum backend_kind kind)
{
	return kind == BACKEND_INTERP ? CHECK_BOUNDS | CHECK_SYNC | CHECK_INIT | CHECK_RACE : 0;
}

const char *backend_lacks(enum backend_kind kind, const char *need)
{
	if (strcmp(need, "gpu") == 0)
		return kind == BACKEND_GPU ? gpu_lacks() : "it requires a GPU (--on=gpu)";
	if (strcmp(need, "interp") == 0)
		return kind == BACKEND_INTERP ? NULL : "it requires the interpreter (--on=interp)";
	if (strcmp(need, "weak") == 0)
		return NULL;
	if (strcmp(need, "race") == 0)
		return backend_checks(kind) & CHECK_RACE ? NULL : "only the interpreter finds races (--on=interp)";
	if (strcmp(need, "init") == 0)
		return backend_checks(kind) & CHECK_INIT ? NULL : "only the interpreter finds uninitialised reads (--on=interp)";
	if (strcmp(need, "explore") == 0)
		return kind == BACKEND_INTERP ? NULL : "only the interpreter explores (--on=interp)";
	return NULL; /* sm_NN: the interpreter executes every target */
}
