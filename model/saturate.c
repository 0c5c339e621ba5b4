/* What is forced: from reads-from, program order and barriers, all forced synchronisation,
 * causality, coherence and fence.sc order (rules S1 to S6), and contradictions. Base causality is
 * saturated first, since coherence never feeds back into it. */
#include "base/assert.h"
#include "model/derive.h"
#include "base/memory.h"
#include <stdlib.h>

static bool found_conflict(
	struct execution *x, enum axiom axiom, uint32_t a, uint32_t b, uint32_t c)
{
	x->conflict = (struct conflict){axiom, a, b, c};
	return false;
}

/* Edges into one event are gathered and added together. */
struct edges {
	struct execution *x;
	uint64_t *from;
	uint32_t to; /* or MODEL_NONE */
};

static void enter_edges(struct edges *e)
{
	uint64_t *to = ROW(e->x, tmp, SCRATCH_EDGE);
	if (e->to == MODEL_NONE)
		return;
	row_clear(to, e->x->words);
	row_put(to, e->to);
	execution_order_sets(e->x, e->from, to);
	row_clear(e->from, e->x->words);
	e->to = MODEL_NONE;
}

static void sync_edge(void *arg, uint32_t first, uint32_t last)
{
	struct edges *e = arg;
	const struct event *f = &e->x->event[first];
	if (f->kind == EVENT_FENCE && f->where) {
		execution_order_released(e->x, first, last);
		return;
	}
	if (row_has(ROW(e->x, cb, first), last))
		return;
	if (e->to != last)
		enter_edges(e);
	row_put(e->from, first);
	e->to = last;
}

static bool saturate_synchronisation(struct execution *x)
{
	if (!execution_has_patterns(x))
		return true;
	uint32_t count = 0;
	struct edges e = {x, ROW(x, tmp, SCRATCH_EDGES), MODEL_NONE};
	row_clear(e.from, x->words);
	/* reads that changed, and reads of threads with a new acquire event */
	const uint64_t *changed = ROW(x, set, SET_CHANGED), *acquire = ROW(x, set, SET_ACQUIRE),
		       *reads = ROW(x, set, SET_READ);
	uint64_t *look = ROW(x, tmp, SCRATCH_LOOK);
	memcpy(look, changed, x->words * sizeof *look);
	for (uint32_t k = 0; k < x->words; k++) {
		for (uint64_t m = changed[k] & acquire[k]; m; m &= m - 1)
			row_or(look,
				ROW(x, thread,
					x->event[k * 64 + (uint32_t)__builtin_ctzll(m)].thread),
				x->words);
	}
	for (uint32_t k = 0; k < x->words; k++)
		look[k] &= reads[k];
	ROW_EACH(look, x->words, r) {
		if (model_stopped_at(x->model, count++))
			return false;
		execution_sync_from_read(x, r, sync_edge, &e);
		enter_edges(&e);
	}
	return true;
}

/* Computes the causality predecessors of the accesses that may have new ones, and marks these
 * accesses in SET_CHANGED so that their rules are applied again. With proxies or helpers any access
 * may have new ones. */
static bool saturate_causality(struct execution *x)
{
	uint32_t count = 0;
	uint64_t *row = ROW(x, tmp, SCRATCH_OUTER), *changed = ROW(x, set, SET_CHANGED);
	bool all = x->issue || !row_empty(ROW(x, set, SET_OTHER), x->words) ||
		x->model->off & OFF_ATOM_HALVES;
	for (unsigned p = 0; p < PROXY_COUNT; p++)
		all |= !row_empty(ROW(x, set, SET_PROXY_FENCE + p), x->words);
	if (all) {
		row_or(changed, ROW(x, set, SET_READ), x->words);
		row_or(changed, ROW(x, set, SET_WRITE), x->words);
	}
	ROW_EACH(changed, x->words, e) {
		if (!event_access(&x->event[e]))
			continue;
		if (model_stopped_at(x->model, count++))
			return false;
		execution_cause_before(x, e, row);
		if (x->cause.at[e] || !row_empty(row, x->words))
			memcpy(execution_own(x, &x->cause, e), row, x->words * sizeof *row);
	}
	return true;
}

/* hidden[r] of a read: the generic writes of R's virtual location that must not cause R, because
 * they follow the write that R reads from in coherence. */
