/* Memory that a thread may still write: the thread is run from where it stopped, with every read
 * unknown and both directions taken at guards that depend on one. The locations written on these
 * paths are all that it can write. Paths that reach the same state of live registers are followed
 * once.
 *
 * Reads of memory that nobody writes are known. What is written is found by assuming that nothing
 * is, walking all threads, adding what they write, and repeating that until nothing is added. By
 * No-thin-air this is all: in an execution that writes elsewhere, take a first such write in the
 * order of dependencies and reads-from. What it depends on was read from writes before it, which
 * are in the set, or has its initial value; so a walk has met this write, too. */
#include "base/assert.h"
#include "explore/ptx/async.h"
#include "explore/ptx/reach.h"
#include "base/map.h"
#include "base/memory.h"
#include <stdlib.h>
#include <string.h>

enum { MAX_EVENTS = 1 << 13, MAX_STATES = 256, MAX_RANGES = 2048, MAX_SWAPS = 64 };

struct walk {
	const struct explore_program *program;
	const struct ptx_client *client;
	const struct ptx_code *code;
	uint32_t thread;
	size_t state_size;
	VEC(void *) open; /* states to continue from */
	struct map seen;
	struct reach *out;
};

/* A hash of everything in S that determines what the thread does next, except the rounds of loops.
 */
static uint64_t state_hash(const struct ptx_code *o, struct ptx_state *s)
{
	uint64_t h = ptx_mix(s->pc, s->element);
	/* an atomic operation writes back before its thread's reach is computed */
	assert(!s->half_done);
	if (s->element)
		h = ptx_mix(h, (uint64_t)s->low << 1 | s->low_known);
	h = ptx_mix(h, (uint64_t)s->over << 32 | s->waited);
	h = ptx_mix(h, s->landed);
	h = ptx_mix(h, s->fetched);
	h = ptx_mix(h, (uint64_t)s->entered << 16 | (uint64_t)s->left << 8 | s->open);
	if (s->issued) {
		h = ptx_mix(h, s->issued);
		h = ptx_mix(h, (uint64_t)s->group[0] << 16 | s->group[1]);
		for (uint32_t k = 0; k < s->issued; k++)
			h = ptx_mix(h, (uint64_t)s->group_of[k] << 8 | s->kind_of[k]);
	}
	for (uint32_t w = 0; w < o->slot_words; w++) {
		uint64_t live = s->element ? ~UINT64_C(0) : o->op[s->pc].live[w],
			 known = ptx_known(o, s)[w] & live;
		h = ptx_mix(h, known);
		for (; known; known &= known - 1) {
			uint32_t k = w * 64 + (uint32_t)__builtin_ctzll(known);
			if (k >= o->nslots)
				break;
			h = ptx_mix(h, s->word[o->slot[k].word]);
			if (o->slot[k].width == 16)
				h = ptx_mix(h, s->word[o->slot[k].word + 1]);
		}
	}
	if (o->local_bytes) {
		for (uint32_t w = 0; w < o->local_bytes / 64 + 1; w++)
			h = ptx_mix(h, ptx_local_known(o, s)[w]);
		for (uint32_t k = 0; k < o->local_bytes; k++) {
			if (row_has(ptx_local_known(o, s), k))
				h = ptx_mix(h, (uint64_t)k << 8 | ptx_local(o, s)[k]);
		}
	}
	for (uint32_t w = 0; s->open && w < o->slot_words; w++)
		h = ptx_mix(h, ptx_open(o, s)[w]);
	for (uint32_t w = 0; s->open && w < o->local_bytes / 64 + 1; w++)
		h = ptx_mix(h, ptx_local_open(o, s)[w]);
	return h;
}

static void add_range(struct walk *w, uint64_t phys, uint64_t size, bool swaps)
{
	struct reach *r = w->out;
	for (uint32_t i = 0; i < r->range.count; i++) {
		if (r->range.data[i].phys == phys && r->range.data[i].size == size) {
			r->range.data[i].swaps &= swaps;
			return;
		}
	}
	if (r->range.count == MAX_RANGES)
		r->anywhere = true;
	else
		*vec_push(&r->range) = (struct range){phys, size, swaps};
}

