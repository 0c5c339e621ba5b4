/* Modules of a device: loading, unloading, and what is in them. */
#include "assembler/assembler.h"
#include "base/memory.h"
#include "device/call.h"
#include "ir/object.h"
#include "script/lang/resolve.h"
#include <stdio.h>
#include <string.h>

enum { MAX_TEXT = 1 << 30 }; /* bytes of a module */

struct ptxi_module *module_load(struct call *c, const char *name, const char *text, size_t n)
{
	struct state *s = c->s;
	struct source *source = source_new(&s->arena, name, text, n);
	struct ptxi_module *m;
	struct machine_options options = s->options.machine;
	struct ir_module *ir = NULL;

	if (ir_object_is(text, n))
		ir = ir_object_read(source, &s->findings);
	else if (memchr(text, 0, n))
		diag_plain(
			&s->findings, DIAG_L0205, "%s: this is not text: it contains a NUL", name);
	else
		ir = assemble(source, &(struct assemble_options){0}, &s->findings);
	if (!ir)
		return NULL;
	options.beside = s->first ? machine_of(s->first) : NULL;
	m = ARENA_NEW(&s->arena, struct ptxi_module);
	m->ir = ir;
	m->device = c->d;
	if (!backend_open_interp(&(struct backend_request){.kind = BACKEND_INTERP,
					 .module = ir,
					 .options = &options,
					 .findings = &s->findings},
		    &m->backend)) {
		ir_module_free(ir);
		return NULL;
	}
	*s->last = m;
	s->last = &m->next;
	return m;
}

struct load_call {
	const char *name, *text;
	size_t n;
	struct ptxi_module *module;
};

static void do_load(struct call *c, void *arg)
{
	struct load_call *l = arg;
	struct diags *f = &c->s->findings;
	unsigned before = f->errors;

	if (!l->text || l->n > MAX_TEXT) {
		call_wrong(c, PTXI_USAGE, "a module has at most 1 GiB");
		return;
	}
	l->module = module_load(c, l->name ? l->name : "module", l->text, l->n);
	if (l->module) {
		/* so that copies before the first launch are in the queue of that launch */
		if (c->s->busy == c->s->first)
			call_turn_to(c, l->module);
		return;
	}
	call_wrong(c, PTXI_REJECTED, "the module is rejected");
	for (const struct diag *r = f->first; r; r = r->next)
		if (f->errors == before + 1 && !r->next && diag_code_info(r->code)->code[0] == 'U')
			call_wrong(c, PTXI_UNSUPPORTED, r->message);
}

enum ptxi_exit ptxi_device_load(struct ptxi_device *d, const char *name, const char *text, size_t n,
	struct ptxi_module **module)
{
	struct load_call l = {name, text, n, NULL};
	enum ptxi_exit result = device_call(d, do_load, &l);

	*module = result ? NULL : l.module;
	return result;
}

struct name_call {
	const struct ptxi_module *module;
	const char *name;
	uint32_t found;
	uint64_t address, size;
};

/* Whether M is a module of the device. */
bool call_owns(struct call *c, const struct ptxi_module *m)
{
	if (m && m->device == c->d)
		return true;
	call_wrong(c, PTXI_USAGE, "this is no module of the device");
	return false;
}

struct unload_call {
	struct ptxi_module *module;
	const struct ptxi_at *at;
};

static void do_unload(struct call *c, void *arg)
{
	struct unload_call *u = arg;
	struct ptxi_module *m = u->module, **at = &c->s->first;
	char place[MAX_NAME], where[MAX_NAME + 40];

	if (!call_owns(c, m))
		return;
	call_ran(c, machine_sync(machine_of(c->s->busy)));
	if (c->d->lost)
		return;
	c->s->busy = c->s->first;
	for (uint32_t k = 0; k < m->ir->nvars; k++) {
		uint64_t address = machine_variable(machine_of(m), k);

		for (struct ptxi_module *o = c->s->first->next; address && o; o = o->next)
			if (o != m)
				machine_forget(machine_of(o), address);
	}
	place_text(u->at, place);
	snprintf(where, sizeof where, "the unloading of its module%s%s",
		!*place                   ? ""
			: u->at->function ? " by "
					  : " at ",
		place);
	machine_release_variables(machine_of(m), where);
	while (*at != m)
		at = &(*at)->next;
	*at = m->next;
	if (c->s->last == &m->next)
		c->s->last = at;
	m->backend.close(m->backend.self);
	ir_module_free(m->ir);
	m->device = NULL;
}

enum ptxi_exit ptxi_unload(struct ptxi_device *d, struct ptxi_module *m, const struct ptxi_at *at)
{
	return device_call(d, do_unload, &(struct unload_call){m, at});
}

static void find_function(struct call *c, void *arg)
{
	struct name_call *n = arg;
	struct diags said = {0};
	struct script names = {0};

	if (!call_owns(c, n->module))
		return;
	struct resolver r = {.s = &names, .m = n->module->ir, .diags = &said};

	n->found = resolve_kernel(&r, NULL, (struct span){0}, n->name ? n->name : "");
	if (n->found == IR_NONE)
		call_wrong(c, PTXI_USAGE,
			said.first ? said.first->message : "there is no such kernel");
	diags_free(&said);
	arena_free(&names.arena);
}

