/* Implements include/ptxi/device.h on top of machines.
 *
 * A device has one lock and one guard (base/guard.h), which owns everything that is made for it: a
 * call that fails loses the device. Each module has a machine of its own; they share the memory of
 * the first, whose module is empty. Work is queued on one machine at a time: before another gets
 * any, the first runs what it has. */
#include "assembler/assembler.h"
#include "backend/interp.h"
#include "base/guard.h"
#include "base/memory.h"
#include "device/device.h"
#include "ir/object.h"
#include "script/lang/options.h"
#include "script/lang/resolve.h"
#include <pthread.h>
#include <ptxi/device.h>
#include <stdio.h>
#include <string.h>

enum {
	QUEUED = 1024,         /* items, after which the host waits for them */
	MAX_TEXT = 1 << 30,    /* bytes of a module */
	MAX_NAME = 200,        /* of an allocation or a place */
	MAX_STREAMS = 1 << 30, /* and events */
};

struct ptxi_module {
	struct ptxi_module *next;
	struct ptxi_device *device;
	struct ir_module *ir;
	struct backend backend;
};

/* What the guard owns. */
struct state {
	struct arena arena;
	struct run_options options;
	struct diags findings;
	unsigned taken; /* of the findings */
	struct ptxi_module *first, **last, *busy;
	uint32_t streams, events;
};

struct ptxi_device {
	pthread_mutex_t lock;
	struct guard *guard;
	struct state *state; /* NULL: released after a failure */
	enum ptxi_exit lost;
	void (*output)(void *self, const char *text, size_t n);
	void *self;
	char why[300];
};

/* --- calls --- */

/* A call: what is done, with which arguments, and what comes of it. */
struct call {
	struct ptxi_device *d;
	struct state *s;
	enum ptxi_exit result;
	void (*work)(struct call *c, void *arg);
	void *arg;
};

static void call_work(void *arg)
{
	struct call *c = arg;

	c->work(c, c->arg);
}

static void wrong(struct call *c, enum ptxi_exit result, const char *why)
{
	c->result = result;
	snprintf(c->d->why, sizeof c->d->why, "%s", why);
}

static void lose(struct ptxi_device *d, enum ptxi_exit why, const char *what)
{
	d->lost = why;
	snprintf(d->why, sizeof d->why, "%s", what);
}

/* The lock is held. */
static enum ptxi_exit run_call(
	struct ptxi_device *d, void (*work)(struct call *c, void *arg), void *arg)
{
	struct call c = {.d = d, .s = d->state, .work = work, .arg = arg};
	enum failure failure = guard_run(d->guard, call_work, &c);

	if (!failure)
		return d->lost ? d->lost : c.result;
	d->state = NULL;
	lose(d, failure == FAILURE_MEMORY ? PTXI_NO_MEMORY : PTXI_BUG, guard_what(d->guard));
	return d->lost;
}

static enum ptxi_exit call(
	struct ptxi_device *d, void (*work)(struct call *c, void *arg), void *arg)
{
	enum ptxi_exit result;

	pthread_mutex_lock(&d->lock);
	result = d->lost ? d->lost : run_call(d, work, arg);
	pthread_mutex_unlock(&d->lock);
	return result;
}

/* --- running --- */

static struct machine *machine_of(const struct ptxi_module *m) { return m->backend.self; }

static enum ptxi_exit exit_of(enum machine_status status)
{
	switch (status) {
	case MACHINE_DONE: return PTXI_OK;
	case MACHINE_DEADLOCK: return PTXI_DEADLOCK;
	case MACHINE_BUDGET: return PTXI_UNDECIDED;
	case MACHINE_UNSUPPORTED: return PTXI_UNSUPPORTED;
	case MACHINE_FAULT:
	default: return PTXI_FAULT;
	}
}

