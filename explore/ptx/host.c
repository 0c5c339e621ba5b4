/* Order between launches, and the host's writes: the host waits for everything that it has
 * launched, writes, and launches the next kernel. Its writes form a launch with one thread, whose
 * weak writes race with nothing. */
#include "explore/ptx/host.h"
#include "explore/ptx/async.h"
#include <string.h>

/* At its start and end, a kernel fences the proxies that it uses, because stores of an earlier
 * kernel may be loaded with .nc or copied in bulk without a fence. True: A is a fence. */
static bool fence_proxies(const struct ptx_code *code, uint8_t *done, struct action *a)
{
	uint32_t left = code->proxies & ~*done & ~(1u << PROXY_ALIAS);
	if (!left)
		return false;
	a->kind = ACTION_PROXY_FENCE;
	a->proxy = (uint8_t)__builtin_ctz(left);
	*done |= (uint8_t)(left & -left);
	return true;
}

bool ptx_wait_for_launch(
	const struct ptx_client *c, uint32_t thread, struct ptx_state *s, struct action *a)
{
	const struct ptx_launch *l = &c->launch[c->thread[thread].launch];
	if (s->waited == l->nafter)
		return l->nafter && fence_proxies(l->code, &s->entered, a);
	uint32_t k = l->after[s->waited++];
	a->kind = ACTION_BARRIER;
	a->rule = BARRIER_PHASE;
	a->wait_only = true;
	a->object = ptx_object(OBJECT_LAUNCH, k, 0);
	a->count = c->launch[k].nthreads;
	return true;
}

void ptx_at_exit(const struct ptx_client *c, uint32_t thread, struct ptx_state *s, struct action *a)
{
	uint32_t launch = c->thread[thread].launch;
	a->kind = ACTION_END;
	if (!c->launch[launch].awaited || s->over || !ptx_async_drain(c, thread, s, a) ||
		fence_proxies(c->launch[launch].code, &s->left, a))
		return;
	s->over = true;
	a->kind = ACTION_BARRIER;
	a->rule = BARRIER_PHASE;
	a->arrive_only = true;
	a->object = ptx_object(OBJECT_LAUNCH, launch, 0);
}

bool ptx_host_step(
	const struct ptx_client *c, uint32_t thread, struct ptx_state *s, struct action *a)
{
	const struct ptx_launch *l = &c->launch[c->thread[thread].launch];
	a->place = s->pc;
	if (s->pc == l->nwrites)
		return false;
	const struct explore_write *w = &c->write[l->first_write + s->pc];
	a->kind = ACTION_WRITE;
	a->sem = SEM_WEAK;
	a->scope = SCOPE_SYS;
	a->size = w->element;
	a->address_known = a->value_known = true;
	a->virt = a->phys = w->address + (uint64_t)s->element * w->element;
	memcpy(a->value, w->bytes + (size_t)s->element * w->element, w->element);
	s->events++;
	if (++s->element * (uint64_t)w->element >= w->size) {
		s->element = 0;
		s->pc++;
	}
	return true;
}

bool ptx_host_writes(const struct ptx_client *c, uint32_t launch, uint64_t phys, uint32_t size)
{
	const struct ptx_launch *l = &c->launch[launch];
	for (uint32_t k = 0; k < l->nwrites; k++) {
		const struct explore_write *w = &c->write[l->first_write + k];
		if (w->address < phys + size && phys < w->address + w->size)
			return true;
	}
	return false;
}
