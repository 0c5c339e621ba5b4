/* Runs the threads of a litmus test for the explorer, with registers that may be unknown. Pure
 * spins are detected by comparing live registers. */
#include "base/assert.h"
#include "explore/litmus/flow.h"
#include "model/execution.h"
#include <string.h>

enum { LOCATION_BYTES = 8, MAX_VISITS = 8 };

struct litmus_client {
	const struct litmus_test *test;
	struct litmus_flow **flow; /* [thread][insn] */
	uint32_t reg_words, location_words, nregs, nheads;
	uint32_t loop_bound;
	const struct explore_options *options;
};

struct visit {
	uint64_t state; /* hash of place and live registers */
	uint32_t events;
};

struct litmus_state {
	uint32_t pc, events;
	uint32_t nvisits; /* visits of loop heads since the last write */
	bool decided;     /* a branch depended on a read since the last loop head */
	bool half_done;   /* an atom's read has been returned; its write is next */
	bool read_known;
	uint64_t read;
	struct visit visit[MAX_VISITS];
	/* register values; a bit row of known registers; one of registers that depend on reads; for
	 * each loop, the number of rounds that depended on reads */
	uint64_t word[];
};

static const struct litmus_client *litmus_client_of(const struct explore_program *p)
{
	return p->client;
}
static uint64_t *known_row(const struct litmus_client *c, struct litmus_state *s)
{
	return s->word + c->nregs;
}
static uint64_t *read_row(const struct litmus_client *c, struct litmus_state *s)
{
	return s->word + c->nregs + c->reg_words;
}
static uint64_t *loop_rounds(const struct litmus_client *c, struct litmus_state *s)
{
	return s->word + c->nregs + 2 * (size_t)c->reg_words;
}

static void litmus_begin(const struct explore_program *p, uint32_t thread, void *state)
{
	const struct litmus_client *c = litmus_client_of(p);
	const struct litmus_thread *t = &c->test->thread[thread];
	struct litmus_state *s = state;
	for (uint32_t r = 0; r < t->nregs; r++) {
		s->word[r] = (uint64_t)t->reg_init[r];
		row_put(known_row(c, s), r);
	}
}

/* The value of a source operand; false if it is unknown. */
static bool operand_value(const struct litmus_client *c, struct litmus_state *s,
	const struct litmus_value *v, uint64_t *out)
{
	*out = v->is_register ? s->word[v->index] : (uint64_t)v->value;
	return !v->is_register || row_has(known_row(c, s), v->index);
}

static bool from_read(
	const struct litmus_client *c, struct litmus_state *s, const struct litmus_value *v)
{
	return v->is_register && row_has(read_row(c, s), v->index);
}

static void set_register(const struct litmus_client *c, struct litmus_state *s, uint32_t reg,
	uint64_t value, bool known, bool read)
{
	s->word[reg] = known ? value : 0;
	row_drop(known_row(c, s), reg);
	row_drop(read_row(c, s), reg);
	if (known)
		row_put(known_row(c, s), reg);
	if (read)
		row_put(read_row(c, s), reg);
}

static uint64_t litmus_compute(uint8_t op, uint64_t a, uint64_t b, uint64_t swap)
{
	switch (op) {
	case LITMUS_MOV: return a;
	case LITMUS_EXCH: return b;
	case LITMUS_ADD: return a + b;
	case LITMUS_SUB: return a - b;
	case LITMUS_MUL: return a * b;
	case LITMUS_AND: return a & b;
	case LITMUS_OR: return a | b;
	case LITMUS_XOR: return a ^ b;
	case LITMUS_MIN: return (int64_t)a < (int64_t)b ? a : b;
	case LITMUS_MAX: return (int64_t)a > (int64_t)b ? a : b;
	case LITMUS_INC: return a >= b ? 0 : a + 1;
	case LITMUS_DEC: return a == 0 || a > b ? b : a - 1;
	default: assert(op == LITMUS_CAS); return a == b ? swap : a;
	}
}

static bool relation_holds(uint8_t relation, int64_t a, int64_t b)
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

/* For --deps=semantic: whether the result is independent of an unknown input that the instruction
 * mentions. */
