/* Final states: registers from the threads, memory from the writes that can be last in coherence. Locations are independent of each other once the fence.sc order
 * is chosen, so their last writes combine freely. */
#include "explore/final.h"
#include "base/memory.h"
#include <stdlib.h>
#include <string.h>

struct finals {
	struct node *n;
	struct grower *g;
	void (*each)(void *arg, const uint64_t *value);
	void *arg;
	uint64_t *value;
	uint32_t *last;     /* [nphys] the last write chosen for a location, or MODEL_NONE: observables that share a wide one see the same */
	VEC(uint64_t) seen; /* rows handed out */
	bool any;
};

static void hand_out(struct finals *f)
{
	uint32_t width = f->g->program->nobservables;
	for (uint32_t i = 0; i < f->seen.count; i += width) {
		if (!memcmp(f->seen.data + i, f->value, width * sizeof *f->value))
			return;
	}
	for (uint32_t i = 0; i < width; i++)
		*vec_push(&f->seen) = f->value[i];
	f->each(f->arg, f->value);
}

static bool touched(const struct execution *x, uint32_t phys) { return phys < x->nphys && !row_empty(ROW(x, phys, phys), x->words); }

static bool overlaps(const struct grower *g, uint32_t phys, const struct observable *o)
{
	uint64_t address = g->locations.phys.data[phys].address;
	return address < o->phys + o->size && o->phys < address + g->locations.phys.data[phys].size;
}

/* The part of O that lies in location PHYS becomes the bytes of VALUE, which is the location's. */
static uint64_t patched(const struct grower *g, uint32_t phys, const struct observable *o, const uint64_t value[2], uint64_t whole)
{
	uint64_t address = g->locations.phys.data[phys].address;
	unsigned char from[16], to[8];
	memcpy(from, value, sizeof from);
	memcpy(to, &whole, sizeof to);
	for (uint32_t i = 0; i < g->locations.phys.data[phys].size; i++) {
		if (address + i >= o->phys && address + i < o->phys + o->size)
			to[address + i - o->phys] = from[i];
	}
	memcpy(&whole, to, sizeof whole);
	return whole;
}

/* Then any write may be the last. */
static bool without_axioms(const struct execution *x) { return (x->model->off & OFF_AXIOMS) == OFF_AXIOMS; }

/* Whether W may be last beside the writes chosen for other locations: of an access in pieces that was last, all pieces are. */
static bool is_whole(const struct finals *f, const struct execution *x, uint32_t w)
{
	for (uint32_t q = 0; q < x->nphys; q++) {
		uint32_t v = q == x->event[w].phys ? MODEL_NONE : f->last[q], other = v == MODEL_NONE || x->event[w].flags & EVENT_SIZELESS ? MODEL_NONE : execution_piece(x, w, q);
		if (other != MODEL_NONE && other != v && event_overlaps_all(&x->event[other], &x->event[v]))
			return false;
	}
	return true;
}

static void combine(struct finals *f, const struct execution *x, uint32_t k);

/* Observable K from location PHYS on: every location that it overlaps contributes its last write (one of the same address and size, as a rule). */
static void combine_pieces(struct finals *f, const struct execution *x, uint32_t k, uint32_t phys)
{
	const struct observable *o = &f->g->program->observable[k];
	while (phys < x->nphys && !(touched(x, phys) && overlaps(f->g, phys, o)))
		phys++;
	if (phys >= x->nphys) {
		combine(f, x, k + 1);
		return;
	}
	uint64_t before = f->value[k];
	uint32_t chosen = f->last[phys];
	ROW_EACH(ROW(x, phys, phys), x->words, w) {
		if (x->event[w].kind != EVENT_WRITE || !row_empty(RARE(x, co, w), x->words) || (chosen != MODEL_NONE && w != chosen) || !(without_axioms(x) || execution_last(x, w, NULL)))
			continue;
		if (x->pieces && !is_whole(f, x, w))
			continue;
		f->last[phys] = w;
		f->value[k] = patched(f->g, phys, o, x->event[w].value, before);
		combine_pieces(f, x, k, phys + 1);
	}
	f->last[phys] = chosen;
	f->value[k] = before;
}

/* Chooses the last writes of observables from K on. */
static void combine(struct finals *f, const struct execution *x, uint32_t k)
{
	const struct explore_program *p = f->g->program;
	while (k < p->nobservables && p->observable[k].kind == OBSERVE_REGISTER)
		k++;
	if (k == p->nobservables) {
		hand_out(f);
		return;
	}
	const struct observable *o = &p->observable[k];
	for (uint32_t i = 0; i < k; i++) { /* one location under two names has one last write */
		if (p->observable[i].kind == OBSERVE_MEMORY && p->observable[i].phys == o->phys && p->observable[i].size == o->size) {
			f->value[k] = f->value[i];
			combine(f, x, k + 1);
			return;
		}
	}
	uint64_t init[2] = {0};
	p->initial(p, o->phys, o->size, init);
	f->value[k] = init[0];
	combine_pieces(f, x, k, 0);
}

static bool oriented(void *arg, struct execution *x)
{
	struct finals *f = arg;
	struct execution try;
	execution_init(&try, x->model);
	execution_copy(&try, x);
	bool ok = without_axioms(x) || execution_orient(&try);
	execution_free(&try);
	if (!ok)
		return true;
	f->any = true;
	combine(f, x, 0);
	return true;
}

static bool observes_memory(const struct explore_program *p)
{
	for (uint32_t k = 0; k < p->nobservables; k++) {
		if (p->observable[k].kind == OBSERVE_MEMORY)
			return true;
	}
	return false;
}

