/* What is left to choose in a complete execution: the order of morally strong pairs of fence.sc and
 * of writes to one location. A guess that follows a topological order is nearly always right; what
 * is wrong with a guess decides the rest. */
#include "model/execution.h"
#include "base/memory.h"
#include "base/vec.h"
#include <stdlib.h>

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

/* What a completion is wanted for: nothing follows the writes of row LAST (NULL: none) in
 * coherence, and causality orders neither A before B nor B before A (MODEL_NONE: no such pair). */
struct goal {
	const uint64_t *last;
	uint32_t a, b;
};

static bool is_reached(const struct execution *x, const struct goal *goal)
{
	for (uint32_t w = goal->last ? row_next(goal->last, x->words, 0) : ROW_END; w != ROW_END;
		w = row_next(goal->last, x->words, w + 1)) {
		if (!row_empty(RARE(x, co, w), x->words))
			return false;
	}
	return goal->a == MODEL_NONE ||
		(!row_has(RARE(x, cause, goal->a), goal->b) &&
			!row_has(RARE(x, cause, goal->b), goal->a));
}

/* Orders of fences: A before B. */
struct fence_pair {
	uint32_t a, b;
};
struct fence_pairs {
	VEC(struct fence_pair) list;
};

/* OUT: every unordered morally strong pair of fences, in the order that one topological order of
 * base causality gives it. */
static void guess_fences(const struct execution *x, struct fence_pairs *out)
{
	uint32_t words = x->words;
	uint64_t *left = ROW(x, tmp, SCRATCH_OUTER);
	memcpy(left, ROW(x, set, SET_FENCE_SC), words * sizeof *left);
	out->list.count = 0;
	for (uint32_t f; (f = row_next(left, words, 0)) != ROW_END;) {
		/* walk back to a fence without predecessors in LEFT */
		for (uint32_t g = f; g != ROW_END;) {
			f = g;
			g = row_next_shared(left, ROW(x, cbp, f), words, 0);
		}
		row_drop(left, f);
		ROW_EACH_SHARED(left, RARE(x, ms, f), words, g)
		{
			if (!row_has(ROW(x, cb, f), g))
				*vec_push(&out->list) = (struct fence_pair){f, g};
		}
	}
}

/* Orders the first N pairs; those with the same first fence are added together. */
static void order_pairs(struct execution *x, const struct fence_pairs *pairs, uint32_t n)
{
	uint64_t *from = ROW(x, tmp, SCRATCH_EDGES), *to = ROW(x, tmp, SCRATCH_EDGE);
	for (uint32_t k = 0; k < n;) {
		uint32_t a = pairs->list.data[k].a;
		row_clear(from, x->words);
		row_clear(to, x->words);
		row_put(from, a);
		for (; k < n && pairs->list.data[k].a == a; k++) {
			if (!row_has(ROW(x, cb, a), pairs->list.data[k].b))
				row_put(to, pairs->list.data[k].b);
		}
		if (!row_empty(to, x->words))
			execution_order_sets(x, from, to);
	}
}

/* Makes OUT a completion of X with the pairs of KEPT and the first N of GUESS ordered, whatever the
 * order of the other fences is; false when there is none that reaches GOAL. */
static bool complete_with(const struct execution *x, const struct fence_pairs *kept,
	const struct fence_pairs *guess, uint32_t n, const struct goal *goal, struct execution *out)
{
	execution_copy(out, x);
	order_pairs(out, kept, kept->list.count);
	order_pairs(out, guess, n);
	return execution_saturate(out) && orient_writes(out) && is_reached(out, goal);
}

/* Adds to REASON pairs of GUESS that nothing completes together although something may complete
 * them without any one. Each round adds the last pair of the shortest part of GUESS that nothing
 * completes together with REASON. */
static void find_reason(const struct execution *x, const struct fence_pairs *guess,
	const struct goal *goal, struct fence_pairs *reason, struct execution *try)
{
	uint32_t n = guess->list.count;
	while (n && complete_with(x, reason, guess, 0, goal, try)) {
		uint32_t fits = 0; /* the first FITS pairs can be completed, the first N cannot */
		while (n - fits > 1) {
			uint32_t half = fits + (n - fits) / 2;
			if (complete_with(x, reason, guess, half, goal, try))
				fits = half;
			else
				n = half;
		}
		*vec_push(&reason->list) = guess->list.data[--n];
	}
}