/* What comes of having run the busy machine. */
static void ran(struct call *c, enum machine_status status)
{
	struct machine *m = machine_of(c->s->busy);
	const struct diag *last = NULL;
	size_t n;
	const char *text = machine_output(m, &n);

	if (n && c->d->output)
		c->d->output(c->d->self, text, n);
	machine_clear_output(m);
	if (status == MACHINE_DONE)
		return;
	for (const struct diag *r = c->s->findings.first; r; r = r->next)
		if (!diag_is_warning(r->code))
			last = r;
	lose(c->d, exit_of(status), last ? last->message : "the device has stopped");
}

/* Makes M the machine that gets work. False: the device is lost. */
static bool turn_to(struct call *c, struct ptxi_module *m)
{
	if (c->s->busy != m) {
		ran(c, machine_sync(machine_of(c->s->busy)));
		c->s->busy = m;
	}
	return !c->d->lost;
}

/* After something was queued. */
static void queued(struct call *c)
{
	struct machine *m = machine_of(c->s->busy);

	if (machine_queued(m) >= QUEUED)
		ran(c, machine_run(m));
}

/* --- creation --- */

static const char empty_module[] = ".version 8.0\n.target sm_90\n.address_size 64\n";

/* NULL, with findings: the text is rejected, or the module cannot run here. */
static struct ptxi_module *load(struct call *c, const char *name, const char *text, size_t n)
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

static bool settings_apply(struct call *c, const char *const *list)
{
	struct state *s = c->s;
	struct text why = {0};
	bool fits = true;

	for (; list && *list; list++) {
		const char *equals = strchr(*list, '=');
		char *name = arena_text(
			&s->arena, *list, equals ? (size_t)(equals - *list) : strlen(*list));

		text_clear(&why);
		if (option_apply(&s->options, name, equals ? equals + 1 : "", true, &why) ==
			OPTION_FITS)
			continue;
		diag_plain(&s->findings, DIAG_L0115, "'%s' is not a setting%s%s", *list,
			why.len ? ": " : "", text_str(&why));
		lose(c->d, PTXI_USAGE, "a setting is wrong");
		fits = false;
	}
	text_free(&why);
	return fits;
}

static void create(struct call *c, void *arg)
{
	const struct ptxi_device_options *options = arg;
	struct state *s = memory_zeroed(1, sizeof *s);

	c->s = c->d->state = s;
	s->last = &s->first;
	s->options.machine.checks = CHECK_BOUNDS | CHECK_SYNC;
	s->options.machine.seed = 1;
	s->options.machine.shares_managed = true;
	if (options)
		s->options.machine.jobs = options->jobs;
	if (!settings_apply(c, options ? options->settings : NULL))
		return;
	s->busy = load(c, "device", empty_module, sizeof empty_module - 1);
}

struct ptxi_device *ptxi_device_new(const struct ptxi_device_options *options)
{
	struct ptxi_device *d = memory_try_zeroed(1, sizeof *d);

	if (!d)
		return NULL;
	d->guard = guard_new(NULL);
	if (!d->guard) {
		memory_drop(d);
		return NULL;
	}
	pthread_mutex_init(&d->lock, NULL);
	if (options) {
		d->output = options->output;
		d->self = options->self;
	}
	run_call(d, create, (void *)(uintptr_t)options);
	return d;
}

/* Ends what is no memory: threads and locks. */
static void destroy(struct call *c, void *arg)
{
	struct ptxi_module *owner = c->s->first;

	(void)arg;
	for (struct ptxi_module *m = owner ? owner->next : NULL; m; m = m->next)
		m->backend.close(m->backend.self);
	if (owner)
		owner->backend.close(owner->backend.self);
}

void ptxi_device_free(struct ptxi_device *d)
{
	if (!d)
		return;
	if (d->state)
		run_call(d, destroy, NULL);
	guard_free(d->guard);
	pthread_mutex_destroy(&d->lock);
	memory_drop(d);
}

enum ptxi_exit ptxi_device_status(struct ptxi_device *d)
{
	enum ptxi_exit lost;

	pthread_mutex_lock(&d->lock);
	lost = d->lost;
	pthread_mutex_unlock(&d->lock);
	return lost;
}

