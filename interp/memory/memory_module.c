/* The module's memory: its .global and .const variables with their initialisers, and the part of
 * the address space that the rest of interp/ uses. */
#include "base/memory.h"
#include "interp/memory/memory.h"
#include "interp/memory/runtime_heap.h"
#include "interp/state/state.h"
#include "interp/state/weak_memory.h"
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static bool is_memory(const struct ir_var *v)
{
	return v->space == W_global || v->space == W_const || v->space == W_tex;
}

uint64_t memory_var_address(const struct machine *m, uint32_t var)
{
	return m->code.var_at[var] +
		(m->module->var[var].space == W_const ? MEMORY_CONST_WINDOW : 0);
}

static bool variable_fails(
	struct machine *m, const struct ir_var *v, enum diag_code code, const char *why)
{
	const char *name = symbol_shown(&m->module->symbols, v->name);

	diag_report(m->findings, code, m->module->source, v->span,
		"variable '%s' of %" PRIu64 " bytes %s", name, v->size, why);
	return false;
}

static bool add_variable(struct machine *m, uint32_t var)
{
	const struct ir_var *v = &m->module->var[var];
	const char *name = symbol_shown(&m->module->symbols, v->name);
	struct memory_block *b;

	if (v->managed && m->options.shares_managed && v->size)
		b = memory_add_mapped(m->memory, MEMORY_VARIABLE, v->size, name, true);
	else
		b = memory_add(m->memory, v->space == W_const ? MEMORY_CONSTANT : MEMORY_VARIABLE,
			v->size, name, true);

	if (!b)
		return variable_fails(m, v, DIAG_F0111,
			v->space == W_const ? "does not fit into .const memory"
					    : "does not fit into this machine's memory");
	b->element = type_bytes((enum type)v->type) * (v->vector ? v->vector : 1u);
	m->code.var_at[var] = b->base - (v->space == W_const ? MEMORY_CONST_WINDOW : 0);
	if (v->data != IR_NONE && v->ndata)
		memcpy(b->host, m->module->data + v->data,
			v->ndata < v->size ? v->ndata : (size_t)v->size);
	return true;
}

/* The value of an address in an initialiser. */
static uint64_t reloc_target(struct machine *m, const struct ir_reloc *r)
{
	uint64_t value;

	if (r->is_func)
		return window_function(m->module, r->index) + (uint64_t)r->addend;
	value = m->code.var_at[r->index] + (uint64_t)r->addend;
	return r->generic && m->module->var[r->index].space == W_const ? value + MEMORY_CONST_WINDOW
								       : value;
}

static void relocate(struct machine *m, uint32_t var)
{
	const struct ir_var *v = &m->module->var[var];
	struct memory_block *b = memory_find(m->memory, memory_var_address(m, var));

	for (uint32_t k = 0; k < v->nrelocs; k++) {
		const struct ir_reloc *r = &m->module->reloc[v->reloc + k];
		uint64_t value = reloc_target(m, r) >> (r->shift & 63);

		if (r->size <= 8 && (uint64_t)r->at + r->size <= b->size)
			memcpy(b->host + r->at, &value, r->size);
	}
}

/* Whether what was loaded last calls malloc. */
static bool wants_heap(const struct machine *m)
{
	const struct ir_module *ir = m->module;
	const struct code_scope *s = &m->code.scope[m->code.nscopes - 1];
	uint32_t name = symbol_find(&ir->symbols, "malloc", strlen("malloc"));

	for (uint32_t k = s->func; name && k < s->func + s->nfuncs; k++)
		if (ir->func[k].name == name && !ir->func[k].has_body)
			return true;
	return false;
}

void memory_new(struct machine *m)
{
	m->memory = memory_zeroed(1, sizeof *m->memory);
	memory_begin(m->memory, (m->options.checks & CHECK_INIT) != 0);
	if (m->options.max_memory)
		m->memory->limit = m->options.max_memory;
}