static void find_hidden(struct execution *x)
{
	if (!x->hidden)
		x->hidden = memory_resize(
			NULL, (size_t)x->words * 64 * x->words * sizeof *x->hidden);
	ROW_EACH(ROW(x, set, SET_READ), x->words, r) {
		uint64_t *h = ROW(x, hidden, r);
		const struct event *e = &x->event[r];
		row_clear(h, x->words);
		if (e->rf == MODEL_NONE)
			continue;
		for (uint32_t k = 0; k < x->words; k++)
			h[k] = RARE(x, co, e->rf)[k] & ROW(x, virt, e->virt)[k] &
				~ROW(x, set, SET_OTHER)[k];
	}
}

/* hidden[f] of a fence: the accesses that must not precede F by way of another fence. Causality
 * would break at once: such a write would cause a read after F that reads something older, or such
 * a read reads from a write after F. Or such a write must be the last, and a write after F would
 * follow it. Only generic accesses are examined here; for others, saturation finds the
 * contradiction once the order exists. Reads of commuted atoms do not count: their order is one of
 * many equivalent ones, and must not decide that of the fences. */
static void find_hidden_before(struct execution *x, uint32_t f)
{
	uint64_t *h = ROW(x, hidden, f);
	const uint64_t *after = ROW(x, cb, f), *other = ROW(x, set, SET_OTHER);
	row_clear(h, x->words);
	for (uint32_t k = 0; k < x->words; k++) {
		for (uint64_t m = ROW(x, set, SET_READ)[k] &
				~(ROW(x, set, SET_PENDING)[k] | other[k] |
					ROW(x, set, SET_COMMUTED)[k]);
			m; m &= m - 1) {
			uint32_t r = k * 64 + (uint32_t)__builtin_ctzll(m);
			const struct event *e = &x->event[r];
			if (row_has(after, r))
				row_or(h, ROW(x, hidden, r), x->words);
			if (row_has(after, e->rf) && x->event[e->rf].virt == e->virt &&
				x->event[e->rf].proxy == PROXY_GENERIC)
				row_put(h, r);
		}
	}
	ROW_EACH(ROW(x, set, SET_LAST), x->words, w) {
		uint32_t virt = x->event[w].virt;
		for (uint32_t k = 0; k < x->words && virt != MODEL_NONE && !row_has(other, w);
			k++) {
			if (after[k] & ROW(x, set, SET_WRITE)[k] & ROW(x, virt, virt)[k] &
				~other[k])
				row_put(h, w);
		}
	}
}

static void find_all_hidden(struct execution *x)
{
	ROW_EACH(ROW(x, set, SET_FENCE_SC), x->words, f)
		find_hidden_before(x, f);
}

/* The same after fences were ordered before fence F: only for them it may have changed. */
static void find_hidden_again(struct execution *x, uint32_t f)
{
	ROW_EACH_SHARED(ROW(x, set, SET_FENCE_SC), ROW(x, cbp, f), x->words, g)
	find_hidden_before(x, g);
}

/* The next fence after G with which fence F forms a morally strong pair that is not ordered one
 * way, or ROW_END. */
static uint32_t next_unordered(const struct execution *x, uint32_t f, uint32_t g)
{
	const uint64_t *ms = RARE(x, ms, f), *after = ROW(x, cb, f), *before = ROW(x, cbp, f);
	uint64_t later = ~((UINT64_C(2) << (g & 63)) - 1);
	for (uint32_t k = g >> 6; k < x->words; k++, later = UINT64_MAX) {
		uint64_t m = ROW(x, set, SET_FENCE_SC)[k] & ms[k] & ~(after[k] ^ before[k]) & later;
		if (m)
			return k * 64 + (uint32_t)__builtin_ctzll(m);
	}
	return ROW_END;
}

/* S6, and the order of every pair of fences for which only one order is left. */
static bool saturate_fences(struct execution *x)
{
	uint64_t *fences = ROW(x, set, SET_FENCE_SC);
	if (row_empty(fences, x->words) || x->model->off & OFF_FENCE_SC)
		return true;
	bool hidden = false;
	for (bool again = true; again;) {
		again = false;
		ROW_EACH(fences, x->words, f) {
			if (model_stopped(x->model))
				return false;
			for (uint32_t g = f; (g = next_unordered(x, f, g)) != ROW_END;) {
				if (row_has(ROW(x, cb, f), g))
					return found_conflict(x, AXIOM_FENCE_SC, f, g, MODEL_NONE);
				if (x->model->off & OFF_CAUSALITY)
					continue;
				if (!hidden) {
					find_hidden(x);
					find_all_hidden(x);
				}
				hidden = true;
				bool no_fg = row_meets(ROW(x, cbp, f), ROW(x, hidden, g), x->words),
				     no_gf = row_meets(ROW(x, cbp, g), ROW(x, hidden, f), x->words);
				if (no_fg && no_gf)
					return found_conflict(x, AXIOM_FENCE_SC, f, g, MODEL_NONE);
				if (no_fg || no_gf) {
					execution_order(x, no_fg ? g : f, no_fg ? f : g);
					find_hidden_again(x, no_fg ? f : g);
					again = true;
				}
			}
		}
	}
	return true;
}

