/* Tries all orders of morally strong fence.sc and of morally strong writes in turn, and asks
 * model/axioms.c about each. */
#include "tests/oracle/bruteforce/state.h"
#include <string.h>

static void closure(bits *r, int n)
{
	for (int k = 0; k < n; k++) {
		for (int i = 0; i < n; i++) {
			if (r[i] >> k & 1)
				r[i] |= r[k];
		}
	}
}

/* Closes R transitively, with the two halves of each atom taken as one event. */
static void unite_atoms(const struct axioms *x, uint64_t *r)
{
	bool transitive = true;
	int n = (int)x->n;
	for (int i = 0; i < n; i++) {
		for (int k = 0; k < n; k++)
			transitive = transitive && !(r[i] >> k & 1 && r[k] & ~r[i]);
	}
	for (bool more = true; more;) {
		more = false;
		for (int a = 0; a < n; a++) {
			uint32_t b = x->event[a].partner;
			if (b == MODEL_NONE)
				continue;
			bits own = (bits)1 << a | (bits)1 << b, after = (r[a] | r[b]) & ~own;
			more |= (r[a] | after) != r[a] || (r[b] | after) != r[b];
			r[a] |= after;
			r[b] |= after;
			for (int i = 0; i < n; i++) {
				if (i == a || i == (int)b || !(r[i] & own) || (r[i] & own) == own)
					continue;
				r[i] |= own;
				more = true;
			}
		}
		if (more && transitive)
			closure(r, n);
	}
}

static const uint8_t kind_of[] = {[K_READ] = EVENT_READ,
	[K_WRITE] = EVENT_WRITE,
	[K_FENCE] = EVENT_FENCE,
	[K_PROXY_FENCE] = EVENT_PROXY_FENCE,
	[K_BARRIER] = EVENT_BARRIER};

/* Event E as an event of the model, with words of BYTES; without PLACE all locations have the same
 * size. */
static struct event seen(const struct bf_event *e, unsigned bytes)
{
	return (struct event){.kind = kind_of[e->kind],
		.sem = (uint8_t)e->sem,
		.scope = (uint8_t)e->scope,
		.proxy = (uint8_t)e->proxy,
		.flags = (uint16_t)((e->initial ? EVENT_INITIAL : 0) |
			(e->red ? EVENT_REDUCTION : 0)),
		.size = (uint8_t)bytes,
		.part = (uint8_t)((unsigned)e->part * bytes),
		.whole = (uint8_t)((unsigned)e->whole * bytes),
		.thread = e->initial ? UINT16_MAX : (uint16_t)e->thread,
		.virt = (uint32_t)e->virt, /* -1: MODEL_NONE, here and below */
		.phys = (uint32_t)e->phys,
		.rf = MODEL_NONE,
		.partner = (uint32_t)e->partner,
		.group = e->whole > 1 ? (uint32_t)e->access : MODEL_NONE};
}

void bf_begin_orders(struct bf *f)
{
	struct axioms *x = &f->axioms;
	for (uint32_t t = 0; t < f->test->nthreads; t++) {
		const struct litmus_thread *h = &f->test->thread[t];
		f->where[t] = (struct placement){h->cta, h->cluster, h->gpu};
	}
	for (int i = 0; i < f->n; i++)
		f->seen[i] = seen(&f->event[i], bf_bits(f) / 8);
	axioms_init(x, (uint32_t)f->n, f->seen, f->where, f->issue);
	if (f->change & BRUTEFORCE_ATOM_ONE_EVENT)
		x->alter = unite_atoms;
	for (int i = 0; i < f->n; i++) {
		x->barrier[i] = f->syncbar[i];
		for (int k = i + 1; k < f->n; k++) {
			const struct bf_event *a = &f->event[i], *b = &f->event[k];
			bool elements = a->insn == b->insn && a->element && b->element &&
				a->element != b->element;
			if (a->thread == b->thread && !a->initial && !elements &&
				!(bf_access(a) && a->access == b->access))
				x->po[i] |= (bits)1 << k;
		}
	}
	axioms_events(x);
}

