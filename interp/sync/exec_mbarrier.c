/* mbarrier.*: the lanes of an instruction take effect in lane order. test_wait never blocks;
 * try_wait may: the chooser decides whether it answers at once or first sleeps for its time hint
 * (or the system's limit). A wait that returns false counts as polling, so the scheduler's exact
 * check finds an endless wait. (PTX ISA 9.7.15.16) */
#include "interp/state/exec.h"
#include "interp/sync/mbarrier_table.h"
#include "interp/memory/name.h"
#include "interp/sync/mbarrier.h"
#include "interp/memory/mbarrier_wait.h"
#include "interp/memory/order.h"
#include "interp/state/warp.h"
#include "interp/memory/undefined.h"
#include <string.h>

/* The object that lane LANE names. LOCAL: it must be in the CTA's own shared memory. False after
 * a fault. */
static bool mbarrier_place(
	struct warp *w, const struct op *op, unsigned lane, bool local, struct sync_place *p)
{
	const struct op_address *a = op->mbarrier.address;
	uint64_t address = sync_address_of(w, a, lane), offset = address;

	if (a->space == W_NONE && window_space(address, &offset) != W_shared) {
		fault(w, op, lane, DIAG_S0216,
			"an mbarrier must be in shared memory; 0x%llx is not",
			(unsigned long long)address);
		return false;
	}
	if (!sync_reach(w, op, lane, a->space, address, 8, 8, ACCESS_READ | ACCESS_WRITE, p))
		return false;
	if (local && p->cta != w->cta) {
		fault(w, op, lane, DIAG_S0226,
			"the mbarrier is in the shared memory of the CTA of rank %u of the cluster; this form requires one in its own CTA",
			p->cta->cluster_rank);
		return false;
	}
	return true;
}

static void mbarrier_report(struct warp *w, const struct op *op, uint32_t mask,
	const struct sync_place *p, const struct mbarrier_record *r, enum sync_kind kind,
	uint64_t phase)
{
	if (w->machine->interest & INTEREST_SYNC)
		observers_sync(w->machine,
			&(struct sync_event){.kind = kind,
				.cta = w->cta,
				.warp = w,
				.op = op,
				.mask = mask,
				.sem = (enum sem)op->mbarrier.sem,
				.scope = (enum scope)op->mbarrier.scope,
				.object = p->cta,
				.offset = p->offset,
				.phase = phase,
				.word = r->word});
}

static bool mbarrier_lane_init(struct warp *w, const struct op *op, unsigned lane)
{
	struct mbarrier_record *r;
	struct sync_place p;
	uint32_t count = sync_value(w, op, 0, lane);
	uint64_t word = 0, was;

	if (!mbarrier_place(w, op, lane, true, &p))
		return false;
	if (mbarrier_init(&word, count, op->mbarrier.v1)) {
		fault(w, op, lane, DIAG_S0211,
			"mbarrier.init with count %u: the count must be 1 to %d", count,
			op->mbarrier.v1 ? MBARRIER_V1_MAX : MBARRIER_MAX);
		return false;
	}
	r = mbarrier_make(w->cta, p.offset);
	if (r->live && sync_checks(w))
		finding(w, op, lane, DIAG_S0217,
			"mbarrier %s is reinitialised without an intervening mbarrier.inval",
			name_mbarrier(w->machine, p.cta, p.offset).text);
	memcpy(&was, p.host, 8);
	*r = (struct mbarrier_record){.offset = p.offset,
		.live = true,
		.was_live = true,
		.init_insn = op->insn,
		.init_call = w->frame->user_call,
		.init_count = count,
		.word = word,
		.stale_insn = IR_NONE,
		.init_thread = w->index * LANES + lane,
		.init_epoch = order_epoch(w->cta)};
	memcpy(p.host, &word, 8);
	if (p.defined)
		memset(p.defined, 0xff, 8);
	if (was != word)
		w->effect = 1;
	mbarrier_report(w, op, 1u << lane, &p, r, SYNC_MBARRIER_INIT, 0);
	return true;
}