/* Orders W before V in coherence; V is not known to precede W. */
static void must_cohere(struct execution *x, uint32_t w, uint32_t v)
{
	bool can = execution_cohere(x, w, v);
	assert(can);
	(void)can;
}

/* S1, S3 and the read-from half of Causality for write B. */
static bool write_rules(struct execution *x, uint32_t b, bool *changed)
{
	const uint64_t *cause = RARE(x, cause, b);
	uint64_t *before = ROW(x, tmp, SCRATCH_CAUSES);
	row_clear(before, x->words);
	ROW_EACH(cause, x->words, a) {
		const struct event *e = &x->event[a];
		assert(e->phys == x->event[b].phys);
		if (e->kind == EVENT_READ) {
			if (e->rf == b && !(x->model->off & OFF_CAUSALITY))
				return found_conflict(x, AXIOM_CAUSALITY, b, a, b);
		} else if (!(x->model->off & OFF_COHERENCE) && !row_has(RARE(x, co, a), b)) {
			if (a == b || row_has(RARE(x, co, b), a))
				return found_conflict(x, AXIOM_COHERENCE, a, b, MODEL_NONE);
			row_put(before, a);
		}
	}
	if (!row_empty(before, x->words)) {
		execution_cohere_set(x, before, b);
		*changed = true;
	}
	return true;
}

/* S2 for read R: no write that causes it may follow, in coherence, the write that it reads from. */
static bool read_rules(struct execution *x, uint32_t r, bool *changed)
{
	uint32_t w = x->event[r].rf;
	if (w == MODEL_NONE || x->model->off & OFF_CAUSALITY)
		return true;
	const uint64_t *cause = RARE(x, cause, r), *writes = ROW(x, set, SET_WRITE);
	/* unchanged: it orders nothing new, but there may be a new contradiction */
	if (!row_has(ROW(x, set, SET_CHANGED), r)) {
		const uint64_t *after = RARE(x, co, w);
		for (uint32_t k = 0; k < x->words; k++) {
			uint64_t m = cause[k] & writes[k] & after[k];
			if (m)
				return found_conflict(x, AXIOM_CAUSALITY,
					k * 64 + (uint32_t)__builtin_ctzll(m), r, w);
		}
		return true;
	}
	ROW_EACH(cause, x->words, v) {
		if (!row_has(writes, v) || v == w)
			continue;
		if (row_has(RARE(x, co, w), v))
			return found_conflict(x, AXIOM_CAUSALITY, v, r, w);
		if (row_has(RARE(x, ms, w), v) && !row_has(RARE(x, co, v), w)) {
			must_cohere(x, v, w);
			*changed = true;
		}
	}
	return true;
}

/* S5 for the atom whose read is R: no morally strong third write between the write that it reads
 * from and its own. */
static bool atom_rules(struct execution *x, uint32_t r, bool *changed)
{
	uint32_t from = x->event[r].rf, to = x->event[r].partner;
	if (from == MODEL_NONE || x->model->off & OFF_ATOMICITY)
		return true;
	for (uint32_t k = 0; k < x->words; k++) {
		uint64_t m = RARE(x, ms, r)[k] & RARE(x, ms, to)[k] & ROW(x, set, SET_WRITE)[k] &
			ROW(x, phys, x->event[r].phys)[k];
		for (; m; m &= m - 1) {
			uint32_t v = k * 64 + (uint32_t)__builtin_ctzll(m);
			if (v == from || v == to)
				continue;
			bool after = row_has(RARE(x, co, from), v),
			     before = row_has(RARE(x, co, v), to);
			if (after && before)
				return found_conflict(x, AXIOM_ATOMICITY, r, to, v);
			if (after && !row_has(RARE(x, co, to), v)) {
				must_cohere(x, to, v);
				*changed = true;
			} else if (before && row_has(RARE(x, ms, v), from) &&
				!row_has(RARE(x, co, v), from)) {
				must_cohere(x, v, from);
				*changed = true;
			}
		}
	}
	return true;
}

