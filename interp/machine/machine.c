/* The machine as its users see it: creation, memory and symbols, running, output. */
#include "base/assert.h"
#include "base/memory.h"
#include "base/time.h"
#include "interp/state/exec.h"
#include "interp/sync/async_check.h"
#include "interp/sync/wgmma_check.h"
#include "interp/sync/async_global.h"
#include "interp/memory/memory.h"
#include "interp/memory/name.h"
#include "interp/state/limits.h"
#include "interp/machine/schedule.h"
#include "interp/state/weak_memory.h"
#include <stdlib.h>
#include <string.h>

static void choose_chooser(struct machine *m)
{
	if (m->options.schedule == SCHEDULE_RANDOM || m->options.memory == MEMORY_WEAK)
		chooser_seeded(&m->own_chooser, m->options.seed);
	else
		chooser_fast(&m->own_chooser);
	m->chooser = &m->own_chooser;
}

/* The watched loop calls the director. */
static void machine_direct(struct machine *m, struct director *d)
{
	d->machine = m;
	d->directs = false;
	d->observer.serial = true;
	machine_observe(m, &d->observer);
	m->interest |= INTEREST_INSN;
}

struct machine *machine_new(const struct ir_module *module, const struct machine_options *options,
	struct diags *findings)
{
	struct machine *m = memory_zeroed(1, sizeof *m);

	m->module = module;
	m->options = *options;
	m->findings = findings;
	if (m->options.timeout > 0 && m->options.deadline <= 0)
		m->options.deadline = time_now() + m->options.timeout;
	if (!m->options.max_output)
		m->options.max_output = MACHINE_OUTPUT;
	lock_new(&m->fault_lock);
	lock_new(&m->output_lock);
	choose_chooser(m);
	async_check_install(m);
	wgmma_check_install(m);
	if (m->options.director)
		machine_direct(m, m->options.director);
	m->schedule = schedule_new(m);
	m->code = (struct code){.module = module,
		.findings = findings,
		.arena = &m->arena,
		/* a debugger shows registers that no instruction reads, too */
		.keeps_registers = m->options.director != NULL,
		.reconverges = m->options.schedule == SCHEDULE_LOCKSTEP};
	memory_new(m);
	if (!machine_load(m)) {
		machine_free(m);
		return NULL;
	}
	return m;
}

bool machine_load(struct machine *m)
{
	const struct code_scope *s;

	code_layout(&m->code);
	s = &m->code.scope[m->code.nscopes - 1];
	m->by_form = NULL; /* of machine_stats(): its counters get another size */
	if (m->code.nscopes > 1) {
		uint32_t interest = m->interest;

		async_check_install(m);
		if (m->interest != interest)
			bind_again(m);
		if (machine_watches(m, INTEREST_LIFE))
			observers_life(m, &(struct life_event){LIFE_LOADED, NULL, NULL, NULL, 0});
	}
	if (memory_load(m, s->var, s->nvars))
		return true;
	code_unload(&m->code, m->code.nscopes - 1);
	m->looked = 0;
	return false;
}

uint32_t machine_scopes(const struct machine *m) { return m->code.nscopes; }

bool machine_provides(const char *name) { return code_provided(name) >= 0; }

void machine_unload(struct machine *m, uint32_t scope, const char *where)
{
	const struct code_scope *s = &m->code.scope[scope];

	memory_unload(m, s->var, s->nvars, where);
	code_unload(&m->code, scope);
	for (unsigned k = 0; k < m->nworkers; k++)
		worker_uncount(&m->worker[k]);
	m->looked = 0;
	if (machine_watches(m, INTEREST_LIFE))
		observers_life(m, &(struct life_event){LIFE_UNLOADED, NULL, NULL, NULL, 0});
}

