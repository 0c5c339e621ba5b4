/* CTA barriers 0 to 15, counted by warp as hardware does: an arriving warp counts for all its 32
 * threads, whichever lanes executed the instruction; a barrier without a thread count waits for
 * the warps that have not exited. (PTX ISA 9.7.15.1)
 *
 * A waiting group is counted when no other lanes of its warp can run, so that those lanes may
 * reach the same barrier, from this instruction or another, in the same phase. (Measured: while
 * some lanes of a warp spin, a bar.sync 0 that the others wait at does not complete.) */
#include "code/valid.h"
#include "interp/sync/barrier.h"
#include "interp/sync/gather.h"
#include "interp/state/cluster.h"
#include "interp/state/exec.h"
#include "interp/state/where.h"
#include "interp/state/warp.h"
#include <string.h>

enum { MAX_RANGES = 4 }; /* ranges of threads that a message lists */

static unsigned number_operand(const struct op *op) { return op->ndests; }

struct barrier {
	uint32_t expected; /* threads; 0: all threads of the CTA; valid when warps != 0 */
	uint32_t warps;    /* set of warps that arrived in this phase */
	uint32_t arrived;  /* threads: 32 per arrival of a warp */
	uint32_t phase;
	uint32_t insn, user_call; /* of the first arrival */
	uint8_t kind;             /* enum barrier_kind of the first arrival */
	uint32_t trues, lanes;    /* red: number of true predicates, and of all predicates */
	bool all, any;
};

/* The barriers of one CTA. */
struct barriers {
	/* sets of barriers: with any arrival since the CTA began, and in the current phase */
	uint32_t used, open;
	struct barrier at[MAX_BARRIERS];
	/* per warp that arrived in this phase: the lanes that arrived, and those that arrived
	 * more than once */
	uint32_t came[MAX_BARRIERS][MAX_WARPS], twice[MAX_BARRIERS][MAX_WARPS];
	/* per warp: lanes already reported as leaving without executing a barrier */
	uint32_t missed[MAX_WARPS];
};

static struct barriers *barriers_of(struct cta *c)
{
	if (!c->barriers)
		c->barriers = ARENA_NEW(&c->arena, struct barriers);
	return c->barriers;
}

static void barriers_clear(struct barriers *all)
{
	FOR_LANES(n, all->used)
		all->at[n] = (struct barrier){0};
	all->used = all->open = 0;
	memset(all->missed, 0, sizeof all->missed);
}

static void barriers_begin(struct cluster *k)
{
	EVERY_CTA(c, k)
		if (c->barriers)
			barriers_clear(c->barriers);
}
const struct keeper barrier_keeper = {.begin = barriers_begin};

static uint32_t lanes_at(const struct barriers *all, unsigned number, uint32_t warp)
{
	return all->at[number].warps >> warp & 1 ? all->came[number][warp] : 0;
}

static uint32_t barrier_expected(const struct cta *c, const struct barrier *b)
{
	return b->expected ? b->expected : LANES * (uint32_t)__builtin_popcount(c->live | b->warps);
}

static bool barrier_is_complete(const struct cta *c, const struct barrier *b)
{
	if (!b->warps)
		return false;
	return b->expected ? b->arrived >= b->expected : !(c->live & ~b->warps);
}

static void barrier_give_result(const struct barrier *b, const struct group *g, const struct op *op)
{
	unsigned char *at = g->frame->regs + op->at[0];
	uint32_t *word = (uint32_t *)(void *)at;

	switch ((enum barrier_kind)op->barrier.kind) {
	case BARRIER_SYNC:
	case BARRIER_ARRIVE: break;
	case BARRIER_POPC:
		FOR_LANES(lane, g->mask)
			word[lane] = b->trues;
		break;
	case BARRIER_AND: *word = (*word & ~g->mask) | (b->all ? g->mask : 0); break;
	case BARRIER_OR: *word = (*word & ~g->mask) | (b->any ? g->mask : 0); break;
	}
}