void ptxi_device_error(struct ptxi_device *d, char *text, size_t room)
{
	pthread_mutex_lock(&d->lock);
	snprintf(text, room, "%s", d->why);
	pthread_mutex_unlock(&d->lock);
}

/* --- modules --- */

/* "main at a.cu:7", as far as it is known. */
static void place_text(const struct ptxi_at *at, char *to)
{
	char line[16] = "";
	bool file = at && at->file, function = at && at->function;

	if (at && at->line)
		snprintf(line, sizeof line, ":%u", at->line);
	snprintf(to, MAX_NAME, "%s%s%s%s", function ? at->function : "",
		function && file ? " at " : "", file ? at->file : "", file ? line : "");
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
		wrong(c, PTXI_USAGE, "a module has at most 1 GiB");
		return;
	}
	l->module = load(c, l->name ? l->name : "module", l->text, l->n);
	if (l->module) {
		/* so that copies before the first launch are in the queue of that launch */
		if (c->s->busy == c->s->first)
			turn_to(c, l->module);
		return;
	}
	wrong(c, PTXI_REJECTED, "the module is rejected");
	for (const struct diag *r = f->first; r; r = r->next)
		if (f->errors == before + 1 && !r->next && diag_code_info(r->code)->code[0] == 'U')
			wrong(c, PTXI_UNSUPPORTED, r->message);
}

enum ptxi_exit ptxi_device_load(struct ptxi_device *d, const char *name, const char *text, size_t n,
	struct ptxi_module **module)
{
	struct load_call l = {name, text, n, NULL};
	enum ptxi_exit result = call(d, do_load, &l);

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
static bool is_mine(struct call *c, const struct ptxi_module *m)
{
	if (m && m->device == c->d)
		return true;
	wrong(c, PTXI_USAGE, "this is no module of the device");
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

	if (!is_mine(c, m))
		return;
	ran(c, machine_sync(machine_of(c->s->busy)));
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
	return call(d, do_unload, &(struct unload_call){m, at});
}

static void find_function(struct call *c, void *arg)
{
	struct name_call *n = arg;
	struct diags said = {0};
	struct script names = {0};

	if (!is_mine(c, n->module))
		return;
	struct resolver r = {.s = &names, .m = n->module->ir, .diags = &said};

	n->found = resolve_kernel(&r, NULL, (struct span){0}, n->name ? n->name : "");
	if (n->found == IR_NONE)
		wrong(c, PTXI_USAGE, said.first ? said.first->message : "there is no such kernel");
	diags_free(&said);
	arena_free(&names.arena);
}

enum ptxi_exit ptxi_module_function(
	struct ptxi_device *d, const struct ptxi_module *m, const char *name, unsigned *function)
{
	struct name_call n = {.module = m, .name = name};
	enum ptxi_exit result = call(d, find_function, &n);

