/* Values: evaluates each expression, given reads-from; checks No-thin-air, by following what a
 * value depends on; and checks that the threads take the chosen paths. */
#include "tests/oracle/bruteforce/state.h"
#include <stdlib.h>
#include <string.h>

/* Halves that are integers below 2,048. */
static unsigned of_half(unsigned h) { return h ? (1024 | (h & 1023)) >> (25 - (h >> 10)) : 0; }
static unsigned to_half(unsigned v)
{
	unsigned top = 0;
	while (v >> top > 1)
		top++;
	return v ? (15 + top) << 10 | ((v << (10 - top)) & 1023) : 0;
}

/* An mbarrier: pending arrivals, expected arrivals, parity of the phase, pending bytes + 512. */
struct mbarrier {
	unsigned pending, expected, parity, bytes;
};

static struct mbarrier unpacked(uint64_t v)
{
	return (struct mbarrier){v & 255, v >> 8 & 255, v >> 16 & 1, v >> 17 & 1023};
}
static int64_t packed(struct mbarrier m)
{
	return (int64_t)(m.pending | m.expected << 8 | m.parity << 16 | m.bytes << 17);
}
int64_t bruteforce_mbarrier(unsigned count)
{
	return packed((struct mbarrier){count, count, 0, 512});
}
static int64_t after_operation(int op, uint64_t v, uint64_t n)
{
	struct mbarrier m = unpacked(v);
	if (op == BRUTEFORCE_ARRIVE_EXPECT)
		m.bytes += (unsigned)n;
	if (op == BRUTEFORCE_COMPLETE)
		m.bytes -= (unsigned)n;
	else
		m.pending--;
	if (!m.pending && m.bytes == 512)
		m = (struct mbarrier){m.expected, m.expected, !m.parity, 512};
	return packed(m);
}

static int64_t apply(unsigned width, int op, int64_t a, int64_t b, int64_t c)
{
	uint64_t x = (uint64_t)a, y = (uint64_t)b;
	switch (op) {
	case LITMUS_MOV: return a;
	case E_LOW: return (int64_t)(x & ((UINT64_C(1) << width) - 1));
	case E_HIGH: return (int64_t)(x >> width & ((UINT64_C(1) << width) - 1));
	case E_JOIN: return (int64_t)(x | y << width);
	case E_PASSED: return unpacked(x).parity != y;
	case BRUTEFORCE_ADD_HALF: return to_half(of_half((unsigned)x) + of_half((unsigned)y));
	case BRUTEFORCE_ARRIVE:
	case BRUTEFORCE_ARRIVE_EXPECT:
	case BRUTEFORCE_COMPLETE: return after_operation(op, x, y);
	case LITMUS_ADD: return (int64_t)(x + y);
	case LITMUS_SUB: return (int64_t)(x - y);
	case LITMUS_MUL: return (int64_t)(x * y);
	case LITMUS_AND: return a & b;
	case LITMUS_OR: return a | b;
	case LITMUS_XOR: return a ^ b;
	case LITMUS_MIN: return a < b ? a : b;
	case LITMUS_MAX: return a > b ? a : b;
	case LITMUS_EXCH: return b;
	case LITMUS_CAS: return a == b ? c : a;
	case LITMUS_INC: return x >= y ? 0 : a + 1;
	case LITMUS_DEC: return a == 0 || x > y ? b : a - 1;
	default: abort();
	}
}

static bool evaluate(struct bf *f, int e);

static bool decided(struct bf *f, int t, int end, int nconstraints, bits *seen);

/* The dependencies of the barrier that event B waits at: every thread of the CTA that may reach it
 * has arrived there as often, or has ended. SEEN: barriers already examined. */
