/* Barriers during the search: arrivals, completed phases, and the choice of the group that passes
 * first where more threads may arrive than the barrier counts. */
#include "explore/search/graph.h"
#include <string.h>

enum { MAX_GROUP = 64 };

/* Whether two arrivals are at the same barrier and, where occurrences determine the phase, in the
 * same phase. */
static bool same_barrier(const struct arrival *a, const struct arrival *b)
{
	return a->rule == b->rule && a->object == b->object &&
		(a->rule == BARRIER_NUMBER || a->rule == BARRIER_TOGETHER ||
			a->occurrence == b->occurrence);
}

/* Whether two arrivals meet; at .litmus barriers their numbers must agree, too. */
static bool arrivals_meet(const struct arrival *a, const struct arrival *b)
{
	return same_barrier(a, b) && (a->rule != BARRIER_SITE || a->number == b->number);
}

/* Orders B, which is released, after what the fences before A release: A itself, a
 * barrier.cluster.arrive.relaxed, does not release. */
static void order_fences(
	struct node *n, const struct grower *g, const struct arrival *a, const struct arrival *b)
{
	const struct placement *place = g->program->place;
	ROW_EACH(ROW(&n->x, set, SET_RELEASE), n->x.words, f) {
		const struct event *e = &n->x.event[f];
		if (f >= a->event || a->rule != BARRIER_PHASE)
			break;
		if (e->kind == EVENT_FENCE && e->thread == a->thread &&
			scope_includes((enum scope)e->scope, &place[a->thread], &place[b->thread]))
			execution_meet_released(&n->x, f, b->event);
	}
}

/* Orders B, which is released, after the arrivals of other threads that it meets. */
static void order_arrival(struct node *n, const struct grower *g, const struct arrival *b)
{
	struct execution *x = &n->x;
	uint64_t *from = ROW(x, tmp, SCRATCH_FROM), *to = ROW(x, tmp, SCRATCH_TO);
	if (b->arrive_only)
		return;
	row_clear(from, x->words);
	row_clear(to, x->words);
	row_put(to, b->event);
	for (uint32_t i = 0; i < n->arrival.count; i++) {
		const struct arrival *a = &n->arrival.data[i];
		if (a->wait_only || a->thread == b->thread || !arrivals_meet(a, b))
			continue;
		if (a->unordered)
			order_fences(n, g, a, b);
		else
			row_put(from, a->event);
	}
	if (!row_empty(from, x->words))
		execution_meet(x, from, to);
}

/* Orders the members of MEMBER[0..size) that wait after the members of MEMBER[0..all) that order
 * memory. */
static void order_members(struct node *n, const uint32_t *member, uint32_t size, uint32_t all)
{
	struct execution *x = &n->x;
	uint64_t *from = ROW(x, tmp, SCRATCH_FROM), *to = ROW(x, tmp, SCRATCH_TO);
	row_clear(from, x->words);
	row_clear(to, x->words);
	for (uint32_t i = 0; i < all; i++) {
		const struct arrival *a = &n->arrival.data[member[i]];
		if (!a->unordered)
			row_put(from, a->event);
		if (!a->arrive_only && i < size)
			row_put(to, a->event);
	}
	if (all > 1 && !row_empty(from, x->words))
		execution_meet(x, from, to);
}

static void release_arrival(struct node *n, struct arrival *a)
{
	n->x.event[a->event].flags |= EVENT_DONE;
	a->released = true;
	if (!a->arrive_only)
		n->run[a->thread].stale = true;
}

static void drop_arrival(struct node *n, uint32_t i)
{
	memmove(&n->arrival.data[i], &n->arrival.data[i + 1],
		(n->arrival.count - i - 1) * sizeof *n->arrival.data);
	n->arrival.count--;
}

static bool participates(
	const struct node *n, const struct grower *g, const struct arrival *first, uint32_t thread)
{
	return n->run[thread].status != RUN_ENDED &&
		g->program->may_arrive(g->program, thread, first->rule, first->object);
}

static bool has_arrived(const struct node *n, const struct arrival *first, uint32_t thread)
{
	for (uint32_t i = 0; i < n->arrival.count; i++) {
		const struct arrival *a = &n->arrival.data[i];
		if (a->thread == thread && !a->wait_only && same_barrier(first, a))
			return true;
	}
	return false;
}