static bool mbarrier_lane_inval(struct warp *w, const struct op *op, unsigned lane)
{
	struct mbarrier_record *r;
	struct sync_place p;

	if (!mbarrier_place(w, op, lane, true, &p))
		return false;
	r = mbarrier_find(w->cta, p.offset);
	if (!r || !r->live) {
		if (sync_checks(w))
			finding(w, op, lane, r ? DIAG_S0218 : DIAG_S0210,
				r ? "mbarrier %s was already invalidated"
				  : "mbarrier %s was never initialised",
				name_mbarrier(w->machine, p.cta, p.offset).text);
		return true;
	}
	if (sync_checks(w) && mbarrier_tx(r->word))
		finding(w, op, lane, DIAG_S0224,
			"mbarrier %s is invalidated with a tx-count of %d: in phase %llu %llu bytes were expected, %llu delivered",
			name_mbarrier(w->machine, p.cta, p.offset).text, mbarrier_tx(r->word),
			(unsigned long long)r->phase, (unsigned long long)r->expected_tx,
			(unsigned long long)r->delivered_tx);
	r->live = false;
	r->inval_insn = op->insn;
	w->effect = 1;
	mbarrier_report(w, op, 1u << lane, &p, r, SYNC_MBARRIER_INVAL, r->phase);
	return true;
}

static bool mbarrier_transactions(
	struct warp *w, const struct op *op, unsigned lane, const struct sync_place *p)
{
	uint32_t bytes = sync_value(w, op, 0, lane);

	return op->mbarrier.what == MBARRIER_EXPECT_TX
		? mbarrier_do_expect(w, op, lane, p, bytes)
		: mbarrier_do_complete(w, op, lane, p, bytes);
}

static bool mbarrier_arrival(
	struct warp *w, const struct op *op, unsigned lane, const struct sync_place *p)
{
	unsigned act = (op->mbarrier.drop ? ACT_DROP : 0u) |
		(op->mbarrier.no_complete ? ACT_NO_COMPLETE : 0u);
	uint32_t n = sync_value(w, op, 1, lane);
	uint64_t token = 0;

	if (op->mbarrier.expects && !mbarrier_do_expect(w, op, lane, p, n))
		return false;
	if (!mbarrier_do_arrive(w, op, lane, p, op->mbarrier.expects ? 1 : n, act, &token))
		return false;
	op_set(w, op, 0, lane, token);
	return true;
}

/* An operation on the object that the lane names; or, with a ctaMask, on those at the same offset
 * in each of its CTAs. */
static bool mbarrier_lane_update(struct warp *w, const struct op *op, unsigned lane,
	bool (*update)(
		struct warp *w, const struct op *op, unsigned lane, const struct sync_place *p))
{
	struct sync_place p, there;
	uint32_t ranks;

	if (!mbarrier_place(w, op, lane, op->mbarrier.own, &p))
		return false;
	if (!op->mbarrier.multicast)
		return update(w, op, lane, &p);
	ranks = sync_value(w, op, op->noperands - 1u, lane);
	if (!sync_ranks_exist(w, op, lane, ranks))
		return false;
	FOR_LANES(rank, ranks)
		if (!sync_reach_in_cta(w, op, lane, &p, rank, 8, &there) ||
			!update(w, op, lane, &there))
			return false;
	return true;
}

/* The object at P, if it can be looked at; otherwise NULL, after a finding. */
static struct mbarrier_record *mbarrier_usable(
	struct warp *w, const struct op *op, unsigned lane, const struct sync_place *p)
{
	struct mbarrier_record *r = mbarrier_find(p->cta, p->offset);
	uint64_t word;

	memcpy(&word, p->host, 8);
	if (!r || !r->live) {
		if (sync_checks(w))
			finding(w, op, lane, r ? DIAG_S0218 : DIAG_S0210,
				r ? "mbarrier %s was invalidated"
				  : "mbarrier %s was never initialised",
				name_mbarrier(w->machine, p->cta, p->offset).text);
		return NULL;
	}
	if (word != r->word && sync_checks(w)) {
		finding(w, op, lane, DIAG_S0219,
			"mbarrier %s was overwritten: it holds 0x%016llx, its last operation left 0x%016llx",
			name_mbarrier(w->machine, p->cta, p->offset).text, (unsigned long long)word,
			(unsigned long long)r->word);
	}
	if (sync_checks(w))
		mbarrier_check_order(w, op, lane, p->cta, r);
	r->word = word;
	return r;
}

static bool mbarrier_lane_check_layout(
	struct warp *w, const struct op *op, unsigned lane, uint32_t *yes)
{
	struct sync_place p;
	uint64_t word;

	if (!mbarrier_place(w, op, lane, true, &p))
		return false;
	mbarrier_usable(w, op, lane, &p);
	memcpy(&word, p.host, 8);
	*yes |= (uint32_t)(mbarrier_marked(word) && mbarrier_is_v1(word) == op->mbarrier.v1)
		<< lane;
	return true;
}