static void record_range(struct walk *w, uint64_t phys, uint64_t size)
{
	add_range(w, phys, size, false);
}

/* Records what A, the write of a cas, does, if there is room. */
static bool record_swap(struct walk *w, const struct action *a)
{
	struct reach *r = w->out;
	struct swap new = {a->phys, a->value[0], a->value[1], a->size, a->scope};
	for (uint32_t i = 0; i < r->swap.count; i++) {
		const struct swap *s = &r->swap.data[i];
		if (s->phys == new.phys && s->size == new.size && s->value == new.value &&
			s->over == new.over && s->scope == new.scope)
			return true;
	}
	if (r->swap.count == MAX_SWAPS)
		return false;
	*vec_push(&r->swap) = new;
	return true;
}

/* Records a write at an unknown address: anywhere in the state space of its instruction. */
static void record_unknown(struct walk *w, uint32_t place)
{
	const struct ptx_thread_info *t = &w->client->thread[w->thread];
	const uint32_t *cluster = w->client->launch[t->launch].launch->ask.cluster;
	uint16_t space = w->code->ops[place].access.space;
	bool alone = cluster[0] <= 1 && cluster[1] <= 1 && cluster[2] <= 1;
	if (space == W_global)
		record_range(w, 0, PTX_SHARED);
	else if (space == W_shared)
		record_range(w, alone ? PTX_SHARED + t->cta * PTX_SHARED_STEP : PTX_SHARED,
			alone ? PTX_SHARED_STEP : PTX_SHARED);
	else
		w->out->anywhere = true;
}

static void record_copy(struct walk *w, const struct ptx_copy *d)
{
	if (d->n)
		record_range(w, d->to, (uint64_t)d->n * d->size);
	if (d->signals || d->arrives)
		record_range(w, d->bar, 8);
}

/* Follows both directions at the unknown guard of the op at S. False: this path ends, because
 * another one has been here. */
static bool split_at_guard(struct walk *w, struct ptx_state *s, uint16_t guard)
{
	if (!map_add(&w->seen, state_hash(w->code, s) >> 1, 0))
		return false;
	if (w->open.count == MAX_STATES) {
		w->out->anywhere = true;
		return false;
	}
	row_put(ptx_known(w->code, s), guard);
	s->word[w->code->slot[guard].word] = 0;
	void *other = memory_resize(NULL, w->state_size);
	memcpy(other, s, w->state_size);
	*vec_push(&w->open) = other;
	s->word[w->code->slot[guard].word] = 1;
	return true;
}

static void forget_results(const struct walk *w, struct ptx_state *s)
{
	for (const uint16_t *d = w->code->op[s->pc].dest; *d != PTX_NO_SLOT; d++) {
		row_drop(ptx_known(w->code, s), *d);
		if (w->code->has_open)
			row_drop(ptx_open(w->code, s), *d);
	}
	s->pc++;
}

/* Passes a barrier; its results are unknown. */
static void pass_barrier(const struct walk *w, struct ptx_state *s, const struct action *a)
{
	if (a->rule == BARRIER_NUMBER || a->rule == BARRIER_TOGETHER ||
		ptx_object_kind(a->object) == OBJECT_EXCHANGE)
		forget_results(w, s);
}

/* The thread stalls at S for lack of a value: continues with unknown results. False: this path
 * ends. */
