/* Synchronisation besides CTA barriers: mbarrier operations as morally strong read-modify-writes of
 * 8 bytes in shared memory (docs/MEMORY-MODEL.md), the cluster's barrier, and instructions by which
 * the lanes of a warp exchange register values. */
#include "code/valid.h"
#include "explore/ptx/open.h"
#include "interp/sync/mbarrier.h"
#include "interp/sync/sync.h"
#include "model/execution.h"

static bool sync_fault(struct action *a, const char *text)
{
	a->kind = ACTION_FAULT;
	a->text = text;
	return false;
}

static bool sync_stall(struct action *a)
{
	a->kind = ACTION_STALL;
	return false;
}

/* --- mbarrier --- */

/* Applies an operation to the object WORD; false: it exceeds the object's limits. */
static bool apply_operation(const struct op *op, uint64_t *word, uint32_t n)
{
	bool flipped;
	switch ((enum mbarrier_what)op->mbarrier.what) {
	case MBARRIER_EXPECT_TX: return mbarrier_expect_tx(word, n, &flipped) == MBARRIER_FINE;
	case MBARRIER_COMPLETE_TX: return mbarrier_complete_tx(word, n, &flipped) == MBARRIER_FINE;
	case MBARRIER_ARRIVE:
		if (op->mbarrier.expects && mbarrier_expect_tx(word, n, &flipped) != MBARRIER_FINE)
			return false;
		n = op->mbarrier.expects ? 1 : n;
		if (op->mbarrier.drop && mbarrier_drop(word, n) != MBARRIER_FINE)
			return false;
		return mbarrier_arrive(word, n, &flipped) == MBARRIER_FINE;
	case MBARRIER_INIT:
	case MBARRIER_INVAL:
	case MBARRIER_WAIT:
	case MBARRIER_CHECK_LAYOUT: break; /* plain writes, reads */
	}
	return false;
}

static bool mbarrier_write(struct ptx_bench *b, struct ptx_state *s, const struct op *op,
	const struct ptx_op *o, struct action *a)
{
	uint32_t n = (uint32_t)register_get(
		op_lanes(&b->warp, op, op->ndests), b->lane, op->width[op->ndests]);
	uint64_t word = s->old[0];
	a->kind = ACTION_WRITE;
	a->rmw = true;
	a->sem = o->sem == SEM_RELEASE ? SEM_RELEASE : SEM_RELAXED;
	a->value_known = s->old_known;
	if (s->old_known && (!mbarrier_marked(word) || !apply_operation(op, &word, n)))
		return sync_fault(a,
			mbarrier_marked(s->old[0]) ? "an mbarrier operation beyond its counts"
						   : "an mbarrier that was not initialised");
	a->value[0] = word;
	/* The token: parity and pending count before the operation. The number of the phase, for
	 * which hardware has no bits, stays 0. */
	if (op->ndests) {
		op_set(&b->warp, op, 0, b->lane, s->old_known ? mbarrier_token(s->old[0], 0) : 0);
		ptx_mark(b, s, op->at[0], s->old_known, true);
	}
	s->half_done = false;
	s->nvisits = 0;
	s->pc++;
	return true;
}

static bool mbarrier_plain(
	struct ptx_bench *b, struct ptx_state *s, const struct op *op, struct action *a)
{
	uint32_t n = (uint32_t)register_get(
		op_lanes(&b->warp, op, op->ndests), b->lane, op->width[op->ndests]);
	a->kind = ACTION_WRITE;
	a->sem = SEM_WEAK;
	a->value_known = true;
	if (op->mbarrier.what == MBARRIER_INIT &&
		mbarrier_init(&a->value[0], n, op->mbarrier.v1) != MBARRIER_FINE)
		return sync_fault(a,
			op->mbarrier.v1 ? "mbarrier.init with a count outside 1 to 511"
					: "mbarrier.init with a count outside 1 to 1048575");
	a->where = op->mbarrier.what == MBARRIER_INIT ? WHERE_INIT : 0;
	s->nvisits = 0;
	s->pc++;
	return true;
}

