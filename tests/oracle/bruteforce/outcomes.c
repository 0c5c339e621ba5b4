/* Outcomes: registers, and memory after the last writes of any coherence order. */
#include "tests/oracle/bruteforce/state.h"
#include <stdlib.h>
#include <string.h>

static void add_outcome(struct bruteforce *o, const int64_t *row)
{
	if (o->count == o->cap) {
		o->cap = o->cap ? o->cap * 2 : 64;
		o->value = realloc(o->value, sizeof *o->value * (o->width ? o->width : 1) * o->cap);
		if (!o->value)
			abort();
	}
	for (uint32_t i = 0; i < o->count; i++) {
		if (!memcmp(o->value + (size_t)i * o->width, row, o->width * sizeof *row))
			return;
	}
	memcpy(o->value + (size_t)o->count++ * o->width, row, o->width * sizeof *row);
}

bool bf_words_of_two(const struct bf *f, int v, int w)
{
	const struct bf_event *a = &f->event[v], *b = &f->event[w];
	return a->whole > 1 && b->whole > 1 && a->access != b->access;
}

/* Whether V and W, the last writes of two words, belong to two accesses that overlap completely:
 * then the final memory would consist of parts of both. */
static bool parts_of_two(const struct bf *f, int v, int w)
{
	const struct bf_event *a = &f->event[v], *b = &f->event[w];
	return a->phys - a->part == b->phys - b->part && bf_words_of_two(f, v, w);
}

/* Chooses the LAST writes of words, and so the values observed, from word K of observed location O
 * on. */
static void memory_values(struct bf *f, const bits *co, uint32_t o, int k, int *last, int64_t *row)
{
	const struct litmus_test *t = f->test;
	if (o == t->nobserved) {
		add_outcome(f->out, row);
		return;
	}
	const struct litmus_term *at = &t->observed[o];
	if (at->kind == LITMUS_TERM_REG) {
		row[o] = f->value[f->reg[at->thread][at->index]];
		memory_values(f, co, o + 1, 0, last, row);
		return;
	}
	int words = f->place ? f->place[at->index].words : 1,
	    phys = f->place ? f->place[at->index].first + k : (int)t->location[at->index].phys;
	if (k == words) {
		memory_values(f, co, o + 1, 0, last, row);
		return;
	}
	int64_t before = k ? row[o] : 0;
	int chosen = last[phys];
	for (int w = 0; w < f->n; w++) {
		bool fits = f->event[w].kind == K_WRITE && f->event[w].phys == phys && !co[w] &&
			(chosen < 0 || chosen == w);
		for (int q = 0; fits && q < MOST_EVENTS; q++)
			fits = q == phys || last[q] < 0 || !parts_of_two(f, last[q], w);
		if (!fits)
			continue;
		last[phys] = w;
		row[o] = (int64_t)((uint64_t)before |
			(uint64_t)f->value[f->event[w].expr] << bf_bits(f) * (unsigned)k);
		memory_values(f, co, o, k + 1, last, row);
	}
	last[phys] = chosen;
	row[o] = before;
}

void bf_final_memory(struct bf *f, const bits *co)
{
	int64_t row[64];
	int last[MOST_EVENTS];
	memset(last, 255, sizeof last);
	memory_values(f, co, 0, 0, last, row);
}
