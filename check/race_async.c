/* Asynchronous operations: copies, reductions, st.async. Each counts as a thread of its own: it
 * comes after what its issuer knew at the issue, and before the threads that wait for its
 * completion and those that synchronise with them. The shadow records its accesses at the issue, as
 * those of an agent: a warp without threads. */
#include "check/race_state.h"
#include "interp/sync/async.h"

/* --- what they access --- */

static void copy_part_access(struct touch *t, struct race_cta *c, const struct copy_part *part,
	const struct sync_place *p, uint64_t bytes, struct record want)
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

/* A releasing st.async or red.async releases what its issuer knows to the threads that acquire the
 * stored value. (It is recorded at the issue, and may appear complete too early.) */
static void copy_part_release(
	struct touch *t, struct race_cta *c, const struct copy *copy, const struct copy_part *p)
{
	struct race_cta *owner = p->to.space != W_shared ? NULL
		: p->to.cta == c->cta                    ? c
							 : race_find(t->r, p->to.cta);
	struct places *places = owner ? &owner->places : &t->r->places;

	if (p->to.space == W_shared && !owner)
		return;
	for (uint32_t at = 0; at < p->bytes; at += copy->op->async.bytes)
		place_access(t, places, (owner ? p->to.offset : p->to.address) + at, false, true,
			copy->op->async.atomic != ATOMIC_NONE, true, false, true,
			copy->op->async.scope, false);
}

static void copy_part_issued(struct touch *t, struct race_cta *c, const struct copy *copy,
	const struct copy_part *p, uint32_t stamp)
{
	struct race *r = t->r;
	struct race_warp *w = t->warp;
	bool is_copy = copy->kind == COPY_CP || copy->kind == COPY_BULK || copy->kind == COPY_GROUP,
	     group = copy->kind == COPY_GROUP;
	bool release = copy->kind == COPY_VALUE && copy->op->async.sem == SEM_RELEASE;
	struct agent *a = copy->kind == COPY_CP ? agent_of(r, c, w, AGENT_CP)
		: group                         ? agent_of(r, c, w, AGENT_BULK)
						: NULL;
	struct agent *reader = group ? agent_of(r, c, w, AGENT_BULK_READ) : a;
	struct record want = {.stamp = stamp,
		.insn = copy->op->insn,
		.scope = SCOPE_SYS,
		.user_call = copy->user_call};

	t->lane = p->lane;
	if (a)
		agent_open_group(a, p->lane, p->group, stamp);
	if (group)
		agent_open_group(reader, p->lane, p->group, stamp);
	if (is_copy) {
		want.warp = reader ? reader->uid : agent_at(r, c, &p->bar);
		want.how = HOW_COPY | HOW_READ | (copy->op->async.strong ? HOW_STRONG : 0);
		want.scope = copy->op->async.strong ? copy->op->async.data_scope : SCOPE_SYS;
		/* at most 16 bytes count as one element */
		want.bytes = p->take < 16 ? (uint8_t)p->take : 16;
		copy_part_access(t, c, p, &p->from, p->take, want);
	}
	want.warp = a ? a->uid : agent_at(r, c, &p->bar);
	want.bytes = copy->op->async.atomic != ATOMIC_NONE || copy->kind == COPY_VALUE
		? copy->element
		: p->bytes < 16 ? (uint8_t)p->bytes
				: 16;
	want.how = (uint8_t)(HOW_WRITE |
		(copy->op->async.atomic != ATOMIC_NONE ? (is_copy ? HOW_COPY : 0) | HOW_ASYNC |
					HOW_READ | HOW_ATOMIC | HOW_STRONG
				: copy->kind == COPY_VALUE ? HOW_ASYNC
							   : HOW_COPY) |
		(release || copy->op->async.strong ? HOW_STRONG : 0));
	want.scope = SCOPE_SYS;
	if (want.how & HOW_STRONG)
		want.scope = is_copy ? copy->op->async.data_scope : copy->op->async.scope;
	copy_part_access(t, c, p, &p->to, p->bytes, want);
	if (release)
		copy_part_release(t, c, copy, p);
}

