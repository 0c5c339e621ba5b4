/* The race checker: its handling of accesses, and of launches and CTAs as they begin and end. */
#include "check/race.h"
#include "base/assert.h"
#include "check/race_state.h"
#include "base/memory.h"
#include <stdlib.h>
#include <string.h>

/* --- accesses --- */

/* Whether a cas matches its comparison value; one that fails writes nothing. */
static bool cas_writes(const struct touch *t, const struct op *op, uint64_t offset)
{
	uint64_t there = 0, want = op_value(t->of, op, 2, t->lane);
	unsigned n = op->access.bytes;

	if (n > 8)
		return true;
	if (t->owner) {
		memcpy(&there, t->owner->shared + offset, n);
	} else {
		const struct memory_block *b = memory_find(t->r->machine->memory, t->address);

		memcpy(&there, b->host + (t->address - b->base), n);
	}
	return n == 8 ? there == want : there == (want & ((UINT64_C(1) << 8 * n) - 1));
}

/* Sets T's record to WANT, unless the previous element had the same. */
static inline void name_access(struct touch *t, const struct record *want)
{
	if (t->id && t->r->record.data[t->id].how == want->how)
		return;
	t->id = record_get(t->r, t->warp, want);
	t->writes = want->how & HOW_WRITE;
	t->plain = !(want->how & HOW_STRONG) && !t->r->nc;
	t->memo_clock = NULL; /* record numbers may have been reused */
}

static void strong_element(struct touch *t, const struct access_event *e, struct shadow *s,
	struct race_cta *owner, uint64_t offset, struct record want)
{
	const struct op *op = e->op;
	bool writes = e->writes;

	if (op_is_atomic(op) && op->access.atomic == ATOMIC_CAS && !cas_writes(t, op, offset)) {
		writes = false;
		want.how = (uint8_t)(want.how & ~HOW_WRITE);
	}
	struct places *places = owner ? &owner->places : &t->r->places;

	name_access(t, &want);
	if (t->r->machine->options.lane_by_lane)
		shadow_touch(t, s, offset, want.bytes);
	else
		shadow_single(t, s, offset, want.bytes);
	if (e->sem == SEM_RELAXED && !places->at.count && !t->warp->sync)
		return; /* nothing was released here, and nothing can be */
	place_access(t, places, owner ? offset : t->address, e->reads && op->kind != KIND_RED,
		writes, e->atomic, true, sem_acquires(e->sem), sem_releases(e->sem), want.scope,
		false);
	if (e->sem > SEM_RELAXED)
		t->memo_clock = NULL; /* the lane may have acquired */
}

static void weak_element(struct touch *t, const struct access_event *e, struct shadow *s,
	struct race_cta *owner, uint64_t offset, const struct record *want)
{
	struct places *places = owner ? &owner->places : &t->r->places;

	name_access(t, want);
	shadow_touch(t, s, offset, want->bytes);
	if (e->writes && places->at.count)
		place_access(t, places, owner ? offset : t->address, false, true, false, false,
			false, false, want->scope, false);
}

/* The shadow of T's address; sets T's owner, makes a shared address an offset within that CTA, and
 * sets *OWNER to the checker's state of it (NULL: global memory). NULL: not watched. *NEAR is the
 * last global shadow found. */
static inline struct shadow *find_shadow(
	struct touch *t, struct race_cta *c, struct shadow **near, struct race_cta **owner)
{
	struct shadow *s = *near;

	*owner = NULL;
	if (t->space == W_shared && !(t->address >> MEMORY_SLOT_SHIFT) &&
		t->of->cta->cluster->n == 1) {
		t->owner = t->of->cta;
		*owner = c;
		return &c->shared;
	}
	if (t->space == W_shared) {
		t->owner = cluster_at(t->of->cta, t->address);
		*owner = t->owner == t->of->cta ? c : t->owner ? race_find(t->r, t->owner) : NULL;
		t->address = cluster_offset(t->address);
		return *owner ? &(*owner)->shared : NULL;
	}
	if (!s || t->address - s->base >= s->pages << PAGE_SHIFT)
		s = *near = shadow_global(t->r, t->address);
	return s;
}

/* Whether nothing was released at the locations of T's accesses, of relaxed order, and nothing can
 * be: then they only have to be judged. */
static bool has_no_releases(const struct touch *t, const struct access_event *e)
{
	const struct places *places = t->space == W_shared ? &t->cta->places : &t->r->places;

	return e->sem == SEM_RELAXED && !places->at.count && !t->warp->sync &&
		t->of->cta->cluster->n == 1 && !t->r->machine->options.lane_by_lane &&
		!(op_is_atomic(e->op) && e->op->access.atomic == ATOMIC_CAS);
}

