/* Extends a node: runs threads as far as known values allow, and adds their events to the execution
 * graph. */
#include "explore/search/explore.h"
#include "explore/search/graph.h"
#include "base/memory.h"
#include <stdlib.h>
#include <string.h>

struct store_block {
	struct store_block *next;
	size_t size;
	uint64_t data[];
};

void grower_init(struct grower *g, const struct explore_program *p, uint32_t off)
{
	*g = (struct grower){.program = p, .max_events = EXPLORE_EVENTS};
	g->model = (struct model){
		.place = p->place, .nthreads = p->nthreads, .helpers = p->nhelpers, .off = off};
	g->one_gpu = true;
	for (uint32_t t = 1; t < p->nthreads; t++)
		g->one_gpu &= p->place[t].gpu == p->place[0].gpu;
	g->state = memory_zeroed(1, p->state_size);
	g->before = memory_zeroed(1, p->state_size);
	g->arrived = memory_zeroed(p->nthreads / 64 + 1, sizeof *g->arrived);
	g->scratch_block = memory_zeroed(1, p->scratch_size + 64);
	g->scratch = (char *)g->scratch_block + (64 - (uintptr_t)g->scratch_block % 64);
}

void grower_free(struct grower *g)
{
	map_free(&g->locations.virt_map);
	map_free(&g->locations.phys_map);
	vec_free(&g->locations.virt);
	vec_free(&g->locations.phys);
	memory_drop(g->state);
	memory_drop(g->before);
	memory_drop(g->arrived);
	memory_drop(g->scratch_block);
	map_free(&g->reach_map);
	map_free(&g->cut_map);
	map_free(&g->past_map);
	vec_free(&g->past);
	vec_free(&g->cut);
	for (uint32_t i = 0; i < g->reach.count; i++) {
		vec_free(&g->reach.data[i].range);
		vec_free(&g->reach.data[i].swap);
	}
	vec_free(&g->reach);
}

static uint64_t cut_key(uint32_t place, uint32_t size) { return (uint64_t)place * 32 + size; }

void grower_cut(struct grower *g, const struct explore_cut *cut)
{
	map_add(&g->cut_map, cut_key(cut->place, cut->size), cut->piece);
}

/* The size of the pieces of an access of SIZE bytes at PLACE, in bytes. */
static uint32_t piece_size(const struct grower *g, uint32_t place, uint32_t size)
{
	return map_get(
		&g->cut_map, cut_key(place, size), g->model.off & OFF_WHOLE && size > 4 ? 4 : size);
}

static uint64_t location_key(uint64_t address, uint32_t size) { return address * 32 + size; }

uint32_t grower_find_phys(const struct grower *g, uint64_t address, uint32_t size)
{
	return map_get(&g->locations.phys_map, location_key(address, size), MODEL_NONE);
}

uint32_t grower_phys(struct grower *g, uint64_t address, uint32_t size)
{
	struct locations *l = &g->locations;
	uint32_t id = grower_find_phys(g, address, size);
	if (id != MODEL_NONE)
		return id;
	id = l->phys.count;
	bool overlaps = false;
	for (uint32_t i = 0; i < id; i++) {
		if (l->phys.data[i].address < address + size &&
			address < l->phys.data[i].address + l->phys.data[i].size)
			l->phys.data[i].overlaps = overlaps = true;
	}
	vec_reserve(&l->phys, 1);
	l->phys.data[id].address = address;
	l->phys.data[id].size = (uint8_t)size;
	l->phys.data[id].overlaps = overlaps;
	l->phys.count++;
	l->overlap |= overlaps;
	map_add(&l->phys_map, location_key(address, size), id);
	return id;
}

static uint32_t grower_virt(struct grower *g, uint64_t address, uint32_t size, uint32_t phys)
{
	struct locations *l = &g->locations;
	uint32_t id = map_get(&l->virt_map, location_key(address, size), MODEL_NONE);
	if (id != MODEL_NONE)
		return id;
	id = l->virt.count;
	vec_reserve(&l->virt, 1);
	l->virt.data[id].address = address;
	l->virt.data[id].phys = phys;
	l->virt.data[id].size = (uint8_t)size;
	l->virt.count++;
	map_add(&l->virt_map, location_key(address, size), id);
	return id;
}

