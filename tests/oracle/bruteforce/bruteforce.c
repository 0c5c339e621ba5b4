/* See tests/oracle/bruteforce.h: guesses each thread's path, and for each read the write that it
 * reads from. */
#include "tests/oracle/bruteforce/state.h"
#include <stdlib.h>
#include <string.h>

static void guess_rf(struct bf *f, int k)
{
	if (f->out->too_large)
		return;
	if (k == f->nreads) {
		if (++f->out->tried > f->most) {
			f->out->too_large = true;
			return;
		}
		for (f->guess = 0; f->guess <= (f->change & BRUTEFORCE_THIN_AIR ? 2 : 0);
			f->guess++) {
			if (!bf_values_fit(f))
				continue;
			bf_try_orders(f);
			break;
		}
		return;
	}
	int r = f->reads[k];
	for (int w = 0; w < f->n; w++) {
		if (f->event[w].kind != K_WRITE || f->event[w].phys != f->event[r].phys)
			continue;
		f->rf[r] = w;
		if (f->event[r].part &&
			bf_words_of_two(f, f->rf[r - 1], w)) /* torn, whatever the rest */
			continue;
		guess_rf(f, k + 1);
	}
}

static void with_paths(struct bf *f)
{
	bf_build_events(f);
	if (f->out->too_large || !bf_run_barriers(f))
		return;
	bf_begin_orders(f);
	guess_rf(f, 0);
	bf_end_orders(f);
}

static void choose_paths(struct bf *f, uint32_t t)
{
	if (t == f->test->nthreads) {
		with_paths(f);
		return;
	}
	for (f->chosen[t] = 0; f->chosen[t] < f->npaths[t] && !f->out->too_large; f->chosen[t]++)
		choose_paths(f, t + 1);
}

static uint32_t sort_width;
static int compare_rows(const void *a, const void *b)
{
	const int64_t *x = a, *y = b;
	for (uint32_t i = 0; i < sort_width; i++) {
		if (x[i] != y[i])
			return x[i] < y[i] ? -1 : 1;
	}
	return 0;
}

void bruteforce_run(const struct litmus_test *test, const struct bruteforce_place *place,
	uint64_t most_candidates, unsigned change, struct bruteforce *out)
{
	struct bf *f = calloc(1, sizeof *f);
	if (!f)
		abort();
	*out = (struct bruteforce){.width = test->nobserved};
	f->test = test;
	f->place = place;
	f->out = out;
	f->most = most_candidates;
	f->change = change;
	for (uint32_t t = 0; t < test->nthreads && test->nthreads <= MOST_THREADS; t++) {
		bf_find_paths(f, (int)t);
	}
	out->too_large |= test->nthreads > MOST_THREADS || test->nobserved > 64;
	if (!out->too_large)
		choose_paths(f, 0);
	sort_width = out->width;
	if (out->width && out->count)
		qsort(out->value, out->count, out->width * sizeof *out->value, compare_rows);
	free(f);
}

void bruteforce_free(struct bruteforce *b)
{
	free(b->value);
	*b = (struct bruteforce){0};
}
