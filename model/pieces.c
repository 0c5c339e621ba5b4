/* Overlapping accesses of several sizes: each access is several unordered events, one for each of
 * the smallest pieces in use. The axioms hold piece by piece; single-copy atomicity is added here.
 * Partially overlapping accesses are never morally strong, and the model does not cover races
 * between them (PTX ISA 8.7.1). So partial overlaps are ordered by causality, and only complete
 * overlaps can be torn. */
#include "model/execution.h"

/* The events of one access follow each other in their thread. */
#define GROUP_EACH(x, e, i) \
	for (uint32_t i = (x)->event[e].group; \
		i < (x)->n && (x)->event[i].group == (x)->event[e].group; \
		i = row_next(ROW(x, thread, (x)->event[e].thread), (x)->words, i + 1))

uint32_t execution_piece(const struct execution *x, uint32_t e, uint32_t phys)
{
	if (x->event[e].group == MODEL_NONE)
		return MODEL_NONE;
	GROUP_EACH(x, e, i) {
		if (x->event[i].kind == x->event[e].kind && x->event[i].phys == phys)
			return i;
	}
	return MODEL_NONE;
}

/* Whether a read is torn when it takes one piece from write W and another piece, which W writes as
 * well, from write V. */
static bool tears(const struct execution *x, uint32_t w, uint32_t v)
{
	uint32_t other = x->event[w].flags & EVENT_SIZELESS
		? MODEL_NONE
		: execution_piece(x, w, x->event[v].phys);
	if (other == MODEL_NONE || other == v)
		return false;
	return x->event[v].flags & EVENT_INITIAL ||
		event_overlaps_all(&x->event[v], &x->event[other]) ||
		row_has(RARE(x, co, v), other);
}

void execution_pieces_allow(const struct execution *x, uint32_t r, uint64_t *out)
{
	if (x->event[r].flags & EVENT_SIZELESS || x->model->off & OFF_WHOLE)
		return;
	GROUP_EACH(x, r, s) {
		uint32_t v = x->event[s].rf;
		if (s == r || x->event[s].kind != EVENT_READ || v == MODEL_NONE)
			continue;
		ROW_EACH(out, x->words, w) {
			if (tears(x, w, v) || tears(x, v, w))
				row_drop(out, w);
		}
	}
}

static bool read_is_torn(const struct execution *x, uint32_t r)
{
	uint32_t w = x->event[r].rf;
	GROUP_EACH(x, r, s) {
		if (s != r && x->event[s].kind == EVENT_READ && x->event[s].rf != MODEL_NONE &&
			tears(x, w, x->event[s].rf))
			return true;
	}
	return false;
}

/* Where write A precedes a write that it overlaps completely in coherence, so do their other
 * pieces. False: a contradiction. */
static bool cohere_pieces(struct execution *x, uint32_t a, bool *changed)
{
	ROW_EACH(RARE(x, co, a), x->words, b) {
		if (x->event[b].group == MODEL_NONE ||
			!event_overlaps_all(&x->event[a], &x->event[b]) ||
			(x->event[a].flags | x->event[b].flags) & EVENT_SIZELESS)
			continue;
		GROUP_EACH(x, a, i) {
			uint32_t k = x->event[i].kind == EVENT_WRITE
				? execution_piece(x, b, x->event[i].phys)
				: MODEL_NONE;
			if (k == MODEL_NONE || row_has(RARE(x, co, i), k))
				continue;
			if (!execution_cohere(x, i, k))
				return false;
			*changed = true;
		}
	}
	return true;
}

bool execution_pieces_agree(struct execution *x, bool *changed)
{
	uint32_t at = MODEL_NONE;
	if (x->model->off & OFF_WHOLE)
		return true;
	ROW_EACH(ROW(x, set, SET_WRITE), x->words, a) {
		if (x->event[a].group != MODEL_NONE && !cohere_pieces(x, a, changed)) {
			at = a;
			break;
		}
	}
	ROW_EACH(ROW(x, set, SET_READ), x->words, r) {
		if (x->event[r].group != MODEL_NONE && x->event[r].rf != MODEL_NONE &&
			!(x->event[r].flags & EVENT_SIZELESS) && read_is_torn(x, r)) {
			at = r;
			break;
		}
	}
	if (at != MODEL_NONE)
		x->conflict = (struct conflict){AXIOM_SC_PER_LOCATION, at, MODEL_NONE, MODEL_NONE};
	return at == MODEL_NONE;
}