/* The number of the phase that a lane waits for, and whether it is complete. */
static uint64_t mbarrier_phase_asked(struct warp *w, const struct op *op, unsigned lane,
	const struct sync_place *p, struct mbarrier_record *r, uint64_t value, bool *complete)
{
	unsigned parity = op->mbarrier.parity ? (unsigned)value & 1 : mbarrier_parity(value);

	*complete = (op->mbarrier.conditional ? mbarrier_conditional(r->word)
					      : mbarrier_parity(r->word)) != parity;
	if (!sync_checks(w))
		return *complete ? r->phase - 1 : r->phase;
	if (op->mbarrier.parity && value > 1)
		finding(w, op, lane, DIAG_S0223, "a phase parity must be 0 or 1, not %llu",
			(unsigned long long)value);
	if (!op->mbarrier.parity && !(value & 1))
		finding(w, op, lane, DIAG_S0225, "0x%llx is not a state that an arrive returned",
			(unsigned long long)value);
	else if (!op->mbarrier.parity && mbarrier_token_phase(value) != r->phase &&
		mbarrier_token_phase(value) + 1 != r->phase && !r->skewed)
		r->skewed = finding(w, op, lane, DIAG_S0222,
			"wait for phase %llu of mbarrier %s, which is in phase %llu: only the current phase and the one before can be waited for",
			(unsigned long long)mbarrier_token_phase(value),
			name_mbarrier(w->machine, p->cta, p->offset).text,
			(unsigned long long)r->phase);
	return *complete ? r->phase - 1 : r->phase;
}

/* The lane's wait for PHASE returned true. When the lane had waited for that phase before, the
 * wait was stale: recorded, since later errors on the object follow from it. */
static void mbarrier_record_pass(struct warp *w, const struct op *op, unsigned lane,
	const struct sync_place *p, struct mbarrier_record *r, uint64_t phase)
{
	bool again = mbarrier_wait_passes(
		w->waits, lane, p->cta, p->offset, phase, op->mbarrier.parity);

	if (again && r->stale_insn == IR_NONE && op->mbarrier.parity) {
		r->stale_insn = op->insn;
		r->stale_call = w->frame->user_call;
		r->stale_thread = w->index * LANES + lane;
		r->stale_phase = phase;
	}
}

/* Whether the phase that a sleeping try_wait waited for is complete, whatever the parity is by
 * now. */
static bool mbarrier_woken(
	struct warp *w, unsigned lane, const struct mbarrier_record *r, bool complete)
{
	uint64_t asked = mbarrier_sleep_phase(w->waits, lane);

	/* an earlier phase: the object was reinitialised */
	return r->phase < asked ? complete : r->phase > asked;
}

/* HELD: lanes that have slept in this try_wait. */
static bool mbarrier_lane_wait(
	struct warp *w, const struct op *op, unsigned lane, uint32_t held, uint32_t *yes)
{
	uint64_t value = op_value(w, op, 1, lane), phase, word;
	struct mbarrier_record *r;
	struct sync_place p;
	bool complete, behind;

	if (!mbarrier_place(w, op, lane, true, &p))
		return false;
	r = mbarrier_usable(w, op, lane, &p);
	if (!r) {
		memcpy(&word, p.host, 8);
		*yes |= (uint32_t)(mbarrier_parity(word) !=
				(op->mbarrier.parity ? (value & 1) : value >> 63))
			<< lane;
		return true;
	}
	phase = mbarrier_phase_asked(w, op, lane, &p, r, value, &complete);
	/* the conditional phase is behind: its number is not that of the primary one */
	behind = op->mbarrier.conditional &&
		mbarrier_conditional(r->word) != mbarrier_parity(r->word);
	if (held >> lane & 1 && !behind) {
		complete = mbarrier_woken(w, lane, r, complete);
		phase = mbarrier_sleep_phase(w->waits, lane);
	}
	*yes |= (uint32_t)complete << lane;
	if (complete) {
		r->seen = r->phase;
		if (sync_checks(w) && !behind)
			mbarrier_record_pass(w, op, lane, &p, r, phase);
		mbarrier_wait_ends(w->waits, lane);
		if (op->mbarrier.report && mbarrier_payload(r->word))
			*(uint32_t *)op_place(w, op->mbarrier.report) |= 1u << lane;
	} else {
		mbarrier_wait_begins(w->waits, lane,
			&(struct mbarrier_wait){.cta = p.cta,
				.offset = p.offset,
				.insn = op->insn,
				.user_call = w->frame->user_call});
	}
	mbarrier_report(w, op, 1u << lane, &p, r,
		complete ? SYNC_MBARRIER_WAIT : SYNC_MBARRIER_WAITING, phase);
	return true;
}

/* ns: the time after which try_wait gave up on an H200, about 4 us; longer hints than a
 * millisecond are cut */