/* A product of matrices reads its operands for all lanes of the warp. */
static void product_issued(
	struct touch *t, struct race_cta *c, const struct copy *copy, uint32_t stamp)
{
	struct agent *a = agent_of(t->r, c, t->warp, AGENT_WGMMA);
	const struct record want = {.stamp = stamp,
		.warp = a->uid,
		.insn = copy->op->insn,
		.how = HOW_COPY | HOW_READ,
		.scope = SCOPE_SYS,
		.bytes = 16,
		.user_call = copy->user_call};

	FOR_LANES(lane, copy->warp->live)
		agent_open_group(a, lane, copy->part[0].group, stamp);
	t->lane = 0;
	for (uint32_t k = 0; k < copy->nparts; k++)
		copy_part_access(
			t, c, &copy->part[k], &copy->part[k].from, copy->part[k].take, want);
}

/* Who executes the operations that an arrival covers. */
static enum agent_kind arrival_agent(const struct copy *copy)
{
	return copy->kind == COPY_COMMIT ? AGENT_TENSOR : AGENT_CP;
}

/* An operation of tcgen05 reads its operands for its lane. */
static void tensor_issued(
	struct touch *t, struct race_cta *c, const struct copy *copy, uint32_t stamp)
{
	const struct record want = {.stamp = stamp,
		.warp = agent_of(t->r, c, t->warp, AGENT_TENSOR)->uid,
		.insn = copy->op->insn,
		.how = HOW_COPY | HOW_READ,
		.scope = SCOPE_SYS,
		.bytes = 16,
		.user_call = copy->user_call};

	t->lane = copy->part[0].lane;
	for (uint32_t k = 0; k < copy->nparts; k++)
		if (copy->part[k].take)
			copy_part_access(t, c, &copy->part[k], &copy->part[k].from,
				copy->part[k].take, want);
}

void race_copy(struct race *r, struct race_cta *c, struct race_warp *w, const struct copy *copy)
{
	struct touch t = {.r = r, .cta = c, .warp = w, .of = copy->warp, .copy = copy};
	uint32_t stamp = race_tick(r);

	if (copy->kind == COPY_ARRIVE || copy->kind == COPY_COMMIT) {
		struct agent *a = agent_of(r, c, w, arrival_agent(copy));

		a->arrival[a->narrived % OPEN_ARRIVALS].copy = copy->number;
		a->arrival[a->narrived++ % OPEN_ARRIVALS].stamp = stamp;
		return;
	}
	if (copy->kind == COPY_WGMMA || copy->kind == COPY_TENSOR) {
		(copy->kind == COPY_WGMMA ? product_issued : tensor_issued)(&t, c, copy, stamp);
		w->stamp = race_tick(r);
		return;
	}
	for (uint32_t k = 0; k < copy->nparts; k++)
		copy_part_issued(&t, c, copy, &copy->part[k], stamp);
	w->stamp = race_tick(r);
}

/* Complete-tx releases the operation's own accesses, at any scope; the arrival of
 * cp.async.mbarrier.arrive releases the copies before it. */
void race_copy_completes(
	struct race *r, struct race_cta *c, struct race_warp *w, const struct sync_event *e)
{
	const struct copy *copy = async_landing(e->cta->cluster);
	const struct agent *a = copy->kind == COPY_ARRIVE || copy->kind == COPY_COMMIT
		? agent_of(r, c, w, arrival_agent(copy))
		: NULL;
	struct race_cta *owner = race_find(r, e->object);
	const struct sync_place bar = {.cta = e->object, .offset = e->offset};
	struct head h = {.clock = r->nothing,
		.warp = a ? a->uid : agent_at(r, c, &bar),
		.stamp = r->now,
		.insn = e->op->insn,
		.scope = SCOPE_ANY};

	for (unsigned k = 0; a && k < OPEN_ARRIVALS; k++)
		if (a->arrival[k].stamp && a->arrival[k].copy == copy->number)
			h.stamp = a->arrival[k].stamp;
	FOR_LANES(lane, owner ? e->mask : 0) {
		h.lane = (uint8_t)lane;
		clock_ref(h.clock);
		place_add_release(r, &owner->places, e->offset, h);
		if (copy->kind != COPY_COMMIT)
			continue;
		/* the products came after what their thread did and knew */
		struct head own = h;

		own.warp = w->uid;
		own.clock = clock_ref(w->clock[lane]);
		place_add_release(r, &owner->places, e->offset, own);
	}
}
