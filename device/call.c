/* What the calls of a device share: its lock and guard, and what comes of running its work. */
#include "device/call.h"
#include "base/guard.h"
#include <stdio.h>

enum { QUEUED = 1024 }; /* items, after which the host waits for them */

/* --- calls --- */

static void call_work(void *arg)
{
	struct call *c = arg;

	c->work(c, c->arg);
}

void call_wrong(struct call *c, enum ptxi_exit result, const char *why)
{
	c->result = result;
	snprintf(c->d->why, sizeof c->d->why, "%s", why);
}

void device_lose(struct ptxi_device *d, enum ptxi_exit why, const char *what)
{
	d->lost = why;
	snprintf(d->why, sizeof d->why, "%s", what);
}

enum ptxi_exit device_run(struct ptxi_device *d, void (*work)(struct call *c, void *arg), void *arg)
{
	struct call c = {.d = d, .s = d->state, .work = work, .arg = arg};
	enum failure failure = guard_run(d->guard, call_work, &c);

	if (!failure)
		return d->lost ? d->lost : c.result;
	d->state = NULL;
	device_lose(d, failure == FAILURE_MEMORY ? PTXI_NO_MEMORY : PTXI_BUG, guard_what(d->guard));
	return d->lost;
}

enum ptxi_exit device_call(
	struct ptxi_device *d, void (*work)(struct call *c, void *arg), void *arg)
{
	enum ptxi_exit result;

	pthread_mutex_lock(&d->lock);
	result = d->lost ? d->lost : device_run(d, work, arg);
	pthread_mutex_unlock(&d->lock);
	return result;
}

/* --- running --- */

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

void call_ran(struct call *c, enum machine_status status)
{
	struct machine *m = machine_of(c);
	const struct diag *last = NULL;
	size_t n;
	const char *text = machine_output(m, &n);

	if (n && c->d->told.output)
		c->d->told.output(c->d->told.self, text, n);
	machine_clear_output(m);
	if (status == MACHINE_DONE)
		return;
	for (const struct diag *r = c->s->findings.first; r; r = r->next)
		if (!diag_is_warning(r->code))
			last = r;
	device_lose(c->d, exit_of(status), last ? last->message : "the device has stopped");
}

/* After something was queued. */
void call_queued(struct call *c)
{
	struct machine *m = machine_of(c);

	if (machine_queued(m) >= QUEUED)
		call_ran(c, machine_run(m));
}
