/* What must be: from reads-from, program order and barriers, all forced synchronisation, causality, coherence and fence.sc order (rules S1 to S6), and
 * the contradictions. Base causality grows first, since coherence never feeds back into it. */
#include "model/derive.h"

static bool conflict(struct execution *x, enum axiom axiom, uint32_t a, uint32_t b, uint32_t c)
{
	x->conflict = (struct conflict){axiom, a, b, c};
	return false;
}

static void sync_edge(void *arg, uint32_t first, uint32_t last) { execution_order_released(arg, first, last); }

static void synchronise(struct execution *x)
{
	if (!execution_has_patterns(x))
		return;
	ROW_EACH(ROW(x, set, SET_READ), x->words, r)
		execution_sync_from_read(x, r, sync_edge, x);
}

/* Recomputes cause for all accesses. */
static void causality(struct execution *x)
{
	for (uint32_t e = 0; e < x->n; e++) {
		if (event_access(&x->event[e]))
			execution_cause_before(x, e, ROW(x, cause, e));
	}
}

/* Whether ordering fence F before fence G would at once break Causality: some write before F would come to cause a read after G that reads something
 * older, or a read before F reads from a write after G. Judged for generic accesses; others are found out when the edge is there. */
static bool fence_order_breaks(const struct execution *x, uint32_t f, uint32_t g, const uint64_t *hidden)
{
	uint32_t words = x->words;
	const uint64_t *before = ROW(x, cbp, f), *after = ROW(x, cb, g), *reads = ROW(x, set, SET_READ), *pending = ROW(x, set, SET_PENDING),
		       *other = ROW(x, set, SET_OTHER);
	for (uint32_t k = 0; k < words; k++) {
		for (uint64_t m = after[k] & reads[k] & ~pending[k] & ~other[k]; m; m &= m - 1) {
			uint32_t r = k * 64 + (uint32_t)__builtin_ctzll(m);
			if (row_meets(hidden + (uint64_t)r * words, before, words))
				return true;
		}
		for (uint64_t m = before[k] & reads[k] & ~pending[k] & ~other[k]; m; m &= m - 1) {
			const struct event *e = &x->event[k * 64 + (uint32_t)__builtin_ctzll(m)];
			if (row_has(after, e->rf) && x->event[e->rf].virt == e->virt && x->event[e->rf].proxy == PROXY_GENERIC)
				return true;
		}
	}
	return false;
}

/* scratch[r] = the generic writes of R's own virtual location that R must not see caused before it: coherence-later than what it reads. */
static void find_hidden(struct execution *x)
{
	ROW_EACH(ROW(x, set, SET_READ), x->words, r) {
		uint64_t *h = ROW(x, scratch, r);
		const struct event *e = &x->event[r];
		row_clear(h, x->words);
		if (e->rf == MODEL_NONE)
			continue;
		for (uint32_t k = 0; k < x->words; k++)
			h[k] = ROW(x, co, e->rf)[k] & ROW(x, virt, e->virt)[k] & ~ROW(x, set, SET_OTHER)[k];
	}
}

/* S6, and the orders of two fences that only one way is left for. */
static bool order_fences(struct execution *x)
{
	uint64_t *fences = ROW(x, set, SET_FENCE_SC);
	if (row_empty(fences, x->words) || x->model->off & OFF_FENCE_SC)
		return true;
	bool hidden = false;
	for (bool again = true; again;) {
		again = false;
		ROW_EACH(fences, x->words, f) {
			ROW_EACH(fences, x->words, g) {
				if (g <= f || !row_has(ROW(x, ms, f), g))
					continue;
				bool fg = row_has(ROW(x, cb, f), g), gf = row_has(ROW(x, cb, g), f);
				if (fg && gf)
					return conflict(x, AXIOM_FENCE_SC, f, g, MODEL_NONE);
				if (fg || gf || x->model->off & OFF_CAUSALITY)
					continue;
				if (!hidden)
					find_hidden(x);
				hidden = true;
				bool no_fg = fence_order_breaks(x, f, g, x->scratch), no_gf = fence_order_breaks(x, g, f, x->scratch);
				if (no_fg && no_gf)
					return conflict(x, AXIOM_FENCE_SC, f, g, MODEL_NONE);
				if (no_fg || no_gf) {
					execution_order(x, no_fg ? g : f, no_fg ? f : g);
					again = true;
				}
			}
		}
	}
	return true;
}

