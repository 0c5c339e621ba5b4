/* Instructions that read other lanes' values: vote, match, activemask, redux, elect, shfl, with
 * and without .sync; and fences. (PTX ISA 9.7.15, 9.7.10.6) */
#include "interp/sync/async_check.h"
#include "interp/memory/access_block.h"
#include "interp/memory/combine.h"
#include "interp/state/exec.h"
#include "interp/sync/sync.h"
#include "interp/sync/gather.h"
#include "interp/memory/undefined.h"
#include <stdatomic.h>

/* Who takes part: the lanes READY can execute now, lane k with the lanes of[k]. TOGETHER: all of
 * READY with each other. */
struct peers {
	uint32_t ready, of[LANES];
	bool together;
};

static void peers_together(struct peers *p, uint32_t lanes)
{
	p->ready = lanes;
	p->together = true;
	EVERY_LANE(k)
		p->of[k] = lanes;
}

/* Without .sync the lanes that execute the instruction take part. */
static void collective_gather(struct warp *w, const struct op *op, uint32_t mask, struct peers *p)
{
	unsigned last = op->noperands - 1u, width = op->width[last];

	if (!op->collective.sync || warp_all_here(w, op, mask, last)) {
		peers_together(p, mask);
		return;
	}
	p->together = false;
	FOR_LANES(lane, mask)
		p->of[lane] = (uint32_t)register_get(op_lanes(w, op, last), lane, width);
	if (w->frame->defined && !w->joint)
		undefined_use(w, op, mask, op->at[last], "used as a membermask");
	p->ready = warp_gather(w, op, mask, p->of);
	FOR_LANES(lane, p->ready)
		p->of[lane] = (p->of[lane] | 1u << lane) & p->ready;
}

static enum flow collective_done(struct warp *w, const struct op *op, uint32_t mask, uint32_t ready)
{
	return op->collective.sync && ready != mask ? warp_gathered(w, op, mask, ready) : FLOW_NEXT;
}

/* Writes the same value to the lanes of MASK of the first destination. */
static void set_lanes(const struct warp *w, const struct op *op, uint32_t mask, uint32_t value)
{
	uint32_t *to = op_lanes(w, op, 0);

	if (mask == UINT32_MAX && op->width[0] == sizeof *to)
		EVERY_LANE(lane)
			to[lane] = value;
	else
		FOR_LANES(lane, mask)
			register_set(to, lane, op->width[0], value);
}

/* Lane k of MASK gets VALUE[k]. */
static void set_values(
	const struct warp *w, const struct op *op, uint32_t mask, const uint32_t *value)
{
	uint32_t *to = op_lanes(w, op, 0);

	if (mask == UINT32_MAX && op->width[0] == sizeof *to)
		memcpy(to, value, LANES * sizeof *to);
	else
		FOR_LANES(lane, mask)
			register_set(to, lane, op->width[0], value[lane]);
}

static void set_predicate(uint32_t *p, uint32_t mask, uint32_t value)
{
	*p = (*p & ~mask) | (value & mask);
}

/* --check=init: which lanes' results are defined. One defined lane may decide a result whatever
 * the undefined lanes hold; the bits of a ballot are defined one by one. */
static void vote_defined(
	struct warp *w, const struct op *op, uint32_t ready, const uint32_t *peers, uint32_t p)
{
	uint32_t unknown = undefined_lanes(w, op->at[1]), undefined = 0, bits[LANES] = {0};

	FOR_LANES(lane, ready) {
		uint32_t open = peers[lane] & unknown, yes = peers[lane] & ~unknown & p,
			 no = peers[lane] & ~unknown & ~p;
		bool decided = op->collective.mode == MODE_ALL ? no
			: op->collective.mode == MODE_ANY
			? yes
			: (yes && no) || !(peers[lane] & (peers[lane] - 1));

		bits[lane] = open;
		undefined |= (uint32_t)(open && !decided) << lane;
	}
	if (op->collective.mode == MODE_BALLOT)
		undefined_value(w, op->at[0], op->width[0], ready, bits);
	else
		undefined_set(w, op->at[0], ready, undefined);
}

