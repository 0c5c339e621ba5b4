/* See bruteforce.h. Everything is an N x N matrix of bits, N <= 48, and every relation is computed
 * from its definition. */
#include "tests/oracle/bruteforce.h"
#include <stdlib.h>
#include <string.h>

enum {
	MOST_EVENTS = 48,
	MOST_THREADS = 8,
	MOST_PATHS = 64,
	MOST_EXPRS = 512,
	MOST_CONSTRAINTS = 64
};
typedef uint64_t bits; /* a row of a relation */

enum { K_READ, K_WRITE, K_FENCE, K_PROXY_FENCE, K_BARRIER };

struct bf_event {
	int kind, thread, sem, scope, proxy, insn;
	int virt, phys; /* accesses */
	int expr;       /* of a write */
	int partner;    /* the other half of an atom, or -1 */
	/* of an access: its number, which word of it this is, of how many */
	int access, part, whole;
	int nconstraints; /* branch conditions that come before it in its thread */
	bool initial, red;
	int site, number, occurrence;
	bool arrive_only;
};

enum { E_LOW = 100, E_HIGH, E_JOIN }; /* words of a value, and two of them */

/* Values as expressions over reads. */
struct bf_expr {
	int op; /* -1 constant, -2 read, E_LOW and so on, else enum litmus_alu */
	int64_t constant;
	int event, a, b, c;
};

/* cond: expr A REL expr B must be TRUTH. */
struct bf_constraint {
	int relation, a, b;
	bool truth;
};

struct bf_path {
	uint8_t choice[32];
	int nchoices;
};

struct bf {
	const struct litmus_test *test;
	const struct bruteforce_place *place;
	struct bruteforce *out;
	uint64_t most;
	unsigned change;
	bool guessed[MOST_EXPRS];
	int64_t guess; /* BRUTEFORCE_THIN_AIR: what a read in a cycle returns; 0: nothing */
	struct bf_path path[MOST_THREADS][MOST_PATHS];
	int npaths[MOST_THREADS], chosen[MOST_THREADS];
	struct bf_event event[MOST_EVENTS];
	int n;
	struct bf_expr expr[MOST_EXPRS];
	int nexprs;
	struct bf_constraint constraint[MOST_THREADS][MOST_CONSTRAINTS];
	int nconstraints[MOST_THREADS];
	int reg[MOST_THREADS][64]; /* register -> expr at the end */
	int rf[MOST_EVENTS];       /* read -> write */
	int reads[MOST_EVENTS], nreads;
	int64_t value[MOST_EXPRS];
	uint8_t state[MOST_EXPRS]; /* 0 new, 1 in progress, 2 done */
	bits po[MOST_EVENTS], ms[MOST_EVENTS], syncbar[MOST_EVENTS];
	bits reads_set, writes_set;
	bool any;
};

static void closure(bits *r, int n)
{
	for (int k = 0; k < n; k++) {
		for (int i = 0; i < n; i++) {
			if (r[i] >> k & 1)
				r[i] |= r[k];
		}
	}
}

static bool irreflexive(const bits *r, int n)
{
	for (int i = 0; i < n; i++) {
		if (r[i] >> i & 1)
			return false;
	}
	return true;
}

/* out = a ; b */
static void compose(const bits *a, const bits *b, bits *out, int n)
{
	for (int i = 0; i < n; i++) {
		bits row = 0;
		for (int k = 0; k < n; k++) {
			if (a[i] >> k & 1)
				row |= b[k];
		}
		out[i] = row;
	}
}

/* --- building events from one choice of paths --- */

static int new_expr(struct bf *f, struct bf_expr e)
{
	if (f->nexprs == MOST_EXPRS) {
		f->out->too_large = true;
		return 0;
	}
	f->expr[f->nexprs] = e;
	return f->nexprs++;
}

static int value_expr(struct bf *f, int t, const struct litmus_value *v)
{
	return v->is_register ? f->reg[t][v->index]
			      : new_expr(f, (struct bf_expr){.op = -1, .constant = v->value});
}

static int new_event(struct bf *f, struct bf_event e)
{
	if (f->n == MOST_EVENTS) {
		f->out->too_large = true;
		return 0;
	}
	f->event[f->n] = e;
	return f->n++;
}

static void constrain(struct bf *f, int t, int relation, int a, int b, bool truth)
{
	if (f->nconstraints[t] == MOST_CONSTRAINTS)
		f->out->too_large = true;
	else
		f->constraint[t][f->nconstraints[t]++] = (struct bf_constraint){
			relation, a, b, truth};
}