/* Fills g->arrived with the threads that have arrived at FIRST's barrier. */
static void find_arrived(const struct node *n, const struct grower *g, const struct arrival *first)
{
	row_clear(g->arrived, g->program->nthreads / 64 + 1);
	for (uint32_t i = 0; i < n->arrival.count; i++) {
		const struct arrival *a = &n->arrival.data[i];
		if (!a->wait_only && same_barrier(first, a))
			row_put(g->arrived, a->thread);
	}
}

static bool all_arrived(const struct node *n, const struct grower *g, const struct arrival *first)
{
	find_arrived(n, g, first);
	for (uint32_t t = 0; t < g->program->nthreads; t++) {
		if (!row_has(g->arrived, t) && participates(n, g, first, t))
			return false;
	}
	return true;
}

/* bar.red: combines the predicates of MEMBER[0..size) and gives each member the result. */
static void reduce_votes(struct node *n, const uint32_t *member, uint32_t size)
{
	uint64_t sum = 0, result;
	for (uint32_t i = 0; i < size; i++)
		sum += n->x.event[n->arrival.data[member[i]].event].value[1] & 1;
	result = sum | (uint64_t)(sum == size) << 32 | (uint64_t)(sum > 0) << 33;
	for (uint32_t i = 0; i < size; i++)
		n->x.event[n->arrival.data[member[i]].event].value[1] = result;
}

/* BARRIER_WARP, BARRIER_TOGETHER: gives each member the values of all: [0] the set of lanes, [1 +
 * lane] their values. Lives as long as the node and its copies. */
static void exchange_values(struct node *n, const uint32_t *member, uint32_t size)
{
	uint64_t *given = node_alloc(n, 33 * sizeof *given);
	memset(given, 0, 33 * sizeof *given);
	for (uint32_t i = 0; i < size; i++) {
		const struct arrival *a = &n->arrival.data[member[i]];
		given[0] |= UINT64_C(1) << (a->number & 31);
		given[1 + (a->number & 31)] = n->x.event[a->event].value[1];
	}
	for (uint32_t i = 0; i < size; i++)
		n->x.event[n->arrival.data[member[i]].event].value[1] = (uint64_t)(uintptr_t)given;
}

/* Completes an uncounted barrier if every participant has arrived. */
static bool complete_uncounted(struct node *n, struct grower *g, uint32_t index)
{
	const struct arrival key = n->arrival.data[index];
	uint32_t *member, size = 0;
	if (!all_arrived(n, g, &key))
		return false;
	member = node_alloc(n, n->arrival.count * sizeof *member);
	for (uint32_t i = 0; i < n->arrival.count; i++) {
		if (same_barrier(&key, &n->arrival.data[i]))
			member[size++] = i;
	}
	for (uint32_t i = 0; key.rule == BARRIER_SITE && i < size; i++)
		order_arrival(n, g, &n->arrival.data[member[i]]);
	if (key.rule != BARRIER_SITE)
		order_members(n, member, size, size);
	if (key.rule == BARRIER_NUMBER)
		reduce_votes(n, member, size);
	if (key.rule == BARRIER_WARP)
		exchange_values(n, member, size);
	for (uint32_t i = 0; i < size; i++)
		release_arrival(n, &n->arrival.data[member[i]]);
	while (size > 0)
		drop_arrival(n, member[--size]);
	return true;
}

/* Orders all present waits of WAIT's phase after its arrivals, at once, and releases them. */
static void complete_waits(struct node *n, const struct arrival *wait)
{
	const struct arrival key = *wait;
	struct execution *x = &n->x;
	uint64_t *from = ROW(x, tmp, SCRATCH_FROM), *to = ROW(x, tmp, SCRATCH_TO);
	uint32_t left = 0;
	row_clear(from, x->words);
	row_clear(to, x->words);
	for (uint32_t i = 0; i < n->arrival.count; i++) {
		struct arrival *a = &n->arrival.data[i];
		bool here = same_barrier(&key, a);
		if (here)
			row_put(a->wait_only ? to : from, a->event);
		if (here && a->wait_only)
			release_arrival(n, a);
		else
			n->arrival.data[left++] = *a;
	}
	n->arrival.count = left;
	if (!row_empty(from, x->words))
		execution_meet(x, from, to);
}