void node_init(struct node *n, struct grower *g)
{
	memset(n, 0, sizeof *n);
	execution_init(&n->x, &g->model);
	n->run = memory_zeroed(g->program->nthreads, sizeof *n->run);
}

void node_free(struct node *n)
{
	execution_free(&n->x);
	packed_free(&n->packed);
	memory_drop(n->run);
	vec_free(&n->deferral);
	vec_free(&n->arrival);
	vec_free(&n->exchange);
	for (struct store_block *b = n->store_first; b;) {
		struct store_block *next = b->next;
		memory_drop(b);
		b = next;
	}
}

void *node_alloc(struct node *n, size_t size)
{
	size = (size + 7) / 8 * 8;
	while (!n->store || n->store_used + size > n->store->size) {
		struct store_block *next = n->store ? n->store->next : n->store_first;
		if (!next) {
			size_t bytes = size > 8192 ? size : 8192;
			next = memory_resize(NULL, sizeof *next + bytes);
			next->next = NULL;
			next->size = bytes;
			if (n->store)
				n->store->next = next;
			else
				n->store_first = next;
		}
		n->store = next;
		n->store_used = 0;
	}
	void *p = (char *)n->store->data + n->store_used;
	n->store_used += size;
	return p;
}

size_t node_bytes(const struct node *n)
{
	return execution_bytes(&n->x) + n->packed.word.count * sizeof(uint64_t) + n->store_used +
		n->deferral.count * sizeof *n->deferral.data +
		n->arrival.count * sizeof *n->arrival.data +
		n->exchange.count * sizeof *n->exchange.data;
}

static void node_forget(struct node *n)
{
	n->store = n->store_first;
	n->store_used = 0;
}

void node_begin(struct node *n, struct grower *g)
{
	const struct explore_program *p = g->program;
	execution_reset(&n->x);
	node_forget(n);
	n->deferral.count = n->arrival.count = n->exchange.count = 0;
	n->plan = (struct plan){0};
	n->stage = 0;
	for (uint32_t t = 0; t < p->nthreads; t++) {
		if (t >= p->nthreads - p->nhelpers) { /* ended until it is issued */
			n->run[t] = (struct run){.last = MODEL_NONE, .status = RUN_ENDED};
			continue;
		}
		void *state = node_alloc(n, p->state_size);
		memset(state, 0, p->state_size);
		p->begin(p, t, state);
		n->run[t] = (struct run){.state = state, .last = MODEL_NONE, .stale = true};
	}
}

/* Copies everything but the execution. */
static void copy_threads(struct node *to, const struct node *from, struct grower *g)
{
	node_forget(to);
	memcpy(to->run, from->run, g->program->nthreads * sizeof *to->run);
	to->deferral.count = to->arrival.count = to->exchange.count = 0;
	to->plan = from->plan;
	to->stage = from->stage;
	if (from->deferral.count) {
		vec_reserve(&to->deferral, from->deferral.count);
		memcpy(to->deferral.data, from->deferral.data,
			from->deferral.count * sizeof *to->deferral.data);
		to->deferral.count = from->deferral.count;
	}
	if (from->arrival.count) {
		vec_reserve(&to->arrival, from->arrival.count);
		memcpy(to->arrival.data, from->arrival.data,
			from->arrival.count * sizeof *to->arrival.data);
		to->arrival.count = from->arrival.count;
	}
	if (from->exchange.count) {
		vec_reserve(&to->exchange, from->exchange.count);
		memcpy(to->exchange.data, from->exchange.data,
			from->exchange.count * sizeof *to->exchange.data);
		to->exchange.count = from->exchange.count;
	}
}

void node_copy(struct node *to, const struct node *from, struct grower *g)
{
	if (from->packed.word.count)
		execution_unpack(&to->x, &from->packed);
	else
		execution_copy(&to->x, &from->x);
	copy_threads(to, from, g);
}