static bool result_is_fixed(const struct litmus_insn *i, bool known_a, uint64_t a, bool known_b,
	uint64_t b, uint64_t *out)
{
	bool same = i->a.is_register && i->b.is_register && i->a.index == i->b.index;
	bool zero = (known_a && !a) || (known_b && !b);
	*out = 0;
	return (same && (i->alu == LITMUS_XOR || i->alu == LITMUS_SUB)) ||
		(zero && (i->alu == LITMUS_AND || i->alu == LITMUS_MUL));
}

static void run_alu(
	const struct litmus_client *c, struct litmus_state *s, const struct litmus_insn *i)
{
	uint64_t a, b, fixed;
	bool known_a = operand_value(c, s, &i->a, &a), known_b = operand_value(c, s, &i->b, &b);
	bool read = from_read(c, s, &i->a) || (i->alu != LITMUS_MOV && from_read(c, s, &i->b));
	if (c->options->semantic_deps && result_is_fixed(i, known_a, a, known_b, b, &fixed))
		set_register(c, s, i->dst, fixed, true, false);
	else
		set_register(c, s, i->dst, litmus_compute(i->alu, a, b, 0),
			known_a && (i->alu == LITMUS_MOV || known_b), read);
}

static void forget_visits(struct litmus_state *s) { s->nvisits = 0; }

/* Rounds of loops between two actions of a thread. */
enum { MOST_SILENT_ROUNDS = 1 << 16 };

/* At the head of a loop, which is passed the ROUND-th time since the last action: whether the
 * thread spins, since it was here in the same live state after its last write, has exceeded a
 * bound, or has to know a register to tell. */
static bool stops_at_head(const struct litmus_client *c, struct litmus_state *s,
	const struct litmus_flow *f, unsigned round, struct action *a)
{
	uint64_t hash = (s->pc + 1) * UINT64_C(0x9e3779b97f4a7c15);
	if (round > MOST_SILENT_ROUNDS) {
		a->kind = ACTION_BOUND;
		return true;
	}
	ROW_EACH(f->live, c->reg_words, r) {
		if (!row_has(known_row(c, s), r)) {
			a->kind = ACTION_STALL;
			return round > 1;
		}
		hash = (hash ^ s->word[r]) * UINT64_C(0xbf58476d1ce4e5b9) + r;
		hash ^= hash >> 29;
	}
	/* a round that depends on no read is not counted: such a loop ends by itself or spins */
	if (s->decided && ++loop_rounds(c, s)[f->head] > c->loop_bound + 1) {
		a->kind = ACTION_BOUND;
		return true;
	}
	s->decided = false;
	for (uint32_t k = 0; k < s->nvisits; k++) {
		if (s->visit[k].state != hash)
			continue;
		a->kind = ACTION_SPIN;
		a->spin_events = s->events - s->visit[k].events;
		return true;
	}
	if (s->nvisits == MAX_VISITS)
		memmove(s->visit, s->visit + 1, (MAX_VISITS - 1) * sizeof *s->visit), s->nvisits--;
	s->visit[s->nvisits++] = (struct visit){hash, s->events};
	return false;
}

static void at_location(
	const struct litmus_client *c, const struct litmus_insn *i, struct action *a)
{
	const struct litmus_location *l = &c->test->location[i->location];
	a->address_known = true;
	a->phys = (uint64_t)(l->phys + 1) * 2 * LOCATION_BYTES;
	a->virt = (uint64_t)(l->virt + 1) * 2 * LOCATION_BYTES;
	a->size = LOCATION_BYTES;
}

static void atom_read(const struct litmus_client *c, struct litmus_state *s,
	const struct litmus_insn *i, struct action *a)
{
	a->kind = ACTION_READ;
	at_location(c, i, a);
	a->rmw = true;
	uint64_t operand;
	a->reduction = i->op == LITMUS_RED;
	if (a->reduction &&
		(i->alu == LITMUS_ADD || (i->alu >= LITMUS_AND && i->alu <= LITMUS_MAX)) &&
		operand_value(c, s, &i->a, &operand))
		a->quiet = (uint8_t)(QUIET_INTEGER + i->alu);
	/* the halves share the semantics: the read acquires, the write releases */
	a->sem = i->sem == LITMUS_ACQUIRE || i->sem == LITMUS_ACQ_REL ? SEM_ACQUIRE : SEM_RELAXED;
	s->half_done = true;
}

