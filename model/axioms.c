/* The axioms as they are written (docs/MEMORY-MODEL.md, PTX ISA "Axioms"), on whole relations;
 * nothing here is incremental. */
#include "model/derive.h"
#include "base/memory.h"
#include <stdlib.h>

const char *axiom_name(enum axiom axiom)
{
	static const char *const name[] = {"none", "Coherence", "FenceSC", "Atomicity",
		"No-thin-air", "SC-per-location", "Causality"};
	return name[axiom];
}

/* A relation over the events of an execution. */
struct relation {
	uint32_t n, words;
	uint64_t *row;
};

static struct relation relation_new(const struct execution *x)
{
	return (struct relation){
		x->n, x->words, memory_zeroed((size_t)x->n * x->words, sizeof(uint64_t))};
}

static uint64_t *row_of(const struct relation *r, uint32_t i)
{
	return r->row + (size_t)i * r->words;
}

/* Whether R ; S relates some event to itself. */
static bool meets_itself(const struct relation *r, const struct relation *s)
{
	for (uint32_t i = 0; i < r->n; i++) {
		ROW_EACH(row_of(r, i), r->words, k) {
			if (row_has(row_of(s, k), i))
				return true;
		}
	}
	return false;
}

static bool cyclic(struct relation *r)
{
	for (uint32_t k = 0; k < r->n; k++) {
		for (uint32_t i = 0; i < r->n; i++) {
			if (row_has(row_of(r, i), k))
				row_or(row_of(r, i), row_of(r, k), r->words);
		}
	}
	for (uint32_t i = 0; i < r->n; i++) {
		if (row_has(row_of(r, i), i))
			return true;
	}
	return false;
}

static bool coherence_holds(const struct execution *x, const struct relation *cause)
{
	for (uint32_t a = 0; a < x->n; a++) {
		if (row_has(RARE(x, co, a), a))
			return false;
		if (x->event[a].kind != EVENT_WRITE)
			continue;
		ROW_EACH(row_of(cause, a), x->words, b) {
			if (x->event[b].kind == EVENT_WRITE && !row_has(RARE(x, co, a), b))
				return false;
		}
	}
	return true;
}

/* sc is base causality between morally strong fence.sc events: that it orients all such pairs and
 * has no cycle is what remains of the axiom. */
static bool fence_sc_holds(const struct execution *x)
{
	ROW_EACH(ROW(x, set, SET_FENCE_SC), x->words, f) {
		ROW_EACH(ROW(x, set, SET_FENCE_SC), x->words, g) {
			if (row_has(RARE(x, ms, f), g) &&
				row_has(ROW(x, cb, f), g) == row_has(ROW(x, cb, g), f))
				return false;
		}
	}
	return true;
}

static bool atomicity_holds(const struct execution *x, const struct relation *fr)
{
	ROW_EACH(ROW(x, set, SET_RMW), x->words, r) {
		uint32_t w = x->event[r].partner;
		ROW_EACH(row_of(fr, r), x->words, v) {
			if (row_has(RARE(x, ms, r), v) && row_has(RARE(x, ms, v), w) &&
				row_has(RARE(x, co, v), w))
				return false;
		}
	}
	return true;
}

static bool per_location_holds(
	const struct execution *x, const struct relation *rf, const struct relation *fr)
{
	struct relation all = relation_new(x);
	for (uint32_t a = 0; a < x->n; a++) {
		uint64_t *row = row_of(&all, a);
		for (uint32_t k = 0; k < x->words; k++)
			row[k] = RARE(x, ms, a)[k] &
				(row_of(rf, a)[k] | row_of(fr, a)[k] | RARE(x, co, a)[k]);
		for (uint32_t b = 0; b < x->n; b++) {
			if (event_access(&x->event[a]) && event_access(&x->event[b]) &&
				execution_po(x, a, b) && x->event[a].virt == x->event[b].virt &&
				event_overlaps_all(&x->event[a], &x->event[b]))
				row_put(row, b);
		}
	}
	bool ok = !cyclic(&all);
	free(all.row);
	return ok;
}

enum axiom execution_violates(const struct execution *x)
{
	struct relation rf = relation_new(x), fr = relation_new(x), cause = relation_new(x);
	uint64_t *before = ROW(x, tmp, 9);
	for (uint32_t e = 0; e < x->n; e++) {
		if (x->event[e].kind == EVENT_READ && x->event[e].rf != MODEL_NONE) {
			row_put(row_of(&rf, x->event[e].rf), e);
			row_or(row_of(&fr, e), RARE(x, co, x->event[e].rf), x->words);
		}
		if (!event_access(&x->event[e]))
			continue;
		execution_cause_before(x, e, before);
		ROW_EACH(before, x->words, a)
			row_put(row_of(&cause, a), e);
	}
	enum axiom broken = AXIOM_NONE;
	if (!coherence_holds(x, &cause))
		broken = AXIOM_COHERENCE;
	else if (!fence_sc_holds(x))
		broken = AXIOM_FENCE_SC;
	else if (!atomicity_holds(x, &fr))
		broken = AXIOM_ATOMICITY;
	else if (!per_location_holds(x, &rf, &fr))
		broken = AXIOM_SC_PER_LOCATION;
	else if (meets_itself(&rf, &cause) || meets_itself(&fr, &cause))
		broken = AXIOM_CAUSALITY;
	free(rf.row);
	free(fr.row);
	free(cause.row);
	return broken;
}