static void swap_executions(struct node *a, struct node *b)
{
	struct execution x = a->x;
	a->x = b->x;
	b->x = x;
}

void node_pack(struct node *n, struct node *to, struct grower *g)
{
	execution_pack(&n->x, &n->packed);
	swap_executions(n, to);
	copy_threads(to, n, g);
}

void node_unpack(struct node *n, struct node *from)
{
	swap_executions(n, from);
	execution_unpack(&n->x, &n->packed);
	packed_free(&n->packed);
}

void node_read_from(struct node *n, uint32_t w, uint32_t r)
{
	execution_read_from(&n->x, w, r);
	n->run[n->x.event[r].thread].stale = true;
}

void node_initial(
	struct node *n, uint32_t phys, uint32_t size, const uint64_t value[2], uint16_t more)
{
	struct event init = {.kind = EVENT_WRITE,
		.flags = (uint16_t)(EVENT_INITIAL | EVENT_KNOWN | more),
		.size = (uint8_t)size,
		.thread = UINT16_MAX,
		.virt = MODEL_NONE,
		.phys = phys,
		.rf = MODEL_NONE,
		.partner = MODEL_NONE,
		.group = MODEL_NONE,
		.place = MODEL_NONE,
		.value = {value[0], value[1]}};
	execution_add(&n->x, &init);
}

static void ensure_initial(
	struct node *n, struct grower *g, const struct event *e, const struct action *a)
{
	const struct execution *x = &n->x;
	uint64_t value[2];
	if (e->phys < x->nphys && !row_empty(ROW(x, phys, e->phys), x->words))
		return;
	g->program->initial(g->program, a->phys, a->size, value);
	node_initial(n, e->phys, e->size, value, 0);
}

/* The last read of THREAD at or before event LAST; of a read in pieces, its piece at PART. */
static uint32_t last_read(const struct execution *x, uint32_t thread, uint32_t last, uint8_t part)
{
	while (last != MODEL_NONE &&
		(x->event[last].kind != EVENT_READ || x->event[last].part != part)) {
		last = row_before(ROW(x, thread, thread), last);
	}
	return last;
}

/* The semantics with which a fence of SEM is treated. A relaxed fence does nothing. */
static uint8_t fence_sem(enum explore_fences fences, uint8_t sem)
{
	switch (fences) {
	case FENCES_ACQ_REL: return sem == SEM_SC ? SEM_ACQ_REL : sem;
	case FENCES_SC: return SEM_SC;
	case FENCES_NONE: return SEM_RELAXED;
	case FENCES_WRITTEN:
	default: return sem;
	}
}

/* Returns the event of action A. */
static struct event make_event(
	struct node *n, struct grower *g, uint32_t thread, uint32_t last, const struct action *a)
{
	static const uint8_t kind[] = {EVENT_READ, EVENT_WRITE, EVENT_FENCE, EVENT_PROXY_FENCE,
		EVENT_BARRIER, EVENT_BARRIER};
	struct event e = {.kind = kind[a->kind],
		.sem = a->sem,
		.scope = a->scope,
		.proxy = a->proxy,
		.where = a->where,
		.size = a->size,
		.thread = (uint16_t)thread,
		.virt = MODEL_NONE,
		.phys = MODEL_NONE,
		.rf = MODEL_NONE,
		.partner = MODEL_NONE,
		.group = MODEL_NONE,
		.place = a->place};
	e.quiet = a->quiet;
	if (a->kind == ACTION_FENCE)
		e.sem = fence_sem((enum explore_fences)g->fences, a->sem);
	if (a->kind != ACTION_READ && a->kind != ACTION_WRITE)
		return e;
	if (a->address_known) {
		e.phys = grower_phys(g, a->phys, a->size);
		e.virt = grower_virt(g, a->virt, a->size, e.phys);
	}
	if (a->element)
		e.flags |= (uint16_t)(EVENT_ELEMENT | (a->paired ? EVENT_PAIRED : 0));
	if (a->sizeless)
		e.flags |= EVENT_SIZELESS;
	e.part = a->part;
	e.whole = a->whole;
	if (a->kind == ACTION_READ) {
		e.value[0] = a->value[0];
		e.asks = a->value[0] & 1;
		e.flags |= a->once ? EVENT_ONCE : 0;
	}
	if (a->reduction)
		e.flags |= EVENT_REDUCTION;
	if (a->kind == ACTION_WRITE && a->rmw) {
		e.partner = last_read(&n->x, thread, last, a->part);
		e.flags |= EVENT_RMW;
	}
	if (a->kind == ACTION_WRITE && (a->value_known || a->swaps)) {
		e.flags |= a->swaps ? EVENT_SWAPS : EVENT_KNOWN;
		e.value[0] = a->value[0];
		e.value[1] = a->value[1];
	}
	if (!a->address_known || a->none || a->maybe) {
		e.kind = EVENT_VOID;
		e.flags = (uint16_t)((e.flags &
					     (EVENT_ELEMENT | EVENT_PAIRED | EVENT_SIZELESS |
						     EVENT_SWAPS)) |
			(a->none ? 0 : EVENT_MAYBE));
	}
	return e;
}