static void barrier_complete(struct cta *c, unsigned number, struct warp *by)
{
	struct barrier *b = &c->barriers->at[number];

	assert(b->warps);
	if (machine_watches(by->machine, INTEREST_SYNC))
		observers_sync(by->machine,
			&(struct sync_event){
				.kind = SYNC_COMPLETE, .cta = c, .warp = by, .number = number});
	by->worker->stats.barriers++;
	FOR_LANES(k, b->warps) {
		struct warp *w = &c->warp[k];

		EVERY_GROUP(j, w) {
			struct group *g = &w->group[j];

			if (g->state != GROUP_BARRIER || g->wait != number || !g->arrived)
				continue;
			barrier_give_result(b, g, &g->frame->code->op[g->pc]);
			g->state = GROUP_READY;
			g->arrived = 0;
			g->pc++;
			c->ready |= 1u << k;
		}
	}
	*b = (struct barrier){.phase = b->phase + 1};
	c->barriers->open &= ~(1u << number);
}

/* A different thread count or operation in the same phase is an illegal instruction on hardware.
 * A second arrival is not, and is only a finding. False after a fault. */
static bool barrier_check_phase(struct warp *w, const struct op *op, uint32_t mask, uint32_t second,
	const struct barrier *b, unsigned number, uint32_t count)
{
	bool red = barrier_reduces((enum barrier_kind)b->kind),
	     now_red = barrier_reduces((enum barrier_kind)op->barrier.kind);

	if (b->expected != count) {
		fault(w, op, lane_first(mask), DIAG_S0101,
			"barrier %u: thread count %u here, but %u at the first arrival of this phase (0: all threads of the CTA)",
			number, count, b->expected);
		return false;
	}
	if (red != now_red || (red && b->kind != op->barrier.kind)) {
		fault(w, op, lane_first(mask), DIAG_S0102,
			"barrier %u: different operations in the same phase", number);
		return false;
	}
	if (second && sync_checks(w))
		finding(w, op, lane_first(second), DIAG_S0103,
			"barrier %u: this thread arrives a second time before the barrier completes",
			number);
	return true;
}

/* W, at OP, is the first to arrive at barrier NUMBER, where COUNT threads are expected. */
static void begin_phase(const struct warp *w, const struct op *op, unsigned number, uint32_t count)
{
	struct barriers *all = barriers_of(w->cta);
	struct barrier *b = &all->at[number];

	all->used |= 1u << number;
	all->open |= 1u << number;
	b->expected = count;
	b->insn = op->insn;
	b->user_call = w->frame->user_call;
	b->kind = op->barrier.kind;
	b->all = true;
}

/* Lanes MASK of W, at OP in frame F, arrive. */
static void barrier_count_arrival(struct warp *w, const struct frame *f, const struct op *op,
	uint32_t mask, unsigned number, uint32_t count)
{
	struct cta *c = w->cta;
	struct barriers *all = barriers_of(c);
	struct barrier *b = &all->at[number];
	uint32_t before = lanes_at(all, number, w->index), second = before & mask,
		 twice = before ? all->twice[number][w->index] : 0;
	/* Lanes of one warp that arrive separately count once together; so do their second
	 * arrivals. */
	bool again = second && (!twice || twice & second);

	assert(number < MAX_BARRIERS && mask && !(mask & ~w->lanes));
	if (!b->warps) {
		begin_phase(w, op, number, count);
	} else if (!barrier_check_phase(w, op, mask, second, b, number, count)) {
		return;
	}
	if (!before || again)
		b->arrived += LANES;
	b->warps |= 1u << w->index;
	all->came[number][w->index] = before | mask;
	all->twice[number][w->index] = twice | second;
	if (barrier_reduces((enum barrier_kind)op->barrier.kind)) {
		uint32_t word = *(const uint32_t *)frame_place(w, f, op->at[3]) & mask;

		b->trues += (uint32_t)__builtin_popcount(word);
		b->lanes += (uint32_t)__builtin_popcount(mask);
		b->all = b->all && word == mask;
		b->any = b->any || word;
	}
	w->effect = w->made_effect = 1;
	if (machine_watches(w->machine, INTEREST_SYNC))
		observers_sync(w->machine,
			&(struct sync_event){.kind = SYNC_ARRIVE,
				.cta = c,
				.warp = w,
				.op = op,
				.mask = mask,
				.number = number});
}

