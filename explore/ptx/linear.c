/* Fourier-Motzkin elimination: a variable is eliminated by adding every lower bound of it to every
 * upper bound. What is left has no rational solution if a constant is positive. Each inequality is
 * divided by the greatest common divisor of its factors and rounded, which integers allow. */
#include "explore/ptx/linear.h"
#include <string.h>

/* Larger numbers are not calculated with. */
#define LINEAR_LARGEST (INT64_C(1) << 61)

bool linear_add(const struct linear *a, int64_t factor, const struct linear *b, struct linear *out)
{
	struct linear sum;
	for (uint32_t i = 0; i <= LINEAR_ALL; i++) {
		int64_t product;
		if (__builtin_mul_overflow(factor, b->k[i], &product) ||
			__builtin_add_overflow(a->k[i], product, &sum.k[i]) ||
			sum.k[i] > LINEAR_LARGEST || sum.k[i] < -LINEAR_LARGEST)
			return false;
	}
	*out = sum;
	return true;
}

bool linear_is_constant(const struct linear *a)
{
	for (uint32_t i = 0; i < LINEAR_ALL; i++) {
		if (a->k[i])
			return false;
	}
	return true;
}

void linear_require(struct linear_set *s, const struct linear *l)
{
	if (s->n == LINEAR_MOST)
		s->full = true;
	else
		s->at[s->n++] = *l;
}

static int64_t divisor(int64_t a, int64_t b)
{
	while (b) {
		int64_t rest = a % b;
		a = b;
		b = rest;
	}
	return a < 0 ? -a : a;
}

static int64_t divide_up(int64_t a, int64_t b) { return a / b + (a % b > 0); }

/* Divides each inequality, and drops those that are always true or repeated. False: one is never
 * true. */
static bool tidy(struct linear_set *s)
{
	uint32_t n = 0;
	for (uint32_t i = 0; i < s->n; i++) {
		struct linear l = s->at[i];
		int64_t g = 0;
		for (uint32_t v = 0; v < LINEAR_ALL; v++)
			g = divisor(g, l.k[v]);
		if (!g && l.k[LINEAR_ONE] > 0)
			return false;
		if (!g)
			continue;
		for (uint32_t v = 0; v < LINEAR_ALL; v++)
			l.k[v] /= g;
		l.k[LINEAR_ONE] = divide_up(l.k[LINEAR_ONE], g);
		uint32_t same = 0;
		while (same < n && memcmp(s->at[same].k, l.k, LINEAR_ALL * sizeof *l.k) != 0)
			same++;
		if (same == n)
			s->at[n++] = l;
		else if (s->at[same].k[LINEAR_ONE] < l.k[LINEAR_ONE])
			s->at[same] = l;
	}
	s->n = n;
	return true;
}

/* The variable whose elimination makes the fewest inequalities, or LINEAR_ALL: none is left. */
static uint32_t cheapest(const struct linear_set *s)
{
	uint32_t best = LINEAR_ALL;
	int64_t least = INT64_MAX;
	for (uint32_t v = 0; v < LINEAR_ALL; v++) {
		int64_t up = 0, low = 0;
		for (uint32_t i = 0; i < s->n; i++) {
			up += s->at[i].k[v] > 0;
			low += s->at[i].k[v] < 0;
		}
		if (up + low && up * low - up - low < least) {
			least = up * low - up - low;
			best = v;
		}
	}
	return best;
}

/* Eliminates V. False: there would be too many inequalities, or too large numbers. */
static bool eliminate(struct linear_set *s, uint32_t v)
{
	uint32_t had = s->n, kept = 0;
	struct linear_set out = {0};
	for (uint32_t i = 0; i < had; i++) {
		for (uint32_t j = 0; j < had; j++) {
			const struct linear *a = &s->at[i], *b = &s->at[j];
			struct linear sum, zero = linear_constant(0);
			if (a->k[v] <= 0 || b->k[v] >= 0)
				continue;
			int64_t g = divisor(a->k[v], b->k[v]);
			if (!linear_add(&zero, -b->k[v] / g, a, &sum) ||
				!linear_add(&sum, a->k[v] / g, b, &sum))
				return false;
			linear_require(&out, &sum);
		}
	}
	for (uint32_t i = 0; i < had; i++) {
		if (!s->at[i].k[v])
			s->at[kept++] = s->at[i];
	}
	s->n = kept;
	for (uint32_t i = 0; i < out.n; i++)
		linear_require(s, &out.at[i]);
	return !out.full && !s->full;
}

bool linear_impossible(struct linear_set *s)
{
	if (s->full)
		return false;
	for (;;) {
		if (!tidy(s))
			return true;
		uint32_t v = cheapest(s);
		if (v == LINEAR_ALL || !eliminate(s, v))
			return false;
	}
}
