/* Modules of a device: loading, unloading, and what is in them. */
#include "assembler/assembler.h"
#include "base/memory.h"
#include "device/call.h"
#include "ir/link.h"
#include "ir/object.h"
#include "script/lang/resolve.h"
#include <stdio.h>
#include <string.h>

enum {
	MAX_TEXT = 1 << 30,   /* bytes of a module */
	MAX_IMAGES = 1 << 16, /* that are linked at once */
};

static struct ir_module *read_image(struct call *c, const struct ptxi_image *image)
{
	struct state *s = c->s;
	struct source *source = source_new(
		&s->arena, image->name ? image->name : "module", image->bytes, image->size);

	if (ir_object_is(image->bytes, image->size))
		return ir_object_read(source, &s->findings);
	if (!memchr(image->bytes, 0, image->size))
		return assemble(source, &(struct assemble_options){0}, &s->findings);
	diag_plain(
		&s->findings, DIAG_L0205, "%s: this is not text: it contains a NUL", source->name);
	return NULL;
}

struct link_call {
	const struct ptxi_image *image;
	unsigned n, flags;
	bool loads; /* otherwise what would be loaded is only checked */
	struct ptxi_module *module;
};

/* Links PART into the device's module, or one that is then forgotten. */
static bool link_parts(struct call *c, struct link_call *l, struct ir_module *const *part)
{
	struct state *s = c->s;
	struct arena arena = {0};
	struct ir_module *to = l->loads ? s->ir : ir_joined(&arena, "link");
	uint32_t func = to->nfuncs, var = to->nvars;
	bool linked = ir_link(to,
		&(struct ir_linking){.part = part,
			.n = l->n,
			.provided = l->flags & PTXI_LINK_OPEN ? NULL : machine_provides,
			.diags = &s->findings});

	if (!l->loads) {
		ir_module_free(to);
		arena_free(&arena);
		return linked;
	}
	if (!linked)
		return false;
	if (!machine_load(machine_of(c))) {
		ir_unlink(to, machine_scopes(machine_of(c)) - 1);
		return false;
	}
	l->module = ARENA_NEW(&s->arena, struct ptxi_module);
	*l->module = (struct ptxi_module){.device = c->d,
		.scope = machine_scopes(machine_of(c)) - 1,
		.func = func,
		.nfuncs = to->nfuncs - func,
		.var = var,
		.nvars = to->nvars - var};
	return true;
}

static bool link_images(struct call *c, struct link_call *l)
{
	struct ir_module **part = memory_zeroed(l->n, sizeof(struct ir_module *));
	bool fits = true;

	for (unsigned k = 0; k < l->n; k++) {
		part[k] = read_image(c, &l->image[k]);
		fits = fits && part[k];
	}
	fits = fits && link_parts(c, l, part);
	for (unsigned k = 0; k < l->n; k++)
		/* the places in an object, for messages, are in the object's own memory */
		if (part[k] && !ir_object_is(l->image[k].bytes, l->image[k].size))
			ir_module_free(part[k]);
	memory_drop(part);
	return fits;
}

static void do_link(struct call *c, void *arg)
{
	struct link_call *l = arg;
	struct diags *f = &c->s->findings;
	unsigned before = f->errors;

	if (!l->n || l->n > MAX_IMAGES || l->flags & ~(unsigned)PTXI_LINK_OPEN) {
		call_wrong(c, PTXI_USAGE, "no image, too many images, or an unknown flag");
		return;
	}
	for (unsigned k = 0; k < l->n; k++)
		if (!l->image[k].bytes || l->image[k].size > MAX_TEXT) {
			call_wrong(c, PTXI_USAGE, "a module has at most 1 GiB");
			return;
		}
	if (link_images(c, l))
		return;
	call_wrong(c, PTXI_REJECTED, "the module is rejected");
	for (const struct diag *r = f->first; r; r = r->next)
		if (f->errors == before + 1 && !r->next && diag_code_info(r->code).code[0] == 'U')
			call_wrong(c, PTXI_UNSUPPORTED, r->message);
}

enum ptxi_exit ptxi_device_link(struct ptxi_device *d, const struct ptxi_image *images, unsigned n,
	unsigned flags, struct ptxi_module **module)
{
	struct link_call l = {images, n, flags, module != NULL, NULL};
	enum ptxi_exit result = device_call(d, do_link, &l);

	if (module)
		*module = result ? NULL : l.module;
	return result;
}