/* Completes a wait if all have arrived in its phase, and with it the others there, unless some
 * arrivals order only what fences before them release. The arrivals are kept for later waits. */
static bool complete_wait(struct node *n, struct grower *g, uint32_t index)
{
	struct arrival *wait = &n->arrival.data[index];
	uint32_t arrived = 0;
	bool unordered = false;
	for (uint32_t i = 0; i < n->arrival.count; i++) {
		const struct arrival *a = &n->arrival.data[i];
		bool here = !a->wait_only && same_barrier(wait, a);
		arrived += here;
		unordered |= here && a->unordered;
	}
	if (wait->count ? arrived < wait->count : !all_arrived(n, g, wait))
		return false;
	if (!unordered) {
		complete_waits(n, wait);
		return true;
	}
	order_arrival(n, g, wait);
	release_arrival(n, wait);
	drop_arrival(n, index);
	return true;
}

/* --- counted barriers --- */

/* The waiting arrivals of a counted barrier, in units of choice: a thread or, in PTX, a warp all of
 * whose threads have arrived. A warp whose threads have all arrived again is another unit. */
struct pool {
	uint32_t unit[MAX_GROUP]; /* index of each unit's first arrival */
	/* by unit, bit set: the units that precede it in base causality, so it cannot pass without
	 * them */
	uint64_t after[MAX_GROUP];
	uint32_t nunits, need; /* number of units; size of the next group */
	bool more;             /* some thread may still arrive */
	bool too_many;
};

static uint32_t warp_of(const struct grower *g, uint32_t thread)
{
	return g->program->warp ? g->program->warp[thread] : thread;
}

static bool in_unit(const struct grower *g, const struct arrival *unit, const struct arrival *a)
{
	if (!arrivals_meet(unit, a) || a->released)
		return false;
	return unit->rule == BARRIER_NUMBER
		? warp_of(g, unit->thread) == warp_of(g, a->thread) && unit->before == a->before
		: a == unit;
}

/* Whether THREAD has arrived as often as the unit. Requires find_arrived(). */
static bool is_here(
	const struct node *n, const struct grower *g, const struct arrival *unit, uint32_t thread)
{
	bool here = row_has(g->arrived, thread);
	if (!here || !unit->before)
		return here;
	here = false;
	for (uint32_t i = 0; i < n->arrival.count && !here; i++) {
		const struct arrival *a = &n->arrival.data[i];
		here = a->thread == thread && a->before == unit->before && arrivals_meet(unit, a);
	}
	return here;
}

/* Whether all threads of the unit's warp that have not ended have arrived. Requires find_arrived().
 */
static bool unit_complete(const struct node *n, const struct grower *g, const struct arrival *unit)
{
	for (uint32_t t = 0; unit->rule == BARRIER_NUMBER && t < g->program->nthreads; t++) {
		if (warp_of(g, t) == warp_of(g, unit->thread) && n->run[t].status != RUN_ENDED &&
			!is_here(n, g, unit, t))
			return false;
	}
	return true;
}

/* Determines which units must precede which. */
static void order_units(const struct node *n, const struct grower *g, struct pool *p)
{
	const struct execution *x = &n->x;
	uint64_t *later = ROW(x, tmp, SCRATCH_FROM);
	for (uint32_t u = 0; u < p->nunits; u++) {
		const struct arrival *unit = &n->arrival.data[p->unit[u]];
		row_clear(later, x->words);
		for (uint32_t i = 0; i < n->arrival.count; i++) {
			if (in_unit(g, unit, &n->arrival.data[i]))
				row_or(later, ROW(x, cb, n->arrival.data[i].event), x->words);
		}
		for (uint32_t v = 0; v < p->nunits; v++) {
			const struct arrival *other = &n->arrival.data[p->unit[v]];
			for (uint32_t i = 0; v != u && i < n->arrival.count; i++) {
				const struct arrival *a = &n->arrival.data[i];
				if (row_has(later, a->event) && in_unit(g, other, a))
					p->after[v] |= UINT64_C(1) << u;
			}
		}
	}
}