/* Word K of value E. */
static int word_expr(struct bf *f, int k, int e)
{
	return f->place
		? new_expr(f, (struct bf_expr){.op = k ? E_HIGH : E_LOW, .a = e, .b = -1, .c = -1})
		: e;
}

/* An event for each word of the access E of location L; *FIRST is the first one's. */
static int access_events(struct bf *f, uint32_t l, struct bf_event e, int *first)
{
	int words = f->place ? f->place[l].words : 1;
	e.access = f->n;
	e.whole = words;
	for (int k = 0; k < words; k++) {
		e.part = k;
		if (f->place)
			e.virt = e.phys = f->place[l].first + k;
		int id = new_event(f, e);
		if (!k)
			*first = id;
	}
	return words;
}

/* A read of location L. */
static int read_expr(struct bf *f, uint32_t l, struct bf_event e, int *first)
{
	int words = access_events(f, l, e, first),
	    low = new_expr(f, (struct bf_expr){.op = -2, .event = *first});
	return words == 1
		? low
		: new_expr(f,
			  (struct bf_expr){.op = E_JOIN,
				  .a = low,
				  .b = new_expr(f, (struct bf_expr){.op = -2, .event = *first + 1}),
				  .c = -1});
}

/* A write of VALUE to location L, after the read of which FIRST_READ is the first event (-1:
 * none). */
static void write_events(struct bf *f, uint32_t l, struct bf_event e, int value, int first_read)
{
	int first, words = access_events(f, l, e, &first);
	for (int k = 0; k < words; k++) {
		f->event[first + k].expr = word_expr(f, k, value);
		f->event[first + k].partner = first_read < 0 ? -1 : first_read + k;
		if (first_read >= 0)
			f->event[first_read + k].partner = first + k;
	}
}

/* cas success or failure is no control dependency for later events: kept apart from the branches by
 * a negative mark on the event itself. */
static void build_atom(struct bf *f, int t, const struct litmus_insn *i, struct bf_event e,
	bool success, int *cas_a, int *cas_b)
{
	e.kind = K_READ;
	e.sem = i->sem == LITMUS_ACQUIRE || i->sem == LITMUS_ACQ_REL ? LITMUS_ACQUIRE
								     : LITMUS_RELAXED;
	e.red = i->op == LITMUS_RED;
	int read, old = read_expr(f, i->location, e, &read);
	int a = value_expr(f, t, &i->a);
	if (f->place && f->place[i->location].words == 1)
		a = word_expr(f, 0, a);
	*cas_a = *cas_b = -1;
	if (i->alu == LITMUS_CAS) {
		*cas_a = old;
		*cas_b = a;
	}
	if (success) {
		e.kind = K_WRITE;
		e.red = false;
		e.sem = i->sem == LITMUS_RELEASE || i->sem == LITMUS_ACQ_REL ? LITMUS_RELEASE
									     : LITMUS_RELAXED;
		int new = i->alu == LITMUS_CAS
			? new_expr(f,
				  (struct bf_expr){.op = LITMUS_CAS,
					  .a = old,
					  .b = a,
					  .c = value_expr(f, t, &i->b)})
			: new_expr(f, (struct bf_expr){.op = i->alu, .a = old, .b = a, .c = -1});
		write_events(f, i->location, e, new, read);
	}
	if (i->op == LITMUS_ATOM)
		f->reg[t][i->dst] = old;
}

struct pending_cas {
	int thread, a, b;
	bool success;
};

