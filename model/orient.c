/* What is left to choose in a complete execution: the order of morally strong pairs of fence.sc and
 * of writes to one location. A guess that follows a topological order is nearly always right; a
 * search with saturation decides the rest. */
#include "model/execution.h"
#include "base/memory.h"
#include <stdlib.h>

/* Finds the first unordered morally strong pair of fence.sc. */
static bool open_fences(const struct execution *x, uint32_t *f, uint32_t *g)
{
	const uint64_t *fences = ROW(x, set, SET_FENCE_SC);
	if (x->model->off & OFF_FENCE_SC)
		return false;
	ROW_EACH(fences, x->words, a) {
		for (uint32_t k = 0; k < x->words; k++) {
			uint64_t m = RARE(x, ms, a)[k] & fences[k] & ~ROW(x, cb, a)[k] &
				~ROW(x, cbp, a)[k];
			if (m) {
				*f = a;
				*g = k * 64 + (uint32_t)__builtin_ctzll(m);
				return true;
			}
		}
	}
	return false;
}

/* Finds the first unordered morally strong pair of writes. */
static bool open_writes(const struct execution *x, uint32_t *v, uint32_t *w)
{
	const uint64_t *writes = ROW(x, set, SET_WRITE);
	ROW_EACH(writes, x->words, a) {
		for (uint32_t k = 0; k < x->words; k++) {
			for (uint64_t m = RARE(x, ms, a)[k] & writes[k] & ~RARE(x, co, a)[k]; m;
				m &= m - 1) {
				uint32_t b = k * 64 + (uint32_t)__builtin_ctzll(m);
				if (row_has(RARE(x, co, b), a))
					continue;
				*v = a;
				*w = b;
				return true;
			}
		}
	}
	return false;
}

/* A member of LEFT that no other member must precede; preferably the write of an atom that read
 * from PREVIOUS. */
static uint32_t next_write(const struct execution *x, const uint64_t *left, uint32_t previous)
{
	uint32_t found = ROW_END;
	ROW_EACH(left, x->words, w) {
		bool first = true;
		ROW_EACH(left, x->words, v) {
			if (v != w && row_has(RARE(x, co, v), w)) {
				first = false;
				break;
			}
		}
		if (!first)
			continue;
		uint32_t r = x->event[w].partner;
		if (r != MODEL_NONE && x->event[r].rf == previous)
			return w;
		if (found == ROW_END || (r == MODEL_NONE && x->event[found].partner != MODEL_NONE))
			found = w;
	}
	return found;
}

/* Orders all morally strong writes along one topological order of coherence so far. False: a
 * contradiction, so the guess was wrong or no order exists. */
static bool guess_writes(struct execution *x)
{
	uint64_t *left = ROW(x, tmp, SCRATCH_OUTER);
	for (uint32_t p = 0; p < x->nphys; p++) {
		for (uint32_t k = 0; k < x->words; k++)
			left[k] = ROW(x, phys, p)[k] & ROW(x, set, SET_WRITE)[k];
		for (uint32_t previous = ROW_END; !row_empty(left, x->words);) {
			uint32_t w = next_write(x, left, previous);
			if (w == ROW_END)
				return false;
			row_drop(left, w);
			ROW_EACH(left, x->words, v) {
				if (row_has(RARE(x, ms, w), v) && !execution_cohere(x, w, v))
					return false;
			}
			previous = w;
		}
	}
	return execution_saturate(x);
}

static bool orient_writes(struct execution *x)
{
	uint32_t v, w;
	if (!open_writes(x, &v, &w))
		return true;
	if (model_stopped(x->model))
		return false;
	struct execution try;
	execution_init(&try, x->model);
	execution_copy(&try, x);
	bool ok = guess_writes(&try) && !open_writes(&try, &v, &w);
	for (int way = 0; way < 2 && !ok; way++) {
		open_writes(x, &v, &w);
		execution_copy(&try, x);
		ok = execution_cohere(&try, way ? w : v, way ? v : w) && execution_saturate(&try) &&
			orient_writes(&try);
	}
	if (ok)
		execution_copy(x, &try);
	execution_free(&try);
	return ok;
}

/* Whether nothing follows the writes of LAST in coherence. */
static bool still_last(const struct execution *x, const uint64_t *last)
{
	for (uint32_t w = last ? row_next(last, x->words, 0) : ROW_END; w != ROW_END;
		w = row_next(last, x->words, w + 1)) {
		if (!row_empty(RARE(x, co, w), x->words))
			return false;
	}
	return true;
}