static void want_piece(struct grower *g, uint32_t place, uint8_t whole, uint32_t piece)
{
	if (piece < piece_size(g, place, whole))
		*vec_push(&g->cut) = (struct explore_cut){place, whole, (uint8_t)piece};
}

/* Requests that the accesses of location P, also those of earlier stages, be split into pieces of
 * at most PIECE bytes. */
static void want_pieces(const struct execution *x, struct grower *g, uint32_t p, uint32_t piece)
{
	ROW_EACH(ROW(x, phys, p), x->words, i) {
		const struct event *e = &x->event[i];
		if (!(e->flags & EVENT_INITIAL))
			want_piece(g, e->place, e->whole, piece);
	}
	for (uint32_t k = 0; k < g->past.count; k++) {
		if (g->past.data[k].phys == p)
			want_piece(g, g->past.data[k].place, g->past.data[k].whole, piece);
	}
}

static bool has_write(const struct execution *x, uint32_t p)
{
	ROW_EACH(ROW(x, phys, p), x->words, i) {
		if (x->event[i].kind == EVENT_WRITE &&
			(x->event[i].flags & (EVENT_INITIAL | EVENT_LEFT)) != EVENT_INITIAL)
			return true;
	}
	return false;
}

/* Access ID is new at a location that overlaps others. If it or such another location is written,
 * requests that the accesses of both be split at common boundaries. */
static void meet_sizes(const struct execution *x, struct grower *g, uint32_t id)
{
	const struct locations *l = &g->locations;
	uint32_t p = x->event[id].phys;
	for (uint32_t q = 0; q < x->nphys; q++) {
		uint64_t a = l->phys.data[p].address, b = l->phys.data[q].address;
		uint32_t n = l->phys.data[p].size, m = l->phys.data[q].size, piece = n < m ? n : m;
		if (q == p || a >= b + m || b >= a + n || row_empty(ROW(x, phys, q), x->words) ||
			!(has_write(x, p) || has_write(x, q)))
			continue;
		while ((a - b) % piece)
			piece--;
		want_pieces(x, g, p, piece);
		want_pieces(x, g, q, piece);
	}
}

/* The first event of the access of which A is a piece, or MODEL_NONE if A is a whole access. */
static uint32_t first_piece_of(
	const struct execution *x, const struct action *a, uint32_t id, uint32_t last)
{
	if (a->whole == a->size || (a->kind != ACTION_READ && a->kind != ACTION_WRITE))
		return MODEL_NONE;
	return a->part || (a->kind == ACTION_WRITE && (a->rmw || a->paired)) ? x->event[last].group
									     : id;
}

/* The event of THREAD after LAST (MODEL_NONE: its first), or ROW_END. */
static uint32_t next_event_of(const struct execution *x, uint32_t thread, uint32_t last)
{
	return row_next(ROW(x, thread, thread), x->words, last == MODEL_NONE ? 0 : last + 1);
}