static void relaxed_lanes(struct touch *t, const struct access_event *e, const struct record *want,
	struct race_cta *c)
{
	struct shadow *s, *near = NULL;
	struct race_cta *owner;
	uint32_t peers[PEERS] = {0};

	name_access(t, want);
	FOR_LANES(lane, e->mask)
		for (unsigned at = 0; at < e->bytes; at += want->bytes) {
			t->lane = lane;
			t->address = e->address[lane] + at;
			s = find_shadow(t, c, &near, &owner);
			if (!s ||
				(t->address - s->base + want->bytes - 1) >> PAGE_SHIFT >= s->pages)
				continue;
			if (t->writes)
				shadow_strong_write(t, s, t->address - s->base, want->bytes, peers);
			else
				shadow_single(t, s, t->address - s->base, want->bytes);
		}
}

/* Weak loads, the most frequent accesses. Of consecutive lanes that load the same address with the
 * same clock, the first two suffice as long as clocks alone decide. */
static void weak_loads(struct touch *t, const struct access_event *e, const struct record *want,
	struct race_cta *c)
{
	struct shadow *s, *near = NULL;
	struct race_cta *owner;
	const struct clock *clock = NULL;
	uint64_t last = UINT64_MAX;
	unsigned same = 0;

	name_access(t, want);
	FOR_LANES(lane, e->mask) {
		t->lane = lane;
		same = e->address[lane] == last && t->warp->clock[lane] == clock ? same + 1 : 0;
		if (same >= 2 && !t->alone)
			continue;
		last = e->address[lane];
		clock = t->warp->clock[lane];
		for (unsigned at = 0; at < e->bytes; at += want->bytes) {
			t->address = last + at;
			s = find_shadow(t, c, &near, &owner);
			if (s && (t->address - s->base + want->bytes - 1) >> PAGE_SHIFT < s->pages)
				shadow_load(t, s, t->address - s->base, want->bytes);
		}
	}
}

/* Whether the lanes of E may be judged together. */
static bool has_rows(const struct touch *t, const struct access_event *e)
{
	const struct race *r = t->r;

	return e->steps && !e->sem && !r->nc &&
		!(e->writes && (r->places.at.count || t->cta->places.at.count)) &&
		t->of->cta->cluster->n == 1 && warp_one_clock(t->warp, e->mask);
}

/* Weak accesses in one place, lanes whose bytes lie side by side together. */
static void weak_rows(struct touch *t, const struct access_event *e, const struct record *want,
	struct race_cta *c)
{
	struct shadow *s, *near = NULL;
	struct race_cta *owner;

	name_access(t, want);
	t->lane = lane_first(e->mask);
	t->address = e->address[t->lane];
	s = find_shadow(t, c, &near, &owner);
	if (s && t->address - s->base < s->pages << PAGE_SHIFT)
		shadow_rows(t, s, e, want->bytes);
}

static void race_on_access(struct observer *o, const struct access_event *e)
{
	struct race *r = o->self;
	struct race_cta *c, *owner;
	struct shadow *s, *near = NULL;
	struct touch t;
	unsigned n = op_accesses(e->op) ? e->op->access.bytes : e->bytes;

	/* a packed one is two scalar operations (PTX ISA 8.2.5) */
	if (op_is_atomic(e->op) && type_info[e->op->access.type].class == CLASS_PACKED)
		n /= 2;
	if (r->off || (e->space != W_global && e->space != W_shared) ||
		!(c = race_find(r, e->warp->cta)))
		return;
	t.r = r;
	t.of = e->warp;
	t.space = e->space;
	t.cta = c;
	t.warp = &c->warp[e->warp->index];
	t.id = 0;
	t.owner = NULL;
	t.copy = NULL;
	t.memo_clock = NULL;
	t.alone = false;
	const struct record want = {
		.stamp = t.warp->stamp,
		.warp = t.warp->uid,
		.insn = e->op->insn,
		.how = (uint8_t)((e->writes ? HOW_WRITE : 0) | (e->reads ? HOW_READ : 0) |
			(e->sem ? HOW_STRONG : 0) | (e->atomic ? HOW_ATOMIC : 0) |
			(e->space == W_shared ? HOW_SHARED : 0) |
			(r->nc && r->nc[e->op->insn] ? HOW_NC : 0)),
		.scope = (uint8_t)e->scope,
		.bytes = (uint8_t)n,
		.user_call = e->warp->frame->user_call,
	};

	if (has_rows(&t, e)) {
		weak_rows(&t, e, &want, c);
		return;
	}
	if (!e->sem && !e->writes) {
		weak_loads(&t, e, &want, c);
		return;
	}
	if (has_no_releases(&t, e)) {
		relaxed_lanes(&t, e, &want, c);
		return;
	}
	FOR_LANES(lane, e->mask)
		for (unsigned at = 0; at < e->bytes; at += n) {
			t.lane = lane;
			t.address = e->address[lane] + at;
			s = find_shadow(&t, c, &near, &owner);
			if (!s || (t.address - s->base + n - 1) >> PAGE_SHIFT >= s->pages)
				continue;
			if (e->sem)
				strong_element(&t, e, s, owner, t.address - s->base, want);
			else
				weak_element(&t, e, s, owner, t.address - s->base, &want);
		}
	if (sem_releases(e->sem))
		t.warp->stamp = race_tick(r);
}