static bool has_poloc(const struct execution *x, const uint64_t *loc)
{
	uint64_t *row = ROW(x, tmp, SCRATCH_POLOC);
	ROW_EACH(loc, x->words, a) {
		assert(x->event[a].thread !=
			UINT16_MAX); /* initial writes have no virtual address */
		for (uint32_t k = 0; k < x->words; k++)
			row[k] = ROW(x, thread, x->event[a].thread)[k] & loc[k];
		row_drop(row, a);
		if (!row_empty(row, x->words))
			return true;
	}
	return false;
}

/* OUT: the accesses in LOC, a virtual location, to which SC-per-location has an edge from access A:
 * program order, or morally strong rf, co or fr. */
static void location_edges(
	const struct execution *x, const uint64_t *loc, uint32_t a, uint64_t *out)
{
	const struct event *e = &x->event[a];
	uint32_t w = e->kind == EVENT_WRITE ? a : e->rf;
	const uint64_t *after = RARE(x, co, w == MODEL_NONE ? a : w), *ms = RARE(x, ms, a),
		       *reads = ROW(x, set, SET_READ), *thread = ROW(x, thread, e->thread);
	uint64_t strong = w == MODEL_NONE ? 0 : UINT64_MAX;
	for (uint32_t k = 0; k < x->words; k++) {
		out[k] = loc[k] & ms[k] & after[k] & strong;
		uint64_t read = w == a ? loc[k] & ms[k] & reads[k] : 0;
		for (; read; read &= read - 1) {
			uint32_t r = k * 64 + (uint32_t)__builtin_ctzll(read);
			if (x->event[r].rf == a)
				row_put(out, r);
		}
	}
	for (uint32_t k = a >> 6; k < x->words; k++) {
		uint64_t own = loc[k] & thread[k];
		if (k == a >> 6)
			own &= ~((UINT64_C(2) << (a & 63)) - 1);
		for (; own; own &= own - 1) {
			uint32_t b = k * 64 + (uint32_t)__builtin_ctzll(own);
			if (event_overlaps_all(e, &x->event[b]))
				row_put(out, b);
			else
				row_drop(out, b);
		}
	}
}

/* Applies SC-per-location to the closure EDGE over the M accesses MEMBER. */
static bool location_says(struct execution *x, const uint32_t *member, uint32_t m,
	const uint64_t *edge, uint32_t words, bool *changed)
{
	const uint64_t *writes = ROW(x, set, SET_WRITE);
	for (uint32_t i = 0; i < m; i++) {
		const uint64_t *after = edge + (size_t)i * words;
		uint32_t a = member[i];
		if (row_has(after, i))
			return found_conflict(x, AXIOM_SC_PER_LOCATION, a, MODEL_NONE, MODEL_NONE);
		if (!row_has(writes, a))
			continue;
		ROW_EACH(after, words, k) {
			uint32_t b = member[k];
			if (!row_has(writes, b) || !row_has(RARE(x, ms, a), b) ||
				row_has(RARE(x, co, a), b))
				continue;
			if (!execution_cohere(x, a, b))
				return found_conflict(
					x, AXIOM_SC_PER_LOCATION, a, MODEL_NONE, MODEL_NONE);
			*changed = true;
		}
	}
	return true;
}

/* S4: SC-per-location, and the coherence that it forces on morally strong writes. */
static bool location_rules(struct execution *x, uint32_t virt, bool *changed)
{
	const uint64_t *loc = ROW(x, virt, virt);
	if (x->model->off & OFF_SC_PER_LOCATION || !has_poloc(x, loc))
		return true;
	uint32_t m = 0, count = row_count(loc, x->words), words = (count + 63) / 64;
	uint32_t *member = memory_resize(NULL, count * sizeof *member);
	uint64_t *edge = memory_zeroed((size_t)count * words, sizeof *edge);
	ROW_EACH(loc, x->words, a)
		member[m++] = a;
	uint64_t *after = ROW(x, tmp, SCRATCH_POLOC);
	for (uint32_t i = 0; i < m; i++) {
		location_edges(x, loc, member[i], after);
		for (uint32_t k = 0; k < m; k++) {
			if (row_has(after, member[k]))
				row_put(edge + (size_t)i * words, k);
		}
	}
	bool ok = true;
	for (uint32_t k = 0; k < m && ok; k++) {
		ok = !model_stopped_at(x->model, k);
		for (uint32_t i = 0; i < m; i++) {
			if (row_has(edge + (size_t)i * words, k))
				row_or(edge + (size_t)i * words, edge + (size_t)k * words, words);
		}
	}
	ok = ok && location_says(x, member, m, edge, words, changed);
	memory_drop(edge);
	memory_drop(member);
	return ok;
}

