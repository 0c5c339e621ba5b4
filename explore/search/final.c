/* Final states: registers from the threads, memory from the writes that can be last in coherence.
 * Once the fence.sc order is chosen, locations are independent of each other, so their last writes
 * combine freely. While it is open, last writes are chosen first, where there is a choice, and then
 * one order that allows them is sought, so not all orders are enumerated. */
#include "explore/search/final.h"
#include "base/memory.h"
#include "explore/search/commute.h"
#include <stdlib.h>
#include <string.h>

struct finals {
	struct node *n;
	struct grower *g;
	void (*each)(void *arg, const uint64_t *value);
	void *arg;
	uint64_t *value;
	/* [nphys] the last write chosen for a location, or MODEL_NONE; observables that share a
	 * wide location see the same write */
	uint32_t *last;
	VEC(uint64_t) seen; /* rows passed to EACH */
	bool any, open;     /* OPEN: the fence.sc order is undecided */
};

static uint32_t *no_last(const struct execution *x)
{
	uint32_t *last = memory_zeroed(x->nphys + 1u, sizeof *last);
	memset(last, 0xff, x->nphys * sizeof *last); /* MODEL_NONE */
	return last;
}

/* Node N's execution, in which commuting atoms that nothing has ordered yet have no order. */
static const struct execution *free_execution(const struct node *n)
{
	return n->unordered ? &n->unordered->x : &n->x;
}

/* Makes X a completion in which the writes LAST are last; false when there is none. (A write that
 * is not known yet belongs to one of the atoms that have no order: some order makes it the last.)
 */
static bool complete_with(struct execution *x, const uint32_t *last)
{
	uint64_t *row = memory_zeroed(x->words, sizeof *row);
	for (uint32_t p = 0; p < x->nphys; p++) {
		if (last[p] != MODEL_NONE && row_has(ROW(x, set, SET_KNOWN), last[p]))
			row_put(row, last[p]);
	}
	bool ok = execution_orient(x, row);
	memory_drop(row);
	return ok;
}

static void emit_final_state(struct finals *f, const struct execution *x)
{
	uint32_t width = f->g->program->nobservables;
	for (uint32_t i = 0; i < f->seen.count; i += width) {
		if (!memcmp(f->seen.data + i, f->value, width * sizeof *f->value))
			return;
	}
	if (f->open) {
		struct execution try;
		execution_init(&try, x->model);
		execution_copy(&try, x);
		bool ok = complete_with(&try, f->last);
		execution_free(&try);
		if (!ok)
			return;
	}
	f->any = true;
	for (uint32_t i = 0; i < width; i++)
		*vec_push(&f->seen) = f->value[i];
	f->each(f->arg, f->value);
}

static bool location_touched(const struct execution *x, uint32_t phys)
{
	return phys < x->nphys && !row_empty(ROW(x, phys, phys), x->words);
}

static bool location_overlaps(const struct grower *g, uint32_t phys, const struct observable *o)
{
	uint64_t address = g->locations.phys.data[phys].address;
	return address < o->phys + o->size && o->phys < address + g->locations.phys.data[phys].size;
}

/* WHOLE, a value of observable O, with the bytes that lie in location PHYS replaced by those of the
 * location's VALUE. */
static uint64_t patched(const struct grower *g, uint32_t phys, const struct observable *o,
	const uint64_t value[2], uint64_t whole)
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

/* Whether W, a write of X, a copy of node N's execution, has no successor in coherence. Of atoms
 * that have no order in X, the one that is last in N stands for all. */
static bool may_be_last(const struct node *n, const struct execution *x, uint32_t w)
{
	return x->event[w].kind == EVENT_WRITE && row_empty(RARE(x, co, w), x->words) &&
		row_empty(RARE(&n->x, co, w), x->words);
}

/* The write that is last at location PHYS in every completion, if there is only one candidate; or
 * MODEL_NONE. */
static uint32_t only_last(const struct node *n, const struct execution *x, uint32_t phys)
{
	uint32_t last = MODEL_NONE;
	ROW_EACH(ROW(x, phys, phys), x->words, w) {
		if (!may_be_last(n, x, w))
			continue;
		if (last != MODEL_NONE)
			return MODEL_NONE;
		last = w;
	}
	return last;
}

uint32_t final_only_write(const struct node *n, uint32_t phys) { return only_last(n, &n->x, phys); }