void machine_free(struct machine *m)
{
	if (!m)
		return;
	schedule_free(m->schedule);
	async_global_free(m);
	if (m->memory)
		memory_free(m);
	code_free(&m->code);
	for (unsigned k = 0; k < m->nworkers; k++)
		worker_done(&m->worker[k]);
	memory_drop(m->worker);
	vec_free(&m->launches);
	arena_free(&m->launch_arena);
	text_free(&m->output);
	pthread_mutex_destroy(&m->fault_lock);
	pthread_mutex_destroy(&m->output_lock);
	arena_free(&m->arena);
	memory_drop(m);
}

uint64_t machine_alloc(struct machine *m, uint64_t size, const char *name, bool initialised)
{
	return memory_alloc(m, size, name, initialised);
}

enum machine_release machine_release(struct machine *m, uint64_t address, const char *where)
{
	struct memory_block *b = memory_find(m->memory, address);

	if (b->kind != MEMORY_BUFFER)
		return RELEASE_OF_NOTHING;
	if (b->freed)
		return RELEASE_TWICE;
	if (b->base != address)
		return RELEASE_INSIDE;
	memory_release(m, b, where);
	return MACHINE_RELEASED;
}

bool machine_contains(const struct machine *m, uint64_t address, uint64_t size)
{
	return !size || memory_inside(memory_find(m->memory, address), address, size);
}

void machine_describe(const struct machine *m, uint64_t address, struct text *out)
{
	name_memory(m->memory, address, 1, out);
}

bool machine_copy(struct machine *m, uint64_t to, uint64_t from, uint64_t size)
{
	bool fits = memory_copy_within(m->memory, to, from, size);

	if (fits && size) {
		memory_was_read(m, from, size);
		memory_overwritten(m, to, size);
	}
	return fits;
}

bool machine_fill(
	struct machine *m, uint64_t address, const void *value, unsigned width, uint64_t count)
{
	bool fits = memory_fill(m->memory, address, value, width, count);

	if (fits && count)
		memory_overwritten(m, address, count * width);
	return fits;
}

uint64_t machine_adopt(struct machine *m, void *host, uint64_t size, const char *name)
{
	const struct memory_block *b = memory_adopt(m->memory, host, size, name);

	return b ? b->base : 0;
}

uint64_t machine_alloc_mapped(struct machine *m, uint64_t size, const char *name, bool initialised)
{
	const struct memory_block *b = memory_add_mapped(
		m->memory, MEMORY_BUFFER, size, name, initialised);

	return b ? b->base : 0;
}

void machine_element(struct machine *m, uint64_t address, uint32_t bytes)
{
	struct memory_block *b = memory_find(m->memory, address);

	if (b->size)
		b->element = bytes;
}

void machine_array(struct machine *m, uint64_t address)
{
	memory_find(m->memory, address)->array = true;
}

uint64_t machine_texture(struct machine *m, uint64_t handle, const struct texture *t, bool anywhere)
{
	const struct memory_block *b = memory_find(m->memory, t->address);

	return anywhere || memory_inside(b, t->address, texture_bytes(t))
		? memory_texture_put(m->memory, handle, t)
		: 0;
}

bool machine_drop_texture(struct machine *m, uint64_t handle)
{
	return memory_texture_drop(m->memory, handle);
}

bool machine_write(struct machine *m, uint64_t address, const void *data, uint64_t size)
{
	return memory_host_write(m, address, data, size);
}

bool machine_read(struct machine *m, uint64_t address, void *data, uint64_t size, uint8_t *defined)
{
	return memory_host_read(m, address, data, size, defined);
}

static bool is_global(const struct machine *m, uint32_t var)
{
	unsigned space = m->module->var[var].space;

	return space == W_global || space == W_const;
}

bool machine_symbol(struct machine *m, const char *name, uint64_t *address, uint64_t *size)
{
	uint32_t var = ir_find_var(m->module, name);

	if (var == IR_NONE || !is_global(m, var))
		return false;
	*address = memory_var_address(m, var);
	*size = m->module->var[var].size;
	return true;
}

uint64_t machine_variable(const struct machine *m, uint32_t var)
{
	return is_global(m, var) ? memory_var_address(m, var) : 0;
}