static void read_registers(const struct node *n, const struct explore_program *p, uint64_t *value)
{
	for (uint32_t k = 0; k < p->nobservables; k++) {
		const struct observable *o = &p->observable[k];
		value[k] = o->kind == OBSERVE_REGISTER ? p->reg(p, o->thread, n->run[o->thread].state, o->reg) : 0;
	}
}

bool final_states(struct node *n, struct grower *g, void (*each)(void *arg, const uint64_t *value), void *arg)
{
	const struct explore_program *p = g->program;
	struct finals f = {.n = n, .g = g, .each = each, .arg = arg};
	f.value = memory_zeroed(p->nobservables, sizeof *f.value);
	f.last = memory_zeroed(n->x.nphys, sizeof *f.last);
	memset(f.last, 0xff, n->x.nphys * sizeof *f.last);
	read_registers(n, p, f.value);
	if (observes_memory(p)) {
		execution_each_sc(&n->x, oriented, &f);
		if (f.any && !without_axioms(&n->x) && !row_empty(ROW(&n->x, set, SET_FENCE_SC), n->x.words))
			execution_orient(&n->x); /* for who looks at its causality */
	} else if (without_axioms(&n->x) || execution_orient(&n->x)) {
		f.any = true;
		each(arg, f.value);
	}
	vec_free(&f.seen);
	free(f.value);
	free(f.last);
	return f.any;
}

struct completion {
	struct grower *g;
	const uint64_t *value;
	struct execution *out;
	bool found;
};

/* Whether write W, the last of location PHYS, has the bytes that observable K wants. */
static bool suits(const struct completion *c, const struct execution *x, uint32_t phys, uint32_t w, uint32_t k)
{
	const struct observable *o = &c->g->program->observable[k];
	return patched(c->g, phys, o, x->event[w].value, c->value[k]) == c->value[k];
}

/* The write that is last at location PHYS in every completion, or MODEL_NONE. */
static uint32_t only_last(const struct execution *x, uint32_t phys)
{
	uint32_t last = MODEL_NONE;
	ROW_EACH(ROW(x, phys, phys), x->words, w) {
		if (x->event[w].kind != EVENT_WRITE || !row_empty(RARE(x, co, w), x->words))
			continue;
		if (last != MODEL_NONE)
			return MODEL_NONE;
		last = w;
	}
	return last;
}

/* Takes a last write with the wanted value for each location of an observable, from location PHYS of observable K on. */
static bool complete_from(struct completion *c, const struct execution *x, uint32_t k, uint32_t phys)
{
	const struct explore_program *p = c->g->program;
	for (; k < p->nobservables; k++, phys = 0) {
		if (p->observable[k].kind == OBSERVE_REGISTER)
			continue;
		for (; phys < x->nphys; phys++) {
			if (!touched(x, phys) || !overlaps(c->g, phys, &p->observable[k]))
				continue;
			uint32_t last = only_last(x, phys);
			if (last == MODEL_NONE)
				break;
			if (!suits(c, x, phys, last, k))
				return false;
		}
		if (phys < x->nphys)
			break;
	}
	struct execution try;
	execution_init(&try, x->model);
	execution_copy(&try, x);
	bool ok = false;
	if (k >= p->nobservables) {
		ok = execution_orient(&try);
		if (ok)
			execution_copy(c->out, &try);
	} else {
		ROW_EACH(ROW(x, phys, phys), x->words, w) {
			if (x->event[w].kind == EVENT_WRITE && suits(c, x, phys, w, k) && execution_last(x, w, &try) && complete_from(c, &try, k, phys + 1)) {
				ok = true;
				break;
			}
		}
	}
	execution_free(&try);
	return ok;
}

static bool try_completion(void *arg, struct execution *x)
{
	struct completion *c = arg;
	c->found = complete_from(c, x, 0, 0);
	return !c->found;
}

bool final_completion(const struct node *n, struct grower *g, const uint64_t *value, struct execution *x)
{
	struct completion c = {.g = g, .value = value, .out = x};
	execution_each_sc(&n->x, try_completion, &c);
	return c.found;
}

struct stuck {
	const struct node *n;
	uint32_t nthreads;
	struct execution *out;
	bool found;
};

static bool try_stuck(void *arg, struct execution *x)
{
	struct stuck *s = arg;
	struct execution try, next;
	execution_init(&try, x->model);
	execution_init(&next, x->model);
	execution_copy(&try, x);
	bool ok = true;
	for (uint32_t t = 0; ok && t < s->nthreads; t++) {
		if (s->n->run[t].status != RUN_SPINS)
			continue;
		uint32_t total = row_count(ROW(x, thread, t), x->words), skip = total - s->n->run[t].spin_events, k = 0;
		ROW_EACH(ROW(x, thread, t), x->words, e) {
			if (k++ < skip || x->event[e].kind != EVENT_READ)
				continue;
			ok = execution_last(&try, x->event[e].rf, &next);
			if (!ok)
				break;
			execution_copy(&try, &next);
		}
	}
	s->found = ok && execution_orient(&try);
	if (s->found)
		execution_copy(s->out, &try);
	execution_free(&try);
	execution_free(&next);
	return !s->found;
}

bool final_stuck(const struct node *n, struct grower *g, struct execution *x)
{
	struct stuck s = {.n = n, .nthreads = g->program->nthreads, .out = x};
	execution_each_sc(&n->x, try_stuck, &s);
	return s.found;
}