static void atom_write(const struct litmus_client *c, struct litmus_state *s,
	const struct litmus_insn *i, struct action *a)
{
	uint64_t x, y;
	bool known_x = operand_value(c, s, &i->a, &x),
	     known_y = i->alu != LITMUS_CAS || operand_value(c, s, &i->b, &y);
	if (i->alu != LITMUS_CAS)
		y = 0;
	a->kind = ACTION_WRITE;
	at_location(c, i, a);
	a->rmw = true;
	a->sem = i->sem == LITMUS_RELEASE || i->sem == LITMUS_ACQ_REL ? SEM_RELEASE : SEM_RELAXED;
	bool all = s->read_known && known_x;
	if (i->alu == LITMUS_CAS) {
		bool writes_back = c->options->off & OFF_FAILED_CAS, fails = all && s->read != x;
		a->maybe = !all && !writes_back;
		a->none = fails && !writes_back;
		a->value_known = all && (known_y || fails);
	} else {
		/* rmw is a dependency: even the value of an exch is unknown until its read is
		 * resolved */
		a->value_known = all ||
			(i->alu == LITMUS_EXCH && known_x && c->options->off & OFF_RMW_DEPENDENCY);
	}
	a->value[0] = litmus_compute(i->alu, s->read, x, y);
	s->half_done = false;
	s->pc++;
	/* An atom that writes back the value it read does not change a loop's state (an exch on a
	 * lock that is taken). */
	if (!a->none && !(a->value_known && a->value[0] == s->read))
		forget_visits(s);
}

static void memory_action(const struct litmus_client *c, struct litmus_state *s,
	const struct litmus_insn *i, struct action *a)
{
	a->sem = i->sem;
	a->scope = i->scope;
	a->proxy = i->proxy;
	if ((i->op == LITMUS_ATOM || i->op == LITMUS_RED) && s->half_done) {
		atom_write(c, s, i, a);
	} else if (i->op == LITMUS_ATOM || i->op == LITMUS_RED) {
		atom_read(c, s, i, a);
	} else if (i->op == LITMUS_LOAD) {
		a->kind = ACTION_READ;
		at_location(c, i, a);
	} else if (i->op == LITMUS_STORE) {
		a->kind = ACTION_WRITE;
		at_location(c, i, a);
		a->value_known = operand_value(c, s, &i->a, &a->value[0]);
		forget_visits(s);
		s->pc++;
	} else {
		a->kind = i->op == LITMUS_FENCE ? ACTION_FENCE : ACTION_PROXY_FENCE;
		s->pc++;
	}
}

/* A barrier site is a separate barrier in each CTA. */
static uint64_t site_object(const struct litmus_client *c, uint32_t thread, uint32_t site)
{
	const struct litmus_thread *t = &c->test->thread[thread];
	uint32_t first = 0;
	while (!litmus_same_cta(&c->test->thread[first], t))
		first++;
	return (uint64_t)first << 32 | site;
}

static void barrier_action(const struct litmus_client *c, uint32_t thread, struct litmus_state *s,
	const struct litmus_insn *i, struct action *a)
{
	uint64_t number = 0, count = 0;
	if (!operand_value(c, s, &i->b, &number) ||
		(i->counted && !operand_value(c, s, &i->c, &count))) {
		a->kind = ACTION_STALL;
		return;
	}
	a->kind = ACTION_BARRIER;
	a->rule = BARRIER_SITE;
	a->object = site_object(c, thread, (uint32_t)i->a.value);
	a->number = (uint32_t)number;
	a->count = (uint32_t)count;
	a->arrive_only = i->op == LITMUS_ARRIVE;
	forget_visits(s);
	s->pc++;
}

/* Follows a branch; false if the thread stops there. */
static bool run_branch(const struct litmus_client *c, struct litmus_state *s,
	const struct litmus_insn *i, struct action *a)
{
	uint64_t x = 0, y = 0;
	bool jump = i->op == LITMUS_GOTO;
	if (!jump && (!operand_value(c, s, &i->a, &x) || !operand_value(c, s, &i->b, &y))) {
		a->kind = ACTION_STALL;
		return false;
	}
	jump = jump || relation_holds(i->alu, (int64_t)x, (int64_t)y);
	bool read = i->op == LITMUS_BRANCH && (from_read(c, s, &i->a) || from_read(c, s, &i->b));
	s->decided |= read;
	s->pc = jump ? i->target : s->pc + 1;
	return true;
}