/* Whether no axiom is in force, so any write may be the last. */
static bool without_axioms(const struct execution *x)
{
	return (x->model->off & OFF_AXIOMS) == OFF_AXIOMS;
}

/* Whether W may be last given the writes chosen for other locations: of two accesses in pieces that
 * overlap completely, one is last in all pieces. */
static bool is_whole(const struct finals *f, const struct execution *x, uint32_t w)
{
	for (uint32_t q = 0; q < x->nphys; q++) {
		uint32_t v = q == x->event[w].phys ? MODEL_NONE : f->last[q],
			 other = v == MODEL_NONE || x->event[w].flags & EVENT_SIZELESS
			? MODEL_NONE
			: execution_piece(x, w, q);
		if (other != MODEL_NONE && other != v &&
			event_overlaps_all(&x->event[other], &x->event[v]))
			return false;
	}
	return true;
}

static void combine_last_writes(struct finals *f, const struct execution *x, uint32_t k);

/* Chooses the last writes for observable K from location PHYS on: every location that overlaps the
 * observable contributes its bytes (as a rule, one location of the same address and size). */
static void combine_locations(
	struct finals *f, const struct execution *x, uint32_t k, uint32_t phys)
{
	const struct observable *o = &f->g->program->observable[k];
	while (phys < x->nphys && !(location_touched(x, phys) && location_overlaps(f->g, phys, o)))
		phys++;
	if (phys >= x->nphys) {
		combine_last_writes(f, x, k + 1);
		return;
	}
	uint64_t before = f->value[k];
	uint32_t chosen = f->last[phys];
	bool choice = f->open && chosen == MODEL_NONE && only_last(f->n, x, phys) == MODEL_NONE;
	struct execution try;
	if (choice)
		execution_init(&try, x->model);
	ROW_EACH(ROW(x, phys, phys), x->words, w) {
		if (model_stopped(x->model))
			break;
		if (!may_be_last(f->n, x, w) || (chosen != MODEL_NONE && w != chosen))
			continue;
		if (x->pieces && !(x->model->off & OFF_WHOLE) && !is_whole(f, x, w))
			continue;
		if (!f->open && !without_axioms(x) && !execution_last(x, w))
			continue;
		f->g->work[WORK_LAST_WRITES]++;
		if (choice) {
			execution_copy(&try, x);
			if (!execution_make_last(&try, w))
				continue;
		}
		f->last[phys] = w;
		f->value[k] = patched(f->g, phys, o, f->n->x.event[w].value, before);
		combine_locations(f, choice ? &try : x, k, phys + 1);
	}
	if (choice)
		execution_free(&try);
	f->last[phys] = chosen;
	f->value[k] = before;
}

/* Chooses the last writes of observables from K on. */
static void combine_last_writes(struct finals *f, const struct execution *x, uint32_t k)
{
	const struct explore_program *p = f->g->program;
	while (k < p->nobservables && p->observable[k].kind == OBSERVE_REGISTER)
		k++;
	if (k == p->nobservables) {
		emit_final_state(f, x);
		return;
	}
	const struct observable *o = &p->observable[k];
	for (uint32_t i = 0; i < k;
		i++) { /* a location observed under two names has one last write */
		if (p->observable[i].kind == OBSERVE_MEMORY && p->observable[i].phys == o->phys &&
			p->observable[i].size == o->size) {
			f->value[k] = f->value[i];
			combine_last_writes(f, x, k + 1);
			return;
		}
	}
	uint64_t init[2] = {0};
	p->initial(p, o->phys, o->size, init);
	f->value[k] = init[0];
	combine_locations(f, x, k, 0);
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
		value[k] = o->kind == OBSERVE_REGISTER
			? p->reg(p, o->thread, n->run[o->thread].state, o->reg)
			: 0;
	}
}

bool final_exists(const struct execution *x)
{
	struct execution try;
	execution_init(&try, x->model);
	execution_copy(&try, x);
	bool ok = execution_orient(&try, NULL);
	execution_free(&try);
	return ok;
}