static bool all_locations(struct execution *x, bool *changed)
{
	for (uint32_t v = 0; v < x->nvirt; v++) {
		if (!location_rules(x, v, changed))
			return false;
	}
	return true;
}

/* Applies the rules of writes, reads, atoms and pieces and, with LOCATIONS, S4, until nothing
 * changes. */
static bool saturate_coherence(struct execution *x, bool locations)
{
	uint32_t count = 0;
	for (bool changed = true; changed;) {
		changed = false;
		ROW_EACH_SHARED(ROW(x, set, SET_WRITE), ROW(x, set, SET_CHANGED), x->words, b)
		{
			if (model_stopped_at(x->model, count++))
				return false;
			if (!(x->event[b].flags & EVENT_INITIAL) && !write_rules(x, b, &changed))
				return false;
		}
		ROW_EACH(ROW(x, set, SET_READ), x->words, r) {
			if (model_stopped_at(x->model, count++))
				return false;
			if (!read_rules(x, r, &changed))
				return false;
		}
		ROW_EACH(ROW(x, set, SET_RMW), x->words, r) {
			if (!atom_rules(x, r, &changed))
				return false;
		}
		if (x->pieces && !execution_pieces_agree(x, &changed))
			return false;
		if (locations && !all_locations(x, &changed))
			return false;
	}
	row_clear(ROW(x, set, SET_CHANGED), x->words);
	return true;
}

static bool saturate(struct execution *x, bool locations)
{
	x->conflict.axiom = AXIOM_NONE;
	return saturate_synchronisation(x) && saturate_fences(x) && saturate_causality(x) &&
		saturate_coherence(x, locations);
}

bool execution_saturate(struct execution *x) { return saturate(x, true); }

void execution_recheck(struct execution *x)
{
	for (uint32_t e = 0; e < x->n; e++)
		row_put(ROW(x, set, SET_CHANGED), e);
}

bool execution_grown(struct execution *x) { return saturate(x, false); }

bool execution_finished(struct execution *x)
{
	bool changed = false;
	return all_locations(x, &changed) && (!changed || saturate(x, true));
}

/* Whether the write of atom R must follow W, if R reads from W. */
static bool must_follow(const struct execution *x, uint32_t w, uint32_t r)
{
	return x->event[w].flags & EVENT_INITIAL || row_has(RARE(x, ms, r), w) ||
		row_has(RARE(x, cause, r), w);
}

bool execution_taken(const struct execution *x, uint32_t w, uint32_t r)
{
	const uint64_t *ms = RARE(x, ms, r);
	if (x->model->off || x->event[r].group != MODEL_NONE || !must_follow(x, w, r))
		return false;
	ROW_EACH_SHARED(ROW(x, set, SET_RMW), ms, x->words, q)
	{
		if (q != r && x->event[q].rf == w && row_has(ms, x->event[q].partner) &&
			must_follow(x, w, q))
			return true;
	}
	return false;
}

void execution_candidates(const struct execution *x, uint32_t r, uint64_t *out)
{
	const struct event *e = &x->event[r];
	const uint64_t *known = ROW(x, set, SET_KNOWN), *loc = ROW(x, phys, e->phys);
	for (uint32_t k = 0; k < x->words; k++)
		out[k] = known[k] & loc[k];
	if (e->group != MODEL_NONE)
		execution_pieces_allow(x, r, out);
	if (x->model->off & OFF_CAUSALITY)
		return;
	const uint64_t *cause = RARE(x, cause, r);
	bool atom = row_has(ROW(x, set, SET_RMW), r);
	ROW_EACH(out, x->words, w) {
		if (row_has(RARE(x, cause, w), r) || row_meets(RARE(x, co, w), cause, x->words) ||
			(atom && execution_taken(x, w, r)))
			row_drop(out, w);
	}
}