/* S1, S3 and the read-from half of Causality for write B. */
static bool write_rules(struct execution *x, uint32_t b, bool *changed)
{
	const uint64_t *cause = ROW(x, cause, b), *loc = ROW(x, phys, x->event[b].phys);
	/* The latest first: what comes before it in coherence is then before B, too. */
	for (uint32_t k = x->words; k-- > 0;) {
		for (uint64_t m = cause[k] & loc[k]; m;) {
			uint32_t bit = 63 - (uint32_t)__builtin_clzll(m), a = k * 64 + bit;
			const struct event *e = &x->event[a];
			m ^= UINT64_C(1) << bit;
			if (e->kind == EVENT_READ) {
				if (e->rf == b && !(x->model->off & OFF_CAUSALITY))
					return conflict(x, AXIOM_CAUSALITY, b, a, b);
			} else if (!(x->model->off & OFF_COHERENCE) && !row_has(ROW(x, co, a), b)) {
				if (!execution_cohere(x, a, b))
					return conflict(x, AXIOM_COHERENCE, a, b, MODEL_NONE);
				*changed = true;
			}
		}
	}
	return true;
}

/* S2 for read R: no write that causes it may be coherence-later than what it reads. */
static bool read_rules(struct execution *x, uint32_t r, bool *changed)
{
	uint32_t w = x->event[r].rf;
	if (w == MODEL_NONE || x->model->off & OFF_CAUSALITY)
		return true;
	const uint64_t *cause = ROW(x, cause, r), *writes = ROW(x, set, SET_WRITE);
	ROW_EACH(cause, x->words, v) {
		if (!row_has(writes, v) || v == w)
			continue;
		if (row_has(ROW(x, co, w), v))
			return conflict(x, AXIOM_CAUSALITY, v, r, w);
		if (row_has(ROW(x, ms, w), v) && !row_has(ROW(x, co, v), w)) {
			if (!execution_cohere(x, v, w))
				return conflict(x, AXIOM_CAUSALITY, v, r, w);
			*changed = true;
		}
	}
	return true;
}

/* S5 for the atom whose read is R: no morally strong third write between what it reads and what it writes. */
static bool atom_rules(struct execution *x, uint32_t r, bool *changed)
{
	uint32_t from = x->event[r].rf, to = x->event[r].partner;
	if (from == MODEL_NONE || x->model->off & OFF_ATOMICITY)
		return true;
	for (uint32_t k = 0; k < x->words; k++) {
		uint64_t m = ROW(x, ms, r)[k] & ROW(x, ms, to)[k] & ROW(x, set, SET_WRITE)[k];
		for (; m; m &= m - 1) {
			uint32_t v = k * 64 + (uint32_t)__builtin_ctzll(m);
			if (v == from || v == to || !row_has(ROW(x, phys, x->event[r].phys), v))
				continue;
			bool after = row_has(ROW(x, co, from), v), before = row_has(ROW(x, co, v), to);
			if (after && before)
				return conflict(x, AXIOM_ATOMICITY, r, to, v);
			if (after && !row_has(ROW(x, co, to), v)) {
				if (!execution_cohere(x, to, v))
					return conflict(x, AXIOM_ATOMICITY, r, to, v);
				*changed = true;
			} else if (before && row_has(ROW(x, ms, v), from) && !row_has(ROW(x, co, v), from)) {
				if (!execution_cohere(x, v, from))
					return conflict(x, AXIOM_ATOMICITY, r, to, v);
				*changed = true;
			}
		}
	}
	return true;
}