static void barrier_complete_if_due(struct warp *w, unsigned number)
{
	if (barrier_is_complete(w->cta, &w->cta->barriers->at[number]))
		barrier_complete(w->cta, number, w);
}

static uint32_t place_lane(const struct warp *w, const struct frame *f, uint32_t at, unsigned lane)
{
	return ((const uint32_t *)frame_place(w, f, at))[lane];
}

static bool may_wait(const struct op *op)
{
	return op->kind == KIND_BARRIER || op->kind == KIND_CALL;
}

/* The lanes of LANES that are on a path to the kernel's exit without a barrier. Only lockstep
 * holds them there while others wait; under the other schedules they have already exited. */
static uint32_t lanes_leaving(const struct warp *w, uint32_t lanes)
{
	uint32_t out = 0, above = 0;

	for (uint32_t k = w->ngroups; w->lockstep && k-- > 0;) {
		const struct group *g = &w->group[k];
		uint32_t pc = g->pc;
		bool waits = false;

		for (const struct frame *f = g->frame; f && !waits; f = f->caller) {
			waits = code_reaches(f->code, pc, may_wait);
			pc = f->return_pc;
		}
		if (!waits)
			out |= g->mask & ~above;
		above |= g->mask;
	}
	return out & lanes;
}

/* Lanes that exited at a point after the barrier at which G waits, and so skipped it. A lane
 * that exited before it, as in a bounds check with `@p exit`, is no longer expected. The order
 * in the program text decides, not the order of events, so that every schedule reports the same. */
static uint32_t lanes_passed_by(const struct warp *w, const struct group *g)
{
	uint32_t gone = w->lanes & ~w->live, lanes = 0;

	if (!gone)
		return 0;
	const struct barriers *b = barriers_of(w->cta);
	uint32_t here = kernel_pc(g->frame, g->pc);

	FOR_LANES(lane, gone & ~b->missed[w->index] & ~lanes_at(b, g->wait, w->index))
		lanes |= (uint32_t)(w->exit_pc[lane] > here) << lane;
	return lanes;
}

static void finding_left(struct warp *w, const struct group *g, const struct op *op, uint32_t lanes)
{
	struct text t = {0};

	where_threads(&t, w, lanes, MAX_RANGES);
	finding(w, op, lane_first(g->mask), op_is_guarded(op) ? DIAG_S0104 : DIAG_S0107,
		"warp %u arrives at barrier %u without %s, which %s without executing it: undefined for bar.sync and barrier.aligned; GPUs since Volta count the whole warp, "
		"earlier ones may hang",
		w->index, g->wait, text_str(&t), lanes & (lanes - 1) ? "leave" : "leaves");
	text_free(&t);
	barriers_of(w->cta)->missed[w->index] |= lanes;
}

/* The .aligned forms require all lanes of the warp at the same instruction. */
static void barrier_check_aligned(struct warp *w, const struct group *g, const struct op *op)
{
	uint32_t together = 0, left, elsewhere;

	if (!sync_checks(w) || !op->barrier.aligned ||
		(w->ngroups == 1 && g->mask == w->lanes)) /* all that exist are here */
		return;
	EVERY_GROUP(k, w)
		if (w->group[k].state == GROUP_BARRIER &&
			w->group[k].frame->code == g->frame->code && w->group[k].pc == g->pc)
			together |= w->group[k].mask;
	elsewhere = w->live & ~together;
	left = lanes_leaving(w, elsewhere);
	elsewhere &= ~left;
	left = (left | lanes_passed_by(w, g)) & ~barriers_of(w->cta)->missed[w->index];
	if (elsewhere)
		finding(w, op, lane_first(g->mask), DIAG_S0104,
			"%d of this warp's %d live threads reach barrier %u here, the others do not",
			__builtin_popcount(together), __builtin_popcount(w->live), g->wait);
	else if (left)
		finding_left(w, g, op, left);
}

