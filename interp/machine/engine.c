/* Runs groups of lanes by translated code where there is some, and by the loop where there is none:
 * at ops that no unit begins at, and for the last instructions of a turn, until the next branch. */
#include "interp/machine/round.h"
#include "interp/memory/access.h"
#include "interp/memory/combine.h"
#include "interp/memory/memory.h"
#include "interp/state/engine.h"
#include "interp/state/warp.h"
#include <stddef.h>

_Static_assert((int)FLOW_NEXT == NATIVE_NEXT && (int)FLOW_SWITCH == NATIVE_SWITCH &&
		(int)FLOW_STOP == NATIVE_STOP,
	"units return an enum flow");
#define SAME_PLACE(field) \
	_Static_assert( \
		offsetof(struct memory_block, field) == offsetof(struct native_block, field), \
		"native_block is the beginning of memory_block")
SAME_PLACE(base);
SAME_PLACE(size);
SAME_PLACE(readable);
SAME_PLACE(writable);
SAME_PLACE(host);

/* The loop from op g->pc of a straight run that began at START, until a branch after which it would
 * go on: then *JUMPED is true, and a straight run begins at g->pc. */
static enum flow run_on(struct warp *w, uint32_t *budget, uint32_t start, bool *jumped);
#define RUN_NAME run_on
#define RUN_RESUMES
#include "interp/machine/run_loop.h"
#undef RUN_NAME
#undef RUN_RESUMES

static const struct op *op_at(const struct warp *w, uint32_t at) { return &w->frame->code->op[at]; }

static int engine_exec(void *self, uint32_t at, uint32_t mask)
{
	struct warp *w = self;
	const struct op *op = op_at(w, at);

	if (w->worker->waits)
		w->worker->settle(w->worker->waits);
	return (int)op->run.exec(w, op, mask);
}

static void engine_kernel(void *self, uint32_t at, uint32_t mask)
{
	struct warp *w = self;
	const struct op *op = op_at(w, at);
	void *v[OP_MAX_OPERANDS];

	for (unsigned i = 0; i < op->noperands; i++)
		v[i] = op_lanes(w, op, i);
	op->run.kernel(v, mask);
}

static void engine_part(void *self, uint32_t at, uint32_t mask)
{
	struct warp *w = self;

	w->worker->stats.divergent_branches++;
	warp_branch(w, op_at(w, at), mask);
}

static void engine_divide(void *self, uint32_t at, uint32_t pc, const uint32_t *taken)
{
	struct warp *w = self;

	w->worker->part_again(w, at, pc, taken);
	w->native->parts = w->ngroups;
	w->native->active = w->active;
	w->native->watch = w->watch;
}

static int engine_next(struct native_state *s, int flow)
{
	struct warp *w = s->warp;

	if (!s->fair)
		return flow;
	if (flow == NATIVE_NEXT)
		w->group[w->current].pc = s->pc;
	if (!w->worker->run_next(w, (enum flow)flow, s->left))
		return NATIVE_SETTLED;
	s->pc = s->start = w->run_pc = w->group[w->current].pc;
	if (!s->entry[s->pc]) { /* it is picked again */
		w->settled = 1;
		return NATIVE_SETTLED;
	}
	s->parts = w->ngroups;
	s->active = w->active;
	s->watch = w->watch;
	s->turn = w->turn;
	s->left = w->most;
	s->advance = w->ngroups == 1 ? s->advance_whole : NULL;
	return NATIVE_AGAIN;
}

/* Whether the lanes are rows of N. */
static bool has_rows(const struct warp *w, unsigned n)
{
	bool rows = true;

	EVERY_LANE(lane) {
		unsigned first = lane / n * n;

		rows = rows &&
			(!(w->lanes >> lane & 1) ||
				(w->tid[0][lane] == w->tid[0][first] + lane % n &&
					w->tid[1][lane] == w->tid[1][first] &&
					w->tid[2][lane] == w->tid[2][first]));
	}
	return rows;
}

/* See native_state.rows. */
static uint8_t parts_of_rows(const struct warp *w)
{
	return has_rows(w, LANES) ? 1 : has_rows(w, LANES / 2) ? 2 : 0;
}

static void engine_sum(void *warp, uint64_t off, uint64_t value)
{
	combine_put(((struct warp *)warp)->worker, off, value);
}

struct native_state *engine_state(struct warp *w)
{
	struct worker *k = w->worker;
	int64_t *count = k->count + 2 * (size_t)w->frame->code->count_base;
	struct native_state *s = w->native;