/* Adds or updates the event of action A, which follows LAST in THREAD; returns it. */
static uint32_t add_event(
	struct node *n, struct grower *g, uint32_t thread, uint32_t last, const struct action *a)
{
	struct execution *x = &n->x;
	uint32_t id = next_event_of(x, thread, last);
	if (id != ROW_END && !(x->event[id].flags & EVENT_MAYBE)) {
		if (x->event[id].kind == EVENT_WRITE && a->value_known &&
			!(x->event[id].flags & EVENT_KNOWN))
			execution_know(x, id, a->value);
		return id;
	}
	struct event e = make_event(n, g, thread, last, a);
	if (event_access(&e))
		ensure_initial(n, g, &e, a);
	e.group = first_piece_of(x, a, id == ROW_END ? x->n : id, last);
	if (id == ROW_END) {
		id = execution_add(x, &e);
	} else if (e.kind == EVENT_VOID) {
		x->event[id].flags = e.flags;
		x->event[id].phys = e.phys;
		x->event[id].virt = e.virt;
		memcpy(x->event[id].value, e.value, sizeof e.value);
		return id;
	} else {
		execution_activate(x, id, &e);
	}
	if (event_access(&e) && g->locations.phys.data[e.phys].overlaps)
		meet_sizes(x, g, id);
	return id;
}

static void add_arrival(struct node *n, uint32_t event, uint32_t thread, const struct action *a)
{
	struct arrival *v = vec_push(&n->arrival);
	uint64_t key = a->object * 2 + a->wait_only;
	*v = (struct arrival){.object = a->object,
		.event = event,
		.thread = thread,
		.number = a->number,
		.count = a->count,
		.rule = a->rule,
		.arrive_only = a->arrive_only,
		.wait_only = a->wait_only,
		.unordered = a->unordered};
	ROW_EACH(ROW(&n->x, thread, thread), n->x.words, i) {
		const struct event *e = &n->x.event[i];
		if (i < event && e->kind == EVENT_BARRIER && e->value[0] == key)
			v->occurrence++;
	}
	for (uint32_t k = 0; a->rule == BARRIER_NUMBER && k + 1 < n->arrival.count; k++) {
		const struct arrival *b = &n->arrival.data[k];
		v->before += b->thread == thread && b->rule == a->rule && b->object == a->object;
	}
	n->x.event[event].value[0] = key;
	n->x.event[event].value[1] = a->value[1];
}

/* Starts the asynchronous operation that event ID issues. */
static void start_operation(struct node *n, struct grower *g, uint32_t id, const struct action *a)
{
	const struct explore_program *p = g->program;
	struct event e = {.kind = EVENT_BARRIER,
		.thread = (uint16_t)a->helper,
		.virt = MODEL_NONE,
		.phys = MODEL_NONE,
		.rf = MODEL_NONE,
		.partner = MODEL_NONE,
		.group = MODEL_NONE,
		.place = a->place};
	void *state = node_alloc(n, p->state_size);
	memset(state, 0, p->state_size);
	p->start(p, a->helper, state, a->payload);
	if (!a->releases)
		execution_issue(&n->x, a->helper, id);
	uint32_t first = execution_add(&n->x, &e);
	if (a->releases)
		execution_meet_one(&n->x, id, first);
	n->run[a->helper] = (struct run){
		.state = state, .last = first, .place = a->place, .stale = true};
}

/* Answers action A of event ID; true if nothing about it is still open. */
static bool answer_action(struct node *n, uint32_t id, struct action *a)
{
	const struct event *e = &n->x.event[id];
	switch (a->kind) {
	case ACTION_READ:
		a->value_known = e->kind == EVENT_READ && e->rf != MODEL_NONE;
		a->only = e->flags & EVENT_ONLY;
		if (a->value_known) {
			a->value[0] = e->value[0];
			a->value[1] = e->value[1];
		}
		return a->value_known;
	case ACTION_WRITE:
		return !(e->flags & EVENT_MAYBE) &&
			(e->kind == EVENT_VOID || e->flags & EVENT_KNOWN);
	case ACTION_BARRIER:
		a->value[1] = e->value[1];
		a->value_known = e->flags & EVENT_DONE;
		return a->arrive_only || a->value_known;
	default: return true;
	}
}

