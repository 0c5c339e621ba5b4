/* Work of the host in streams: its copies and fills are accesses of a thread of their own, which
 * begins after what precedes it in its stream. They stand in the shadow as weak accesses by an
 * instruction that the module does not have. */
#include "base/memory.h"
#include "check/race_state.h"
#include <string.h>

/* The number that stands for work called WHAT. */
static uint32_t insn_of(struct race *r, const char *what)
{
	uint32_t k = 0;
	size_t n = strlen(what) + 1;

	while (k < r->host_what.count && strcmp(r->host_what.data[k], what) != 0)
		k++;
	if (k == HOST_MOST)
		k--; /* reported under the name of another */
	if (k == r->host_what.count)
		*vec_push(&r->host_what) = memcpy(memory_resize(NULL, n), what, n);
	return HOST_INSN + k;
}

static struct begun *begun_of(struct race *r, uint32_t order)
{
	uint32_t k = r->begun.count;

	while (r->begun.data[--k].order != order) {
	}
	return &r->begun.data[k];
}

/* The thread that does the work of ORDER. */
static void host_begins(struct race *r, uint32_t order)
{
	struct race_warp *w = &r->host_warp;

	race_host_settle(r);
	race_begins(r, order);
	r->host_order = 1 + order;
	r->host.warp = w;
	r->host.nwarps = 1;
	r->host.uid = r->past.count;
	*w = (struct race_warp){.uid = r->family.warp_cta.count, .stamp = r->now};
	w->clock[0] = clock_ref(r->bases.data[order - r->machine->settled_order].clock);
	*vec_push(&r->past) = (struct past_cta){
		.order = order, .cluster = r->host.uid, .first_warp = w->uid, .real = r->host.uid};
	*vec_push(&r->family.cta_launch) = order;
	*vec_push(&r->family.warp_cta) = r->host.uid;
}

void race_host_access(struct race *r, const struct memory_event *e)
{
	struct shadow *s = r->off ? NULL : shadow_global(r, e->address);
	uint64_t offset = s ? e->address - s->base : 0;
	unsigned unit = (offset | e->size) % 4 ? 1 : 4;

	if (!s || (offset + e->size - 1) >> PAGE_SHIFT >= s->pages)
		return;
	if (r->host_order != 1 + e->work->order)
		host_begins(r, e->work->order);
	const struct record want = {.stamp = r->host_warp.stamp,
		.warp = r->host_warp.uid,
		.insn = insn_of(r, e->work->what),
		.how = e->host_write ? HOW_WRITE : HOW_READ,
		.scope = SCOPE_SYS,
		.bytes = (uint8_t)unit};
	struct touch t = {.r = r,
		.cta = &r->host,
		.warp = &r->host_warp,
		.space = W_global,
		.writes = e->host_write,
		.plain = !r->nc};

	t.id = record_get(r, t.warp, &want);
	shadow_range(&t, s, offset, e->size, unit);
	begun_of(r, e->work->order)->end = r->now;
}

void race_host_settle(struct race *r)
{
	if (r->host_order)
		clock_unref(r->host_warp.clock[0]);
	r->host_order = 0;
}

void race_host_free(struct race *r)
{
	race_host_settle(r);
	for (uint32_t k = 0; k < r->host_what.count; k++)
		memory_drop(r->host_what.data[k]);
	vec_free(&r->host_what);
}