/* Group K of W, which waits at a barrier, arrives. */
static void group_arrives(struct warp *w, uint32_t k)
{
	struct group *g = &w->group[k];
	const struct op *op = &g->frame->code->op[g->pc];

	warp_enter(w, k);
	barrier_check_aligned(w, g, op);
	g->arrived = 1;
	barrier_count_arrival(w, g->frame, op, g->mask, g->wait,
		place_lane(w, g->frame, op->at[number_operand(op) + 1], lane_first(g->mask)));
}

void barrier_arrivals(struct warp *w)
{
	uint32_t numbers = 0;

	if (w->ngroups == 1) { /* shortcut for the common case; same result as below */
		if (w->group->state == GROUP_BARRIER && !w->group->arrived) {
			uint32_t number = w->group->wait;

			group_arrives(w, 0);
			barrier_complete_if_due(w, number);
		}
		return;
	}
	EVERY_GROUP(k, w) {
		uint8_t state = w->group[k].state;

		if (state == GROUP_READY || state == GROUP_SLEEP)
			/* hardware also defers the warp's arrival while other lanes can run */
			return;
	}
	/* All groups of the warp arrive in one phase: no barrier completes before the last of
	 * them is counted. */
	EVERY_GROUP(k, w) {
		if (w->group[k].state != GROUP_BARRIER || w->group[k].arrived)
			continue;
		group_arrives(w, k);
		numbers |= 1u << w->group[k].wait;
	}
	FOR_LANES(number, numbers)
		barrier_complete_if_due(w, number);
}

void barrier_arrives_whole(struct warp *w)
{
	struct group *g = w->group;
	const struct op *op = &g->frame->code->op[g->pc];
	struct barriers *all = barriers_of(w->cta);
	struct barrier *b = &all->at[g->wait];
	uint32_t bit = 1u << w->index, number = g->wait,
		 count = place_lane(w, g->frame, op->at[number_operand(op) + 1], 0);

	if (g->mask != w->lanes || (b->warps & bit) || machine_watches(w->machine, INTEREST_SYNC) ||
		(b->warps && (b->expected != count || b->kind != BARRIER_SYNC))) {
		barrier_arrivals(w);
		return;
	}
	if (!b->warps)
		begin_phase(w, op, number, count);
	b->arrived += LANES;
	b->warps |= bit;
	all->came[number][w->index] = g->mask;
	all->twice[number][w->index] = 0;
	g->arrived = 1;
	w->effect = w->made_effect = 1;
	barrier_complete_if_due(w, number);
}

bool barrier_is_quiet(const struct cta *c) { return !c->barriers || !c->barriers->open; }

void barrier_passed(struct warp *w, unsigned number)
{
	struct barriers *all = barriers_of(w->cta);

	all->used |= 1u << number;
	all->at[number].phase++;
	w->worker->stats.barriers++;
}

void barrier_recount(struct cta *c, struct warp *by)
{
	FOR_LANES(n, c->barriers ? c->barriers->open : 0)
		if (barrier_is_complete(c, &c->barriers->at[n]))
			barrier_complete(c, n, by);
}

struct barrier_state barrier_state(const struct cta *c, unsigned number)
{
	static const struct barrier untouched;
	const struct barrier *b = c->barriers ? &c->barriers->at[number] : &untouched;

	return (struct barrier_state){
		b->phase, b->warps, b->arrived, barrier_expected(c, b), b->insn, b->user_call};
}

