/* See trial.h. The thread is run from where it was until it stops or reads what is not known yet.
 * Nothing in it may be unknown then: what it computes from the result and an unknown value would
 * look the same, whatever the result is. */
#include "explore/search/trial.h"
#include <string.h>

enum { MAX_ACTIONS = 128 };

struct trial {
	const struct node *n;
	struct grower *g;
	uint32_t thread, r, last;
	bool fails;           /* R is to fail, and may be followed by anything */
	bool after, acquired; /* R was answered; and then something acquired */
	bool beyond;          /* what follows has no events yet */
	uint64_t value, written, did;
};

static uint64_t mix(uint64_t h, uint64_t v)
{
	h = (h ^ v) * UINT64_C(0x9e3779b97f4a7c15);
	return h ^ h >> 29;
}

/* Whether what follows R tells others no more than what it does: it does not touch R's location,
 * and where something acquires, nothing outside the CTA. */
static bool is_apart(const struct trial *t, const struct action *a)
{
	const struct event *e = &t->n->x.event[t->r];
	uint64_t at = t->g->locations.phys.data[e->phys].address;
	return (!t->acquired || explore_is_inside(t->g->program, t->thread, a->phys, a->size)) &&
		(a->phys >= at + e->size || at >= a->phys + a->size);
}

/* Adds action A, which follows the atom, to what the thread did. False: it is of a kind that could
 * tell the results apart. */
static bool note_action(struct trial *t, const struct action *a)
{
	t->did = mix(mix(t->did, a->kind), a->place);
	switch ((enum action_kind)a->kind) {
	case ACTION_FENCE:
		t->acquired |= a->sem == SEM_ACQUIRE || a->sem == SEM_ACQ_REL;
		return t->fails || (a->sem != SEM_SC && t->g->fences == FENCES_WRITTEN);
	case ACTION_WRITE:
		if (a->rmw && t->last == t->r) {
			t->written = a->value[0];
			return t->fails ? a->none : a->value_known && !a->none && !a->maybe;
		}
		t->did = mix(
			mix(t->did, a->value_known || a->swaps ? a->value[0] : 1), a->value[1]);
		t->did = mix(t->did,
			(uint64_t)a->swaps << 3 | (uint64_t)a->value_known << 2 |
				(uint64_t)a->none << 1 | a->maybe);
		/* fallthrough */
	case ACTION_READ:
		t->did = mix(mix(t->did, a->phys), a->virt);
		return a->address_known && (t->fails || is_apart(t, a));
	case ACTION_BARRIER:
		t->did = mix(mix(mix(t->did, a->object), a->number), a->value[1]);
		return t->fails || !t->acquired ||
			explore_is_inside(t->g->program, t->thread, a->object, 0);
	case ACTION_PROXY_FENCE: return t->fails;
	case ACTION_ISSUE:
	case ACTION_STALL:
	case ACTION_END:
	case ACTION_SPIN:
	case ACTION_BOUND:
	case ACTION_FAULT:
	default: return false;
	}
}

/* Answers action A, whose event is ID (ROW_END: it has none yet), and which is not a read of an
 * unknown value. False: the thread stops there. */
static bool answer_trial(struct trial *t, uint32_t id, struct action *a)
{
	const struct event *e = id == ROW_END ? NULL : &t->n->x.event[id];
	if (a->kind != ACTION_READ && a->kind != ACTION_BARRIER)
		return true;
	if (a->kind == ACTION_BARRIER) {
		a->value_known = e && e->flags & EVENT_DONE;
		if (e)
			a->value[1] = e->value[1];
		if (!a->value_known && !a->arrive_only)
			return false;
	} else if (id == t->r) {
		a->value_known = true;
		a->value[0] = t->value;
	} else {
		a->value_known = true;
		a->only = e->flags & EVENT_ONLY;
		memcpy(a->value, e->value, sizeof a->value);
	}
	t->g->program->answer(t->g->program, t->thread, t->g->state, a);
	return true;
}

/* Adds to what the thread did the state in which it stopped. False: it cannot be compared. */
static bool note_stop(struct trial *t, enum action_kind kind)
{
	const struct explore_program *p = t->g->program;
	if (!t->after ||
		(kind != ACTION_END && kind != ACTION_STALL && kind != ACTION_BARRIER &&
			kind != ACTION_READ))
		return false;
	for (uint32_t k = 0; k < p->nobservables; k++) {
		const struct observable *o = &p->observable[k];
		if (o->kind != OBSERVE_REGISTER || o->thread != t->thread)
			continue;
		if (kind != ACTION_END)
			return false;
		t->did = mix(t->did, p->reg(p, t->thread, t->g->state, o->reg));
	}
	if (kind == ACTION_END)
		return true;
	if (!p->reach_key)
		return false;
	t->did = mix(t->did, p->reach_key(p, t->thread, t->g->state));
	return true;
}

/* A is the read of another atom, of an unknown value: passes it, since the state between the halves
 * of an atom has no key. False: what it does is not known. */
static bool pass_atom(struct trial *t, struct action *a)
{
	const struct explore_program *p = t->g->program;
	struct action write = {.scratch = t->g->scratch};
	if (!t->fails || a->element)
		return false;
	p->answer(p, t->thread, t->g->state, a);
	p->step(p, t->thread, t->g->state, &write);
	t->g->work[WORK_STEPS]++;
	t->last = MODEL_NONE;
	return write.kind == ACTION_WRITE && write.rmw && note_action(t, &write);
}

/* See trial_apart. */
static bool try_value(struct trial *t)
{
	const struct node *n = t->n;
	struct grower *g = t->g;
	const struct explore_program *p = g->program;
	const struct execution *x = &n->x;
	const struct run *run;
	t->thread = x->event[t->r].thread;
	run = &n->run[t->thread];
	t->last = run->last;
	memcpy(g->state, run->state, p->state_size);
	for (uint32_t k = 0; k < MAX_ACTIONS; k++) {
		struct action a = {.scratch = g->scratch};
		p->step(p, t->thread, g->state, &a);
		g->work[WORK_STEPS]++;
		if (a.kind >= ACTION_STALL)
			return note_stop(t, (enum action_kind)a.kind);
		if (t->after && !note_action(t, &a))
			return false;
		uint32_t id = t->beyond ? ROW_END
					: row_next(ROW(x, thread, t->thread), x->words,
						  t->last == MODEL_NONE ? 0 : t->last + 1);
		t->beyond = id == ROW_END;
		/* before the atom, everything is settled */
		if (!t->after && (id != t->r || x->event[id].size != a.size))
			return false;
		bool unknown = t->after && a.kind == ACTION_READ &&
			(id == ROW_END || x->event[id].rf == MODEL_NONE);
		if (unknown && a.rmw && !pass_atom(t, &a))
			return false;
		if (unknown || !answer_trial(t, id, &a))
			return note_stop(t, (enum action_kind)a.kind);
		if (id == t->r) {
			t->after = true;
			t->acquired = event_acquires(&x->event[id]);
		}
		t->last = id;
	}
	return false;
}

bool trial_apart(const struct node *n, struct grower *g, uint32_t r, uint64_t value,
	uint64_t *written, uint64_t *did)
{
	struct trial t = {.n = n, .g = g, .r = r, .value = value};
	bool known = try_value(&t);
	*written = t.written;
	*did = t.did;
	return known;
}

bool trial_fails(const struct node *n, struct grower *g, uint32_t r, uint64_t value, uint64_t *did)
{
	struct trial t = {.n = n, .g = g, .r = r, .value = value, .fails = true};
	bool known = try_value(&t);
	*did = t.did;
	return known;
}