static bool walk_stalled(struct walk *w, struct ptx_state *s)
{
	const struct ptx_part *p = &w->code->part[w->code->part_of[s->pc]];
	uint16_t guard = s->pc < w->code->nops ? ptx_slot_at(p, w->code->ops[s->pc].guard)
					       : PTX_NO_SLOT;
	if (guard != PTX_NO_SLOT && !row_has(ptx_known(w->code, s), guard))
		return split_at_guard(w, s, guard);
	switch (w->code->op[s->pc].class) {
	case PTX_MBARRIER:
		if (mbarrier_writes((enum mbarrier_what)w->code->ops[s->pc].mbarrier.what))
			break;
		/* fall through */
	case PTX_BARRIER:
	case PTX_WARP_BARRIER:
	case PTX_TOGETHER:
	case PTX_COLLECTIVE: /* these write nothing */ forget_results(w, s); return true;
	default: break;
	}
	w->out->anywhere = true;
	return false;
}

/* Runs S to its next event or stop. False: this path ends. */
static bool walk_step(struct walk *w, struct ptx_state *s, void *scratch)
{
	struct action a = {.scratch = scratch};
	for (uint32_t k = 0; k < w->code->nheads; k++)
		ptx_rounds(w->code, s)[k] = (struct ptx_rounds){0};
	ptx_step(w->program, w->thread, s, &a);
	switch (a.kind) {
	case ACTION_READ:
		if (!a.rmw && a.address_known && ptx_is_constant(w->program, a.phys, a.size)) {
			a.value_known = a.only = true;
			w->program->initial(w->program, a.phys, a.size, a.value);
		}
		ptx_answer(w->program, w->thread, s, &a);
		return true;
	case ACTION_WRITE:
		if (a.address_known)
			add_range(w, a.phys, a.size, a.swaps && record_swap(w, &a));
		else
			record_unknown(w, a.place);
		return true;
	case ACTION_BARRIER: pass_barrier(w, s, &a); return true;
	case ACTION_ISSUE: record_copy(w, a.payload); return true;
	case ACTION_STALL: return walk_stalled(w, s);
	case ACTION_BOUND: w->out->anywhere = true; return false;
	case ACTION_END:
	case ACTION_SPIN:
	case ACTION_FAULT: return false;
	default: return true;
	}
}

uint64_t ptx_reach_key(const struct explore_program *p, uint32_t thread, void *state)
{
	const struct ptx_client *c = p->client;
	if (c->thread[thread].owner != UINT32_MAX)
		return ptx_mix(thread, 1) >> 1;
	if (!c->launch[c->thread[thread].launch].launch)
		return ptx_mix(thread, 2) >> 1;
	return ptx_mix(state_hash(c->launch[c->thread[thread].launch].code, state), thread) >> 1;
}

void ptx_reach(const struct explore_program *p, uint32_t thread, const void *state, void *scratch,
	struct reach *out)
{
	const struct ptx_client *c = p->client;
	struct walk w = {.program = p,
		.client = c,
		.code = c->launch[c->thread[thread].launch].code,
		.thread = thread,
		.state_size = p->state_size,
		.out = out};
	if (c->thread[thread].owner != UINT32_MAX) {
		record_copy(&w, state);
		return;
	}
	const struct ptx_launch *l = &c->launch[c->thread[thread].launch];
	for (uint32_t k = 0; !l->launch && k < l->nwrites; k++)
		record_range(&w, c->write[l->first_write + k].address,
			c->write[l->first_write + k].size);
	if (!l->launch)
		return;
	void *first = memory_resize(NULL, w.state_size);
	memcpy(first, state, w.state_size);
	((struct ptx_state *)first)->nvisits = 0;
	*vec_push(&w.open) = first;
	while (w.open.count) {
		void *s = w.open.data[--w.open.count];
		while (!out->anywhere && walk_step(&w, s, scratch)) {
			if (++out->steps > MAX_EVENTS)
				out->anywhere = true;
		}
		memory_drop(s);
	}
	vec_free(&w.open);
	map_free(&w.seen);
}

/* --- instructions that are not explored --- */

enum { MAX_LEADS = 1 << 10, MAX_LED_THREADS = 1 << 12 };

/* Fills ENDS, [nops + 1]: whether a thread at the op may end without an unsupported op. Waiting
 * forever is no end. */