enum ptxi_exit ptxi_module_function(
	struct ptxi_device *d, const struct ptxi_module *m, const char *name, unsigned *function)
{
	struct name_call n = {.module = m, .name = name};
	enum ptxi_exit result = device_call(d, find_function, &n);

	*function = n.found;
	return result;
}

static void find_symbol(struct call *c, void *arg)
{
	struct name_call *n = arg;

	if (call_owns(c, n->module) &&
		!machine_symbol(
			machine_of(n->module), n->name ? n->name : "", &n->address, &n->size))
		call_wrong(c, PTXI_USAGE, "there is no such variable");
}

enum ptxi_exit ptxi_module_symbol(struct ptxi_device *d, const struct ptxi_module *m,
	const char *name, uint64_t *address, uint64_t *size)
{
	struct name_call n = {.module = m, .name = name};
	enum ptxi_exit result = device_call(d, find_symbol, &n);

	*address = n.address;
	*size = n.size;
	return result;
}

struct parameter_call {
	const struct ptxi_module *module;
	unsigned function, k;
	bool one;
	size_t first, second; /* count and bytes; of one, offset and size */
};

const struct ir_func *call_kernel(struct call *c, const struct ptxi_module *m, unsigned function)
{
	if (!call_owns(c, m))
		return NULL;
	if (function < m->ir->nfuncs && m->ir->func[function].is_entry)
		return &m->ir->func[function];
	call_wrong(c, PTXI_USAGE, "this is no kernel of the module");
	return NULL;
}

static void find_parameter(struct call *c, void *arg)
{
	struct parameter_call *p = arg;
	const struct ir_func *f = call_kernel(c, p->module, p->function);

	if (!f)
		return;
	if (p->one && p->k >= f->nparams) {
		call_wrong(c, PTXI_USAGE, "the kernel has fewer parameters");
		return;
	}
	p->first = p->one ? (size_t)p->module->ir->var[f->param + p->k].offset : f->nparams;
	p->second = p->one ? (size_t)p->module->ir->var[f->param + p->k].size : f->param_bytes;
}

enum ptxi_exit ptxi_function_parameters(struct ptxi_device *d, const struct ptxi_module *m,
	unsigned function, unsigned *count, size_t *bytes)
{
	struct parameter_call p = {.module = m, .function = function};
	enum ptxi_exit result = device_call(d, find_parameter, &p);

	*count = (unsigned)p.first;
	*bytes = p.second;
	return result;
}

enum ptxi_exit ptxi_function_parameter(struct ptxi_device *d, const struct ptxi_module *m,
	unsigned function, unsigned k, size_t *offset, size_t *size)
{
	struct parameter_call p = {.module = m, .function = function, .k = k, .one = true};
	enum ptxi_exit result = device_call(d, find_parameter, &p);

	*offset = p.first;
	*size = p.second;
	return result;
}

struct info_call {
	const struct ptxi_module *module;
	unsigned function;
	struct ptxi_function_info *out;
};

static void find_info(struct call *c, void *arg)
{
	struct info_call *i = arg;
	const struct ir_func *f = call_kernel(c, i->module, i->function);
	uint32_t shared, local;
	uint64_t threads = 1;

	if (!f)
		return;
	machine_kernel(machine_of(i->module), i->function, &shared, &local);
	for (unsigned k = 0; k < 3; k++) {
		unsigned most = f->reqntid[k] ? f->reqntid[k] : f->maxntid[k];

		threads *= most ? most : 1;
	}
	*i->out = (struct ptxi_function_info){.shared_bytes = shared,
		.local_bytes = local,
		.threads = f->reqntid[0] || f->maxntid[0] ? (unsigned)threads : 1024,
		.target = i->module->ir->target.sm,
		.version = i->module->ir->target.ptx,
		.cluster_required = f->explicitcluster || f->reqnctapercluster[0]};
	memcpy(i->out->cluster, f->reqnctapercluster, sizeof i->out->cluster);
}

enum ptxi_exit ptxi_get_function_info(struct ptxi_device *d, const struct ptxi_module *m,
	unsigned function, struct ptxi_function_info *out)
{
	*out = (struct ptxi_function_info){0};
	return device_call(d, find_info, &(struct info_call){m, function, out});
}

struct occupancy_call {
	const struct ptxi_module *module;
	unsigned function, threads, shared, blocks;
};

static void find_occupancy(struct call *c, void *arg)
{
	struct occupancy_call *o = arg;

	if (call_kernel(c, o->module, o->function))
		o->blocks = machine_occupancy(
			machine_of(o->module), o->function, o->threads, o->shared);
}

enum ptxi_exit ptxi_occupancy(struct ptxi_device *d, const struct ptxi_module *m, unsigned function,
	unsigned threads, unsigned shared_bytes, unsigned *blocks)
{
	struct occupancy_call o = {m, function, threads, shared_bytes, 0};
	enum ptxi_exit result = device_call(d, find_occupancy, &o);

	*blocks = o.blocks;
	return result;
}