/* Updates the event of an undecided read with what is known about it now. */
static void update_read(struct event *e, const struct action *a)
{
	if (a->kind != ACTION_READ || e->rf != MODEL_NONE)
		return;
	e->quiet = a->quiet; /* it may have become quiet */
	e->value[0] = a->value[0];
	e->asks = a->value[0] & 1;
}

/* Adds access A in pieces of SIZE bytes after *LAST, which becomes its last event, and answers it;
 * true if nothing about it is still open. A piece of a read is never quiet, and none of a cas says
 * what it swaps. */
static bool add_pieces(struct node *n, struct grower *g, uint32_t thread, uint32_t *last,
	struct action *a, uint32_t size)
{
	bool settled = true, known = true, only = true;
	uint64_t value[2] = {0};
	for (uint32_t at = 0; at < a->size; at += size) {
		struct action p = *a;
		p.part = (uint8_t)at;
		p.size = (uint8_t)size;
		p.virt += at;
		p.phys += at;
		p.quiet = QUIET_NOT;
		p.swaps = p.once = false;
		p.paired |= a->kind == ACTION_WRITE && a->rmw;
		p.element |= at || p.paired;
		p.value[0] = p.value[1] = 0;
		memcpy(p.value, (const char *)a->value + at, size);
		*last = add_event(n, g, thread, *last, &p);
		update_read(&n->x.event[*last], &p);
		settled &= answer_action(n, *last, &p);
		known &= p.value_known;
		only &= p.only;
		if (a->kind == ACTION_READ)
			memcpy((char *)value + at, p.value, size);
	}
	if (a->kind == ACTION_READ) {
		a->value_known = known;
		a->only = only;
		memcpy(a->value, value, sizeof value);
	}
	return settled;
}

/* The number of events that the last ACTIONS actions of THREAD made. */
static uint32_t events_of(const struct execution *x, uint32_t thread, uint32_t actions)
{
	uint32_t first = 0, n = 0;
	ROW_EACH(ROW(x, thread, thread), x->words, i)
		first += !x->event[i].part;
	first -= actions;
	ROW_EACH(ROW(x, thread, thread), x->words, i) {
		if (!x->event[i].part && first)
			first--;
		else
			n += !first;
	}
	return n;
}

/* Saves STATE, from which the thread is rerun. */
static void save_state(
	struct node *n, struct grower *g, struct run *r, const void *state, uint32_t last)
{
	void *copy = node_alloc(n, g->program->state_size);
	memcpy(copy, state, g->program->state_size);
	r->state = copy;
	r->last = last;
}

/* The index in g->reach of what THREAD, which stopped in g->state, may still write; or MODEL_NONE.
 */
static uint32_t find_reach(struct grower *g, uint32_t thread)
{
	enum { MAX_REACHES = 1 << 16 };
	const struct explore_program *p = g->program;
	if (!p->reach)
		return MODEL_NONE;
	uint64_t key = p->reach_key(p, thread, g->state);
	uint32_t id = map_get(&g->reach_map, key, MODEL_NONE);
	if (id != MODEL_NONE || g->reach.count == MAX_REACHES)
		return id;
	id = g->reach.count;
	struct reach *r = vec_push(&g->reach);
	*r = (struct reach){.anywhere = false};
	p->reach(p, thread, g->state, g->scratch, r);
	g->work[WORK_REACHES]++;
	g->work[WORK_REACH_STEPS] += r->steps;
	map_add(&g->reach_map, key, id);
	return id;
}