enum ptxi_exit ptxi_device_load(struct ptxi_device *d, const char *name, const char *text, size_t n,
	struct ptxi_module **module)
{
	return ptxi_device_link(d, &(struct ptxi_image){name, text, n}, 1, PTXI_LINK_OPEN, module);
}

size_t ptxi_image_size(const void *image, size_t most)
{
	uint64_t size;

	most = most ? most : SIZE_MAX;
	size = most >= IR_OBJECT_HEADER ? ir_object_size(image) : 0;
	if (!size)
		return strnlen(image, most);
	return size < most ? (size_t)size : most;
}

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
	char place[MAX_NAME], where[MAX_NAME + 40];

	if (!call_owns(c, u->module))
		return;
	call_ran(c, machine_sync(machine_of(c)));
	if (c->d->lost)
		return;
	place_text(u->at, place);
	snprintf(where, sizeof where, "the unloading of its module%s%s",
		!*place                   ? ""
			: u->at->function ? " by "
					  : " at ",
		place);
	machine_unload(machine_of(c), u->module->scope, where);
	ir_unlink(c->s->ir, machine_scopes(machine_of(c)) - 1);
	u->module->device = NULL;
}

enum ptxi_exit ptxi_unload(struct ptxi_device *d, struct ptxi_module *m, const struct ptxi_at *at)
{
	return device_call(d, do_unload, &(struct unload_call){m, at});
}

/* The device's module, with only the functions and variables of M. */
static struct ir_module names_of(const struct call *c, const struct ptxi_module *m)
{
	struct ir_module view = *c->s->ir;

	view.func += m->func;
	view.nfuncs = m->nfuncs;
	view.var += m->var;
	view.nvars = m->nvars;
	return view;
}

struct name_call {
	const struct ptxi_module *module;
	const char *name;
	uint32_t found;
	uint64_t address, size;
};

static void find_function(struct call *c, void *arg)
{
	struct name_call *n = arg;
	struct diags said = {0};
	struct script names = {0};
	struct ir_module view;
	struct resolver r = {.s = &names, .m = &view, .diags = &said};

	if (!call_owns(c, n->module))
		return;
	view = names_of(c, n->module);
	n->found = resolve_kernel(&r, NULL, (struct span){0}, n->name ? n->name : "");
	if (n->found != IR_NONE)
		n->found += n->module->func;
	else
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
	struct ir_module view;
	uint32_t var;

	if (!call_owns(c, n->module))
		return;
	view = names_of(c, n->module);
	var = ir_find_var(&view, n->name ? n->name : "");
	if (var != IR_NONE) {
		n->address = machine_variable(machine_of(c), n->module->var + var);
		n->size = view.var[var].size;
	}
	if (!n->address)
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
	if (function - m->func < m->nfuncs && c->s->ir->func[function].is_entry)
		return &c->s->ir->func[function];
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
	p->first = p->one ? (size_t)c->s->ir->var[f->param + p->k].offset : f->nparams;
	p->second = p->one ? (size_t)c->s->ir->var[f->param + p->k].size : f->param_bytes;
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
	const struct isa_target *target;
	uint64_t threads = 1;

	if (!f)
		return;
	target = ir_target(c->s->ir, i->function);
	machine_kernel(machine_of(c), i->function, &shared, &local);
	for (unsigned k = 0; k < 3; k++) {
		unsigned most = f->reqntid[k] ? f->reqntid[k] : f->maxntid[k];

		threads *= most ? most : 1;
	}
	*i->out = (struct ptxi_function_info){.shared_bytes = shared,
		.local_bytes = local,
		.threads = f->reqntid[0] || f->maxntid[0] ? (unsigned)threads : 1024,
		.target = target->sm,
		.version = target->ptx,
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
		o->blocks = machine_occupancy(machine_of(c), o->function, o->threads, o->shared);
}

enum ptxi_exit ptxi_occupancy(struct ptxi_device *d, const struct ptxi_module *m, unsigned function,
	unsigned threads, unsigned shared_bytes, unsigned *blocks)
{
	struct occupancy_call o = {m, function, threads, shared_bytes, 0};
	enum ptxi_exit result = device_call(d, find_occupancy, &o);

	*blocks = o.blocks;
	return result;
}