uint32_t barrier_arrived(const struct warp *w, unsigned number)
{
	const struct barriers *b = w->cta->barriers;

	return b ? lanes_at(b, number, w->index) : 0;
}

/* The lanes of MASK that name the same barrier and count as the first lane; the others execute
 * the instruction again. */
static uint32_t same_barrier(
	struct warp *w, const struct op *op, uint32_t mask, uint64_t number, uint64_t count)
{
	unsigned n = number_operand(op);
	uint32_t same = 0;

	if (op->at[n] & op->at[n + 1] & 1u) /* constants, in nearly all programs */
		return mask;
	FOR_LANES(lane, mask)
		same |= (uint32_t)(op_value(w, op, n, lane) == number &&
				op_value(w, op, n + 1, lane) == count)
			<< lane;
	return same;
}

enum flow exec_bar(struct warp *w, const struct op *op, uint32_t mask)
{
	unsigned n = number_operand(op), first = lane_first(mask);
	uint64_t number = op_value(w, op, n, first), count = op_value(w, op, n + 1, first);
	uint32_t pc = op_index(w, op), same = same_barrier(w, op, mask, number, count);

	if (valid_barrier_number(number)) { /* hardware uses the low four bits */
		if (sync_checks(w))
			finding(w, op, first, DIAG_S0105,
				"barrier %llu: the barriers of a CTA are 0 to 15",
				(unsigned long long)number);
		number %= MAX_BARRIERS;
	}
	/* reported now: these lanes may have exited by the time the warp arrives */
	if (w->active & ~mask && sync_checks(w) && op->barrier.aligned) {
		barriers_of(w->cta)->missed[w->index] |= w->active & ~mask;
		finding(w, op, first, DIAG_S0104,
			"%d of this warp's %d active threads have a false guard and skip barrier %u",
			__builtin_popcount(w->active & ~mask), __builtin_popcount(w->active),
			(unsigned)number);
	}
	if (valid_barrier_count((enum barrier_kind)op->barrier.kind, count))
		return fault(w, op, first, DIAG_S0106,
			"barrier %llu with count %llu: the count must be a multiple of 32",
			(unsigned long long)number, (unsigned long long)count);
	/* barrier.arrive counts the warp at once, so its lanes must converge first. */
	if (op->barrier.kind == BARRIER_ARRIVE && !warp_together(w, op))
		return FLOW_SWITCH;
	if (op->barrier.kind == BARRIER_ARRIVE && w->active != w->live && op->barrier.aligned &&
		sync_checks(w))
		finding(w, op, first, DIAG_S0104,
			"%d of this warp's %d live threads reach barrier %u here, the others do not",
			__builtin_popcount(w->active), __builtin_popcount(w->live),
			(unsigned)number);
	if (w->lockstep)
		same = mask;
	if (mask & ~same) { /* they execute it again, for their own barrier */
		uint32_t later = warp_split(w, mask & ~same);

		w->group[later].pc = pc;
	}
	if (op->barrier.kind == BARRIER_ARRIVE) {
		barrier_count_arrival(w, w->frame, op, same, (unsigned)number, (uint32_t)count);
		barrier_complete_if_due(w, (unsigned)number);
		if (same == mask)
			return FLOW_NEXT;
		w->group[w->current].pc = pc + 1;
		return FLOW_SWITCH;
	}
	if (w->active & ~same && !w->lockstep) {
		uint32_t go = warp_split(w, w->active & ~same);

		w->group[go].pc = pc + 1;
	}
	struct group *g = &w->group[w->current];

	g->pc = pc;
	if (machine_watches(w->machine, INTEREST_SYNC))
		observers_sync(w->machine,
			&(struct sync_event){.kind = SYNC_WAITING,
				.cta = w->cta,
				.warp = w,
				.op = op,
				.mask = g->mask,
				.number = (uint32_t)number});
	g->state = GROUP_BARRIER;
	g->wait = (uint32_t)number;
	g->arrived = 0;
	return FLOW_SWITCH;
}