static void find_pool(
	const struct node *n, const struct grower *g, const struct arrival *first, struct pool *p)
{
	uint32_t released = 0;
	*p = (struct pool){0};
	find_arrived(n, g, first);
	for (uint32_t i = 0; i < n->arrival.count; i++) {
		const struct arrival *a = &n->arrival.data[i];
		bool known = false;
		if (!arrivals_meet(first, a) || model_stopped(&g->model))
			continue;
		released += a->released;
		for (uint32_t k = 0; k < p->nunits && !known; k++)
			known = in_unit(g, &n->arrival.data[p->unit[k]], a);
		if (known || a->released || !unit_complete(n, g, a))
			continue;
		if (p->nunits == MAX_GROUP)
			p->too_many = true;
		else
			p->unit[p->nunits++] = i;
	}
	p->need = first->rule == BARRIER_NUMBER ? (first->count + 31) / 32
		: released                      ? 1
						: first->count;
	for (uint32_t t = 0; t < g->program->nthreads; t++) {
		uint8_t status = n->run[t].status;
		p->more |= status != RUN_SPINS && status != RUN_BOUND &&
			participates(n, g, first, t) && !row_has(g->arrived, t);
	}
	if (p->nunits > p->need && !p->too_many)
		order_units(n, g, p);
}

/* Whether the SIZE units PICK include all units that must precede any of them. */
static bool is_closed(const struct pool *p, const uint32_t *pick, uint32_t size)
{
	uint64_t set = 0, after = 0;
	for (uint32_t i = 0; i < size; i++) {
		set |= UINT64_C(1) << pick[i];
		after |= p->after[pick[i]];
	}
	return !(after & ~set);
}

/* The OPTION-th possible group; false if there are not as many. MEMBER: positions in p->unit.
 * Groups without a new arrival are skipped: they were deferred before. */
static bool group_option(
	const struct node *n, const struct pool *p, uint32_t option, uint32_t *member)
{
	uint32_t size = p->need, pick[MAX_GROUP];
	if (size > p->nunits || size == 0 || p->too_many)
		return false;
	for (uint32_t i = 0; i < size; i++)
		pick[i] = i;
	for (;;) {
		bool fresh = false;
		for (uint32_t i = 0; i < size; i++)
			fresh |= !n->arrival.data[p->unit[pick[i]]].seen;
		if (fresh && is_closed(p, pick, size) && option-- == 0) {
			memcpy(member, pick, size * sizeof *pick);
			return true;
		}
		uint32_t i = size;
		while (i > 0 && pick[i - 1] == p->nunits - size + i - 1)
			i--;
		if (!i)
			return false;
		pick[i - 1]++;
		for (; i < size; i++)
			pick[i] = pick[i - 1] + 1;
	}
}

/* Recomputes BEFORE of the arrivals that remain at FIRST's barrier. */
static void renumber(struct node *n, const struct arrival *first)
{
	for (uint32_t i = 0; i < n->arrival.count; i++) {
		struct arrival *a = &n->arrival.data[i];
		if (!a->before || !arrivals_meet(first, a))
			continue;
		a->before = 0;
		for (uint32_t k = 0; k < i; k++)
			a->before += n->arrival.data[k].thread == a->thread &&
				arrivals_meet(a, &n->arrival.data[k]);
	}
}

/* Lets the group PICK pass: its members are ordered with each other and, where the barrier stays
 * open, after all that passed before. */
static void pass_group(struct node *n, struct grower *g, const struct pool *p, const uint32_t *pick)
{
	const struct arrival first = n->arrival.data[p->unit[pick[0]]];
	uint32_t *member = node_alloc(n, n->arrival.count * sizeof *member), size = 0, all;
	for (uint32_t k = 0; k < p->need; k++) {
		for (uint32_t i = 0; i < n->arrival.count; i++) {
			if (in_unit(g, &n->arrival.data[p->unit[pick[k]]], &n->arrival.data[i]))
				member[size++] = i;
		}
	}
	all = size;
	for (uint32_t k = 0; k < n->arrival.count; k++) {
		if (n->arrival.data[k].released && arrivals_meet(&first, &n->arrival.data[k]))
			member[all++] = k;
	}
	order_members(n, member, size, all);
	if (first.rule == BARRIER_NUMBER)
		reduce_votes(n, member, size);
	for (uint32_t i = 0; i < size; i++)
		release_arrival(n, &n->arrival.data[member[i]]);
	for (uint32_t i = n->arrival.count; i-- > 0;) {
		struct arrival *a = &n->arrival.data[i];
		if (!arrivals_meet(&first, a))
			continue;
		a->seen = false;
		if (a->released && first.rule == BARRIER_NUMBER)
			drop_arrival(n, i);
	}
	renumber(n, &first);
}