static void build_thread(struct bf *f, int t, struct pending_cas *cas, int *ncas)
{
	const struct litmus_thread *h = &f->test->thread[t];
	const struct bf_path *p = &f->path[t][f->chosen[t]];
	int taken = 0, occurrence[MOST_EVENTS] = {0};
	f->nconstraints[t] = 0;
	for (uint32_t r = 0; r < h->nregs; r++)
		f->reg[t][r] = new_expr(f, (struct bf_expr){.op = -1, .constant = h->reg_init[r]});
	for (uint32_t pc = 0; pc < h->ninsns && !f->out->too_large;) {
		const struct litmus_insn *i = &h->insn[pc++];
		struct bf_event e = {.thread = t,
			.sem = i->sem,
			.scope = i->scope,
			.proxy = i->proxy,
			.insn = (int)pc - 1,
			.partner = -1,
			.nconstraints = f->nconstraints[t],
			.virt = -1,
			.phys = -1,
			.expr = -1};
		if (i->op <= LITMUS_RED) {
			e.virt = (int)f->test->location[i->location].virt;
			e.phys = (int)f->test->location[i->location].phys;
		}
		switch (i->op) {
		case LITMUS_LOAD: {
			e.kind = K_READ;
			int first;
			f->reg[t][i->dst] = read_expr(f, i->location, e, &first);
			break;
		}
		case LITMUS_STORE:
			e.kind = K_WRITE;
			write_events(f, i->location, e, value_expr(f, t, &i->a), -1);
			break;
		case LITMUS_ATOM:
		case LITMUS_RED: {
			bool success = i->alu != LITMUS_CAS || p->choice[taken++];
			int a, b;
			build_atom(f, t, i, e, success, &a, &b);
			if (a >= 0)
				cas[(*ncas)++] = (struct pending_cas){t, a, b, success};
			break;
		}
		case LITMUS_FENCE:
			e.kind = K_FENCE;
			e.proxy = LITMUS_GENERIC;
			new_event(f, e);
			break;
		case LITMUS_PROXY_FENCE:
			e.kind = K_PROXY_FENCE;
			new_event(f, e);
			break;
		case LITMUS_SYNC:
		case LITMUS_ARRIVE:
			e.kind = K_BARRIER;
			e.site = (int)i->a.value;
			e.number = (int)i->b.value;
			e.arrive_only = i->op == LITMUS_ARRIVE;
			e.occurrence = occurrence[e.site]++;
			new_event(f, e);
			break;
		case LITMUS_ALU:
			f->reg[t][i->dst] = new_expr(f,
				(struct bf_expr){.op = i->alu,
					.a = value_expr(f, t, &i->a),
					.b = i->alu == LITMUS_MOV ? -1 : value_expr(f, t, &i->b),
					.c = -1});
			break;
		case LITMUS_BRANCH: {
			bool truth = p->choice[taken++];
			constrain(f, t, i->alu, value_expr(f, t, &i->a), value_expr(f, t, &i->b),
				truth);
			if (truth)
				pc = i->target;
			break;
		}
		case LITMUS_GOTO: pc = i->target; break;
		}
	}
}

/* All paths of a thread: a choice at every branch and cas. */
static void find_paths(struct bf *f, int t, uint32_t pc, struct bf_path *p, int steps)
{
	const struct litmus_thread *h = &f->test->thread[t];
	for (; pc < h->ninsns; steps++) {
		const struct litmus_insn *i = &h->insn[pc];
		if (steps > 64 || p->nchoices == 32) {
			f->out->too_large = true;
			return;
		}
		bool two = i->op == LITMUS_BRANCH ||
			((i->op == LITMUS_ATOM) && i->alu == LITMUS_CAS);
		if (two) {
			struct bf_path q = *p;
			q.choice[q.nchoices++] = 1;
			find_paths(
				f, t, i->op == LITMUS_BRANCH ? i->target : pc + 1, &q, steps + 1);
			p->choice[p->nchoices++] = 0;
		}
		pc = i->op == LITMUS_GOTO ? i->target : pc + 1;
	}
	if (f->npaths[t] == MOST_PATHS)
		f->out->too_large = true;
	else
		f->path[t][f->npaths[t]++] = *p;
}

/* --- values --- */