static void litmus_step(
	const struct explore_program *p, uint32_t thread, void *state, struct action *a)
{
	const struct litmus_client *c = litmus_client_of(p);
	const struct litmus_thread *t = &c->test->thread[thread];
	struct litmus_state *s = state;
	for (unsigned rounds = 0;;) {
		a->place = s->pc;
		if (s->pc >= t->ninsns) {
			a->kind = ACTION_END;
			return;
		}
		const struct litmus_insn *i = &t->insn[s->pc];
		const struct litmus_flow *f = &c->flow[thread][s->pc];
		if (f->loop_head && !s->half_done && stops_at_head(c, s, f, ++rounds, a))
			return;
		switch (i->op) {
		case LITMUS_ALU:
			run_alu(c, s, i);
			s->pc++;
			continue;
		case LITMUS_BRANCH:
		case LITMUS_GOTO:
			if (!run_branch(c, s, i, a))
				return;
			continue;
		case LITMUS_SYNC:
		case LITMUS_ARRIVE: barrier_action(c, thread, s, i, a); return;
		default:
			memory_action(c, s, i, a);
			s->events++;
			return;
		}
	}
}

static void litmus_answer(
	const struct explore_program *p, uint32_t thread, void *state, struct action *a)
{
	const struct litmus_client *c = litmus_client_of(p);
	struct litmus_state *s = state;
	const struct litmus_insn *i = &c->test->thread[thread].insn[s->pc];
	if (a->kind == ACTION_BARRIER)
		return;
	if (i->op != LITMUS_RED)
		set_register(c, s, i->dst, a->value[0], a->value_known, true);
	s->read = a->value_known ? a->value[0] : 0;
	s->read_known = a->value_known;
	if (i->op == LITMUS_LOAD)
		s->pc++;
}

static bool litmus_may_write(const struct explore_program *p, uint32_t thread, uint32_t place,
	uint64_t phys, uint32_t size)
{
	const struct litmus_client *c = litmus_client_of(p);
	(void)size;
	if (place >= c->test->thread[thread].ninsns)
		return false;
	return row_has(c->flow[thread][place].writes, (uint32_t)(phys / (2 * LOCATION_BYTES)) - 1);
}

static bool litmus_may_race(const struct explore_program *p, uint32_t thread, uint8_t scope,
	uint64_t phys, uint32_t size)
{
	const struct litmus_test *test = litmus_client_of(p)->test;
	uint32_t at = (uint32_t)(phys / (2 * LOCATION_BYTES)) - 1;
	(void)size;
	for (uint32_t t = 0; t < test->nthreads; t++) {
		for (uint32_t k = 0; k < test->thread[t].ninsns; k++) {
			const struct litmus_insn *i = &test->thread[t].insn[k];
			bool access = i->op == LITMUS_LOAD || i->op == LITMUS_STORE ||
				i->op == LITMUS_ATOM || i->op == LITMUS_RED;
			if (!access || test->location[i->location].phys != at)
				continue;
			if (i->proxy != LITMUS_GENERIC || test->location[i->location].alias)
				return true;
			bool strong = i->sem != LITMUS_WEAK &&
				scope_includes(scope, &p->place[thread], &p->place[t]) &&
				scope_includes(
					(enum scope)i->scope, &p->place[t], &p->place[thread]);
			if (t != thread && i->op != LITMUS_LOAD && !strong)
				return true;
		}
	}
	return false;
}

static bool litmus_may_arrive(
	const struct explore_program *p, uint32_t thread, uint8_t rule, uint64_t object)
{
	const struct litmus_client *c = litmus_client_of(p);
	const struct litmus_thread *t = &c->test->thread[thread];
	(void)rule;
	for (uint32_t k = 0; k < t->ninsns; k++) {
		if ((t->insn[k].op == LITMUS_SYNC || t->insn[k].op == LITMUS_ARRIVE) &&
			site_object(c, thread, (uint32_t)t->insn[k].a.value) == object)
			return true;
	}
	return false;
}

static void litmus_initial(
	const struct explore_program *p, uint64_t phys, uint32_t size, uint64_t value[2])
{
	(void)size;
	value[0] =
		(uint64_t)litmus_client_of(p)->test->location[phys / (2 * LOCATION_BYTES) - 1].init;
	value[1] = 0;
}

static uint64_t litmus_final_register(
	const struct explore_program *p, uint32_t thread, const void *state, uint32_t reg)
{
	(void)p;
	(void)thread;
	return ((const struct litmus_state *)state)->word[reg];
}