enum { SYSTEM_LIMIT = 4000, LONGEST_HINT = 1000000 };

/* Lets the lanes of MASK, none of whose phases is complete, sleep if the chooser decides so. They
 * execute OP again when they wake up. */
static bool mbarrier_sleep(struct warp *w, const struct op *op, uint32_t mask, uint32_t held)
{
	struct group *g = &w->group[w->current];
	uint64_t longest = 0, phase[LANES];

	if (held & mask || /* they have slept already */
		!op->mbarrier.tries || w->machine->clock_frozen ||
		choose(w->machine->chooser, CHOICE_SPURIOUS, 2) == 0)
		return false;
	FOR_LANES(lane, mask) {
		uint64_t hint = op->noperands > 2 ? sync_value(w, op, 2, lane) : SYSTEM_LIMIT;
		const struct mbarrier_wait *wait = mbarrier_waiting(w, lane);
		const struct mbarrier_record *r = wait && wait->cta == w->cta
			? mbarrier_known(w->cta, wait->offset)
			: NULL;

		if (!r || !r->live || wait->insn != op->insn)
			return false;
		longest = hint > longest ? hint : longest;
		phase[lane] = r->phase;
	}
	mbarrier_put_to_sleep(w->waits, mask, phase);
	g->pc = op_index(w, op);
	g->state = GROUP_SLEEP;
	g->wake = warp_clock(w, op) + (longest < LONGEST_HINT ? longest : LONGEST_HINT);
	return true;
}

static void mbarrier_check_defined(struct warp *w, const struct op *op, uint32_t mask)
{
	const struct op_address *a = op->mbarrier.address;

	if (!w->frame->defined)
		return;
	if (a->width)
		undefined_use(w, op, mask, a->place, "used as the address of an mbarrier");
	for (unsigned k = op->ndests; k < op->noperands; k++)
		undefined_use(w, op, mask, op->at[k], "given to an mbarrier instruction");
	if (op->ndests)
		undefined_set(w, op->at[0], mask, 0);
}

enum flow exec_mbarrier(struct warp *w, const struct op *op, uint32_t mask)
{
	uint32_t yes = 0, held = 0, *to;
	bool ok = true;

	if (op->mbarrier.what == MBARRIER_WAIT)
		held = mbarrier_sleepers(mbarrier_waits_of(w));
	mbarrier_check_defined(w, op, mask);
	FOR_LANES(lane, mask) {
		switch ((enum mbarrier_what)op->mbarrier.what) {
		case MBARRIER_INIT: ok = mbarrier_lane_init(w, op, lane); break;
		case MBARRIER_INVAL: ok = mbarrier_lane_inval(w, op, lane); break;
		case MBARRIER_EXPECT_TX:
		case MBARRIER_COMPLETE_TX:
			ok = mbarrier_lane_update(w, op, lane, mbarrier_transactions);
			break;
		case MBARRIER_ARRIVE:
			ok = mbarrier_lane_update(w, op, lane, mbarrier_arrival);
			break;
		case MBARRIER_CHECK_LAYOUT:
			ok = mbarrier_lane_check_layout(w, op, lane, &yes);
			break;
		case MBARRIER_WAIT: ok = mbarrier_lane_wait(w, op, lane, held, &yes); break;
		}
		if (!ok)
			return FLOW_STOP;
	}
	if (mbarrier_writes((enum mbarrier_what)op->mbarrier.what)) {
		w->worker->stats.atomics += lanes_of(mask);
		return FLOW_NEXT;
	}
	if (op->mbarrier.what == MBARRIER_WAIT) {
		w->polled = 1;
		if (!yes && mbarrier_sleep(w, op, mask, held))
			return FLOW_SWITCH;
		mbarrier_wake(w->waits, mask);
	}
	to = op_lanes(w, op, 0);
	*to = (*to & ~mask) | yes;
	return FLOW_NEXT;
}

/* mbarrier.pending_count: the pending count before the arrive that returned the state. (PTX ISA
 * 9.7.15.16.20) */
enum flow exec_pending_count(struct warp *w, const struct op *op, uint32_t mask)
{
	FOR_LANES(lane, mask) {
		uint64_t token = op_value(w, op, 1, lane);

		if (sync_checks(w) && (token & 3) != 3)
			finding(w, op, lane, (token & 3) == 1 ? DIAG_S0229 : DIAG_S0225,
				(token & 3) == 1
					? "pending_count requires the state of an arrive.noComplete"
					: "0x%llx is not a state that an arrive returned",
				(unsigned long long)token);
		op_set(w, op, 0, lane, mbarrier_pending(token));
	}
	return FLOW_NEXT;
}