/* The parity of the phase that a wait waits for. */
static uint64_t wait_parity(const struct ptx_bench *b, const struct op *op)
{
	uint64_t asked = register_get(
		op_lanes(&b->warp, op, op->ndests), b->lane, op->width[op->ndests]);
	return op->mbarrier.parity ? asked & 1 : asked >> 63;
}

static bool mbarrier_action(const struct ptx_client *c, uint32_t thread, struct ptx_bench *b,
	struct ptx_state *s, const struct op *op, const struct ptx_op *o, struct action *a)
{
	const struct op_address *at = op->mbarrier.address;
	uint64_t phys, address;
	uint16_t where;
	if ((at->width && !ptx_place_known(b, s, at->place)) ||
		!ptx_place_known(b, s, op->at[op->ndests]))
		return sync_stall(a);
	address = sync_address_of(&b->warp, at, b->lane);
	if (!ptx_resolve(c, thread, at->space, address, 8, true, &where, &phys) ||
		where != W_shared)
		return sync_fault(a, "an mbarrier outside the CTA's shared memory");
	if (op->mbarrier.own && !ptx_is_own(c, thread, phys))
		return sync_fault(a, "an mbarrier of another CTA, where its own is required");
	a->scope = o->scope;
	a->size = 8;
	a->address_known = true;
	a->virt = a->phys = phys;
	s->events++;
	if (op->mbarrier.what == MBARRIER_INIT || op->mbarrier.what == MBARRIER_INVAL)
		return mbarrier_plain(b, s, op, a);
	if (s->half_done)
		return mbarrier_write(b, s, op, o, a);
	a->kind = ACTION_READ;
	a->rmw = mbarrier_writes((enum mbarrier_what)op->mbarrier.what);
	a->sem = SEM_RELAXED; /* a wait acquires when it succeeds: ptx_mbarrier_answer */
	s->half_done = a->rmw;
	a->quiet = o->quiet;
	a->value[0] = op->mbarrier.what == MBARRIER_WAIT ? wait_parity(b, op)
		: op->mbarrier.expects                   ? 1
				       : (uint32_t)register_get(op_lanes(&b->warp, op, op->ndests),
						 b->lane, op->width[op->ndests]);
	return true;
}

void ptx_mbarrier_answer(
	const struct ptx_client *c, struct ptx_bench *b, struct ptx_state *s, struct action *a)
{
	const struct op *op = &b->code->ops[s->pc];
	s->old[0] = a->value_known ? a->value[0] : 0;
	s->old_known = a->value_known;
	if (mbarrier_writes((enum mbarrier_what)op->mbarrier.what))
		return; /* its write is next */
	if (op->mbarrier.what == MBARRIER_CHECK_LAYOUT) {
		op_set(&b->warp, op, 0, b->lane,
			mbarrier_marked(s->old[0]) && mbarrier_is_v1(s->old[0]) == op->mbarrier.v1);
	} else {
		/* the phase with the wanted parity is complete when the object is no longer in it
		 */
		bool complete = mbarrier_parity(s->old[0]) != wait_parity(b, op);

		op_set(&b->warp, op, 0, b->lane, complete);
		a->acquires = a->value_known && complete && b->code->op[s->pc].sem == SEM_ACQUIRE &&
			!(c->options->off & OFF_MBARRIER);
	}
	ptx_mark(b, s, op->at[0], s->old_known, true);
	s->pc++;
}

/* --- barrier.cluster --- */

static void cluster_barrier(const struct ptx_client *c, uint32_t thread, struct ptx_state *s,
	const struct op *op, struct action *a)
{
	a->kind = ACTION_BARRIER;
	a->rule = BARRIER_PHASE;
	a->object = ptx_object(OBJECT_CLUSTER, c->thread[thread].cluster, 0);
	a->wait_only = op->kind == KIND_CLUSTER_WAIT;
	a->arrive_only = !a->wait_only;
	a->unordered = op->cluster.sem == SEM_RELAXED;
	s->events++;
	s->nvisits = 0;
	s->pc++;
}

/* --- exchanges between lanes of a warp --- */

/* vote, match, redux, elect, shfl with .sync: every participant provides its first source and gets
 * the values of all participants. This does not order memory. Without .sync, and activemask: any
 * subset of the lanes may participate. */