static bool met(struct bf *f, int b, bits *seen)
{
	const struct bf_event *e = &f->event[b];
	if (*seen >> b & 1)
		return true;
	*seen |= (bits)1 << b;
	for (int t = 0; t < (int)f->test->nthreads; t++) {
		int at = f->n, n = f->nconstraints[t];
		if (!bf_share_cta(f, e->thread, t) || !bf_contains_site(f, t, e->site))
			continue;
		for (int k = 0; k < f->n; k++) {
			const struct bf_event *c = &f->event[k];
			if (c->kind == K_BARRIER && c->thread == t && c->site == e->site &&
				c->occurrence == e->occurrence) {
				at = k;
				n = c->nconstraints;
			}
		}
		if (!decided(f, t, at, n, seen))
			return false;
	}
	return true;
}

/* The dependencies of thread T before event END: its first NCONSTRAINTS branches, and the barriers
 * that it has waited at. */
static bool decided(struct bf *f, int t, int end, int nconstraints, bits *seen)
{
	for (int k = 0; k < nconstraints; k++) {
		if (!evaluate(f, f->constraint[t][k].a) || !evaluate(f, f->constraint[t][k].b))
			return false;
	}
	for (int k = 0; k < end; k++) {
		if (f->event[k].kind == K_BARRIER && f->event[k].thread == t &&
			!f->event[k].arrive_only && !met(f, k, seen))
			return false;
	}
	return true;
}

/* The control dependencies of write W: the branches before it, and those before the arrivals that
 * let it pass its barriers. */
static bool controls(struct bf *f, int w)
{
	bits seen = 0;
	return f->event[w].initial ||
		decided(f, f->event[w].thread, w, f->event[w].nconstraints, &seen);
}

/* False on a cycle through rf and dep: thin air. */
static bool evaluate(struct bf *f, int e)
{
	struct bf_expr *x = &f->expr[e];
	if (f->state[e] == 2)
		return true;
	if (f->state[e] == 1) {
		f->value[e] = f->guess;
		f->guessed[e] = true;
		return f->guess && x->op == -2;
	}
	f->state[e] = 1;
	if (x->op == -1) {
		f->value[e] = x->constant;
	} else if (x->op == -2) {
		const struct bf_event *w = &f->event[f->rf[x->event]];
		if (!controls(f, f->rf[x->event]) || !evaluate(f, w->expr))
			return false;
		if (f->guessed[e] && f->value[w->expr] != f->guess)
			return false;
		f->value[e] = f->value[w->expr];
	} else {
		if (!evaluate(f, x->a) || (x->b >= 0 && !evaluate(f, x->b)) ||
			(x->c >= 0 && !evaluate(f, x->c)))
			return false;
		f->value[e] = apply(bf_bits(f), x->op, f->value[x->a],
			x->b >= 0 ? f->value[x->b] : 0, x->c >= 0 ? f->value[x->c] : 0);
	}
	f->state[e] = 2;
	return true;
}

static bool holds(int relation, int64_t a, int64_t b)
{
	switch (relation) {
	case LITMUS_EQ: return a == b;
	case LITMUS_NE: return a != b;
	case LITMUS_LT: return a < b;
	case LITMUS_LE: return a <= b;
	case LITMUS_GT: return a > b;
	default: return a >= b;
	}
}

bool bf_values_fit(struct bf *f)
{
	memset(f->state, 0, sizeof f->state);
	memset(f->guessed, 0, sizeof f->guessed);
	for (int e = 0; e < f->nexprs; e++) {
		if (!evaluate(f, e))
			return false;
	}
	for (int i = 0; i < f->n; i++) {
		/* a write whose control dependencies lead back to itself */
		if (f->event[i].kind == K_WRITE && !controls(f, i))
			return false;
	}
	for (uint32_t t = 0; t < f->test->nthreads; t++) {
		for (int k = 0; k < f->nconstraints[t]; k++) {
			const struct bf_constraint *c = &f->constraint[t][k];
			if (holds(c->relation, f->value[c->a], f->value[c->b]) != c->truth)
				return false;
		}
	}
	for (int k = 0; k < f->ncas; k++) {
		if ((f->value[f->cas[k].a] == f->value[f->cas[k].b]) != f->cas[k].success)
			return false;
	}
	return true;
}