bool memory_load(struct machine *m, uint32_t var, uint32_t n)
{
	const struct ir_module *ir = m->module;

	for (uint32_t k = var; k < var + n; k++)
		if (is_memory(&ir->var[k]) && !add_variable(m, k)) {
			memory_unload(m, var, k - var, "its module, which was not loaded");
			return false;
		}
	for (uint32_t k = var; k < var + n; k++)
		if (is_memory(&ir->var[k]))
			relocate(m, k);
	if (wants_heap(m) && !m->memory->heap) {
		struct memory_block *b = memory_add(
			m->memory, MEMORY_HEAP, MACHINE_HEAP_BYTES, "the device heap", false);

		if (b) /* without the heap, malloc returns null */
			b->heap = heap_new(b->base, b->size);
		m->memory->heap = b;
	}
	return true;
}

void memory_unload(struct machine *m, uint32_t var, uint32_t n, const char *where)
{
	for (uint32_t k = var; k < var + n; k++)
		if (is_memory(&m->module->var[k]))
			memory_release(m, memory_find(m->memory, memory_var_address(m, k)), where);
}

void memory_free(struct machine *m)
{
	memory_end(m->memory);
	memory_drop(m->memory);
	m->memory = NULL;
}

uint64_t memory_alloc(struct machine *m, uint64_t size, const char *name, bool initialised)
{
	struct memory_block *b = memory_add(m->memory, MEMORY_BUFFER, size, name, initialised);

	if (!b)
		return 0;
	if (machine_watches(m, INTEREST_MEMORY))
		observers_memory(m,
			&(struct memory_event){.address = b->base,
				.size = size,
				.allocated = true,
				.initialised = initialised,
				.name = b->name});
	return b->base;
}

void memory_forget(struct machine *m, const struct memory_block *b)
{
	if (b->size)
		weak_memory_forget(m, b->host, b->size);
	if (machine_watches(m, INTEREST_MEMORY))
		observers_memory(m,
			&(struct memory_event){.address = b->base,
				.size = b->size,
				.released = true,
				.name = b->name});
}

void memory_release(struct machine *m, struct memory_block *b, const char *where)
{
	memory_forget(m, b);
	memory_remove(m->memory, b, where);
}

/* The host may name a .const variable by its offset. */
static uint64_t host_address(uint64_t address)
{
	return address <= UINT32_MAX && address >= MEMORY_CONST_FIRST * MEMORY_CONST_PAGE
		? address + MEMORY_CONST_WINDOW
		: address;
}

void memory_overwritten(struct machine *m, uint64_t address, uint64_t size)
{
	const struct memory_block *b = memory_find(m->memory, address);

	weak_memory_overwritten(m, b->host + (address - b->base), size);
	if (machine_watches(m, INTEREST_MEMORY))
		observers_memory(m,
			&(struct memory_event){.address = address,
				.size = size,
				.host_write = true,
				.initialised = true,
				.work = m->work,
				.name = ""});
}

void memory_was_read(struct machine *m, uint64_t address, uint64_t size)
{
	if (m->work && machine_watches(m, INTEREST_MEMORY))
		observers_memory(m,
			&(struct memory_event){.address = address,
				.size = size,
				.host_read = true,
				.work = m->work,
				.name = ""});
}

bool memory_host_write(struct machine *m, uint64_t address, const void *data, uint64_t size)
{
	address = host_address(address);
	if (!memory_copy_in(m->memory, address, data, size))
		return false;
	if (size)
		memory_overwritten(m, address, size);
	return true;
}

bool memory_host_read(
	struct machine *m, uint64_t address, void *data, uint64_t size, uint8_t *defined)
{
	address = host_address(address);
	if (!memory_copy_out(m->memory, address, data, size, defined))
		return false;
	if (size)
		memory_was_read(m, address, size);
	return true;
}