static bool collective_action(const struct ptx_client *c, uint32_t thread, struct ptx_bench *b,
	struct ptx_state *s, const struct op *op, bool sync, struct action *a)
{
	unsigned last = op->noperands - 1u;
	for (unsigned k = op->ndests; k < op->noperands; k++) {
		if (!ptx_place_known(b, s, op->at[k]))
			return sync_stall(a);
	}
	uint64_t members = sync
		? register_get(op_lanes(&b->warp, op, last), b->lane, op->width[last])
		: b->mask;
	if (sync && valid_member(members, b->lane))
		return sync_fault(
			a, "a .sync instruction by a thread that is not in its membermask");
	a->kind = ACTION_BARRIER;
	a->rule = sync ? BARRIER_WARP : BARRIER_TOGETHER;
	a->object = sync ? ptx_object(OBJECT_EXCHANGE, c->thread[thread].warp, (uint32_t)members)
			 : ptx_object(OBJECT_TOGETHER, c->thread[thread].warp, op->insn);
	a->number = b->lane;
	a->count = !sync && (b->code->nheads || b->code->nparts > 1);
	a->unordered = true;
	a->value[1] = op->ndests + sync < op->noperands
		? register_get(op_lanes(&b->warp, op, op->ndests), b->lane, op->width[op->ndests])
		: 0;
	s->events++;
	s->nvisits = 0;
	return true;
}

/* Runs the interpreter's handler with the values that the lanes provided (GIVEN) in their
 * registers, ABSENT for lanes that provided none, and this thread's membermask in all lanes. */
static void compute_collective(
	struct ptx_bench *b, const struct op *op, const uint64_t *given, bool sync, uint64_t absent)
{
	unsigned last = op->noperands - 1u, first = op->ndests;
	uint32_t lanes = (uint32_t)given[0];
	for (uint32_t lane = 0; lane < LANES; lane++) {
		if (first + sync < op->noperands && !(op->at[first] & 1))
			register_set(op_lanes(&b->warp, op, first), lane, op->width[first],
				lanes >> lane & 1 ? given[1 + lane] : absent);
		if (sync && !(op->at[last] & 1))
			register_set(op_lanes(&b->warp, op, last), lane, op->width[last],
				register_get(
					op_lanes(&b->warp, op, last), b->lane, op->width[last]));
	}
	b->warp.live = lanes;
	op->run.exec(&b->warp, op, lanes);
}

/* Sets this lane's results; a value from a lane that does not participate is open. */
void ptx_collective_answer(struct ptx_bench *b, struct ptx_state *s, const struct action *a)
{
	const struct op *op = &b->code->ops[s->pc];
	const uint64_t *given = (const uint64_t *)(uintptr_t)a->value[1];
	bool sync = b->code->op[s->pc].class == PTX_COLLECTIVE;
	if (!a->value_known)
		return;
	compute_collective(b, op, given, sync, UINT64_MAX);
	uint64_t other = op->ndests ? register_get(op_lanes(&b->warp, op, 0), b->lane, op->width[0])
				    : 0;
	compute_collective(b, op, given, sync, 0);
	for (unsigned k = 0; k < op->ndests; k++)
		ptx_mark(b, s, op->at[k], true, true);
	if (op->ndests && other != register_get(op_lanes(&b->warp, op, 0), b->lane, op->width[0]) &&
		ptx_slot_at(b->part, op->at[0]) != PTX_NO_SLOT)
		ptx_mark_open(b, s, ptx_slot_at(b->part, op->at[0]), PTX_OPEN_LANE);
	s->pc++;
}

bool ptx_synchronise(const struct ptx_client *c, uint32_t thread, struct ptx_bench *b,
	struct ptx_state *s, struct action *a)
{
	const struct op *op = &b->code->ops[s->pc];
	const struct ptx_op *o = &b->code->op[s->pc];
	if (o->class == PTX_MBARRIER)
		return mbarrier_action(c, thread, b, s, op, o, a);
	if (o->class == PTX_COLLECTIVE || o->class == PTX_TOGETHER)
		return collective_action(c, thread, b, s, op, o->class == PTX_COLLECTIVE, a);
	cluster_barrier(c, thread, s, op, a);
	return true;
}
