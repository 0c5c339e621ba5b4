/* Asynchronous operations: copies, reductions, st.async. Each is a thread of its own: it comes after what its issuer knew at the issue, and before whoever waits for it in
 * the way in which it completes, and whom those tell. In the shadow its accesses stand from the issue on, as those of an agent: a warp that no thread belongs to. */
#include "check/race_state.h"
#include "base/memory.h"
#include "interp/sync/async.h"
#include <stdlib.h>
#include <string.h>

/* ---- agents ---- */

static uint32_t new_agent(struct race *r, struct race_cta *c)
{
	uint32_t uid = r->family.warp_cta.count;

	if (!c->async) {
		struct past_cta past = r->past.data[c->uid];

		c->async = r->past.count;
		*vec_push(&r->past) = past;
		*vec_push(&r->family.cta_launch) = past.launch->number;
	}
	*vec_push(&r->family.warp_cta) = c->async;
	return uid;
}

static struct agent *agent_of(struct race *r, struct race_cta *c, struct race_warp *w, enum agent_kind kind)
{
	if (!w->agent[kind]) {
		w->agent[kind] = memory_zeroed(1, sizeof *w->agent[kind]);
		w->agent[kind]->uid = new_agent(r, c);
	}
	return w->agent[kind];
}

/* Who executes what completes at the mbarrier BAR; or, without one, when the CTA ends. */
static uint32_t agent_at(struct race *r, struct race_cta *c, const struct sync_place *bar)
{
	uint64_t key = bar->cta ? (uint64_t)bar->cta->cluster_rank << 32 | bar->offset : UINT64_MAX - 1;
	uint32_t uid = map_get(&c->agents, key, UINT32_MAX);

	if (uid == UINT32_MAX)
		map_set(&c->agents, key, uid = new_agent(r, c));
	return uid;
}

/* Lane LANE issues an operation of GROUP at STAMP. When too many groups are open the oldest two become one: it may then seem known too early. */
static void open_group(struct agent *a, unsigned lane, uint32_t group, uint32_t stamp)
{
	uint8_t n = a->nopen[lane];

	if (n && a->open[lane][n - 1].group == group) {
		a->open[lane][n - 1].stamp = stamp;
		return;
	}
	if (n == OPEN_GROUPS) {
		a->open[lane][0].stamp = a->open[lane][1].stamp;
		memmove(&a->open[lane][1], &a->open[lane][2], (OPEN_GROUPS - 2) * sizeof a->open[lane][0]);
		n--;
	}
	a->open[lane][n].group = group;
	a->open[lane][n].stamp = stamp;
	a->nopen[lane] = (uint8_t)(n + 1);
}

static void wait_groups(struct agent *a, unsigned lane, uint32_t before)
{
	uint8_t n = 0;

	if (!a)
		return;
	while (n < a->nopen[lane] && a->open[lane][n].group < before)
		a->known[lane] = a->open[lane][n++].stamp;
	a->nopen[lane] = (uint8_t)(a->nopen[lane] - n);
	memmove(&a->open[lane][0], &a->open[lane][n], a->nopen[lane] * sizeof a->open[lane][0]);
}

void race_copy_waited(struct race_warp *w, const struct sync_event *e)
{
	FOR_LANES(lane, e->mask)
	{
		uint32_t before = e->warp->sync->waited[e->number][lane];

		if (!e->number)
			wait_groups(w->agent[AGENT_CP], lane, before);
		else
			wait_groups(w->agent[AGENT_BULK_READ], lane, before);
		if (e->number && !e->value)
			wait_groups(w->agent[AGENT_BULK], lane, before);
	}
}

bool agent_knows(const struct race_warp *w, unsigned lane, uint32_t warp, uint32_t stamp)
{
	for (unsigned k = 0; k < AGENTS; k++)
		if (w->agent[k] && w->agent[k]->uid == warp)
			return stamp <= w->agent[k]->known[lane];
	return false;
}

void agent_tell(struct race *r, struct race_warp *w, unsigned lane)
{
	for (unsigned k = 0; k < AGENTS; k++)
		if (w->agent[k] && w->agent[k]->known[lane]) {
			const struct known one = {key_thread(w->agent[k]->uid, lane), w->agent[k]->known[lane]};

			w->clock[lane] = clock_join(w->clock[lane], &r->family, NULL, &one, 1, r->now);
		}
}