/* Orders all morally strong fences along one topological order of base causality. False: a
 * contradiction, so the guess was wrong or no order exists. */
static bool guess_fences(struct execution *x)
{
	uint32_t words = x->words;
	uint64_t *left = memory_zeroed(words * 3, sizeof *left), *to = left + words,
		 *from = to + words;
	memcpy(left, ROW(x, set, SET_FENCE_SC), words * sizeof *left);
	for (uint32_t f; (f = row_next(left, words, 0)) != ROW_END;) {
		for (uint32_t g = f;
			g != ROW_END;) { /* walk back to a fence without predecessors in LEFT */
			f = g;
			g = ROW_END;
			for (uint32_t k = 0; k < words && g == ROW_END; k++) {
				uint64_t m = left[k] & ROW(x, cbp, f)[k];
				g = m ? k * 64 + (uint32_t)__builtin_ctzll(m) : ROW_END;
			}
		}
		row_drop(left, f);
		row_clear(from, words);
		row_put(from, f);
		for (uint32_t k = 0; k < words; k++)
			to[k] = left[k] & RARE(x, ms, f)[k] & ~ROW(x, cb, f)[k];
		if (!row_empty(to, words))
			execution_order_sets(x, from, to);
	}
	memory_drop(left);
	return execution_saturate(x);
}

bool execution_orient(struct execution *x, const uint64_t *last)
{
	uint32_t f, g;
	if (model_stopped(x->model) || !still_last(x, last))
		return false;
	if (!open_fences(x, &f, &g))
		return orient_writes(x) && still_last(x, last);
	struct execution try;
	execution_init(&try, x->model);
	execution_copy(&try, x);
	bool ok = guess_fences(&try) && orient_writes(&try) && still_last(&try, last);
	for (int way = 0; way < 2 && !ok; way++) {
		execution_copy(&try, x);
		execution_order(&try, way ? g : f, way ? f : g);
		ok = execution_saturate(&try) && execution_orient(&try, last);
	}
	if (ok)
		execution_copy(x, &try);
	execution_free(&try);
	return ok;
}

bool execution_fences_open(const struct execution *x)
{
	uint32_t f, g;
	return open_fences(x, &f, &g);
}

/* As execution_unordered, in at most STEPS more steps. */
static bool unordered_within(const struct execution *x, uint32_t a, uint32_t b, uint32_t *steps)
{
	uint32_t f, g;
	struct execution try;
	if (row_has(RARE(x, cause, b), a) || row_has(RARE(x, cause, a), b))
		return false;
	if (!*steps)
		return true;
	if (model_stopped(x->model))
		return false;
	--*steps;
	execution_init(&try, x->model);
	bool ok = false, open = open_fences(x, &f, &g);
	if (!open) {
		execution_copy(&try, x);
		ok = orient_writes(&try);
	}
	for (int way = 0; open && way < 2 && !ok; way++) {
		execution_copy(&try, x);
		execution_order(&try, way ? g : f, way ? f : g);
		ok = execution_saturate(&try) && unordered_within(&try, a, b, steps);
	}
	execution_free(&try);
	return ok;
}

bool execution_unordered(const struct execution *x, uint32_t a, uint32_t b)
{
	uint32_t steps = 1 << 14;
	return unordered_within(x, a, b, &steps);
}

bool execution_make_last(struct execution *x, uint32_t w)
{
	if (!row_empty(RARE(x, co, w), x->words))
		return false;
	for (uint32_t v = row_next(RARE(x, ms, w), x->words, 0); v != ROW_END;
		v = row_next(RARE(x, ms, w), x->words, v + 1)) {
		if (row_has(ROW(x, set, SET_WRITE), v) && x->event[v].phys == x->event[w].phys &&
			!execution_cohere(x, v, w))
			return false;
	}
	return execution_saturate(x) && row_empty(RARE(x, co, w), x->words);
}

bool execution_last(const struct execution *x, uint32_t w)
{
	if (!row_empty(RARE(x, co, w), x->words))
		return false;
	bool open = false;
	ROW_EACH(RARE(x, ms, w), x->words, v)
		open |= row_has(ROW(x, set, SET_WRITE), v) &&
			x->event[v].phys == x->event[w].phys && !row_has(RARE(x, co, v), w);
	if (!open)
		return true;
	struct execution try;
	execution_init(&try, x->model);
	execution_copy(&try, x);
	bool ok = execution_make_last(&try, w) && orient_writes(&try);
	execution_free(&try);
	return ok;
}