static void find_ends(const struct ptx_code *o, bool *ends)
{
	memset(ends, 0, o->nops + 1u);
	ends[o->nops] = true;
	for (bool changed = true; changed;) {
		changed = false;
		for (uint32_t i = o->nops; i-- > 0;) {
			const struct op *op = &o->ops[i];
			bool guarded = !(op->guard & 1), end = guarded && ends[i + 1];
			switch (o->op[i].class) {
			case PTX_UNSUPPORTED: break;
			case PTX_BRANCH: end |= ends[op->branch.target]; break;
			case PTX_BRANCH_INDEX:
			case PTX_CALL:
			case PTX_RETURN:
			case PTX_EXIT:
			case PTX_TRAP: end = true; break;
			default: end = ends[i + 1]; break;
			}
			changed |= end && !ends[i];
			ends[i] |= end;
		}
	}
}

/* The first unsupported op at or after FROM. */
static uint32_t first_unsupported(const struct ptx_code *o, uint32_t from)
{
	while (from < o->nops && o->op[from].class != PTX_UNSUPPORTED)
		from++;
	return from;
}

/* The unsupported op that the thread at S certainly reaches, unless it faults or waits forever
 * before; MODEL_NONE: it is not certain. */
static uint32_t leads_to_refusal(
	struct walk *w, struct ptx_state *s, const bool *ends, void *scratch)
{
	const struct explore_program *p = w->program;
	for (uint32_t k = 0; k < MAX_LEADS; k++) {
		struct action a = {.scratch = scratch};
		for (uint32_t h = 0; h < w->code->nheads; h++)
			ptx_rounds(w->code, s)[h] = (struct ptx_rounds){0};
		ptx_step(p, w->thread, s, &a);
		switch (a.kind) {
		case ACTION_READ:
			if (!a.rmw && a.address_known && ptx_is_constant(p, a.phys, a.size)) {
				a.value_known = a.only = true;
				p->initial(p, a.phys, a.size, a.value);
			}
			ptx_answer(p, w->thread, s, &a);
			break;
		case ACTION_BARRIER: pass_barrier(w, s, &a); break;
		case ACTION_STALL: {
			uint32_t at = ends[s->pc] ? w->code->nops
						  : first_unsupported(w->code, s->pc);
			return at < w->code->nops ? at : MODEL_NONE;
		}
		case ACTION_FAULT:
			return a.unsupported && a.place < w->code->nops &&
					w->code->op[a.place].class == PTX_UNSUPPORTED
				? a.place
				: MODEL_NONE;
		case ACTION_END:
		case ACTION_SPIN:
		case ACTION_BOUND: return MODEL_NONE;
		default: break;
		}
	}
	return MODEL_NONE;
}

void ptx_find_refusal(struct explore_program *p, const struct ptx_client *c)
{
	void *state = memory_zeroed(1, p->state_size),
	     *block = memory_zeroed(1, p->scratch_size + 64),
	     *scratch = (char *)block + (64 - (uintptr_t)block % 64);
	for (uint32_t k = 0; k < c->nlaunches && !p->refusal; k++) {
		const struct ptx_launch *l = &c->launch[k];
		if (!l->launch || first_unsupported(l->code, 0) == l->code->nops)
			continue;
		bool *ends = memory_zeroed(l->code->nops + 1u, sizeof *ends);
		find_ends(l->code, ends);
		for (uint32_t t = l->first_thread; t < c->nmain && c->thread[t].launch == k &&
			t < l->first_thread + MAX_LED_THREADS && !p->refusal;
			t++) {
			struct reach nothing = {0};
			struct walk w = {.program = p,
				.client = c,
				.code = l->code,
				.thread = t,
				.state_size = p->state_size,
				.out = &nothing};
			memset(state, 0, p->state_size);
			p->begin(p, t, state);
			uint32_t at = leads_to_refusal(&w, state, ends, scratch);
			if (at == MODEL_NONE)
				continue;
			p->refusal = l->code->op[at].refusal;
			p->refused_thread = t;
			p->refused_place = at;
		}
		memory_drop(ends);
	}
	memory_drop(state);
	memory_drop(block);
}