bool machine_find(const struct machine *m, uint64_t address, struct machine_allocation *out)
{
	const struct memory_block *b = memory_find(m->memory, address);

	*out = (struct machine_allocation){b->base, b->size, b->kind != MEMORY_BUFFER, b->mapped};
	return memory_inside(b, address, 1);
}

void machine_memory(const struct machine *m, uint64_t *used, uint64_t *limit)
{
	*used = m->memory->total;
	*limit = m->memory->limit;
}

uint64_t machine_function_address(struct machine *m, uint32_t func)
{
	return window_function(m->module, func);
}

void machine_record(struct machine *m, uint32_t event, uint32_t stream)
{
	schedule_record(m->schedule, event, stream);
}

void machine_wait(struct machine *m, uint32_t event, uint32_t stream)
{
	schedule_wait(m->schedule, event, stream);
}

/* The host has waited for all launches. */
static void settle(struct machine *m)
{
	if (m->weak)
		m->weak_memory->settle(m->weak);
	schedule_settle(m->schedule);
	if (m->settled_order == m->next_order)
		return;
	if (machine_watches(m, INTEREST_LIFE))
		observers_life(m, &(struct life_event){LIFE_SETTLED, NULL, NULL, NULL, 0});
	m->settled_order = m->next_order;
	if (m->options.director) /* a debugger shows launches by their numbers */
		return;
	for (uint32_t k = 0; k < m->launches.count; k++) {
		const struct launch *l = m->launches.data[k];

		m->settled_ctas += l->nctas;
		if (l->workspace)
			memory_release(
				m, memory_find(m->memory, l->workspace), "the end of its grid");
	}
	m->settled += m->launches.count;
	m->launches.count = 0;
	if (!m->options.trace)
		arena_free(&m->launch_arena);
}

static void do_work(void *self)
{
	const struct host_work *w = self;

	w->machine->work = w;
	w->work(w->self);
	w->machine->work = NULL;
}

void machine_work(
	struct machine *m, uint32_t stream, const char *what, void (*work)(void *self), void *self)
{
	struct host_work *w = ARENA_NEW(&m->launch_arena, struct host_work);

	*w = (struct host_work){
		m, arena_text(&m->launch_arena, what, strlen(what)), m->next_order++, work, self};
	schedule_work(m->schedule, stream, w->order, do_work, w);
}

static bool run_all(struct machine *m)
{
	if (m->options.memory == MEMORY_WEAK && !m->weak)
		never(); /* the creator of the machine did not call sampler_attach() */
	if (!atomic_load(&m->stop)) {
		schedule_run(m->schedule);
		limits_pass_output(m, true);
	}
	return !atomic_load(&m->stop);
}

static enum machine_status status_of(const struct machine *m)
{
	int stop = atomic_load(&m->stop);

	return stop ? (enum machine_status)(stop - 1) : MACHINE_DONE;
}

enum machine_status machine_sync(struct machine *m)
{
	if (run_all(m))
		settle(m);
	return status_of(m);
}

enum machine_status machine_run(struct machine *m)
{
	/* to remember all launches for ever would cost too much: at most a race is missed */
	if (run_all(m) && schedule_is_long(m->schedule))
		settle(m);
	return status_of(m);
}

enum machine_status machine_sync_stream(struct machine *m, uint32_t stream)
{
	if (!run_all(m))
		return status_of(m);
	schedule_host_stream(m->schedule, stream);
	if (schedule_is_only(m->schedule, stream) || schedule_is_long(m->schedule))
		settle(m);
	return status_of(m);
}

enum machine_status machine_sync_event(struct machine *m, uint32_t event)
{
	if (!run_all(m))
		return status_of(m);
	schedule_host_event(m->schedule, event);
	if (schedule_is_long(m->schedule))
		settle(m);
	return status_of(m);
}

uint32_t machine_queued(const struct machine *m) { return schedule_queued(m->schedule); }

const char *machine_output(struct machine *m, size_t *len)
{
	*len = m->output.len;
	return text_str(&m->output);
}

void machine_clear_output(struct machine *m)
{
	text_clear(&m->output);
	m->passed = 0;
}