bool final_states(
	struct node *n, struct grower *g, void (*each)(void *arg, const uint64_t *value), void *arg)
{
	const struct explore_program *p = g->program;
	const struct execution *x = free_execution(n);
	struct finals f = {.n = n, .g = g, .each = each, .arg = arg};
	f.value = memory_zeroed(p->nobservables, sizeof *f.value);
	f.last = no_last(x);
	read_registers(n, p, f.value);
	f.open = !without_axioms(x) && (n->unordered || execution_fences_open(x));
	if (!observes_memory(p)) {
		f.any = without_axioms(x) ||
			(n->unordered ? final_exists(x) : execution_orient(&n->x, NULL));
		if (f.any)
			each(arg, f.value);
	} else if (f.open || without_axioms(x) || final_exists(x)) {
		combine_last_writes(&f, x, 0);
	}
	vec_free(&f.seen);
	memory_drop(f.value);
	memory_drop(f.last);
	return f.any;
}

struct completion {
	const struct node *n;
	struct grower *g;
	const uint64_t *value; /* NULL: any */
	uint32_t *last;        /* [nphys] as struct finals */
	struct execution *out;
};

/* Whether write W, as the last one of location PHYS, gives observable K its wanted bytes. */
static bool has_wanted_bytes(const struct completion *c, uint32_t phys, uint32_t w, uint32_t k)
{
	const struct observable *o = &c->g->program->observable[k];
	return patched(c->g, phys, o, c->n->x.event[w].value, c->value[k]) == c->value[k];
}

/* Chooses last writes with the wanted values for all locations of the observables, from location
 * PHYS of observable K on. */
static bool complete_from(
	struct completion *c, const struct execution *x, uint32_t k, uint32_t phys)
{
	const struct explore_program *p = c->g->program;
	for (; k < p->nobservables; k++, phys = 0) {
		if (!c->value || p->observable[k].kind == OBSERVE_REGISTER)
			continue;
		for (; phys < x->nphys; phys++) {
			if (!location_touched(x, phys) ||
				!location_overlaps(c->g, phys, &p->observable[k]))
				continue;
			uint32_t last = only_last(c->n, x, phys);
			if (last == MODEL_NONE)
				break;
			if (!has_wanted_bytes(c, phys, last, k))
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
		ok = complete_with(&try, c->last);
		if (ok)
			execution_copy(c->out, &try);
	} else {
		ROW_EACH(ROW(x, phys, phys), x->words, w) {
			if (x->event[w].kind != EVENT_WRITE || !has_wanted_bytes(c, phys, w, k))
				continue;
			execution_copy(&try, x);
			c->last[phys] = w;
			ok = execution_make_last(&try, w) && complete_from(c, &try, k, phys + 1);
			if (ok)
				break;
		}
		c->last[phys] = MODEL_NONE;
	}
	execution_free(&try);
	return ok;
}

/* Gives the atoms that have no order in X, a completion of node N, the order that X allows. */
static bool complete_atoms(const struct node *n, struct grower *g, struct execution *x)
{
	struct node all;
	if (!n->unordered)
		return true;
	node_init(&all, g);
	node_copy(&all, n->unordered, g);
	execution_copy(&all.x, x);
	bool ok = commute_complete(&all, g);
	execution_copy(x, &all.x);
	node_free(&all);
	return ok;
}

bool final_completion(
	const struct node *n, struct grower *g, const uint64_t *value, struct execution *x)
{
	const struct execution *whole = free_execution(n);
	struct completion c = {.n = n, .g = g, .value = value, .last = no_last(whole), .out = x};
	bool ok = complete_from(&c, whole, 0, 0) && complete_atoms(n, g, x);
	memory_drop(c.last);
	return ok;
}

bool final_stuck(const struct node *n, struct grower *g, struct execution *x)
{
	execution_copy(x, &n->x);
	uint64_t *last = memory_zeroed(x->words, sizeof *last);
	bool ok = true;
	for (uint32_t t = 0; ok && t < g->program->nthreads; t++) {
		if (n->run[t].status != RUN_SPINS)
			continue;
		uint32_t total = row_count(ROW(x, thread, t), x->words),
			 skip = total - n->run[t].spin_events, k = 0;
		ROW_EACH(ROW(x, thread, t), x->words, e) {
			if (k++ < skip || x->event[e].kind != EVENT_READ || !ok)
				continue;
			row_put(last, x->event[e].rf);
			ok = execution_make_last(x, x->event[e].rf);
		}
	}
	ok = ok && execution_orient(x, last);
	memory_drop(last);
	return ok;
}