	/* the rest belongs to the warp, its CTA, and the worker */
	if (s && s->slice_steps == &k->slice_steps) {
		s->regs = w->bank[0];
		s->constants = w->bank[1];
		s->count = count;
		return s;
	}
	if (!s)
		s = w->native = ARENA_NEW(&w->cta->arena, struct native_state);
	*s = (struct native_state){
		.regs = w->bank[0],
		.constants = w->bank[1],
		.count = count,
		.slice_steps = &k->slice_steps,
		.loaded = k->stats.bytes_loaded,
		.stored = k->stats.bytes_stored,
		.divergent = &k->stats.divergent_branches,
		.atomics = &k->stats.atomics,
		.alone = machine_alone(w->machine),
		.run_pc = &w->run_pc,
		.polled = &w->polled,
		.effect = &w->effect,
		.made_effect = &w->made_effect,
		.combining = (const void *const *)(const void *)&k->combining,
		.combine = &k->combine,
		.sum = engine_sum,
		.slot = (const struct native_block *const *)(const void *)w->machine->memory->slot,
		.nslots = MEMORY_SLOTS,
		.shared = w->cta->shared,
		.shared_bytes = w->cta->shared_bytes,
		.shared_end = w->cta->launch->code->shared_end,
		.params = w->cta->launch->ask.params,
		.warp = w,
		.rows = parts_of_rows(w),
		.tid = (const uint32_t(*)[32])w->tid,
		.ctaid = w->cta->ctaid,
		.block = w->cta->launch->ask.block,
		.grid = w->cta->launch->ask.grid,
		.index = w->index,
		.exec = engine_exec,
		.kernel = engine_kernel,
		.part = engine_part,
		.divide = engine_divide,
		.next = engine_next,
	};
	return s;
}

static struct native_state *advance_never(struct native_state *s)
{
	engine_wait(s->warp, s->pc);
	s->proven = 0;
	return NULL;
}

enum flow engine_rest(struct warp *w, uint32_t *left, const struct engine_code *unit, int r)
{
	struct native_state *s = w->native;

	for (;;) {
		struct group *g;
		bool jumped = false;
		enum flow flow;

		*left = s->left;
		if (r == NATIVE_BARRIER || r == NATIVE_SETTLED)
			return FLOW_SWITCH;
		g = &w->group[w->current];
		if (r == NATIVE_NEXT)
			g->pc = s->pc;
		if (r != NATIVE_LEAVE)
			return (enum flow)r;
		g->pc = s->pc;
		flow = run_on(w, &s->left, s->start, &jumped);
		*left = s->left;
		if (!jumped)
			return flow;
		s->pc = s->start = g->pc;
		w->run_pc = s->start;
		/* the caller goes on with W, and nobody else */
		s->advance_whole = s->fair ? advance_never : NULL;
		s->advance = s->parts == 1 ? s->advance_whole : NULL;
		s->depart = NULL;
		r = unit->entry[s->pc] ? unit->run(s) : NATIVE_LEAVE;
	}
}

static enum flow run_translated(struct warp *w, uint32_t *budget, const struct engine_code *unit)
{
	struct native_state *s = engine_state(w);

	s->active = w->active;
	s->watch = w->watch;
	s->turn = w->turn;
	s->proven = 0;
	s->parts = w->ngroups;
	s->entry = unit->entry;
	s->fair = round_is_plain(w->machine);
	s->advance_whole = s->fair ? advance_never : NULL;
	s->depart = NULL;
	s->advance = w->ngroups == 1 ? s->advance_whole : NULL;
	s->pc = s->start = w->run_pc = w->group[w->current].pc;
	s->left = *budget;
	return engine_rest(w, budget, unit, unit->entry[s->pc] ? unit->run(s) : NATIVE_LEAVE);
}

void engine_warm(struct machine *m, struct code_func *f, uint64_t n)
{
	if (__atomic_add_fetch(&f->heat, n, __ATOMIC_RELAXED) >= m->engine->threshold)
		m->engine->hot(m->engine, m, f->func);
}

enum flow run_engine(struct warp *w, uint32_t *budget)
{
	struct machine *m = w->machine;
	struct code_func *f = &m->code.func[w->frame->code->func];
	const struct engine_code *unit = __atomic_load_n(&f->translated, __ATOMIC_ACQUIRE);
	uint32_t most = *budget;
	enum flow flow;

	/* translated code has the addresses of .shared variables as they are without clusters */
	if (unit && w->cta->cluster->n == 1 && !m->clock_frozen) {
		flow = run_translated(w, budget, unit);
		if (!unit->warms)
			return flow;
	} else {
		flow = run_plain(w, budget);
	}
	engine_warm(m, f, most - *budget);
	return flow;
}
