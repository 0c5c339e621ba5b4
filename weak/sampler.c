/* Connects the sampler to a machine: its handlers, its loop, and its other callbacks. */
#include "weak/sampler.h"
#include "interp/state/weak_memory.h"
#include "weak/weak.h"

static void sampler_settle(struct weak *k)
{
	weak_finish(k);
	weak_settle(k);
}

static const struct weak_memory sampler = {
	.ld = exec_weak_ld,
	.st = exec_weak_st,
	.atom = exec_weak_atom,
	.run = run_weak,
	.overwritten = weak_overwritten,
	.forget = weak_forget,
	.fetched = weak_copy_fetched,
	.dropped = weak_copy_dropped,
	.settle = sampler_settle,
	.readable = weak_readable,
	.unread = weak_unread,
};

void sampler_attach(struct machine *m)
{
	if (m->options.memory != MEMORY_WEAK)
		return;
	m->weak = weak_new(m, weak_execute);
	m->weak_memory = &sampler;
}

void sampler_detach(struct machine *m)
{
	if (m->weak)
		weak_free(m->weak);
	m->weak = NULL;
}