void agent_tell_all(struct race *r, struct race_warp *w, const struct warp *of, uint32_t mask, struct meeting *g)
{
	bool same = mask == of->lanes;

	for (unsigned k = 0; k < AGENTS; k++)
		for (unsigned lane = 1; w->agent[k] && lane < LANES; lane++)
			same = same && (!(mask >> lane & 1) || w->agent[k]->known[lane] == w->agent[k]->known[0]);
	if (!same) {
		FOR_LANES(lane, mask) agent_tell(r, w, lane);
		return;
	}
	for (unsigned k = 0; k < AGENTS; k++)
		if (w->agent[k] && w->agent[k]->known[0])
			*vec_push(&g->waited) = (struct known){key_of(KEY_WARP, w->agent[k]->uid), w->agent[k]->known[0]};
}

/* ---- what they access ---- */

static bool covers(const struct touch *t, const struct sync_place *p, uint64_t bytes)
{
	uint64_t at = p->space == W_shared ? p->offset : p->address;

	return p->space == t->space && (t->space != W_shared || p->cta == t->owner) && t->address + 3 >= at && t->address < at + bytes;
}

bool race_told_by_sync(const struct touch *t, const struct record *x)
{
	uint32_t real = t->r->past.data[t->r->family.warp_cta.data[x->warp]].real;

	if (!(t->r->machine->options.checks & CHECK_SYNC))
		return false;
	for (const struct copy *b = t->of->cta->cluster->copies; b; b = b->next) {
		const struct race_cta *c = b == t->copy || b->op->insn != x->insn ? NULL : race_find(t->r, b->warp->cta);

		for (uint32_t k = 0; c && c->uid == real && k < b->nparts; k++) {
			const struct copy_part *p = &b->part[k];

			if (x->how & HOW_WRITE ? !p->landed && covers(t, &p->to, p->bytes) : !p->landed && !p->fetched && covers(t, &p->from, p->take))
				return true;
		}
	}
	return false;
}

static void access(struct touch *t, struct race_cta *c, const struct copy_part *part, const struct sync_place *p, uint64_t bytes, struct record want)
{
	struct race_cta *owner = NULL;
	struct shadow *s;

	t->space = p->space;
	t->owner = p->cta;
	if (p->space == W_shared) {
		owner = p->cta == c->cta ? c : race_find(t->r, p->cta);
		s = owner ? &owner->shared : NULL;
	} else {
		s = shadow_global(t->r, p->address);
	}
	uint64_t offset = p->space == W_shared ? p->offset : s ? p->address - s->base : 0;

	if (!s || !bytes || (offset + bytes - 1) >> PAGE_SHIFT >= s->pages)
		return;
	if (p->space == W_shared)
		want.how |= HOW_SHARED;
	t->writes = want.how & HOW_WRITE;
	t->plain = !(want.how & HOW_STRONG) && !t->r->nc;
	t->id = record_get(t->r, t->warp, &want);
	t->memo_clock = NULL;
	if (!t->writes || part->byte_mask == 0xffff) {
		shadow_range(t, s, offset, bytes, want.bytes);
		return;
	}
	for (uint64_t k = 0; k < bytes; k++)
		if (part->byte_mask >> (k & 15) & 1)
			shadow_range(t, s, offset + k, 1, 1);
}

/* A releasing st.async or red.async: what its issuer knows, to whoever acquires it. (It may seem to be there before it is.) */
static void releases(struct touch *t, struct race_cta *c, const struct copy *copy, const struct copy_part *p)
{
	struct race_cta *owner = p->to.space != W_shared ? NULL : p->to.cta == c->cta ? c : race_find(t->r, p->to.cta);
	struct places *places = owner ? &owner->places : &t->r->places;

	if (p->to.space == W_shared && !owner)
		return;
	for (uint32_t at = 0; at < p->bytes; at += copy->op->async.bytes)
		place_access(t, places, (owner ? p->to.offset : p->to.address) + at, false, true, copy->op->async.atomic != ATOMIC_NONE, true, false, true, copy->op->async.scope, false);
}