/* Edges of SC-per-location out of access A of virtual location row LOC: program order, and morally strong rf, co, fr. */
static void location_edges(const struct execution *x, uint32_t a, const uint64_t *loc, uint64_t *out)
{
	const struct event *e = &x->event[a];
	const uint64_t *strong = ROW(x, ms, a);
	execution_po_after(x, a, out);
	for (uint32_t k = 0; k < x->words; k++)
		out[k] &= loc[k];
	uint32_t w = e->kind == EVENT_WRITE ? a : e->rf;
	if (w == MODEL_NONE)
		return;
	for (uint32_t k = 0; k < x->words; k++)
		out[k] |= ROW(x, co, w)[k] & strong[k] & loc[k];
	if (e->kind == EVENT_WRITE) {
		for (uint32_t k = 0; k < x->words; k++) {
			uint64_t m = strong[k] & loc[k] & ROW(x, set, SET_READ)[k];
			for (; m; m &= m - 1) {
				uint32_t r = k * 64 + (uint32_t)__builtin_ctzll(m);
				if (x->event[r].rf == a)
					row_put(out, r);
			}
		}
	}
}

static bool has_poloc(const struct execution *x, const uint64_t *loc)
{
	uint64_t *row = ROW(x, tmp, 2);
	ROW_EACH(loc, x->words, a) {
		if (x->event[a].thread == UINT16_MAX)
			continue;
		for (uint32_t k = 0; k < x->words; k++)
			row[k] = ROW(x, thread, x->event[a].thread)[k] & loc[k];
		row_drop(row, a);
		if (!row_empty(row, x->words))
			return true;
	}
	return false;
}

/* S4: SC-per-location, and the coherence that it forces on morally strong writes. */
static bool location_rules(struct execution *x, uint32_t virt, bool *changed)
{
	const uint64_t *loc = ROW(x, virt, virt), *writes = ROW(x, set, SET_WRITE);
	if (x->model->off & OFF_SC_PER_LOCATION || !has_poloc(x, loc))
		return true;
	ROW_EACH(loc, x->words, a)
		location_edges(x, a, loc, ROW(x, scratch, a));
	ROW_EACH(loc, x->words, k) {
		const uint64_t *through = ROW(x, scratch, k);
		ROW_EACH(loc, x->words, a) {
			if (row_has(ROW(x, scratch, a), k))
				row_or(ROW(x, scratch, a), through, x->words);
		}
	}
	ROW_EACH(loc, x->words, a) {
		const uint64_t *after = ROW(x, scratch, a);
		if (row_has(after, a))
			return conflict(x, AXIOM_SC_PER_LOCATION, a, MODEL_NONE, MODEL_NONE);
		if (!row_has(writes, a))
			continue;
		for (uint32_t k = 0; k < x->words; k++) {
			uint64_t m = after[k] & ROW(x, ms, a)[k] & writes[k] & ~ROW(x, co, a)[k];
			for (; m; m &= m - 1) {
				if (!execution_cohere(x, a, k * 64 + (uint32_t)__builtin_ctzll(m)))
					return conflict(x, AXIOM_SC_PER_LOCATION, a, MODEL_NONE, MODEL_NONE);
				*changed = true;
			}
		}
	}
	return true;
}

static bool coherence(struct execution *x)
{
	for (bool changed = true; changed;) {
		changed = false;
		ROW_EACH(ROW(x, set, SET_WRITE), x->words, b) {
			if (!(x->event[b].flags & EVENT_INITIAL) && !write_rules(x, b, &changed))
				return false;
		}
		ROW_EACH(ROW(x, set, SET_READ), x->words, r) {
			if (!read_rules(x, r, &changed))
				return false;
		}
		ROW_EACH(ROW(x, set, SET_RMW), x->words, r) {
			if (!atom_rules(x, r, &changed))
				return false;
		}
		for (uint32_t v = 0; v < x->nvirt; v++) {
			if (!location_rules(x, v, &changed))
				return false;
		}
	}
	return true;
}

bool execution_saturate(struct execution *x)
{
	synchronise(x);
	if (!order_fences(x))
		return false;
	causality(x);
	return coherence(x);
}

void execution_candidates(const struct execution *x, uint32_t r, uint64_t *out)
{
	const struct event *e = &x->event[r];
	const uint64_t *known = ROW(x, set, SET_KNOWN), *loc = ROW(x, phys, e->phys);
	for (uint32_t k = 0; k < x->words; k++)
		out[k] = known[k] & loc[k];
	if (x->model->off & OFF_CAUSALITY)
		return;
	const uint64_t *cause = ROW(x, cause, r);
	ROW_EACH(out, x->words, w) {
		if (row_has(ROW(x, cause, w), r) || row_meets(ROW(x, co, w), cause, x->words))
			row_drop(out, w);
	}
}
