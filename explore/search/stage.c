/* Stages. Where one kernel follows another, all that the first has done comes before all that the
 * second does. If every location has one last write, which every later read then observes, the
 * second kernel can tell nothing else about the first: so it is explored with that memory as its
 * initial memory, without the events of the first kernel, and only once for all executions of the
 * first that leave the same memory (found.c). The reads of a stage are decided before the next one
 * begins. */
#include "explore/search/stage.h"
#include "explore/search/commute.h"
#include "explore/search/final.h"
#include <string.h>

bool stage_has_ended(const struct node *n, const struct grower *g)
{
	const struct explore_program *p = g->program;
	if (!g->stages || n->stage + 1 >= p->nstages)
		return false;
	for (uint32_t t = 0; t < p->nthreads; t++) {
		if (p->stage[t] <= n->stage && n->run[t].status != RUN_ENDED)
			return false;
	}
	return true;
}

bool stage_leaves_atoms(const struct node *n, const struct grower *g)
{
	uint32_t from;
	bool some = false;
	if (!g->commute || n->deferral.count)
		return false;
	ROW_EACH(ROW(&n->x, set, SET_PENDING), n->x.words, r) {
		if (n->x.event[r].quiet < QUIET_ATOM)
			return false;
		some |= commute_next(n, r, false, &from);
	}
	return some;
}

/* Whether the value of every write is known. */
static bool all_is_known(const struct execution *x)
{
	for (uint32_t i = 0; i < x->n; i++) {
		const struct event *e = &x->event[i];
		if ((e->kind == EVENT_WRITE && !(e->flags & EVENT_KNOWN)) ||
			(e->kind == EVENT_VOID && e->flags & EVENT_MAYBE))
			return false;
	}
	return true;
}

static void note_registers(
	const struct node *n, const struct explore_program *p, struct stage_end *end)
{
	for (uint32_t k = 0; k < p->nobservables; k++) {
		const struct observable *o = &p->observable[k];
		if (o->kind == OBSERVE_REGISTER && p->stage[o->thread] <= n->stage)
			*vec_push(&end->word) = p->reg(
				p, o->thread, n->run[o->thread].state, o->reg);
	}
}

/* Notes which accesses a location has had: another stage may need smaller pieces of it. */
static void note_accesses(const struct node *n, struct grower *g, uint32_t phys)
{
	const struct execution *x = &n->x;
	ROW_EACH(ROW(x, phys, phys), x->words, i) {
		const struct event *e = &x->event[i];
		uint64_t key = (uint64_t)phys << 40 ^ (uint64_t)e->place << 8 ^ e->whole;
		if (e->flags & EVENT_INITIAL || e->kind == EVENT_VOID || e->whole == 1 ||
			!map_add(&g->past_map, key, 0))
			continue;
		*vec_push(&g->past) = (struct past_access){phys, e->place, e->whole};
	}
}

/* False: some location has several last writes. */
static bool note_memory(const struct node *n, struct grower *g, struct stage_end *end)
{
	const struct explore_program *p = g->program;
	const struct execution *x = &n->x;
	end->memory = end->word.count;
	for (uint32_t k = 0; k < x->nphys; k++) {
		uint64_t at = g->locations.phys.data[k].address;
		if (row_empty(ROW(x, phys, k), x->words) || !p->lasts(p, at) ||
			(p->is_constant && p->is_constant(p, at, g->locations.phys.data[k].size)))
			continue;
		uint32_t last = final_only_write(n, k);
		if (last == MODEL_NONE)
			return false;
		note_accesses(n, g, k);
		bool left = (x->event[last].flags & (EVENT_INITIAL | EVENT_LEFT)) != EVENT_INITIAL;
		*vec_push(&end->word) = 2 * (uint64_t)k + left;
		*vec_push(&end->word) = x->event[last].value[0];
		*vec_push(&end->word) = x->event[last].value[1];
	}
	return true;
}

enum stage_result stage_finish(struct node *n, struct grower *g, struct stage_end *end)
{
	end->word.count = 0;
	if (n->deferral.count || !all_is_known(&n->x))
		return STAGE_OPEN;
	if (node_waits_in_vain(n, g) || !execution_finished(&n->x) || !final_exists(&n->x))
		return STAGE_NEVER;
	*vec_push(&end->word) = n->stage;
	note_registers(n, g->program, end);
	return note_memory(n, g, end) ? STAGE_CLOSED : STAGE_OPEN;
}

static void begin_threads(struct node *n, const struct explore_program *p)
{
	for (uint32_t t = 0; t < p->nthreads - p->nhelpers; t++) {
		struct run *r = &n->run[t];
		if (p->stage[t] < n->stage) {
			r->last = MODEL_NONE;
			continue;
		}
		void *state = node_alloc(n, p->state_size);
		memset(state, 0, p->state_size);
		(p->stage[t] == n->stage ? p->resume : p->begin)(p, t, state);
		*r = (struct run){.state = state, .last = MODEL_NONE, .stale = true};
	}
}

void stage_begin(struct node *n, struct grower *g, const struct stage_end *end)
{
	execution_free(&n->x); /* its rows would stay as long as they are */
	execution_init(&n->x, &g->model);
	n->deferral.count = n->arrival.count = n->exchange.count = 0;
	n->plan = (struct plan){0};
	n->stage++;
	for (uint32_t k = end->memory; k < end->word.count; k += 3) {
		const uint64_t *w = end->word.data + k;
		node_initial(n, (uint32_t)(w[0] / 2), g->locations.phys.data[w[0] / 2].size, w + 1,
			w[0] % 2 ? EVENT_LEFT : 0);
	}
	begin_threads(n, g->program);
}
