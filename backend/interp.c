/* The interpreter as a backend: the operations of a host program map to calls of
 * interp/machine.h. */
#include "backend/interp.h"
#include "backend/native.h"
#include "check/race.h"
#include "profile/profile.h"
#include "trace/trace.h"
#include "weak/sampler.h"
#include "interp/state/state.h"
#include <stdio.h>

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

static uint64_t interp_texture(void *self, uint64_t handle, const struct texture *t)
{
	return machine_texture(self, handle, t, false);
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

static enum machine_status interp_sync(void *self) { return machine_sync(self); }

static const char *interp_output(void *self, size_t *len) { return machine_output(self, len); }

static bool interp_stats(void *self, struct machine_stats *out)
{
	const struct machine *m = self;
	struct text engine = {0};

	machine_stats(self, out);
	if (m->options.engine != ENGINE_INTERPRETER)
		native_describe(m, &engine);
	snprintf(out->engine, sizeof out->engine, "%s", text_str(&engine));
	text_free(&engine);
	return true;
}

static const struct profile_count *interp_profile(void *self) { return profile_of(self); }

static void interp_keep(void *self, bool on) { machine_keep_registers(self, on); }

static bool interp_reg(void *self, uint32_t thread, uint32_t reg, uint64_t *value, bool *defined)
{
	return machine_register(self, thread, reg, value, defined);
}

static void interp_close(void *self)
{
	native_detach(self);
	race_detach(self);
	profile_detach(self);
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
		if (r->options->profile)
			profile_attach(m);
		native_attach(m);
	}
	*out = (struct backend){
		.self = m,
		.alloc = interp_alloc,
		.element = interp_element,
		.write = interp_write,
		.read = interp_read,
		.symbol = interp_symbol,
		.texture = interp_texture,
		.function = interp_function,
		.launch = interp_launch,
		.record = interp_record,
		.wait = interp_wait,
		.sync = interp_sync,
		.output = interp_output,
		.stats = interp_stats,
		.profile = interp_profile,
		.keep_registers = interp_keep,
		.reg = interp_reg,
		.close = interp_close,
	};
	return m != NULL;
}