/* The vote of the lanes PEERS, of which YES have a true predicate. */
static bool vote_is(unsigned mode, uint32_t yes, uint32_t peers)
{
	switch (mode) {
	case MODE_ALL: return yes == peers;
	case MODE_ANY: return yes != 0;
	default: assert(mode == MODE_UNI); return yes == 0 || yes == peers;
	}
}

enum flow exec_vote(struct warp *w, const struct op *op, uint32_t mask)
{
	struct peers peers;
	uint32_t p = *(const uint32_t *)op_lanes(w, op, 1), result = 0;
	bool ballot = op->collective.mode == MODE_BALLOT;

	collective_gather(w, op, mask, &peers);
	if (w->frame->defined && !w->joint)
		vote_defined(w, op, peers.ready, peers.of, p);
	if (peers.together) {
		if (ballot)
			set_lanes(w, op, peers.ready, p & peers.ready);
		else if (vote_is(op->collective.mode, p & peers.ready, peers.ready))
			result = peers.ready;
	} else {
		FOR_LANES(lane, peers.ready) {
			uint32_t yes = p & peers.of[lane];

			if (ballot)
				register_set(op_lanes(w, op, 0), lane, op->width[0], yes);
			else
				result |=
					(uint32_t)vote_is(op->collective.mode, yes, peers.of[lane])
					<< lane;
		}
	}
	if (!ballot)
		set_predicate(op_lanes(w, op, 0), peers.ready, result);
	return collective_done(w, op, mask, peers.ready);
}

/* The lanes of PEERS that hold VALUE, of the registers A of 4 bytes or of another width. */
CLONES static uint32_t equal_words(const uint32_t *a, uint32_t peers, uint32_t value)
{
	uint32_t same = 0;

	EVERY_LANE(lane)
		same |= a[lane] == value ? lane_bit[lane] : 0;
	return same & peers;
}
static uint32_t equal_lanes(const void *a, unsigned width, uint32_t peers, uint64_t value)
{
	uint32_t same = 0;

	if (width == 4)
		return equal_words(a, peers, (uint32_t)value);
	FOR_LANES(lane, peers)
		same |= (uint32_t)(register_get(a, lane, width) == value) << lane;
	return same;
}

enum flow exec_match(struct warp *w, const struct op *op, uint32_t mask)
{
	struct peers peers;
	uint32_t same[LANES], p = 0, ready, left;
	const void *a = op_lanes(w, op, op->ndests);
	unsigned width = op->width[op->ndests];

	collective_gather(w, op, mask, &peers);
	ready = left = peers.ready;
	while (left) {
		unsigned first = lane_first(left);
		uint32_t equal = equal_lanes(
			a, width, peers.of[first], register_get(a, first, width));
		/* with the same peers, the lanes that are equal have the same result */
		uint32_t lanes = peers.together ? equal : 1u << first;

		if (op->collective.mode == MODE_ALL && equal != peers.of[first])
			equal = 0;
		if (lanes == UINT32_MAX)
			EVERY_LANE(lane)
				same[lane] = equal;
		else
			FOR_LANES(lane, lanes)
				same[lane] = equal;
		p |= equal ? lanes : 0;
		left &= ~lanes;
	}
	set_values(w, op, ready, same);
	if (op->ndests > 1)
		set_predicate(op_lanes(w, op, 1), ready, p);
	return collective_done(w, op, mask, ready);
}

enum flow exec_activemask(struct warp *w, const struct op *op, uint32_t mask)
{
	set_lanes(w, op, mask, mask);
	return FLOW_NEXT;
}

/* --check=init: the undefined bits of PEERS' reduction. A bit of `and` is defined when some lane
 * has a defined 0 there, of `or` when some lane has a defined 1; a sum or extremum with any
 * undefined bit is undefined as a whole. */
