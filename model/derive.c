/* Relations derived from the events of an execution: release and acquire patterns, synchronisation,
 * proxy-preserved base causality, causality. Each function follows one definition of
 * docs/MEMORY-MODEL.md and the PTX ISA, "Causality order". */
#include "model/derive.h"
#include "base/assert.h"

bool execution_has_patterns(const struct execution *x)
{
	return !row_empty(ROW(x, set, SET_RELEASE), x->words) &&
		!row_empty(ROW(x, set, SET_ACQUIRE), x->words);
}

/* Keeps those members of ROW that belong to SET and are fences or, with LOCATION, accesses of E's
 * location (PTX ISA 8.2: address and size). */
static void fences_or_location(const struct execution *x, uint64_t *row, const struct event *e,
	enum event_set set, bool location)
{
	const uint64_t *loc = ROW(x, virt, e->virt), *s = ROW(x, set, set),
		       *r = ROW(x, set, SET_READ), *w = ROW(x, set, SET_WRITE);
	for (uint32_t k = 0; k < x->words; k++)
		row[k] &= s[k] & (~(r[k] | w[k]) | (location ? loc[k] : 0));
	if (!x->pieces)
		return;
	ROW_EACH(row, x->words, i) {
		if (event_access(&x->event[i]) && !event_overlaps_all(&x->event[i], e))
			row_drop(row, i);
	}
}

void execution_release_firsts(const struct execution *x, uint32_t w, uint64_t *out)
{
	const struct event *e = &x->event[w];
	execution_po_before(x, w, out);
	if (e->kind != EVENT_WRITE || !event_strong(e) || e->virt == MODEL_NONE) {
		row_clear(out, x->words);
		return;
	}
	fences_or_location(x, out, e, SET_RELEASE, !(x->model->off & OFF_PATTERN_LOCATION));
	if (row_has(ROW(x, set, SET_RELEASE), w))
		row_put(out, w);
}

void execution_acquire_lasts(const struct execution *x, uint32_t r, uint64_t *out)
{
	const struct event *e = &x->event[r];
	bool red = (e->flags & EVENT_REDUCTION) && !(x->model->off & OFF_RED_DECISION);
	execution_po_after(x, r, out);
	if (e->kind != EVENT_READ || !event_strong(e) || red) {
		row_clear(out, x->words);
		return;
	}
	fences_or_location(x, out, e, SET_ACQUIRE, !(x->model->off & OFF_PATTERN_LOCATION));
	if (row_has(ROW(x, set, SET_ACQUIRE), r))
		row_put(out, r);
}

void execution_sync_from_read(const struct execution *x, uint32_t r,
	void (*edge)(void *arg, uint32_t first, uint32_t last), void *arg)
{
	uint32_t words = x->words;
	const uint64_t *obs = RARE(x, obs, r);
	uint64_t *lasts = ROW(x, tmp, SCRATCH_LASTS), *firsts = ROW(x, tmp, SCRATCH_FIRSTS);
	if (row_empty(obs, words))
		return;
	execution_acquire_lasts(x, r, lasts);
	if (row_empty(lasts, words))
		return;
	ROW_EACH(obs, words, w) {
		execution_release_firsts(x, w, firsts);
		ROW_EACH(firsts, words, a) {
			const uint64_t *strength = RARE(x, ms, a);
			ROW_EACH(lasts, words, b) {
				if (row_has(strength, b))
					edge(arg, a, b);
			}
		}
	}
}

const uint64_t *execution_all_before(const struct execution *x, uint32_t b)
{
	uint64_t *out = ROW(x, tmp, SCRATCH_ALL_BEFORE);
	uint32_t issue = x->issue && x->event[b].thread != UINT16_MAX ? x->issue[x->event[b].thread]
								      : MODEL_NONE;
	if (issue == MODEL_NONE)
		return ROW(x, cbp, b);
	memcpy(out, ROW(x, cbp, b), x->words * sizeof *out);
	row_or(out, ROW(x, cbp, issue), x->words);
	row_put(out, issue);
	return out;
}

/* Proxy fences of access I's proxy in its own CTA that cover its memory. */
static void own_fences(const struct execution *x, uint32_t i, uint64_t *out)
{
	const struct event *e = &x->event[i];
	assert(e->proxy != PROXY_GENERIC);
	row_clear(out, x->words);
	ROW_EACH(ROW(x, set, SET_PROXY_FENCE + e->proxy), x->words, f) {
		if (same_cta(&x->model->place[x->event[f].thread], &x->model->place[e->thread]) &&
			event_covers(&x->event[f], e))
			row_put(out, f);
	}
}