/* --- memory that is never written --- */

enum { MAX_WALKS = 16, MAX_WRITTEN_STEPS = 1 << 17 };

bool ptx_is_constant(const struct explore_program *p, uint64_t phys, uint32_t size)
{
	const struct ptx_client *c = p->client;
	if (!c->written_known || phys >= PTX_SHARED)
		return false;
	uint32_t low = 0, high = c->nwritten; /* of the ranges, which are apart and sorted */
	while (low < high) {
		uint32_t mid = low + (high - low) / 2;
		if (c->written[mid].phys + c->written[mid].size <= phys)
			low = mid + 1;
		else
			high = mid;
	}
	return low == c->nwritten || phys + size <= c->written[low].phys;
}

static int compare_ranges(const void *a, const void *b)
{
	const struct range *x = a, *y = b;
	return x->phys < y->phys ? -1 : x->phys > y->phys;
}

/* Sorts the ranges of R and joins those that touch. */
static void join_ranges(struct reach *r)
{
	uint32_t n = 0;
	if (r->range.count)
		qsort(r->range.data, r->range.count, sizeof *r->range.data, compare_ranges);
	for (uint32_t k = 0; k < r->range.count; k++) {
		const struct range *from = &r->range.data[k];
		struct range *last = n ? &r->range.data[n - 1] : NULL;
		if (!last || from->phys > last->phys + last->size)
			r->range.data[n++] = *from;
		else if (from->phys + from->size > last->phys + last->size)
			last->size = from->phys + from->size - last->phys;
	}
	r->range.count = n;
}

/* Adds to ALL what the threads of C write. False: that is not known, or takes too long. */
static bool add_written(const struct explore_program *p, const struct ptx_client *c, void *state,
	void *scratch, uint32_t *steps, struct reach *all)
{
	for (uint32_t t = 0; t < c->nmain; t++) {
		struct reach one = {0};
		memset(state, 0, p->state_size);
		p->begin(p, t, state);
		ptx_reach(p, t, state, scratch, &one);
		for (uint32_t k = 0; k < one.range.count; k++) {
			if (one.range.data[k].phys < PTX_SHARED)
				*vec_push(&all->range) = one.range.data[k];
		}
		vec_free(&one.range);
		vec_free(&one.swap);
		*steps += one.steps + 1;
		if (one.anywhere || *steps > MAX_WRITTEN_STEPS)
			return false;
	}
	join_ranges(all);
	return true;
}

static uint64_t bytes_of(const struct range *range, uint32_t n)
{
	uint64_t bytes = 0;
	for (uint32_t k = 0; k < n; k++)
		bytes += range[k].size;
	return bytes;
}

void ptx_find_written(const struct explore_program *p, struct ptx_client *c, struct arena *arena)
{
	struct reach all = {0};
	uint32_t steps = 0;
	void *state = memory_zeroed(1, p->state_size),
	     *block = memory_zeroed(1, p->scratch_size + 64),
	     *scratch = (char *)block + (64 - (uintptr_t)block % 64);
	bool known = !p->aliases, more = true;
	for (uint32_t k = 0; known && more; k++) {
		uint64_t had = bytes_of(c->written, c->nwritten);
		c->written_known = true; /* which is assumed */
		known = k < MAX_WALKS && add_written(p, c, state, scratch, &steps, &all);
		more = bytes_of(all.range.data, all.range.count) != had;
		c->nwritten = all.range.count;
		if (c->nwritten)
			c->written = arena_copy(arena, all.range.data,
				c->nwritten * sizeof *all.range.data, _Alignof(struct range));
	}
	c->written_known = known;
	vec_free(&all.range);
	memory_drop(state);
	memory_drop(block);
}