void bf_end_orders(struct bf *f) { axioms_free(&f->axioms); }

/* Morally strong pairs whose order is to be guessed. */
struct pairs {
	int pair[128][2], count, most;
};

static void add_pair(struct bf *f, struct pairs *p, int a, int b)
{
	if (p->count == p->most) {
		f->out->too_large = true;
		return;
	}
	p->pair[p->count][0] = a;
	p->pair[p->count++][1] = b;
}

static bool is_fence_sc(const struct bf_event *e)
{
	return e->kind == K_FENCE && e->sem == LITMUS_SC;
}

/* Accesses of different sizes, neither of which causes the other. */
static void note_races_of_sizes(struct bf *f)
{
	const bits *cause = f->axioms.cause;
	for (int w = 0; w < f->n; w++) {
		for (int e = 0; e < f->n; e++) {
			const struct bf_event *x = &f->event[w], *y = &f->event[e];
			bool clash = x->kind == K_WRITE && bf_access(y) && x->phys == y->phys &&
				!x->initial && !y->initial &&
				(x->part != y->part || x->whole != y->whole) &&
				x->thread != y->thread;
			f->out->mixed |= clash && !(cause[w] >> e & 1) && !(cause[e] >> w & 1);
		}
	}
}

/* Tries the orders of writes from pair K on; CHOSEN: those before it. */
static void try_writes(struct bf *f, const struct pairs *writes, int k, bits *chosen)
{
	struct axioms *x = &f->axioms;
	for (int way = 0; k < writes->count && way < 2; way++) {
		int a = writes->pair[k][way], b = writes->pair[k][1 - way];
		chosen[a] |= (bits)1 << b;
		try_writes(f, writes, k + 1, chosen);
		chosen[a] &= ~((bits)1 << b);
	}
	if (k < writes->count)
		return;
	memcpy(x->co, chosen, (size_t)f->n * sizeof *chosen);
	axioms_least_coherence(x);
	if (!axioms_writes(x))
		return;
	f->any = true;
	bf_final_memory(f, x->co);
	note_races_of_sizes(f);
}

/* Tries the orders of fence.sc from pair K on. */
static void try_fences(struct bf *f, const struct pairs *fences, const struct pairs *writes, int k)
{
	bits chosen[MOST_EVENTS] = {0}, *sc = f->axioms.sc;
	for (int way = 0; k < fences->count && way < 2; way++) {
		int a = fences->pair[k][way], b = fences->pair[k][1 - way];
		sc[a] |= (bits)1 << b;
		try_fences(f, fences, writes, k + 1);
		sc[a] &= ~((bits)1 << b);
	}
	if (k == fences->count && axioms_fences(&f->axioms))
		try_writes(f, writes, 0, chosen);
}

void bf_try_orders(struct bf *f)
{
	struct pairs fences = {.most = 10}, writes = {.most = f->place ? 10 : 14};
	for (int i = 0; i < f->n; i++) {
		for (int k = i + 1; k < f->n; k++) {
			const struct bf_event *a = &f->event[i], *b = &f->event[k];
			if (!(f->axioms.ms[i] >> k & 1))
				continue;
			if (a->kind == K_WRITE && b->kind == K_WRITE)
				add_pair(f, &writes, i, k);
			if (is_fence_sc(a) && is_fence_sc(b))
				add_pair(f, &fences, i, k);
		}
	}
	if (f->out->too_large)
		return;
	for (int k = 0; k < f->nreads; k++)
		f->seen[f->reads[k]].rf = (uint32_t)f->rf[f->reads[k]];
	f->any = false;
	/* No-thin-air is checked, or left out, by values.c */
	if (axioms_reads(&f->axioms) || f->change & BRUTEFORCE_THIN_AIR)
		try_fences(f, &fences, &writes, 0);
	f->out->executions += f->any;
}
