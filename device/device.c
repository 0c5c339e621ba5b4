/* Implements include/ptxi/device.h on top of machines.
 *
 * A device has one lock and one guard (base/guard.h), which owns everything that is made for it: a
 * call that fails loses the device. It has one machine, whose module grows with all that is loaded.
 */
#include "device/call.h"
#include "base/guard.h"
#include "base/memory.h"
#include "device/device.h"
#include "ir/link.h"
#include <stdio.h>
#include <string.h>

/* --- creation --- */

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
		device_lose(c->d, PTXI_USAGE, "a setting is wrong");
		fits = false;
	}
	text_free(&why);
	return fits;
}

static bool listener_due(void *self)
{
	const struct ptxi_device *d = self;

	return d->told.due(d->told.self) != 0;
}

static void listener_hear(void *self, const struct machine_progress *p)
{
	const struct ptxi_device *d = self;

	d->told.hear(d->told.self,
		&(struct ptxi_progress){p->kernel, p->place, p->ctas, p->ctas_done, p->steps});
}

static void create(struct call *c, void *arg)
{
	const struct ptxi_device_options *options = arg;
	struct state *s = memory_zeroed(1, sizeof *s);

	c->s = c->d->state = s;
	s->options.machine.checks = CHECK_BOUNDS | CHECK_SYNC;
	s->options.machine.seed = 1;
	s->options.machine.shares_managed = true;
	if (options)
		s->options.machine.jobs = options->jobs;
	if (options && options->due && options->hear) {
		c->d->listener = (struct machine_listener){listener_due, listener_hear, c->d};
		s->options.machine.listener = &c->d->listener;
	}
	if (!settings_apply(c, options ? options->settings : NULL))
		return;
	s->ir = ir_joined(&s->arena, "device");
	backend_open_interp(&(struct backend_request){.kind = BACKEND_INTERP,
				    .module = s->ir,
				    .options = &s->options.machine,
				    .findings = &s->findings},
		&s->backend);
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
	if (options)
		d->told = *options;
	d->told.settings = NULL;
	device_run(d, create, (void *)(uintptr_t)options);
	return d;
}

/* Ends what is no memory: threads and locks. */
static void destroy(struct call *c, void *arg)
{
	(void)arg;
	if (c->s->backend.self)
		c->s->backend.close(c->s->backend.self);
}

void ptxi_device_free(struct ptxi_device *d)
{
	if (!d)
		return;
	if (d->state)
		device_run(d, destroy, NULL);
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

/* --- the GPU that is modelled --- */

static void find_properties(struct call *c, void *arg) { machine_properties(machine_of(c), arg); }

enum ptxi_exit ptxi_get_properties(struct ptxi_device *d, struct ptxi_properties *out)
{
	struct machine_properties p = {0};
	enum ptxi_exit result = device_call(d, find_properties, &p);

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
		device_run(d, do_take, r);
	pthread_mutex_unlock(&d->lock);
	return r;
}