/* OUT: the events from which access B's proxy is entered in time. If B is generic, all of BEFORE;
 * otherwise the fences of B's proxy in BEFORE (D of the definition) and everything before one of
 * them in base causality. */
static void arrive_before(
	const struct execution *x, uint32_t b, const uint64_t *before, uint64_t *out)
{
	if (x->event[b].proxy == PROXY_GENERIC) {
		memcpy(out, before, x->words * sizeof *out);
		return;
	}
	uint64_t *fences = ROW(x, tmp, SCRATCH_ENTERS);
	own_fences(x, b, fences);
	row_clear(out, x->words);
	ROW_EACH(fences, x->words, f) {
		if (!row_has(before, f))
			continue;
		row_or(out, ROW(x, cbp, f), x->words);
		row_put(out, f);
	}
}

/* Whether access A leaves its proxy at an event in GOAL: A itself if generic, otherwise a later
 * fence of its proxy (S of the definition). */
static bool leaves_inside(const struct execution *x, uint32_t a, const uint64_t *goal)
{
	if (x->event[a].proxy == PROXY_GENERIC)
		return row_has(goal, a);
	uint64_t *fences = ROW(x, tmp, SCRATCH_LEAVES);
	own_fences(x, a, fences);
	for (uint32_t k = 0; k < x->words; k++)
		fences[k] &= goal[k] & ROW(x, cb, a)[k];
	return !row_empty(fences, x->words);
}

static bool same_proxy_and_cta(const struct execution *x, uint32_t a, uint32_t b)
{
	const struct event *e = &x->event[a], *f = &x->event[b];
	return e->proxy == f->proxy &&
		same_cta(&x->model->place[e->thread], &x->model->place[f->thread]);
}

/* The general definition, with proxies and aliases. */
static void preserved_through_proxies(const struct execution *x, uint32_t b, uint64_t *out)
{
	uint32_t words = x->words;
	const struct event *e = &x->event[b];
	uint64_t *arrive = ROW(x, tmp, SCRATCH_ARRIVE), *alias = ROW(x, tmp, SCRATCH_ALIAS);
	const uint64_t *before = execution_all_before(x, b);
	arrive_before(x, b, before, arrive);
	row_clear(alias, words);
	ROW_EACH(ROW(x, set, SET_PROXY_FENCE + PROXY_ALIAS), words, f) {
		if (row_has(arrive, f))
			row_or(alias, ROW(x, cbp, f), words);
	}
	row_clear(out, words);
	ROW_EACH(ROW(x, phys, e->phys), words, a) {
		if (a == b || x->event[a].thread == UINT16_MAX)
			continue;
		bool same = x->event[a].virt == e->virt;
		if ((same && row_has(before, a) && same_proxy_and_cta(x, a, b)) ||
			(same && leaves_inside(x, a, arrive)) || leaves_inside(x, a, alias))
			row_put(out, a);
	}
}

void execution_preserved_before(const struct execution *x, uint32_t b, uint64_t *out)
{
	const struct event *e = &x->event[b];
	if (e->virt == MODEL_NONE) {
		row_clear(out, x->words);
		return;
	}
	if (!row_empty(ROW(x, set, SET_OTHER), x->words) ||
		!row_empty(ROW(x, set, SET_PROXY_FENCE + PROXY_ALIAS), x->words)) {
		preserved_through_proxies(x, b, out);
		return;
	}
	const uint64_t *before = execution_all_before(x, b), *loc = ROW(x, virt, e->virt);
	for (uint32_t k = 0; k < x->words; k++)
		out[k] = before[k] & loc[k];
	row_drop(out, b);
}

void execution_cause_before(const struct execution *x, uint32_t b, uint64_t *out)
{
	uint64_t *preserved = ROW(x, tmp, SCRATCH_PRESERVED);
	execution_preserved_before(x, b, preserved);
	memcpy(out, preserved, x->words * sizeof *out);
	if (x->model->off & OFF_OBS_CAUSE)
		return;
	for (uint32_t k = 0; k < x->words; k++)
		preserved[k] &= ROW(x, set, SET_READ)[k];
	ROW_EACH(preserved, x->words, r)
		row_or(out, RARE(x, obs, r), x->words);
	if (!(x->model->off & OFF_ATOM_HALVES))
		return;
	ROW_EACH(out, x->words, w) {
		if (x->event[w].kind == EVENT_WRITE && x->event[w].partner != MODEL_NONE &&
			x->event[w].partner != b)
			row_put(out, x->event[w].partner);
	}
}