	*function = n.found;
	return result;
}

static void find_symbol(struct call *c, void *arg)
{
	struct name_call *n = arg;

	if (is_mine(c, n->module) &&
		!machine_symbol(
			machine_of(n->module), n->name ? n->name : "", &n->address, &n->size))
		wrong(c, PTXI_USAGE, "there is no such variable");
}

enum ptxi_exit ptxi_module_symbol(struct ptxi_device *d, const struct ptxi_module *m,
	const char *name, uint64_t *address, uint64_t *size)
{
	struct name_call n = {.module = m, .name = name};
	enum ptxi_exit result = call(d, find_symbol, &n);

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

static const struct ir_func *kernel_of(
	struct call *c, const struct ptxi_module *m, unsigned function)
{
	if (!is_mine(c, m))
		return NULL;
	if (function < m->ir->nfuncs && m->ir->func[function].is_entry)
		return &m->ir->func[function];
	wrong(c, PTXI_USAGE, "this is no kernel of the module");
	return NULL;
}

static void find_parameter(struct call *c, void *arg)
{
	struct parameter_call *p = arg;
	const struct ir_func *f = kernel_of(c, p->module, p->function);

	if (!f)
		return;
	if (p->one && p->k >= f->nparams) {
		wrong(c, PTXI_USAGE, "the kernel has fewer parameters");
		return;
	}
	p->first = p->one ? (size_t)p->module->ir->var[f->param + p->k].offset : f->nparams;
	p->second = p->one ? (size_t)p->module->ir->var[f->param + p->k].size : f->param_bytes;
}

enum ptxi_exit ptxi_function_parameters(struct ptxi_device *d, const struct ptxi_module *m,
	unsigned function, unsigned *count, size_t *bytes)
{
	struct parameter_call p = {.module = m, .function = function};
	enum ptxi_exit result = call(d, find_parameter, &p);

	*count = (unsigned)p.first;
	*bytes = p.second;
	return result;
}

enum ptxi_exit ptxi_function_parameter(struct ptxi_device *d, const struct ptxi_module *m,
	unsigned function, unsigned k, size_t *offset, size_t *size)
{
	struct parameter_call p = {.module = m, .function = function, .k = k, .one = true};
	enum ptxi_exit result = call(d, find_parameter, &p);

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
	const struct ir_func *f = kernel_of(c, i->module, i->function);
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
	return call(d, find_info, &(struct info_call){m, function, out});
}

/* --- memory --- */

struct memory_call {
	uint64_t size, address;
	unsigned flags;
	void *host; /* or NULL */
	const char *name;
	const struct ptxi_at *at;
	char *text;
	size_t room;
};

static void do_alloc(struct call *c, void *arg)
{
	struct memory_call *a = arg;
	struct machine *m = machine_of(c->s->first);
	bool initialised = a->flags & PTXI_INITIALISED;
	char place[MAX_NAME], name[MAX_NAME];

	place_text(a->at, place);
	if (a->name)
		snprintf(name, sizeof name, "%s", a->name);
	else
		snprintf(name, sizeof name, "%s", *place ? place : "allocation");
	if (a->flags & ~(unsigned)(PTXI_INITIALISED | PTXI_HOST_VISIBLE) ||
		(a->flags & PTXI_HOST_VISIBLE && !a->size)) {
		wrong(c, PTXI_USAGE, "an unknown flag, or no bytes for the host");
		return;
	}
	if (a->host)
		a->address = machine_adopt(m, a->host, a->size, name);
	else if (a->flags & PTXI_HOST_VISIBLE)
		a->address = machine_alloc_mapped(m, a->size, name, initialised);
	else
		a->address = machine_alloc(m, a->size, name, initialised);
	if (!a->address)
		wrong(c, PTXI_UNDECIDED, "what is left of the memory limit (max-memory) is less");
}

enum ptxi_exit ptxi_alloc(struct ptxi_device *d, uint64_t size, unsigned flags, const char *name,
	const struct ptxi_at *at, uint64_t *address)
{
	struct memory_call a = {.size = size, .flags = flags, .name = name, .at = at};
	enum ptxi_exit result = call(d, do_alloc, &a);

	*address = result ? 0 : a.address;
	return result;
}

enum ptxi_exit ptxi_adopt(struct ptxi_device *d, void *host, uint64_t size, const char *name,
	const struct ptxi_at *at, uint64_t *address)
{
	struct memory_call a = {.size = size, .host = host, .name = name, .at = at};
	enum ptxi_exit result = host ? call(d, do_alloc, &a) : PTXI_USAGE;

	*address = result ? 0 : a.address;
	return result;
}

/* The argument ADDRESS is wrong; WHAT, and what is there. */
static void wrong_at(struct call *c, uint64_t address, const char *what)
{
	struct text t = {0};

	text_printf(&t, "%s: ", what);
	machine_describe(machine_of(c->s->first), address, &t);
	wrong(c, PTXI_USAGE, text_str(&t));
	text_free(&t);
}

static void do_dealloc(struct call *c, void *arg)
{
	struct memory_call *a = arg;
	char place[MAX_NAME];

	enum machine_release how;

	if (!a->address)
		return;
	ran(c, machine_sync(machine_of(c->s->busy)));
	if (c->d->lost)
		return;
	for (struct ptxi_module *m = c->s->first->next; m; m = m->next)
		machine_forget(machine_of(m), a->address);
	place_text(a->at, place);
	how = machine_release(machine_of(c->s->first), a->address, place);
	if (how != MACHINE_RELEASED)
		wrong_at(c, a->address,
			how == RELEASE_TWICE            ? "this has been freed already"
				: how == RELEASE_INSIDE ? "no allocation begins here"
							: "this is no allocation");
}

enum ptxi_exit ptxi_dealloc(struct ptxi_device *d, uint64_t address, const struct ptxi_at *at)
{
	return call(d, do_dealloc, &(struct memory_call){.address = address, .at = at});
}

struct find_call {
	uint64_t address;
	struct ptxi_allocation *out;
};

static void do_find(struct call *c, void *arg)
{
	struct find_call *f = arg;
	struct machine_allocation a;

	if (!machine_find(machine_of(c->s->first), f->address, &a)) {
		wrong_at(c, f->address, "there is no allocation");
		return;
	}
	*f->out = (struct ptxi_allocation){a.address, a.size, a.variable, a.host_visible};
}

enum ptxi_exit ptxi_find(struct ptxi_device *d, uint64_t address, struct ptxi_allocation *out)
{
	*out = (struct ptxi_allocation){0};
	return call(d, do_find, &(struct find_call){address, out});
}

static void do_memory(struct call *c, void *arg)
{
	uint64_t *out = arg;

	machine_memory(machine_of(c->s->first), &out[0], &out[1]);
}

enum ptxi_exit ptxi_memory(struct ptxi_device *d, uint64_t *left, uint64_t *limit)
{
	uint64_t found[2] = {0, 0};
	enum ptxi_exit result = call(d, do_memory, found);

	*left = found[1] - found[0];
	*limit = found[1];
	return result;
}

static void do_describe(struct call *c, void *arg)
{
	struct memory_call *a = arg;
	struct text t = {0};

	machine_describe(machine_of(c->s->first), a->address, &t);
	snprintf(a->text, a->room, "%s", text_str(&t));
	text_free(&t);
}

enum ptxi_exit ptxi_describe(struct ptxi_device *d, uint64_t address, char *text, size_t room)
{
	if (room)
		*text = '\0';
	return call(d, do_describe,
		&(struct memory_call){.address = address, .text = text, .room = room});
}

/* --- streams and events --- */

struct stream_call {
	uint32_t stream, event;
	unsigned flags;
	enum { NEW_STREAM, NEW_EVENT, RECORD, WAIT, SYNC_ALL, SYNC_STREAM, SYNC_EVENT } what;
};

static bool stream_exists(struct call *c, uint32_t stream)
{
	if ((stream & ~STREAM_APART) <= c->s->streams && stream != STREAM_APART)
		return true;
	wrong(c, PTXI_USAGE, "there is no such stream");
	return false;
}

static bool event_exists(struct call *c, uint32_t event)
{
	if (event && event <= c->s->events)
		return true;
	wrong(c, PTXI_USAGE, "there is no such event");
	return false;
}

static void make_stream(struct call *c, struct stream_call *a)
{
	if (a->flags & ~(unsigned)PTXI_NON_BLOCKING)
		wrong(c, PTXI_USAGE, "an unknown flag");
	else if (c->s->streams == MAX_STREAMS)
		wrong(c, PTXI_USAGE, "there are too many streams");
	else
		a->stream = ++c->s->streams | (a->flags ? STREAM_APART : 0);
}

static void make_event(struct call *c, struct stream_call *a)
{
	if (c->s->events == MAX_STREAMS)
		wrong(c, PTXI_USAGE, "there are too many events");
	else
		a->event = ++c->s->events;
}

static void do_stream(struct call *c, void *arg)
{
	struct stream_call *a = arg;
	struct machine *m = machine_of(c->s->busy);

	switch (a->what) {
	case NEW_STREAM: make_stream(c, a); return;
	case NEW_EVENT: make_event(c, a); return;
	case RECORD:
		if (!stream_exists(c, a->stream) || !event_exists(c, a->event))
			return;
		machine_record(m, a->event, a->stream);
		queued(c);
		return;
	case WAIT:
		if (!stream_exists(c, a->stream) || !event_exists(c, a->event))
			return;
		machine_wait(m, a->event, a->stream);
		queued(c);
		return;
	case SYNC_ALL: ran(c, machine_sync(m)); return;
	case SYNC_STREAM:
		if (stream_exists(c, a->stream))
			ran(c, machine_sync_stream(m, a->stream));
		return;
	case SYNC_EVENT:
	default:
		if (event_exists(c, a->event))
			ran(c, machine_sync_event(m, a->event));
		return;
	}
}

enum ptxi_exit ptxi_stream_new(struct ptxi_device *d, unsigned flags, ptxi_stream *stream)
{
	struct stream_call a = {.flags = flags, .what = NEW_STREAM};
	enum ptxi_exit result = call(d, do_stream, &a);

	*stream = a.stream;
	return result;
}

enum ptxi_exit ptxi_event_new(struct ptxi_device *d, ptxi_event *event)
{
	struct stream_call a = {.what = NEW_EVENT};
	enum ptxi_exit result = call(d, do_stream, &a);

	*event = a.event;
	return result;
}

enum ptxi_exit ptxi_record(struct ptxi_device *d, ptxi_event event, ptxi_stream stream)
{
	return call(d, do_stream,
		&(struct stream_call){.event = event, .stream = stream, .what = RECORD});
}

enum ptxi_exit ptxi_wait(struct ptxi_device *d, ptxi_stream stream, ptxi_event event)
{
	return call(d, do_stream,
		&(struct stream_call){.event = event, .stream = stream, .what = WAIT});
}

enum ptxi_exit ptxi_sync(struct ptxi_device *d)
{
	return call(d, do_stream, &(struct stream_call){.what = SYNC_ALL});
}

enum ptxi_exit ptxi_sync_stream(struct ptxi_device *d, ptxi_stream stream)
{
	return call(d, do_stream, &(struct stream_call){.stream = stream, .what = SYNC_STREAM});
}

enum ptxi_exit ptxi_sync_event(struct ptxi_device *d, ptxi_event event)
{
	return call(d, do_stream, &(struct stream_call){.event = event, .what = SYNC_EVENT});
}

static void find_queued(struct call *c, void *arg)
{
	*(unsigned *)arg = machine_queued(machine_of(c->s->busy));
}

enum ptxi_exit ptxi_queued(struct ptxi_device *d, unsigned *count)
{
	*count = 0;
	return call(d, find_queued, count);
}

/* --- copies, fills, host functions --- */

/* Queued work; freed when it is done. */
struct work {
	struct machine *machine;
	struct ptxi_copy copy;
	void *staged;
	uint64_t address, count; /* a fill */
	unsigned width;
	unsigned char value[16];
	void (*function)(void *self);
	void *self;
};

/* The ranges were checked when it was queued, and frees wait for it. */
static void work_runs(void *arg)
{
	struct work *w = arg;
	const struct ptxi_copy *k = &w->copy;
	const void *from = w->staged ? w->staged : k->from_host;

	if (w->function)
		w->function(w->self);
	else if (w->width)
		machine_fill(w->machine, w->address, w->value, w->width, w->count);
	else if (k->to && k->from)
		machine_copy(w->machine, k->to, k->from, k->size);
	else if (k->to)
		machine_write(w->machine, k->to, from, k->size);
	else if (k->from)
		machine_read(w->machine, k->from, k->to_host, k->size, NULL);
	else
		memmove(k->to_host, from, k->size);
	memory_drop(w->staged);
	memory_drop(w);
}

struct work_call {
	uint32_t stream;
	const struct ptxi_at *at;
	struct work work;
};

static bool has_bytes(struct call *c, uint64_t address, uint64_t size)
{
	char what[80];

	if (machine_contains(machine_of(c->s->first), address, size))
		return true;
	snprintf(what, sizeof what, "%llu bytes are not in one allocation",
		(unsigned long long)size);
	wrong_at(c, address, what);
	return false;
}

static bool copy_fits(struct call *c, const struct ptxi_copy *k)
{
	if (!k->size)
		return true;
	if (!k->to == !k->to_host || !k->from == !k->from_host) {
		wrong(c, PTXI_USAGE,
			"a copy has one destination and one source, each on the device or the host");
		return false;
	}
	return (!k->to || has_bytes(c, k->to, k->size)) &&
		(!k->from || has_bytes(c, k->from, k->size));
}

static bool fill_fits(struct call *c, const struct work *w)
{
	unsigned n = w->width;

	if (n > 16 || (n & (n - 1)) || w->count > UINT64_MAX / n) {
		wrong(c, PTXI_USAGE, "a value that is filled in has 1, 2, 4, 8 or 16 bytes");
		return false;
	}
	return !w->count || has_bytes(c, w->address, w->count * n);
}

static void do_work(struct call *c, void *arg)
{
	struct work_call *a = arg;
	struct machine *m = machine_of(c->s->busy);
	struct work *w;
	bool copies = !a->work.function && !a->work.width;
	char place[MAX_NAME], what[MAX_NAME + 40];

	if (!stream_exists(c, a->stream) || (copies && !copy_fits(c, &a->work.copy)) ||
		(a->work.width && !fill_fits(c, &a->work)))
		return;
	if (copies && !a->work.copy.size)
		return;
	w = memory_resize(NULL, sizeof *w);
	*w = a->work;
	w->machine = m;
	if (copies && w->copy.staged && w->copy.from_host) {
		w->staged = memory_resize(NULL, w->copy.size);
		memcpy(w->staged, w->copy.from_host, w->copy.size);
	}
	place_text(a->at, place);
	snprintf(what, sizeof what, "the %s%s%s",
		copies             ? "copy"
			: w->width ? "fill"
				   : "function",
		!*place                   ? " by the host"
			: a->at->function ? " by "
					  : " at ",
		place);
	machine_work(m, a->stream, what, work_runs, w);
	queued(c);
}

enum ptxi_exit ptxi_copy(struct ptxi_device *d, ptxi_stream stream, const struct ptxi_copy *copy,
	const struct ptxi_at *at)
{
	return call(d, do_work,
		&(struct work_call){.stream = stream, .at = at, .work = {.copy = *copy}});
}

enum ptxi_exit ptxi_fill(struct ptxi_device *d, ptxi_stream stream, uint64_t address,
	const void *value, unsigned width, uint64_t count, const struct ptxi_at *at)
{
	struct work_call a = {.stream = stream,
		.at = at,
		.work = {.address = address, .count = count, .width = width ? width : 17}};

	if (width && width <= sizeof a.work.value)
		memcpy(a.work.value, value, width);
	return call(d, do_work, &a);
}

enum ptxi_exit ptxi_host_function(
	struct ptxi_device *d, ptxi_stream stream, void (*work)(void *self), void *self)
{
	if (!work)
		return PTXI_USAGE;
	return call(d, do_work,
		&(struct work_call){.stream = stream, .work = {.function = work, .self = self}});
}

/* --- launches --- */

struct start_call {
	uint32_t stream;
	const struct ptxi_module *module;
	unsigned function;
	const struct ptxi_grid *grid;
};

/* Puts the parameters into PARAMS. */
static bool parameters(
	struct call *c, const struct start_call *a, const struct ir_func *f, unsigned char *params)
{
	const struct ptxi_grid *g = a->grid;

	if (g->buffer) {
		if (g->size != f->param_bytes) {
			wrong(c, PTXI_USAGE, "the buffer of the parameters has another size");
			return false;
		}
		memcpy(params, g->buffer, g->size);
		return true;
	}
	for (uint32_t k = 0; k < f->nparams; k++) {
		const struct ir_var *p = &a->module->ir->var[f->param + k];

		if (!g->args || !g->args[k]) {
			wrong(c, PTXI_USAGE, "a parameter has no value");
			return false;
		}
		memcpy(params + p->offset, g->args[k], (size_t)p->size);
	}
	return true;
}

static void do_start(struct call *c, void *arg)
{
	const struct start_call *a = arg;
	const struct ptxi_grid *g = a->grid;
	const struct ir_func *f = kernel_of(c, a->module, a->function);
	struct machine_launch l = {.func = a->function,
		.dynamic_shared = g->shared_bytes,
		.stream = a->stream,
		.cooperative = g->cooperative != 0};
	unsigned char *params;

	if (!f || !stream_exists(c, a->stream) ||
		!turn_to(c, (struct ptxi_module *)(uintptr_t)a->module))
		return;
	params = memory_zeroed(f->param_bytes + 16u, 1);
	l.params = params;
	l.source = a->module->ir->source;
	l.span = f->span;
	for (unsigned k = 0; k < 3; k++) {
		l.grid[k] = g->grid[k] ? g->grid[k] : 1;
		l.block[k] = g->block[k] ? g->block[k] : 1;
		l.cluster[k] = g->cluster[k];
	}
	for (unsigned k = 0; k < 3; k++)
		if (l.cluster[0] + l.cluster[1] + l.cluster[2] && !l.cluster[k])
			l.cluster[k] = 1;
	if (parameters(c, a, f, params)) {
		if (!machine_launch(machine_of(a->module), &l))
			wrong(c, PTXI_USAGE, "the launch is rejected: a finding says why");
		else
			queued(c);
	}
	memory_drop(params);
}

enum ptxi_exit ptxi_start(struct ptxi_device *d, ptxi_stream stream, const struct ptxi_module *m,
	unsigned function, const struct ptxi_grid *grid)
{
	return call(d, do_start, &(struct start_call){stream, m, function, grid});
}

/* --- the GPU that is modelled --- */

static void find_properties(struct call *c, void *arg)
{
	machine_properties(machine_of(c->s->first), arg);
}

enum ptxi_exit ptxi_get_properties(struct ptxi_device *d, struct ptxi_properties *out)
{
	struct machine_properties p = {0};
	enum ptxi_exit result = call(d, find_properties, &p);

	*out = (struct ptxi_properties){
		.major = p.sm / 10,
		.minor = p.sm % 10,
		.multiprocessors = p.multiprocessors,
		.threads_per_multiprocessor = p.threads_per_multiprocessor,
		.blocks_per_multiprocessor = p.ctas_per_multiprocessor,
		.threads_per_block = p.threads_per_cta,
		.warp = 32,
		.shared_per_block = p.shared_per_cta,
		.shared_per_multiprocessor = p.shared_per_multiprocessor,
	};
	memcpy(out->block, p.block, sizeof out->block);
	memcpy(out->grid, p.grid, sizeof out->grid);
	return result;
}

struct occupancy_call {
	const struct ptxi_module *module;
	unsigned function, threads, shared, blocks;
};

static void find_occupancy(struct call *c, void *arg)
{
	struct occupancy_call *o = arg;

	if (kernel_of(c, o->module, o->function))
		o->blocks = machine_occupancy(
			machine_of(o->module), o->function, o->threads, o->shared);
}

enum ptxi_exit ptxi_occupancy(struct ptxi_device *d, const struct ptxi_module *m, unsigned function,
	unsigned threads, unsigned shared_bytes, unsigned *blocks)
{
	struct occupancy_call o = {m, function, threads, shared_bytes, 0};
	enum ptxi_exit result = call(d, find_occupancy, &o);

	*blocks = o.blocks;
	return result;
}

/* --- findings --- */

static void do_take(struct call *c, void *arg)
{
	if (c->s)
		c->s->taken = report_take(arg, &c->s->findings, c->s->taken);
}

struct ptxi_report *ptxi_take_findings(struct ptxi_device *d)
{
	struct ptxi_report *r = report_new();

	if (!r)
		return NULL;
	pthread_mutex_lock(&d->lock);
	if (d->state)
		run_call(d, do_take, r);
	pthread_mutex_unlock(&d->lock);
	return r;
}