bool node_may_write(
	const struct node *n, const struct grower *g, uint32_t thread, uint64_t phys, uint32_t size)
{
	const struct run *run = &n->run[thread];
	const struct reach *r = run->reach == MODEL_NONE ? NULL : &g->reach.data[run->reach];
	if (!r || r->anywhere)
		return g->program->may_write(g->program, thread, run->place, phys, size);
	for (uint32_t i = 0; i < r->range.count; i++) {
		if (r->range.data[i].phys < phys + size &&
			phys < r->range.data[i].phys + r->range.data[i].size)
			return true;
	}
	return false;
}

static void stop_thread(struct grower *g, uint32_t thread, struct run *r, const struct action *a)
{
	static const uint8_t status[] = {[ACTION_STALL] = RUN_STALLED,
		[ACTION_END] = RUN_ENDED,
		[ACTION_SPIN] = RUN_SPINS,
		[ACTION_BOUND] = RUN_BOUND,
		[ACTION_FAULT] = RUN_FAULT,
		[ACTION_BARRIER] = RUN_BLOCKED};
	r->status = status[a->kind];
	r->place = a->place;
	r->spin_events = a->spin_events;
	r->fault = a->text;
	r->unsupported = a->unsupported;
	r->reach = r->status < RUN_ENDED ? find_reach(g, thread) : MODEL_NONE;
}

/* THREAD spins. Atoms of its last round that wrote back the value they read have no observable
 * effect, provided that every write there is morally strong with them; they are turned into reads.
 * False: one of them was read from, so this execution is equivalent to another, in which it was
 * not. */
static bool quieten_atoms(struct node *n, struct grower *g, uint32_t thread, struct action *a)
{
	const struct explore_program *p = g->program;
	struct execution *x = &n->x;
	const uint64_t *all = ROW(x, thread, thread);
	uint32_t k = 0, skip = row_count(all, x->words) - a->spin_events;
	ROW_EACH(all, x->words, id) {
		const struct event *e = &x->event[id];
		if (k++ < skip || e->kind != EVENT_WRITE || !(e->flags & EVENT_RMW))
			continue;
		for (uint32_t r = 0; r < x->n; r++) {
			if (x->event[r].kind != EVENT_READ || x->event[r].rf != id)
				continue;
			/* a commuted atom had no choice but to read from it */
			g->regret |= row_has(ROW(x, set, SET_COMMUTED), r);
			return false;
		}
		if (!p->may_race ||
			p->may_race(p, thread, e->scope, g->locations.phys.data[e->phys].address,
				e->size)) {
			a->kind = ACTION_BOUND;
			return true;
		}
		execution_retract(x, id);
	}
	return true;
}

/* THREAD was found to spin after event LAST, given what its last ACTIONS actions read, but it had
 * continued before that was known: this execution is equivalent to one with fewer rounds. Whether
 * no other thread has overwritten what it read: then it may also spin forever, in an execution
 * without further rounds, which the search may not reach. */
static bool may_spin(const struct execution *x, uint32_t thread, uint32_t last, uint32_t actions)
{
	const uint64_t *all = ROW(x, thread, thread);
	uint32_t count = 0, k = 0;
	ROW_EACH(all, x->words, id)
		count += id <= last && !x->event[id].part;
	ROW_EACH(all, x->words, id) {
		const struct event *e = &x->event[id];
		k += !e->part;
		if (id > last || k + actions <= count || e->kind != EVENT_READ)
			continue;
		if (e->rf == MODEL_NONE)
			return false;
		ROW_EACH(RARE(x, co, e->rf), x->words, w) {
			if (x->event[w].thread != thread)
				return false;
		}
	}
	return true;
}

/* THREAD faults after LAST: later writes whose values are not known yet do not happen. No read
 * waits for them any more, so deferred reads may read from the earlier writes again. */
static void drop_later_writes(struct node *n, uint32_t thread, uint32_t last)
{
	struct execution *x = &n->x;
	ROW_EACH(ROW(x, thread, thread), x->words, id) {
		struct event *e = &x->event[id];
		if (last != MODEL_NONE && id <= last)
			continue;
		if (e->kind == EVENT_WRITE && !(e->flags & EVENT_KNOWN)) {
			execution_retract(x, id);
			n->deferral.count = 0;
		} else if (e->kind == EVENT_VOID)
			e->flags &= (uint16_t)~EVENT_MAYBE;
	}
}