static int64_t apply(int op, int64_t a, int64_t b, int64_t c)
{
	uint64_t x = (uint64_t)a, y = (uint64_t)b;
	switch (op) {
	case LITMUS_MOV: return a;
	case E_LOW: return (int64_t)(x & 0xffffffff);
	case E_HIGH: return (int64_t)(x >> 32);
	case E_JOIN: return (int64_t)(x | y << 32);
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

static bool share_cta(const struct bf *f, int s, int t);
static bool contains_site(const struct bf *f, int t, int site);
static bool decided(struct bf *f, int t, int end, int nconstraints, bits *seen);

/* What the barrier that event B waits at depends on: that every thread of the CTA that may come to
 * its place has come as often as it, or has ended. SEEN: barriers that are looked at. */
static bool met(struct bf *f, int b, bits *seen)
{
	const struct bf_event *e = &f->event[b];
	if (*seen >> b & 1)
		return true;
	*seen |= (bits)1 << b;
	for (int t = 0; t < (int)f->test->nthreads; t++) {
		int at = f->n, n = f->nconstraints[t];
		if (!share_cta(f, e->thread, t) || !contains_site(f, t, e->site))
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

/* What thread T depends on before event END: its first NCONSTRAINTS branches, and the barriers that
 * it has waited at. */
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

/* The control dependencies of write W: branches before it, and before what let it pass its
 * barriers. */
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
		f->value[e] = apply(x->op, f->value[x->a], x->b >= 0 ? f->value[x->b] : 0,
			x->c >= 0 ? f->value[x->c] : 0);
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

static bool values_fit(struct bf *f, const struct pending_cas *cas, int ncas)
{
	memset(f->state, 0, sizeof f->state);
	memset(f->guessed, 0, sizeof f->guessed);
	for (int e = 0; e < f->nexprs; e++) {
		if (!evaluate(f, e))
			return false;
	}
	for (int i = 0; i < f->n; i++) {
		/* A write whose control dependencies lead back to itself. */
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
	for (int k = 0; k < ncas; k++) {
		if ((f->value[cas[k].a] == f->value[cas[k].b]) != cas[k].success)
			return false;
	}
	return true;
}

/* --- relations that do not depend on rf --- */

static bool in_scope(const struct bf *f, const struct bf_event *a, const struct bf_event *b)
{
	const struct litmus_thread *p = &f->test->thread[a->thread],
				   *q = &f->test->thread[b->thread];
	if (a->scope == LITMUS_SYS)
		return true;
	if (p->gpu != q->gpu)
		return false;
	if (a->scope == LITMUS_GPU)
		return true;
	return p->cluster == q->cluster && (a->scope == LITMUS_CLUSTER || p->cta == q->cta);
}

static bool access(const struct bf_event *e) { return e->kind == K_READ || e->kind == K_WRITE; }
static bool is_strong(const struct bf_event *e)
{
	return e->kind == K_FENCE || (access(e) && e->sem != LITMUS_WEAK);
}

/* Whether two accesses of one word overlap completely. */
static bool complete(const struct bf_event *a, const struct bf_event *b)
{
	return a->part == b->part && a->whole == b->whole;
}

static bool morally_strong(const struct bf *f, int i, int j)
{
	const struct bf_event *a = &f->event[i], *b = &f->event[j];
	if (i == j || a->initial || b->initial || !(access(a) || a->kind == K_FENCE) ||
		!(access(b) || b->kind == K_FENCE))
		return false;
	if (!(a->thread == b->thread ||
		    (is_strong(a) && is_strong(b) && in_scope(f, a, b) && in_scope(f, b, a))))
		return false;
	if (a->proxy != b->proxy)
		return false;
	return !access(a) || !access(b) || (a->virt == b->virt && complete(a, b));
}

static bool contains_site(const struct bf *f, int t, int site)
{
	const struct litmus_thread *h = &f->test->thread[t];
	for (uint32_t k = 0; k < h->ninsns; k++) {
		if ((h->insn[k].op == LITMUS_SYNC || h->insn[k].op == LITMUS_ARRIVE) &&
			h->insn[k].a.value == site)
			return true;
	}
	return false;
}

static bool share_cta(const struct bf *f, int s, int t)
{
	const struct litmus_thread *a = &f->test->thread[s], *b = &f->test->thread[t];
	return a->cta == b->cta && a->cluster == b->cluster && a->gpu == b->gpu;
}

/* Runs the barriers of the chosen paths; false when some thread waits for ever. */
static bool run_barriers(struct bf *f)
{
	int nthreads = (int)f->test->nthreads, at[MOST_THREADS], last[MOST_THREADS];
	bool done[MOST_EVENTS] = {false}, arrived[MOST_EVENTS] = {false};
	memset(f->syncbar, 0, sizeof f->syncbar);
	for (int t = 0; t < nthreads; t++) {
		at[t] = 0;
		last[t] = 0;
	}
	for (bool moved = true; moved;) {
		moved = false;
		for (int t = 0; t < nthreads; t++) {
			while (at[t] < f->n &&
				(f->event[at[t]].thread != t || f->event[at[t]].kind != K_BARRIER ||
					done[at[t]] ||
					(f->event[at[t]].arrive_only && arrived[at[t]]))) {
				at[t]++;
				moved = true;
			}
			if (at[t] < f->n && !arrived[at[t]]) {
				arrived[at[t]] = true;
				moved = true;
			}
		}
		for (int i = 0; i < f->n; i++) {
			const struct bf_event *a = &f->event[i];
			if (a->kind != K_BARRIER || !arrived[i] || done[i])
				continue;
			bool all = true;
			for (int t = 0; t < nthreads && all; t++) {
				if (!share_cta(f, a->thread, t) || !contains_site(f, t, a->site) ||
					at[t] == f->n)
					continue;
				bool here = false;
				for (int j = 0; j < f->n; j++) {
					const struct bf_event *b = &f->event[j];
					here |= b->kind == K_BARRIER && b->thread == t &&
						b->site == a->site &&
						b->occurrence == a->occurrence && arrived[j];
				}
				all = here;
			}
			if (!all)
				continue;
			for (int j = 0; j < f->n; j++) {
				const struct bf_event *b = &f->event[j];
				if (b->kind != K_BARRIER || !arrived[j] || b->site != a->site ||
					b->occurrence != a->occurrence ||
					!share_cta(f, a->thread, b->thread))
					continue;
				done[j] = true;
				for (int k = 0; k < f->n; k++) {
					const struct bf_event *c = &f->event[k];
					if (c->kind == K_BARRIER && arrived[k] &&
						c->site == a->site &&
						c->occurrence == a->occurrence &&
						c->thread != b->thread &&
						share_cta(f, a->thread, c->thread) &&
						b->number == c->number && !c->arrive_only)
						f->syncbar[j] |= (bits)1 << k;
				}
			}
			moved = true;
		}
	}
	(void)last;
	for (int t = 0; t < nthreads; t++) {
		if (at[t] != f->n)
			return false;
	}
	return true;
}

/* --- the model --- */

static bool releases(const struct bf_event *e)
{
	return e->sem == LITMUS_RELEASE || e->sem == LITMUS_ACQ_REL || e->sem == LITMUS_SC;
}
static bool acquires(const struct bf_event *e)
{
	return e->sem == LITMUS_ACQUIRE || e->sem == LITMUS_ACQ_REL || e->sem == LITMUS_SC;
}

/* po ∩ same virtual address, or the same event. */
static bool poloc_or_same(const struct bf *f, int a, int b)
{
	return a == b ||
		(f->po[a] >> b & 1 && f->event[a].virt == f->event[b].virt &&
			complete(&f->event[a], &f->event[b]));
}

static void synchronisation(const struct bf *f, const bits *rf, bits *obs, bits *sync)
{
	int n = f->n;
	for (int i = 0; i < n; i++)
		obs[i] = rf[i] & f->ms[i];
	for (bool more = true; more;) { /* obs = (ms ∩ rf) ∪ (obs ; rmw ; obs) */
		more = false;
		for (int w = 0; w < n; w++) {
			for (int r = 0; r < n; r++) {
				if (!(obs[w] >> r & 1) || f->event[r].kind != K_READ ||
					f->event[r].partner < 0)
					continue;
				bits next = obs[w] | obs[f->event[r].partner];
				more |= next != obs[w];
				obs[w] = next;
			}
		}
	}
	bits relpat[MOST_EVENTS] = {0}, acqpat[MOST_EVENTS] = {0}, step[MOST_EVENTS];
	for (int a = 0; a < n; a++) {
		for (int b = 0; b < n; b++) {
			const struct bf_event *x = &f->event[a], *y = &f->event[b];
			bool strong_write = y->kind == K_WRITE && is_strong(y) && !y->initial,
			     strong_read = x->kind == K_READ && is_strong(x) && !x->red;
			if (strong_write &&
				((x->kind == K_WRITE && releases(x) && poloc_or_same(f, a, b)) ||
					(x->kind == K_FENCE && releases(x) && f->po[a] >> b & 1)))
				relpat[a] |= (bits)1 << b;
			if (strong_read &&
				((y->kind == K_READ && acquires(y) && !y->red &&
					 poloc_or_same(f, a, b)) ||
					(y->kind == K_FENCE && acquires(y) && f->po[a] >> b & 1)))
				acqpat[a] |= (bits)1 << b;
		}
	}
	compose(relpat, obs, step, n);
	compose(step, acqpat, sync, n);
	for (int i = 0; i < n; i++)
		sync[i] &= f->ms[i];
}

/* F is a fence of access M's proxy in M's CTA. */
static bool own_fence(const struct bf *f, int m, int fence)
{
	const struct bf_event *x = &f->event[m], *y = &f->event[fence];
	return y->kind == K_PROXY_FENCE && x->proxy == y->proxy &&
		share_cta(f, x->thread, y->thread);
}

/* leave(m, y): [GEN] at m = y, or S: cb from m to its own fence y. enter(y, m): the same for D. */
static bool leaves(const struct bf *f, const bits *cb, int m, int y)
{
	return (f->event[m].proxy == LITMUS_GENERIC && m == y) ||
		(own_fence(f, m, y) && cb[m] >> y & 1);
}
static bool enters(const struct bf *f, const bits *cb, int y, int m)
{
	return (f->event[m].proxy == LITMUS_GENERIC && m == y) ||
		(own_fence(f, m, y) && cb[y] >> m & 1);
}

static bool preserved(const struct bf *f, const bits *cb, int a, int b)
{
	const struct bf_event *x = &f->event[a], *y = &f->event[b];
	if (!access(x) || !access(y) || x->initial || y->initial || x->phys != y->phys || a == b)
		return false;
	bool same = x->virt == y->virt;
	if (same && cb[a] >> b & 1 &&
		((x->proxy == LITMUS_GENERIC && y->proxy == LITMUS_GENERIC) ||
			(x->proxy == y->proxy && share_cta(f, x->thread, y->thread))))
		return true;
	for (int p = 0; p < f->n; p++) {
		if (!leaves(f, cb, a, p))
			continue;
		for (int q = 0; q < f->n; q++) {
			if (!enters(f, cb, q, b))
				continue;
			if (same && cb[p] >> q & 1 &&
				(x->proxy != LITMUS_GENERIC || y->proxy != LITMUS_GENERIC))
				return true;
			for (int k = 0; k < f->n; k++) {
				const struct bf_event *m = &f->event[k];
				if (m->kind == K_PROXY_FENCE && m->proxy == LITMUS_ALIAS &&
					cb[p] >> k & 1 && cb[k] >> q & 1)
					return true;
			}
		}
	}
	return false;
}

/* R, transitive again afterwards, with the two halves of each atom taken for one event. */
static void unite_atoms(const struct bf *f, bits *r)
{
	bool transitive = true;
	bits twice[MOST_EVENTS];
	compose(r, r, twice, f->n);
	for (int i = 0; i < f->n; i++)
		transitive = transitive && !(twice[i] & ~r[i]);
	for (bool more = true; more;) {
		more = false;
		for (int a = 0; a < f->n; a++) {
			int b = f->event[a].partner;
			if (b < 0)
				continue;
			bits own = (bits)1 << a | (bits)1 << b, after = (r[a] | r[b]) & ~own;
			more |= (r[a] | after) != r[a] || (r[b] | after) != r[b];
			r[a] |= after;
			r[b] |= after;
			for (int i = 0; i < f->n; i++) {
				if (i == a || i == b || !(r[i] & own) || (r[i] & own) == own)
					continue;
				r[i] |= own;
				more = true;
			}
		}
		if (more && transitive)
			closure(r, f->n);
	}
}

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

/* Whether writes V and W of neighbouring words are of two writes of both. */
static bool words_of_two(const struct bf *f, int v, int w)
{
	const struct bf_event *a = &f->event[v], *b = &f->event[w];
	return a->whole > 1 && b->whole > 1 && a->access != b->access;
}

/* Whether writes V and W, the last ones of two words, are words of two accesses that overlap
 * completely: then memory would end as parts of both. */
static bool parts_of_two(const struct bf *f, int v, int w)
{
	const struct bf_event *a = &f->event[v], *b = &f->event[w];
	return a->phys - a->part == b->phys - b->part && words_of_two(f, v, w);
}

/* Chooses LAST writes of words, and with them values of what is observed, from word K of observed
 * location O on. */
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
			(uint64_t)f->value[f->event[w].expr] << 32 * k);
		memory_values(f, co, o, k + 1, last, row);
	}
	last[phys] = chosen;
	row[o] = before;
}

/* All axioms but the existence of co, which is oriented pair by pair. */
struct model_state {
	bits rf[MOST_EVENTS], obs[MOST_EVENTS], cause[MOST_EVENTS];
	int pair[128][2];
	int npairs;
};

/* The other word of access E, which has two. */
static int other_word(const struct bf *f, int e)
{
	for (int i = 0; i < f->n; i++) {
		if (i != e && f->event[i].access == f->event[e].access &&
			f->event[i].kind == f->event[e].kind && !f->event[i].initial)
			return i;
	}
	return -1;
}

/* Two writes of the same two words are in one order in both of them; true when that was new. */
static bool cohere_words(const struct bf *f, bits *co)
{
	bool new = false;
	for (int a = 0; a < f->n; a++) {
		for (int b = 0; b < f->n; b++) {
			if (!(co[a] >> b & 1) || f->event[a].whole < 2 || f->event[b].whole < 2)
				continue;
			int c = other_word(f, a), d = other_word(f, b);
			new |= !(co[c] >> d & 1);
			co[c] |= (bits)1 << d;
		}
	}
	return new;
}

/* Whether a read of two words sees one write of both in one, but not in the other. */
static bool torn(const struct bf *f, const bits *co)
{
	for (int k = 0; k < f->nreads; k++) {
		int r = f->reads[k], w = f->rf[r];
		if (f->event[r].whole < 2 || f->event[w].whole < 2)
			continue;
		int v = f->rf[other_word(f, r)], same = other_word(f, w);
		if (v != same &&
			(f->event[v].initial || f->event[v].whole > 1 || co[v] >> same & 1))
			return true;
	}
	return false;
}

static void try_co(struct bf *f, const struct model_state *m, const bits *chosen)
{
	int n = f->n;
	bits co[MOST_EVENTS], fr[MOST_EVENTS] = {0}, tmp[MOST_EVENTS], both[MOST_EVENTS],
			      mco[MOST_EVENTS] = {0};
	for (int i = 0; i < n; i++) {
		co[i] = chosen[i];
		for (int j = 0; j < n; j++) {
			const struct bf_event *x = &f->event[i], *y = &f->event[j];
			if (x->kind != K_WRITE || y->kind != K_WRITE || x->phys != y->phys ||
				i == j)
				continue;
			if (x->initial || m->cause[i] >> j & 1) /* initial first; Coherence */
				co[i] |= (bits)1 << j;
		}
	}
	closure(co, n);
	while (f->place && cohere_words(f, co))
		closure(co, n);
	if (!irreflexive(co, n) || (f->place && torn(f, co)))
		return;
	for (int r = 0; r < f->nreads; r++)
		fr[f->reads[r]] = co[f->rf[f->reads[r]]];
	for (int i = 0; i < n; i++) { /* Atomicity */
		const struct bf_event *e = &f->event[i];
		if (e->kind != K_READ || e->partner < 0)
			continue;
		for (int v = 0; v < n; v++) {
			if (fr[i] & f->ms[i] & (bits)1 << v &&
				co[v] & f->ms[v] & (bits)1 << e->partner)
				return;
		}
	}
	for (int i = 0; i < n; i++) { /* SC-per-location */
		both[i] = f->ms[i] & (m->rf[i] | co[i] | fr[i]);
		for (int j = 0; j < n; j++) {
			if (access(&f->event[i]) && access(&f->event[j]) && i != j &&
				poloc_or_same(f, i, j))
				both[i] |= (bits)1 << j;
		}
	}
	closure(both, n);
	if (!irreflexive(both, n))
		return;
	for (int i = 0; i < n; i++) /* Causality */
		mco[i] = m->rf[i] | fr[i];
	compose(mco, m->cause, tmp, n);
	if (!irreflexive(tmp, n))
		return;
	f->any = true;
	int64_t row[64];
	int last[MOST_EVENTS];
	memset(last, 255, sizeof last);
	memory_values(f, co, 0, 0, last, row);
	for (int w = 0; w < n; w++) {
		for (int e = 0; e < n; e++) {
			const struct bf_event *x = &f->event[w], *y = &f->event[e];
			bool clash = x->kind == K_WRITE && access(y) && x->phys == y->phys &&
				!x->initial && !y->initial && !complete(x, y) &&
				x->thread != y->thread;
			f->out->mixed |= clash && !(m->cause[w] >> e & 1) &&
				!(m->cause[e] >> w & 1);
		}
	}
}

static void orient_co(struct bf *f, const struct model_state *m, int k, bits *chosen)
{
	if (k == m->npairs) {
		try_co(f, m, chosen);
		return;
	}
	for (int way = 0; way < 2; way++) {
		int a = m->pair[k][way], b = m->pair[k][1 - way];
		chosen[a] |= (bits)1 << b;
		orient_co(f, m, k + 1, chosen);
		chosen[a] &= ~((bits)1 << b);
	}
}

static void with_sc(struct bf *f, struct model_state *m, const bits *sync, const bits *sc)
{
	int n = f->n;
	bits cb[MOST_EVENTS], order[MOST_EVENTS], ppcb[MOST_EVENTS] = {0}, step[MOST_EVENTS];
	memcpy(order, sc, sizeof order);
	closure(order, n);
	if (!irreflexive(order, n))
		return;
	for (int i = 0; i < n; i++)
		cb[i] = f->po[i] | sync[i] | sc[i] | f->syncbar[i];
	closure(cb, n);
	if (f->change & BRUTEFORCE_ATOM_ONE_EVENT)
		unite_atoms(f, cb);
	for (int i = 0; i < n; i++) { /* FenceSC */
		for (int j = 0; j < n; j++) {
			const struct bf_event *x = &f->event[i], *y = &f->event[j];
			if (x->kind == K_FENCE && y->kind == K_FENCE && x->sem == LITMUS_SC &&
				y->sem == LITMUS_SC && f->ms[i] & cb[i] & (bits)1 << j &&
				!(sc[i] >> j & 1))
				return;
		}
	}
	for (int i = 0; i < n; i++) {
		for (int j = 0; j < n; j++) {
			if (preserved(f, cb, i, j))
				ppcb[i] |= (bits)1 << j;
		}
	}
	compose(m->obs, ppcb, step, n);
	for (int i = 0; i < n; i++)
		m->cause[i] = ppcb[i] | step[i];
	if (f->change & BRUTEFORCE_ATOM_ONE_EVENT)
		unite_atoms(f, m->cause);
	bits chosen[MOST_EVENTS] = {0};
	orient_co(f, m, 0, chosen);
}

static void orient_sc(struct bf *f, struct model_state *m, const bits *sync, int (*pair)[2],
	int npairs, int k, bits *sc)
{
	if (k == npairs) {
		with_sc(f, m, sync, sc);
		return;
	}
	for (int way = 0; way < 2; way++) {
		int a = pair[k][way], b = pair[k][1 - way];
		sc[a] |= (bits)1 << b;
		orient_sc(f, m, sync, pair, npairs, k + 1, sc);
		sc[a] &= ~((bits)1 << b);
	}
}

static void check(struct bf *f)
{
	struct model_state m = {0};
	bits sync[MOST_EVENTS] = {0}, sc[MOST_EVENTS] = {0};
	int fences[32][2], nfences = 0;
	for (int r = 0; r < f->nreads; r++)
		m.rf[f->rf[f->reads[r]]] |= (bits)1 << f->reads[r];
	synchronisation(f, m.rf, m.obs, sync);
	for (int i = 0; i < f->n; i++) {
		for (int j = i + 1; j < f->n; j++) {
			const struct bf_event *a = &f->event[i], *b = &f->event[j];
			if (!(f->ms[i] >> j & 1))
				continue;
			if (a->kind == K_WRITE && b->kind == K_WRITE) {
				if (m.npairs == (f->place ? 10 : 14)) {
					f->out->too_large = true;
					return;
				}
				m.pair[m.npairs][0] = i;
				m.pair[m.npairs++][1] = j;
			}
			if (a->kind == K_FENCE && b->kind == K_FENCE && a->sem == LITMUS_SC &&
				b->sem == LITMUS_SC) {
				if (nfences == 8) {
					f->out->too_large = true;
					return;
				}
				fences[nfences][0] = i;
				fences[nfences++][1] = j;
			}
		}
	}
	f->any = false;
	orient_sc(f, &m, sync, fences, nfences, 0, sc);
	f->out->executions += f->any;
}

static void guess_rf(struct bf *f, int k, const struct pending_cas *cas, int ncas)
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
			if (!values_fit(f, cas, ncas))
				continue;
			check(f);
			break;
		}
		return;
	}
	int r = f->reads[k];
	for (int w = 0; w < f->n; w++) {
		if (f->event[w].kind != K_WRITE || f->event[w].phys != f->event[r].phys)
			continue;
		f->rf[r] = w;
		if (f->event[r].part && words_of_two(f, f->rf[r - 1], w)) /* torn, whatever else */
			continue;
		guess_rf(f, k + 1, cas, ncas);
	}
}

