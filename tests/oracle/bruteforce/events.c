/* Converts a litmus test to events: one choice of each thread's path through branches and cas, with
 * values as expressions over reads. If locations consist of words (PLACE), an access is one event
 * per word. */
#include "tests/oracle/bruteforce/state.h"
#include <string.h>

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

/* Adds an event for each word of the access E of location L; *FIRST is the first one's index. */
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

/* Adds a write of VALUE to location L, after the read whose first event is FIRST_READ (-1:
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

/* the success or failure of a cas is not a control dependency for later events: it is kept apart
 * from the branches by a negative mark on the event itself */
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

/* An atom of two packed halves: each is an atom of its own. */
static void build_packed(struct bf *f, int t, const struct litmus_insn *i, struct bf_event e)
{
	int old[2], a = value_expr(f, t, &i->a);
	for (int k = 0; k < 2; k++) {
		int event = f->n;
		e.element = k + 1;
		e.kind = K_READ;
		e.sem = i->sem == LITMUS_ACQUIRE || i->sem == LITMUS_ACQ_REL ? LITMUS_ACQUIRE
									     : LITMUS_RELAXED;
		e.red = i->dst == UINT32_MAX;
		e.access = event;
		e.whole = 1;
		e.virt = e.phys = f->place[i->location].first + k;
		new_event(f, e);
		old[k] = new_expr(f, (struct bf_expr){.op = -2, .event = event});
		e.kind = K_WRITE;
		e.red = false;
		e.sem = i->sem == LITMUS_RELEASE || i->sem == LITMUS_ACQ_REL ? LITMUS_RELEASE
									     : LITMUS_RELAXED;
		e.access = event + 1;
		e.partner = event;
		e.expr = new_expr(f,
			(struct bf_expr){
				.op = i->alu, .a = old[k], .b = word_expr(f, k, a), .c = -1});
		new_event(f, e);
		f->event[event].partner = event + 1;
		e.partner = e.expr = -1;
	}
	if (!e.red && i->dst != UINT32_MAX)
		f->reg[t][i->dst] = new_expr(
			f, (struct bf_expr){.op = E_JOIN, .a = old[0], .b = old[1], .c = -1});
}

/* A copy of several words: each is a read and a write. */
static void build_copy(struct bf *f, const struct litmus_insn *i, struct bf_event e)
{
	for (int k = 0; k < (int)i->b.value; k++) {
		int event = f->n;
		e.element = k + 1;
		e.kind = K_READ;
		e.access = event;
		e.whole = 1;
		e.virt = e.phys = f->place[i->a.value].first + k;
		new_event(f, e);
		e.kind = K_WRITE;
		e.access = event + 1;
		e.virt = e.phys = f->place[i->location].first + k;
		e.expr = new_expr(f, (struct bf_expr){.op = -2, .event = event});
		new_event(f, e);
		e.expr = -1;
	}
}

/* A wait that succeeds acquires; one that does not acquires nothing. */
static void build_wait(
	struct bf *f, int t, const struct litmus_insn *i, struct bf_event e, bool success)
{
	int read;
	e.kind = K_READ;
	e.sem = success ? LITMUS_ACQUIRE : LITMUS_RELAXED;
	int old = read_expr(f, i->location, e, &read),
	    passed = new_expr(f,
		    (struct bf_expr){
			    .op = E_PASSED, .a = old, .b = value_expr(f, t, &i->a), .c = -1}),
	    yes = new_expr(f, (struct bf_expr){.op = -1, .constant = 1});
	f->reg[t][i->dst] = passed;
	f->cas[f->ncas++] = (struct bf_cas){passed, yes, success};
}

static void build_thread(struct bf *f, int t)
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
		switch ((int)i->op) {
		case BRUTEFORCE_PACKED: build_packed(f, t, i, e); continue;
		case BRUTEFORCE_COPY: build_copy(f, i, e); continue;
		case BRUTEFORCE_WAIT: build_wait(f, t, i, e, p->choice[taken++]); continue;
		case BRUTEFORCE_ISSUE:
			e.kind = K_BARRIER;
			e.site = -1 - (int)i->a.value;
			e.arrive_only = true;
			f->issue[i->a.value] = (uint32_t)new_event(f, e);
			continue;
		default: break;
		}
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
				f->cas[f->ncas++] = (struct bf_cas){a, b, success};
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

static void find_paths(struct bf *f, int t, uint32_t pc, struct bf_path *p, int steps)
{
	const struct litmus_thread *h = &f->test->thread[t];
	for (; pc < h->ninsns; steps++) {
		const struct litmus_insn *i = &h->insn[pc];
		if (steps > 64 || p->nchoices == 32) {
			f->out->too_large = true;
			return;
		}
		bool two = i->op == LITMUS_BRANCH || i->op == (uint8_t)BRUTEFORCE_WAIT ||
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

void bf_find_paths(struct bf *f, int t)
{
	struct bf_path p = {.nchoices = 0};
	find_paths(f, t, 0, &p, 0);
}

void bf_build_events(struct bf *f)
{
	f->n = f->nexprs = f->nreads = f->ncas = 0;
	for (int t = 0; t < MOST_THREADS; t++)
		f->issue[t] = MODEL_NONE;
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
		build_thread(f, (int)t);
	for (int i = 0; i < f->n; i++) {
		if (f->event[i].kind == K_READ)
			f->reads[f->nreads++] = i;
	}
}
