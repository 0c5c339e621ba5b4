/* The machine as its users see it: creation, memory and symbols, running, output. */
#include "base/assert.h"
#include "base/memory.h"
#include "base/time.h"
#include "interp/sync/async_check.h"
#include "interp/sync/async_global.h"
#include "interp/memory/memory.h"
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
	if (m->options.director)
		machine_direct(m, m->options.director);
	m->schedule = schedule_new(m);
	m->code = (struct code){.module = module,
		.findings = findings,
		.arena = &m->arena,
		/* a debugger shows registers that no instruction reads, too */
		.keeps_registers = m->options.director != NULL,
		.reconverges = m->options.schedule == SCHEDULE_LOCKSTEP};
	code_layout(&m->code);
	if (!memory_new(m)) {
		machine_free(m);
		return NULL;
	}
	return m;
}

void machine_free(struct machine *m)
{
	if (!m)
		return;
	schedule_free(m->schedule);
	async_global_free(m);
	if (m->memory)
		memory_free(m);
	for (unsigned k = 0; k < m->nworkers; k++)
		worker_done(&m->worker[k]);
	memory_drop(m->worker);
	vec_free(&m->launches);
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

void machine_element(struct machine *m, uint64_t address, uint32_t bytes)
{
	struct memory_block *b = memory_find(m->memory, address);

	if (b->size)
		b->element = bytes;
}

bool machine_write(struct machine *m, uint64_t address, const void *data, uint64_t size)
{
	return memory_host_write(m, address, data, size);
}

bool machine_read(struct machine *m, uint64_t address, void *data, uint64_t size, uint8_t *defined)
{
	return memory_host_read(m, address, data, size, defined);
}

bool machine_symbol(struct machine *m, const char *name, uint64_t *address, uint64_t *size)
{
	uint32_t var = ir_find_var(m->module, name);

	if (var == IR_NONE ||
		(m->module->var[var].space != W_global && m->module->var[var].space != W_const))
		return false;
	*address = memory_var_address(m, var);
	*size = m->module->var[var].size;
	return true;
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

enum machine_status machine_sync(struct machine *m)
{
	int stop = atomic_load(&m->stop);

	if (m->options.memory == MEMORY_WEAK && !m->weak)
		never(); /* the creator of the machine did not call sampler_attach() */
	if (!stop) {
		schedule_run(m->schedule);
		limits_pass_output(m, true);
		stop = atomic_load(&m->stop);
		if (m->weak && !stop)
			m->weak_memory->settle(m->weak);
	}
	return stop ? (enum machine_status)(stop - 1) : MACHINE_DONE;
}

const char *machine_output(struct machine *m, size_t *len)
{
	*len = m->output.len;
	return text_str(&m->output);
}