static uint32_t redux_undefined(
	const struct warp *w, const struct op *op, uint32_t peers, const uint32_t *value)
{
	bool and = op->collective.atomic == ATOMIC_AND, or = op->collective.atomic == ATOMIC_OR;
	uint32_t open = 0, decided = 0;

	FOR_LANES(lane, peers) {
		uint32_t bits = undefined_word(w, op->at[1], op->width[1], lane);

		open |= bits;
		decided |= (and? ~value[lane] : or ? value[lane] : 0) & ~bits;
	}
	return and || or || op->collective.atomic == ATOMIC_XOR ? open & ~decided
		: open                                          ? UINT32_MAX
								: 0;
}

enum flow exec_redux(struct warp *w, const struct op *op, uint32_t mask)
{
	struct peers peers;
	uint32_t ready, left, value[LANES] = {0};

	collective_gather(w, op, mask, &peers);
	ready = left = peers.ready;
	if (ready == UINT32_MAX && op->width[1] == sizeof *value)
		memcpy(value, op_lanes(w, op, 1), sizeof value);
	else
		FOR_LANES(lane, ready)
			value[lane] = (uint32_t)register_get(
				op_lanes(w, op, 1), lane, op->width[1]);
	if (w->frame->defined && !w->joint) {
		uint32_t bits[LANES] = {0};

		FOR_LANES(lane, undefined_lanes(w, op->at[1]) & ready ? ready : 0)
			bits[lane] = redux_undefined(w, op, peers.of[lane], value);
		undefined_value(w, op->at[0], op->width[0], ready, bits);
	}
	while (left) {
		unsigned first = lane_first(left);
		uint32_t together = peers.of[first];

		set_lanes(w, op, (together | 1u << first) & ready,
			arith_redux((enum atomic)op->collective.atomic,
				(enum type)op->collective.type, op->collective.abs,
				op->collective.nan, value, together));
		left &= ~(together | 1u << first);
	}
	return collective_done(w, op, mask, ready);
}

/* elect.sync: the leader is the lowest lane. */
enum flow exec_elect(struct warp *w, const struct op *op, uint32_t mask)
{
	struct peers peers;
	uint32_t p = 0;

	collective_gather(w, op, mask, &peers);
	FOR_LANES(lane, peers.ready) {
		unsigned leader = lane_first(peers.of[lane]);

		register_set(op_lanes(w, op, 0), lane, op->width[0], leader);
		p |= (uint32_t)(lane == leader) << lane;
	}
	set_predicate(op_lanes(w, op, 1), peers.ready, p);
	return collective_done(w, op, mask, peers.ready);
}

/* FROM gets the lane that each lane reads. Returns the lanes whose source is within bounds; the
 * others read themselves. (PTX ISA 9.7.10.6) A loop of its own for each mode, which is constant. */
INLINE uint32_t shfl_sources_of(
	enum collective_mode mode, const uint32_t *b, const uint32_t *c, uint32_t *restrict from)
{
	uint32_t in = 0;

	EVERY_LANE(lane) {
		uint32_t distance = b[lane] & 31, clamp = c[lane] & 31, segment = c[lane] >> 8 & 31;
		uint32_t most = (lane & segment) | (clamp & ~segment), least = lane & segment;
		uint32_t up = lane - distance, down = lane + distance, across = lane ^ distance,
			 index = least | (distance & ~segment);
		uint32_t source = mode == MODE_UP ? up
			: mode == MODE_DOWN       ? down
			: mode == MODE_BFLY       ? across
						  : index;
		/* sign bit: .up is below its bound, the other modes are above theirs */
		uint32_t outside = 0 - ((mode == MODE_UP ? source - most : most - source) >> 31);

		from[lane] = source ^ ((source ^ lane) & outside);
		in |= lane_bit[lane] & ~outside;
	}
	return in;
}
CLONES static uint32_t shfl_sources(
	enum collective_mode mode, const uint32_t *b, const uint32_t *c, uint32_t *restrict from)
{
	return mode == MODE_UP      ? shfl_sources_of(MODE_UP, b, c, from)
		: mode == MODE_DOWN ? shfl_sources_of(MODE_DOWN, b, c, from)
		: mode == MODE_BFLY ? shfl_sources_of(MODE_BFLY, b, c, from)
				    : shfl_sources_of(MODE_IDX, b, c, from);
}