static struct observable *observables(const struct litmus_test *test, struct arena *arena)
{
	struct observable *out = ARENA_ARRAY(arena, struct observable, test->nobserved + 1);
	for (uint32_t k = 0; k < test->nobserved; k++) {
		const struct litmus_term *o = &test->observed[k];
		if (o->kind == LITMUS_TERM_REG) {
			const struct litmus_thread *t = &test->thread[o->thread];
			out[k] = (struct observable){
				.name = arena_printf(arena, "%s:%s", t->name, t->reg[o->index]),
				.kind = OBSERVE_REGISTER,
				.thread = o->thread,
				.reg = o->index};
		} else {
			const struct litmus_location *l = &test->location[o->index];
			out[k] = (struct observable){.name = l->name,
				.kind = OBSERVE_MEMORY,
				.size = LOCATION_BYTES,
				.phys = (uint64_t)(l->phys + 1) * 2 * LOCATION_BYTES};
		}
	}
	return out;
}

const struct explore_program *litmus_program(
	const struct litmus_test *test, const struct explore_options *options, struct arena *arena)
{
	struct litmus_client *c = ARENA_NEW(arena, struct litmus_client);
	struct explore_program *p = ARENA_NEW(arena, struct explore_program);
	struct placement *place = ARENA_ARRAY(arena, struct placement, test->nthreads);
	c->test = test;
	c->loop_bound = explore_rounds(options);
	c->options = arena_copy(arena, options, sizeof *options, _Alignof(struct explore_options));
	for (uint32_t k = 0; k < test->nthreads; k++) {
		place[k] = (struct placement){
			test->thread[k].cta, test->thread[k].cluster, test->thread[k].gpu};
		if (test->thread[k].nregs > c->nregs)
			c->nregs = test->thread[k].nregs;
	}
	c->reg_words = c->nregs / 64 + 1;
	c->location_words = test->nlocations / 64 + 1;
	c->flow = ARENA_ARRAY(arena, struct litmus_flow *, test->nthreads);
	for (uint32_t k = 0; k < test->nthreads; k++)
		c->flow[k] = litmus_flow(
			test, k, c->reg_words, c->location_words, &c->nheads, arena);
	bool aliases = false;
	for (uint32_t k = 0; k < test->nlocations; k++)
		aliases |= test->location[k].alias;
	for (uint32_t k = 0; k < test->nthreads; k++) {
		for (uint32_t i = 0; i < test->thread[k].ninsns; i++)
			aliases |= test->thread[k].insn[i].proxy != LITMUS_GENERIC;
	}
	*p = (struct explore_program){.nthreads = test->nthreads,
		.place = place,
		.state_size = sizeof(struct litmus_state) +
			(c->nregs + 2 * (size_t)c->reg_words + c->nheads) * sizeof(uint64_t),
		.observable = observables(test, arena),
		.nobservables = test->nobserved,
		.aliases = aliases,
		.client = c,
		.begin = litmus_begin,
		.step = litmus_step,
		.answer = litmus_answer,
		.may_write = litmus_may_write,
		.may_race = litmus_may_race,
		.may_arrive = litmus_may_arrive,
		.initial = litmus_initial,
		.reg = litmus_final_register};
	return p;
}

static int64_t term_value(
	const struct litmus_test *test, const struct litmus_term *t, const uint64_t *value)
{
	for (uint32_t k = 0; t->kind != LITMUS_TERM_INT && k < test->nobserved; k++) {
		const struct litmus_term *o = &test->observed[k];
		if (o->kind == t->kind && o->thread == t->thread && o->index == t->index)
			return (int64_t)value[k];
	}
	return t->value;
}

bool litmus_condition_holds(
	const struct litmus_test *test, const struct litmus_cond *c, const uint64_t *value)
{
	switch (c->kind) {
	case LITMUS_AND_COND:
		return litmus_condition_holds(test, c->a, value) &&
			litmus_condition_holds(test, c->b, value);
	case LITMUS_OR_COND:
		return litmus_condition_holds(test, c->a, value) ||
			litmus_condition_holds(test, c->b, value);
	case LITMUS_NOT_COND: return !litmus_condition_holds(test, c->a, value);
	default:
		return relation_holds(c->relation, term_value(test, &c->left, value),
			term_value(test, &c->right, value));
	}
}