/* Orders the first K pairs of REASON, and pair K the other way round; false: a contradiction. */
static bool order_otherwise(struct execution *x, const struct fence_pairs *reason, uint32_t k)
{
	order_pairs(x, reason, k);
	execution_order(x, reason->list.data[k].b, reason->list.data[k].a);
	return execution_saturate(x);
}

static bool complete(const struct execution *x, const struct goal *goal, struct execution *out);

/* The same as complete() when a guess has failed, with GUESS as scratch. Some of its pairs are the
 * reason, and one of these is the other way round in every completion. Mostly the reason is a
 * single pair, so nothing is tried in vain; and a pair whose order cannot matter is part of no
 * reason. */
static bool complete_otherwise(const struct execution *x, struct fence_pairs *guess,
	const struct goal *goal, struct execution *out)
{
	struct fence_pairs reason = {0};
	struct execution left, other; /* LEFT: what is left of X after reasons of a single pair */
	bool ok = false;
	execution_init(&left, x->model);
	execution_init(&other, x->model);
	execution_copy(&left, x);
	for (bool more = execution_saturate(&left); more && !ok;) {
		reason.list.count = 0;
		guess_fences(&left, guess);
		ok = complete_with(&left, &reason, guess, guess->list.count, goal, out);
		if (ok)
			break;
		find_reason(&left, guess, goal, &reason, out);
		uint32_t n = reason.list.count;
		for (uint32_t k = 0; k + 1 < n && !ok; k++) {
			execution_copy(&other, &left);
			ok = order_otherwise(&other, &reason, k) && complete(&other, goal, out);
		}
		more = !ok && n && order_otherwise(&left, &reason, n - 1);
	}
	execution_free(&left);
	execution_free(&other);
	vec_free(&reason.list);
	return ok;
}

/* Makes OUT a completion of X that reaches GOAL; false when there is none. Of all orders of the
 * fences, one along a topological order is guessed, which nearly always does. */
static bool complete(const struct execution *x, const struct goal *goal, struct execution *out)
{
	struct fence_pairs none = {0}, guess = {0};
	if (model_stopped(x->model) || !is_reached(x, goal))
		return false;
	guess_fences(x, &guess);
	bool ok = complete_with(x, &none, &guess, guess.list.count, goal, out) ||
		complete_otherwise(x, &guess, goal, out);
	vec_free(&guess.list);
	return ok;
}

bool execution_orient(struct execution *x, const uint64_t *last)
{
	struct goal goal = {last, MODEL_NONE, MODEL_NONE};
	struct execution out;
	if (!execution_fences_open(x))
		return !model_stopped(x->model) && orient_writes(x) && is_reached(x, &goal);
	if (last)
		memcpy(ROW(x, set, SET_LAST), last, x->words * sizeof *last);
	execution_init(&out, x->model);
	bool ok = complete(x, &goal, &out);
	if (ok) {
		struct execution before = *x;
		*x = out;
		out = before;
	}
	row_clear(ROW(x, set, SET_LAST), x->words);
	execution_free(&out);
	return ok;
}

bool execution_fences_open(const struct execution *x)
{
	const uint64_t *fences = ROW(x, set, SET_FENCE_SC);
	if (x->model->off & OFF_FENCE_SC)
		return false;
	ROW_EACH(fences, x->words, a) {
		for (uint32_t k = 0; k < x->words; k++) {
			if (RARE(x, ms, a)[k] & fences[k] & ~ROW(x, cb, a)[k] & ~ROW(x, cbp, a)[k])
				return true;
		}
	}
	return false;
}

bool execution_unordered(const struct execution *x, uint32_t a, uint32_t b)
{
	struct goal goal = {NULL, a, b};
	struct execution out;
	execution_init(&out, x->model);
	bool ok = false;
	if (execution_fences_open(x)) {
		ok = complete(x, &goal, &out);
	} else if (is_reached(x, &goal)) {
		execution_copy(&out, x);
		ok = orient_writes(&out);
	}
	execution_free(&out);
	return ok;
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