static bool complete_counted(struct node *n, struct grower *g, uint32_t index)
{
	struct pool p;
	uint32_t member[MAX_GROUP], second[MAX_GROUP];
	find_pool(n, g, &n->arrival.data[index], &p);
	if (p.more || !group_option(n, &p, 0, member) || group_option(n, &p, 1, second))
		return false;
	pass_group(n, g, &p, member);
	return true;
}

/* Whether an arrival before number I already waits at the same barrier, so the barrier is examined
 * there and not at I. */
static bool waits_already(const struct node *n, uint32_t i)
{
	const struct arrival *a = &n->arrival.data[i];
	if (a->rule == BARRIER_PHASE)
		return false;
	for (uint32_t k = 0; k < i; k++) {
		const struct arrival *b = &n->arrival.data[k];
		if (a->count ? !b->released && b->count == a->count && arrivals_meet(a, b)
			     : same_barrier(a, b) && !b->count)
			return true;
	}
	return false;
}

bool node_complete_barriers(struct node *n, struct grower *g)
{
	bool some = false;
	for (uint32_t i = 0; i < n->arrival.count && !model_stopped(&g->model);) {
		const struct arrival *a = &n->arrival.data[i];
		bool done = false;
		if (a->released || waits_already(n, i))
			done = false;
		else if (a->rule == BARRIER_TOGETHER)
			done = false;
		else if (a->rule == BARRIER_PHASE)
			done = a->wait_only && complete_wait(n, g, i);
		else
			done = a->count ? complete_counted(n, g, i) : complete_uncounted(n, g, i);
		some |= done;
		i = done ? 0 : i + 1;
	}
	return some;
}

/* Finds the first barrier at which a group can pass now. */
static bool choice_at(const struct node *n, const struct grower *g, struct pool *p)
{
	for (uint32_t i = 0; i < n->arrival.count; i++) {
		const struct arrival *first = &n->arrival.data[i];
		uint32_t member[MAX_GROUP];
		if (first->released || !first->count || first->rule == BARRIER_PHASE ||
			first->rule == BARRIER_TOGETHER)
			continue;
		find_pool(n, g, first, p);
		if (group_option(n, p, 0, member))
			return true;
	}
	return false;
}

static bool counted_choice(const struct node *n, const struct grower *g, uint32_t *noptions)
{
	struct pool p;
	uint32_t member[MAX_GROUP];
	if (!choice_at(n, g, &p))
		return false;
	for (*noptions = 0; group_option(n, &p, *noptions, member);)
		++*noptions;
	*noptions += p.more;
	return true;
}

static void take_counted(struct node *n, struct grower *g, uint32_t option)
{
	struct pool p;
	uint32_t member[MAX_GROUP];
	if (!choice_at(n, g, &p))
		return;
	if (group_option(n, &p, option, member)) {
		pass_group(n, g, &p, member);
		return;
	}
	const struct arrival first = n->arrival.data[p.unit[0]];
	for (uint32_t k = 0; k < n->arrival.count; k++) {
		struct arrival *a = &n->arrival.data[k];
		if (arrivals_meet(&first, a) && !a->released)
			a->seen = true;
	}
}

/* --- lanes that execute an instruction together --- */

enum { MAX_LANES = 7 };

/* The first lane whose group is not chosen yet, the lanes that may continue with it, and whether it
 * may wait for more. Every partition of the lanes is reached in exactly one way, because a lane
 * that waited continues only with a lane that was not present then. */
struct lane_choice {
	uint32_t first, other[MAX_LANES], nothers; /* positions among the arrivals */
	bool more, too_many;
};