/* Runs THREAD from its saved state until it stops. False: see node_run. */
static bool run_thread(struct node *n, struct grower *g, uint32_t thread)
{
	const struct explore_program *p = g->program;
	struct run *r = &n->run[thread];
	uint32_t last = r->last;
	bool settled = true; /* all actions so far are */
	uint32_t steps = 0;
	memcpy(g->state, r->state, p->state_size);
	r->stale = false;
	for (;; steps++) {
		if (settled)
			memcpy(g->before, g->state, p->state_size);
		if ((steps & 15) == 15 && model_stopped(&g->model))
			return false;
		struct action a = {.scratch = g->scratch};
		g->work[WORK_STEPS]++;
		p->step(p, thread, g->state, &a);
		if (a.kind >= ACTION_STALL) {
			uint32_t actions = a.kind == ACTION_SPIN ? a.spin_events : 0;
			if (a.kind == ACTION_SPIN)
				a.spin_events = events_of(&n->x, thread, a.spin_events);
			if (settled && a.kind == ACTION_END)
				save_state(n, g, r, g->state, last); /* with its final registers */
			else if (settled && steps)
				save_state(n, g, r, g->before, last);
			if (a.kind == ACTION_SPIN && !quieten_atoms(n, g, thread, &a))
				return false;
			if (a.kind == ACTION_FAULT)
				drop_later_writes(n, thread, last);
			stop_thread(g, thread, r, &a);
			if (a.kind != ACTION_SPIN || next_event_of(&n->x, thread, last) == ROW_END)
				return true;
			g->lost_spin |= last != MODEL_NONE &&
				may_spin(&n->x, thread, last, actions);
			return false;
		}
		bool access = a.kind == ACTION_READ || a.kind == ACTION_WRITE, done;
		uint32_t known = n->x.n, id = last,
			 piece = access ? piece_size(g, a.place, a.size) : 0;
		a.whole = a.size;
		if (piece < a.size) {
			done = add_pieces(n, g, thread, &id, &a, piece);
		} else {
			id = add_event(n, g, thread, last, &a);
			update_read(&n->x.event[id], &a);
			if (a.kind == ACTION_BARRIER && n->x.n != known)
				add_arrival(n, id, thread, &a);
			if (a.kind == ACTION_ISSUE && n->x.n != known)
				start_operation(n, g, id, &a);
			done = answer_action(n, id, &a);
		}
		if (n->x.n > g->max_events) {
			g->too_large = true;
			return false;
		}
		if (g->cut.count)
			return false;
		if (!done) {
			if (settled && steps)
				save_state(n, g, r, g->before, last);
			settled = false;
			if (a.kind == ACTION_BARRIER) {
				stop_thread(g, thread, r, &a);
				return true;
			}
		}
		if (a.kind == ACTION_READ || a.kind == ACTION_BARRIER)
			p->answer(p, thread, g->state, &a);
		for (uint32_t i = last; a.acquires && i != id;) {
			i = next_event_of(&n->x, thread, i);
			execution_acquire(&n->x, i);
		}
		last = id;
	}
}

bool explore_mixed_less(const struct explore_mixed *a, const struct explore_mixed *b)
{
	if (!b->some)
		return true;
	for (unsigned k = 0; k < 2; k++) {
		if (a->thread[k] != b->thread[k])
			return a->thread[k] < b->thread[k];
		if (a->place[k] != b->place[k])
			return a->place[k] < b->place[k];
	}
	return false;
}

void explore_mixed_merge(struct explore_mixed *to, const struct explore_mixed *from)
{
	if (from->some && explore_mixed_less(from, to))
		*to = *from;
}

bool node_run(struct node *n, struct grower *g)
{
	for (uint32_t t = 0; t < g->program->nthreads; t++) {
		if (n->run[t].stale && (model_stopped(&g->model) || !run_thread(n, g, t)))
			return false;
	}
	return true;
}