/* --- launches and CTAs --- */

static void launch_end(struct race *r, const struct launch *l)
{
	for (uint32_t k = r->begun.count; k-- > 0;)
		if (r->begun.data[k].order == l->order) {
			r->begun.data[k].end = r->now;
			return;
		}
}

static void cta_end(struct race *r, const struct cta *of)
{
	uint32_t at = map_get(&r->live, (uint64_t)(uintptr_t)of, UINT32_MAX);
	struct race_cta *c = at == UINT32_MAX ? NULL : r->ctas.data[at];

	if (!c)
		return;
	for (uint32_t k = 0; k < c->nwarps; k++)
		warp_sync_free(&c->warp[k]);
	memory_drop(c->warp);
	for (unsigned k = 0; k < MAX_BARRIERS; k++)
		meeting_free(c->barrier[k]);
	meeting_free(c->cluster);
	clock_unref(c->cluster_done);
	for (unsigned k = 0; k < MISSED; k++)
		clock_unref(c->missed[k].head.clock);
	places_free(&c->places);
	map_free(&c->agents);
	shadow_free(&c->shared);
	memory_drop(c);
	r->ctas.data[at] = NULL;
	r->last_cta = NULL;
}

static void global_free(struct race *r, uint32_t slot)
{
	shadow_free(r->global[slot]);
	memory_drop(r->global[slot]);
	r->global[slot] = NULL;
}

/* Frees the state of all CTAs, and everything that is known of accesses. */
static void forget_all(struct race *r)
{
	for (uint32_t k = 0; k < r->ctas.count; k++)
		if (r->ctas.data[k])
			cta_end(r, r->ctas.data[k]->cta);
	r->ctas.count = 0;
	map_free(&r->live);
	for (uint32_t k = 0; k < r->slots.count; k++)
		global_free(r, r->slots.data[k]);
	r->slots.count = 0;
	places_free(&r->places);
	vec_free(&r->family.warp_cta);
	vec_free(&r->family.cta_launch);
	vec_free(&r->past);
	vec_free(&r->record);
	r->cells = 0;
}

/* The host has waited for all launches, so that all accesses come before the next launch. They are
 * remembered as long as that costs little, and then forgotten together. */
static void settle(struct race *r)
{
	enum { WARPS = 1 << 16, LOCATIONS = 1 << 18 };

	for (uint32_t k = 0; k < r->bases.count; k++)
		clock_unref(r->bases.data[k].clock);
	r->bases.count = r->begun.count = 0;
	race_host_settle(r);
	if (!r->off && r->family.warp_cta.count < WARPS && r->now < UINT32_MAX / 2 &&
		r->places.list.count < LOCATIONS && r->places.observation.count < LOCATIONS)
		return;
	forget_all(r);
	r->now = 1;
	r->collect_at = COLLECT_FIRST;
	r->off = false;
}

static uint64_t first_of_cluster(struct race *r, const struct cta *of)
{
	struct race_cta *first = race_find(r, of->cluster->member[0]);

	assert(first); /* rank 0 begins before the others */
	return first->uid;
}

static void cta_start(struct race *r, const struct cta *of)
{
	uint32_t at = map_get(&r->live, (uint64_t)(uintptr_t)of, UINT32_MAX);
	const struct base *base = &r->bases.data[of->launch->order - r->machine->settled_order];
	struct race_cta *c = memory_zeroed(1, sizeof *c);

	cta_end(r, of);
	if (at == UINT32_MAX) {
		at = r->ctas.count;
		*vec_push(&r->ctas) = NULL;
		map_set(&r->live, (uint64_t)(uintptr_t)of, at);
	}
	r->ctas.data[at] = c;
	r->last_cta = NULL;
	c->cta = of;
	c->uid = r->past.count;
	c->nwarps = of->nwarps;
	c->before = base->before;
	c->warp = memory_zeroed(c->nwarps, sizeof *c->warp);
	*vec_push(&r->past) = (struct past_cta){of->launch, of->launch->order,
		of->launch->ask.device, of->linear,
		of->cluster_rank ? first_of_cluster(r, of) : c->uid, r->family.warp_cta.count,
		c->uid};
	*vec_push(&r->family.cta_launch) = of->launch->order;
	for (uint32_t k = 0; k < c->nwarps; k++) {
		c->warp[k].uid = r->family.warp_cta.count;
		c->warp[k].stamp = r->now;
		*vec_push(&r->family.warp_cta) = c->uid;
		for (unsigned lane = 0; lane < LANES; lane++)
			c->warp[k].clock[lane] = clock_ref(base->clock);
		c->warp[k].one = base->clock;
	}
	if (of->shared_bytes) {
		c->shared.pages = ((uint64_t)(of->shared_bytes - 1) >> PAGE_SHIFT) + 1;
		c->shared.page = memory_zeroed(c->shared.pages, sizeof *c->shared.page);
	}
}