static void part_issued(struct touch *t, struct race_cta *c, const struct copy *copy, const struct copy_part *p, uint32_t stamp)
{
	struct race *r = t->r;
	struct race_warp *w = t->warp;
	bool is_copy = copy->kind == COPY_CP || copy->kind == COPY_BULK || copy->kind == COPY_GROUP, group = copy->kind == COPY_GROUP;
	bool release = copy->kind == COPY_VALUE && copy->op->async.sem == SEM_RELEASE;
	struct agent *a = copy->kind == COPY_CP ? agent_of(r, c, w, AGENT_CP) : group ? agent_of(r, c, w, AGENT_BULK) : NULL;
	struct agent *reader = group ? agent_of(r, c, w, AGENT_BULK_READ) : a;
	struct record want = {.stamp = stamp, .insn = copy->op->insn, .scope = SCOPE_SYS};

	t->lane = p->lane;
	if (a)
		open_group(a, p->lane, p->group, stamp);
	if (group)
		open_group(reader, p->lane, p->group, stamp);
	if (is_copy) {
		want.warp = reader ? reader->uid : agent_at(r, c, &p->bar);
		want.how = HOW_COPY | HOW_READ;
		want.bytes = p->take < 16 ? (uint8_t)p->take : 16; /* a piece of it */
		access(t, c, p, &p->from, p->take, want);
	}
	want.warp = a ? a->uid : agent_at(r, c, &p->bar);
	want.bytes = copy->op->async.atomic != ATOMIC_NONE || copy->kind == COPY_VALUE ? copy->op->async.bytes : p->bytes < 16 ? (uint8_t)p->bytes : 16;
	want.how = (uint8_t)(HOW_WRITE | (copy->op->async.atomic != ATOMIC_NONE ? (is_copy ? HOW_COPY : 0) | HOW_ASYNC | HOW_READ | HOW_ATOMIC | HOW_STRONG : copy->kind == COPY_VALUE ? HOW_ASYNC : HOW_COPY) | (release ? HOW_STRONG : 0));
	if (want.how & HOW_STRONG)
		want.scope = (uint8_t)(is_copy ? SCOPE_GPU : copy->op->async.scope);
	access(t, c, p, &p->to, p->bytes, want);
	if (release)
		releases(t, c, copy, p);
}

void race_copy(struct race *r, struct race_cta *c, struct race_warp *w, const struct copy *copy)
{
	struct touch t = {.r = r, .cta = c, .warp = w, .of = copy->warp, .copy = copy};
	uint32_t stamp = race_tick(r);

	if (copy->kind == COPY_ARRIVE) {
		struct agent *a = agent_of(r, c, w, AGENT_CP);

		a->arrival[a->narrived % OPEN_ARRIVALS].copy = copy->number;
		a->arrival[a->narrived++ % OPEN_ARRIVALS].stamp = stamp;
		return;
	}
	for (uint32_t k = 0; k < copy->nparts; k++)
		part_issued(&t, c, copy, &copy->part[k], stamp);
	w->stamp = race_tick(r);
}

/* Complete-tx publishes the operation's own bytes, at any scope; the arrival of cp.async.mbarrier.arrive the copies before it. */
void race_copy_completes(struct race *r, struct race_cta *c, struct race_warp *w, const struct sync_event *e)
{
	const struct copy *copy = e->cta->cluster->landing;
	const struct agent *a = copy->kind == COPY_ARRIVE ? agent_of(r, c, w, AGENT_CP) : NULL;
	struct race_cta *owner = race_find(r, e->object);
	const struct sync_place bar = {.cta = e->object, .offset = e->offset};
	struct head h = {.clock = r->nothing, .warp = a ? a->uid : agent_at(r, c, &bar), .stamp = r->now, .insn = e->op->insn, .scope = SCOPE_ANY};

	for (unsigned k = 0; a && k < OPEN_ARRIVALS; k++)
		if (a->arrival[k].stamp && a->arrival[k].copy == copy->number)
			h.stamp = a->arrival[k].stamp;
	FOR_LANES(lane, owner ? e->mask : 0)
	{
		h.lane = (uint8_t)lane;
		clock_ref(h.clock);
		place_give(r, &owner->places, e->offset, h);
	}
}