static void shfl_words(const struct warp *w, const struct op *op, unsigned k, uint32_t *value)
{
	assert(op->width[k] == sizeof *value);
	memcpy(value, op_lanes(w, op, k), LANES * sizeof *value);
}

/* The lanes that read a lane which is not among their peers. */
static uint32_t shfl_outsiders(const struct peers *p, const uint32_t *from)
{
	uint32_t stray = 0;

	if (!p->together || p->ready != UINT32_MAX) /* some lane does not take part */
		FOR_LANES(lane, p->ready)
			stray |= (~p->of[lane] >> from[lane] & 1) << lane;
	return stray;
}

static void shfl_check_source(struct warp *w, const struct op *op, unsigned lane, unsigned from)
{
	const char *why = !(w->lanes >> from & 1) ? "does not exist: the block is smaller"
		: !(w->live >> from & 1)          ? "has exited"
		: op->collective.sync             ? "is not in its membermask"
						  : "does not execute this instruction";

	finding(w, op, lane, DIAG_S0109,
		"lane %u reads from lane %u, which %s: the value is undefined", lane, from, why);
}

/* Sources: a, b, c. The result from a lane that does not take part is undefined in PTX; here it
 * is that lane's register. */
enum flow exec_shfl(struct warp *w, const struct op *op, uint32_t mask)
{
	struct peers peers;
	uint32_t p = 0, undefined = 0, ready, unknown = 0, stray = 0, a[LANES], b[LANES], c[LANES],
		 from[LANES], value[LANES];
	unsigned k = op->ndests;
	bool init = w->frame->defined && !w->joint;

	collective_gather(w, op, mask, &peers);
	ready = peers.ready;
	if (init)
		unknown = undefined_lanes(w, op->at[k]);
	shfl_words(w, op, k, a);
	shfl_words(w, op, k + 1, b);
	shfl_words(w, op, k + 2, c);
	p = shfl_sources((enum collective_mode)op->collective.mode, b, c, from);
	EVERY_LANE(lane)
		value[lane] = a[from[lane]];
	set_values(w, op, ready, value);
	if (unknown)
		FOR_LANES(lane, ready)
			undefined |= (unknown >> from[lane] & 1) << lane;
	if (op->ndests > 1)
		set_predicate(op_lanes(w, op, 1), ready, p);
	if (w->frame->defined || sync_checks(w))
		stray = shfl_outsiders(&peers, from);
	if (w->joint)
		warp_gather_stray(w, stray);
	if (stray && !w->frame->defined) /* otherwise reported where the value is used */
		shfl_check_source(w, op, lane_first(stray), from[lane_first(stray)]);
	if (init) {
		undefined_whole(w, op->at[0], op->width[0], ready, undefined | stray);
		if (stray)
			undefined_comes_from(w, op->at[0], op->width[0], op);
		if (op->ndests > 1)
			undefined_set(w, op->at[1], ready, 0);
	}
	return collective_done(w, op, mask, ready);
}

/* membar and fence of every kind: one sequentially consistent fence on the host. */
enum flow exec_fence(struct warp *w, const struct op *op, uint32_t mask)
{
	combine_settle(w->worker);
#if ACCESS_BLOCKS
	atomic_thread_fence(memory_order_seq_cst);
#else
	atomic_fetch_add(&w->machine->effects, 0); /* ThreadSanitizer does not model fences */
#endif
	if (machine_watches(w->machine, INTEREST_SYNC))
		observers_sync(w->machine,
			&(struct sync_event){.kind = SYNC_FENCE,
				.cta = w->cta,
				.warp = w,
				.op = op,
				.mask = mask,
				.sem = (enum sem)op->fence.sem,
				.scope = (enum scope)op->fence.scope});
	return FLOW_NEXT;
}