static void with_paths(struct bf *f)
{
	struct pending_cas cas[MOST_EVENTS];
	int ncas = 0;
	f->n = f->nexprs = f->nreads = 0;
	for (uint32_t l = 0; l < f->test->nlocations; l++) {
		bool own = f->test->location[l].phys == l && !(f->place && f->place[l].words > 1);
		if (!own)
			continue;
		int e = new_expr(
			f, (struct bf_expr){.op = -1, .constant = f->test->location[l].init});
		new_event(f,
			(struct bf_event){.kind = K_WRITE,
				.thread = -1,
				.virt = -1,
				.phys = f->place ? f->place[l].first : (int)l,
				.expr = e,
				.partner = -1,
				.initial = true});
	}
	for (uint32_t t = 0; t < f->test->nthreads; t++)
		build_thread(f, (int)t, cas, &ncas);
	if (f->out->too_large)
		return;
	memset(f->po, 0, sizeof f->po);
	memset(f->ms, 0, sizeof f->ms);
	for (int i = 0; i < f->n; i++) {
		if (f->event[i].kind == K_READ)
			f->reads[f->nreads++] = i;
		for (int j = 0; j < f->n; j++) {
			if (i < j && f->event[i].thread == f->event[j].thread &&
				!f->event[i].initial &&
				!(access(&f->event[i]) && f->event[i].access == f->event[j].access))
				f->po[i] |= (bits)1 << j;
			if (morally_strong(f, i, j))
				f->ms[i] |= (bits)1 << j;
		}
	}
	if (run_barriers(f))
		guess_rf(f, 0, cas, ncas);
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
		struct bf_path p = {.nchoices = 0};
		find_paths(f, (int)t, 0, &p, 0);
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