static bool find_lanes(const struct node *n, const struct grower *g, struct lane_choice *p)
{
	const struct arrival *all = n->arrival.data, *first = NULL;
	*p = (struct lane_choice){0};
	for (uint32_t i = 0; i < n->arrival.count && !first; i++) {
		if (all[i].rule == BARRIER_TOGETHER && !all[i].seen) {
			first = &all[i];
			p->first = i;
		}
	}
	for (uint32_t i = 0; first && i < n->arrival.count; i++) {
		if (i == p->first || !same_barrier(first, &all[i]))
			continue;
		if (p->nothers == MAX_LANES)
			p->too_many = true;
		else
			p->other[p->nothers++] = i;
	}
	for (uint32_t t = 0; first && t < g->program->nthreads; t++) {
		uint8_t status = n->run[t].status;
		p->more |= t != first->thread && participates(n, g, first, t) &&
			status != RUN_SPINS && status != RUN_BOUND && status != RUN_FAULT &&
			(first->count || !has_arrived(n, first, t));
	}
	return first != NULL;
}

/* The OPTION-th set of lanes that may continue with the first one, as bits of p->other; false if
 * there are not as many. */
static bool lanes_option(
	const struct node *n, const struct lane_choice *p, uint32_t option, uint32_t *set)
{
	const struct arrival *all = n->arrival.data;
	for (*set = 0; *set < 1u << p->nothers; ++*set) {
		uint32_t newest = all[p->first].event, since = 0;
		for (uint32_t left = *set; left; left &= left - 1) {
			const struct arrival *a = &all[p->other[__builtin_ctz(left)]];
			newest = a->event > newest ? a->event : newest;
			since = a->seen && a->since > since ? a->since : since;
		}
		if (newest >= since && option-- == 0)
			return true;
	}
	return false;
}

/* Too many lanes to try all combinations: the first one stops with a fault. */
static void refuse_lanes(struct node *n, const struct lane_choice *p)
{
	struct run *r = &n->run[n->arrival.data[p->first].thread];
	r->status = RUN_FAULT;
	r->unsupported = true;
	r->fault =
		"an instruction that returns which lanes run together, executed by more than 8 lanes of the warp: PTX leaves this open, and there are too many combinations";
	drop_arrival(n, p->first);
}

static void take_lanes(struct node *n, const struct lane_choice *p, uint32_t option)
{
	uint32_t set, size = 0, member[MAX_LANES + 1] = {0};
	if (!lanes_option(n, p, option, &set)) {
		n->arrival.data[p->first].seen = true;
		n->arrival.data[p->first].since = n->x.n;
		return;
	}
	for (uint32_t i = 0; i < n->arrival.count; i++) {
		bool in = i == p->first;
		for (uint32_t k = 0; k < p->nothers; k++)
			in |= (set >> k & 1) && p->other[k] == i;
		if (in)
			member[size++] = i;
	}
	exchange_values(n, member, size);
	for (uint32_t i = 0; i < size; i++)
		release_arrival(n, &n->arrival.data[member[i]]);
	while (size > 0)
		drop_arrival(n, member[--size]);
}

bool node_waits_in_vain(const struct node *n, const struct grower *g)
{
	for (uint32_t i = 0; i < n->arrival.count; i++) {
		const struct arrival *a = &n->arrival.data[i];
		struct pool p;
		if (a->rule == BARRIER_TOGETHER)
			return true;
		if (a->released || !a->count || a->rule == BARRIER_PHASE)
			continue;
		find_pool(n, g, a, &p);
		if (p.need && p.need <= p.nunits && !p.too_many)
			return true;
	}
	return false;
}

/* --- choices --- */

bool node_barrier_choice(struct node *n, struct grower *g, uint32_t *noptions)
{
	struct lane_choice p;
	uint32_t set;
	while (find_lanes(n, g, &p) && p.too_many)
		refuse_lanes(n, &p);
	if (!find_lanes(n, g, &p))
		return counted_choice(n, g, noptions);
	for (*noptions = 0; lanes_option(n, &p, *noptions, &set);)
		++*noptions;
	*noptions += p.more;
	return true;
}

void node_barrier_take(struct node *n, struct grower *g, uint32_t option)
{
	struct lane_choice p;
	if (find_lanes(n, g, &p))
		take_lanes(n, &p, option);
	else
		take_counted(n, g, option);
}