/* Which instructions of the module, or of what was added to it, are ld.nc. */
static void find_nc(struct race *r)
{
	const struct ir_module *ir = r->machine->module;
	bool any = r->nc != NULL;

	for (uint32_t k = r->looked; k < ir->ninsns; k++)
		any = any ||
			(ir_form(&ir->insn[k])->opcode == OP_ld && ir_has(ir, &ir->insn[k], W_nc));
	if (any) {
		bool *nc = memory_zeroed(ir->ninsns, sizeof *nc);

		if (r->nc)
			memcpy(nc, r->nc, r->looked * sizeof *nc);
		for (uint32_t k = r->looked; k < ir->ninsns; k++)
			nc[k] = ir_form(&ir->insn[k])->opcode == OP_ld &&
				ir_has(ir, &ir->insn[k], W_nc);
		memory_drop(r->nc);
		r->nc = nc;
	}
	r->looked = ir->ninsns;
}

static void race_on_life(struct observer *o, const struct life_event *e)
{
	struct race *r = o->self;

	switch (e->kind) {
	case LIFE_LAUNCH_BEGIN: race_begins(r, e->launch->order); break;
	case LIFE_LAUNCH_END: launch_end(r, e->launch); break;
	case LIFE_CTA_BEGIN: cta_start(r, e->cta); break;
	case LIFE_CTA_END:
		/* other CTAs of the cluster may still arrive at its barrier, which rank 0 holds:
		 * their state is freed when their `struct cta` is reused */
		if (e->cta->cluster->n == 1)
			cta_end(r, e->cta);
		break;
	case LIFE_SETTLED: settle(r); break;
	case LIFE_LOADED: find_nc(r); break;
	case LIFE_UNLOADED:
		/* pairs of instructions that have been reported may become others */
		map_clear(&r->seen);
		r->report.count = 0;
		r->looked = 0;
		break;
	case LIFE_LANES_EXIT:
	default: break;
	}
}

/* A freed allocation: what later has its addresses has had no accesses. */
static void race_on_memory(struct observer *o, const struct memory_event *e)
{
	struct race *r = o->self;
	uint32_t slot = (uint32_t)(e->address >> MEMORY_SLOT_SHIFT);

	if (e->work)
		race_host_access(r, e);
	if (!e->released || slot >= MEMORY_SLOTS || !r->global[slot])
		return;
	global_free(r, slot);
	for (uint32_t k = 0; k < r->slots.count; k++)
		if (r->slots.data[k] == slot)
			r->slots.data[k--] = r->slots.data[--r->slots.count];
}

void race_attach(struct machine *m)
{
	struct race *r = memory_zeroed(1, sizeof *r);

	r->machine = m;
	r->now = 1;
	r->nothing = clock_new(0);
	r->collect_at = COLLECT_FIRST;
	r->empty = memory_zeroed(1u << PAGE_SHIFT, sizeof *r->empty);
	r->observer = (struct observer){
		.interest = INTEREST_ACCESS | INTEREST_SYNC | INTEREST_LIFE | INTEREST_MEMORY,
		.serial = true,
		.self = r,
		.access = race_on_access,
		.sync = race_sync,
		.life = race_on_life,
		.memory = race_on_memory,
	};
	find_nc(r);
	machine_observe(m, &r->observer);
}

void race_detach(struct machine *m)
{
	struct observer **at = &m->observers;
	struct race *r;

	while (*at && (*at)->access != race_on_access)
		at = &(*at)->next;
	if (!*at)
		return;
	r = (*at)->self;
	*at = (*at)->next;
	forget_all(r);
	race_host_free(r);
	for (uint32_t k = 0; k < r->bases.count; k++)
		clock_unref(r->bases.data[k].clock);
	clock_unref(r->nothing);
	clock_joins_free(&r->joined);
	vec_free(&r->ctas);
	vec_free(&r->slots);
	vec_free(&r->begun);
	vec_free(&r->bases);
	memory_drop(r->nc);
	memory_drop(r->empty);
	map_free(&r->seen);
	vec_free(&r->report);
	memory_drop(r);
}
