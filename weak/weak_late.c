/* Late operations. A weak or relaxed load or atom may choose its message after later instructions
 * of its thread have been executed, so that it can read what other threads write in response to
 * these (load buffering). Operations that need its register are queued after it: arithmetic, and
 * stores and atoms of its value; so may accesses to its location. Late operations are executed
 * before anything that cannot wait for them: an address, a predicate, a barrier, a call, an exit,
 * another write to the register.
 *
 * An operation that needs a value is executed after the operation that yields it, so no value comes
 * out of thin air. A late operation knows what its thread knew when it was issued. When its thread
 * then releases, it either is executed, or floats: it is executed before another thread acquires
 * that release, so that no event is executed before one that precedes it in causality order. A
 * strong load that stays late past an acquiring fence chooses a message at the fence, and may
 * choose another one later only if that one releases nothing to the fence; the same holds for an
 * acquiring load. (docs/SAMPLER.md) */
#include "base/assert.h"
#include "base/memory.h"
#include "interp/memory/undefined.h"
#include "weak/weak.h"
#include <stdlib.h>

enum { FEW = 2, EACH = 2, SOME = 6, RARELY = 4, BEHIND = 2, FLOATS = 2 };

uint32_t weak_late_lanes(struct warp *w, const struct op *op, uint32_t mask)
{
	struct chooser *c = w->machine->chooser;
	bool few = lanes_of(mask) <= FEW, load = op->kind == KIND_LOAD,
	     takes = sem_acquires((enum sem)op->access.sem);
	uint32_t n = !few ? RARELY : w->machine->weak->bias & BIAS_PROMPT ? SOME : EACH;

	if ((!load && takes) || w->machine->clock_frozen ||
		w->weak->nlate + FEW * op->access.vector > WEAK_LATE ||
		choose(c, CHOICE_READ, n) != 1)
		return 0;
	if (few)
		return mask;
	for (n = choose(c, CHOICE_READ, lanes_of(mask)); n; n--) /* of many lanes, one is enough */
		mask &= mask - 1;
	return mask & -mask;
}

/* --- the queue --- */

static bool weak_place_overlaps(const struct weak_place *a, const struct weak_place *b)
{
	return a->at < b->at + (b->width ? b->width * LANES : 4) &&
		b->at < a->at + (a->width ? a->width * LANES : 4);
}

static bool late_overlaps(const struct weak_late *l, const uint8_t *host, unsigned n)
{
	return l->kind != LATE_ALU && l->access.host < host + n &&
		host < l->access.host + l->access.n;
}

/* Whether L must precede a later instruction that reads PLACE or, if WRITTEN, writes it. */
static bool late_touches(const struct weak_late *l, const struct weak_place *place, bool written)
{
	if (l->to.at && weak_place_overlaps(&l->to, place))
		return true;
	for (unsigned k = 0; written && k < l->nfrom; k++)
		if (weak_place_overlaps(&l->from[k], place))
			return true;
	return false;
}

/* Whether L, which comes later in program order, must be executed after D. */
static bool late_follows(const struct weak_late *l, const struct weak_late *d)
{
	if (d->access.lane != l->access.lane)
		return false;
	if (l->kind != LATE_ALU && late_overlaps(d, l->access.host, l->access.n))
		return true;
	if (l->to.at && late_touches(d, &l->to, true))
		return true;
	for (unsigned k = 0; k < l->nfrom; k++)
		if (late_touches(d, &l->from[k], false))
			return true;
	return false;
}

static void floating_drop(struct weak *k, const struct weak_late *l)
{
	for (uint32_t i = 0; l->floating && i < k->nfloating; i++)
		if (k->floating[i].stamp == l->access.stamp) {
			k->floating[i] = k->floating[--k->nfloating];
			return;
		}
}

static uint32_t late_find(const struct weak_warp *ww, uint64_t stamp)
{
	uint32_t i = 0;

	while (i < ww->nlate && ww->late[i].access.stamp != stamp)
		i++;
	assert(i < ww->nlate);
	return i;
}

static void late_settle(struct warp *w, uint32_t i);

/* Executes what operation I must follow; returns the index of I afterwards. */
static uint32_t late_settle_before(struct warp *w, uint32_t i)
{
	struct weak_warp *ww = w->weak;
	uint64_t stamp = ww->late[i].access.stamp;

	for (uint32_t k = 0; k < i;)
		if (late_follows(&ww->late[i], &ww->late[k])) {
			late_settle(w, k);
			i = late_find(ww, stamp);
			k = 0;
		} else {
			k++;
		}
	return i;
}

static void late_free(struct weak *k, struct weak_late *l)
{
	floating_drop(k, l);
	weak_clock_unref(l->access.clock);
	weak_heads_unref(l->access.heads);
}

/* Executes operation I, after those that it must follow. */
static void late_settle(struct warp *w, uint32_t i)
{
	struct weak_warp *ww = w->weak;
	struct weak_late l;

	assert(i < ww->nlate);
	i = late_settle_before(w, i);
	l = ww->late[i];
	ww->nlate--;
	ww->late_lanes = 0;
	for (uint32_t k = 0; k < ww->nlate; k++) {
		if (k >= i)
			ww->late[k] = ww->late[k + 1];
		ww->late_lanes |= 1u << ww->late[k].access.lane;
	}
	w->machine->weak->execute(w, &l);
	late_free(w->machine->weak, &l);
}

void weak_late_free(struct weak *k, struct weak_warp *ww)
{
	for (uint32_t i = 0; i < ww->nlate; i++)
		late_free(k, &ww->late[i]);
	memory_drop(ww->late);
}

struct weak_late *weak_late_add(struct warp *w, const struct op *op, enum weak_late_kind kind,
	const struct weak_access *a, const struct weak_place *to, const struct weak_place *from,
	unsigned nfrom)
{
	struct weak_warp *ww = w->weak;
	struct weak_late *l;

	if (!ww->late)
		ww->late = memory_resize(NULL, WEAK_LATE * sizeof *ww->late);
	assert(ww->nlate < WEAK_LATE && nfrom <= WEAK_FROM);
	/* in program order */
	assert(!ww->nlate || ww->late[ww->nlate - 1].access.stamp < a->stamp);
	l = &ww->late[ww->nlate++];
	ww->late_lanes |= 1u << a->lane;
	*l = (struct weak_late){
		.kind = (uint8_t)kind, .op = op, .access = *a, .nfrom = (uint8_t)nfrom};
	if (to)
		l->to = *to;
	for (unsigned k = 0; k < nfrom; k++)
		l->from[k] = from[k];
	l->access.late = true;
	weak_clock_ref(l->access.clock);
	if ((kind == LATE_STORE || kind == LATE_ATOM) && a->sem != SEM_WEAK)
		l->access.heads = weak_given(&l->access);
	return l;
}

void weak_late_all(struct warp *w, uint32_t mask)
{
	for (uint32_t i = 0; i < w->weak->nlate;)
		if (mask >> w->weak->late[i].access.lane & 1)
			late_settle(w, i);
		else
			i++;
}

void weak_late_at(struct warp *w, unsigned lane, const uint8_t *host, unsigned n)
{
	if (!(w->weak->late_lanes >> lane & 1))
		return;
	for (uint32_t i = 0; i < w->weak->nlate;) {
		const struct weak_late *l = &w->weak->late[i];

		if (l->access.lane == lane && late_overlaps(l, host, n)) {
			late_settle(w, i);
			i = 0;
		} else {
			i++;
		}
	}
}

bool weak_late_behind(struct warp *w, const struct weak_access *a, bool late)
{
	bool any = false, same = true, room = w->weak->nlate < WEAK_LATE;

	if (!(w->weak->late_lanes >> a->lane & 1))
		return late && room;
	for (uint32_t i = 0; i < w->weak->nlate; i++) {
		const struct weak_late *l = &w->weak->late[i];

		if (l->access.lane == a->lane && late_overlaps(l, a->host, a->n)) {
			any = true;
			same = same && l->access.host == a->host && l->access.n == a->n;
		}
	}
	if (!any)
		return late && room;
	if (same && weak_can_wait(a) && room &&
		(late || choose(w->machine->chooser, CHOICE_READ, BEHIND) == 1))
		return true;
	weak_late_at(w, a->lane, a->host, a->n);
	return late && w->weak->nlate < WEAK_LATE;
}

void weak_late_chosen(struct warp *w, const struct op *op, const struct weak_access *a,
	const struct weak_place *to)
{
	struct weak_late *l;

	if (w->weak->nlate == WEAK_LATE)
		return;
	l = weak_late_add(w, op, LATE_LOAD, a, to, NULL, 0);
	l->chosen = true;
	l->acquires = a->scope;
}

bool weak_late_writes(const struct warp *w, unsigned lane, const struct weak_place *place)
{
	if (!(w->weak->late_lanes >> lane & 1))
		return false;
	for (uint32_t i = 0; i < w->weak->nlate; i++)
		if (w->weak->late[i].access.lane == lane &&
			late_touches(&w->weak->late[i], place, false))
			return true;
	return false;
}

uint32_t weak_unread(const struct warp *w, unsigned char *reg, unsigned width)
{
	const struct weak_place place = {reg, (uint8_t)width};
	uint32_t lanes = 0;

	for (uint32_t i = 0; i < w->weak->nlate; i++)
		if (!w->weak->late[i].chosen && late_touches(&w->weak->late[i], &place, false))
			lanes |= 1u << w->weak->late[i].access.lane;
	return lanes;
}

/* Executes the late operations of the lanes of MASK that must precede an instruction that reads
 * PLACE or, if WRITTEN, writes it. */
static void late_settle_place(
	struct warp *w, uint32_t mask, const struct weak_place *place, bool written)
{
	for (uint32_t i = 0; i < w->weak->nlate;) {
		const struct weak_late *l = &w->weak->late[i];

		if (mask >> l->access.lane & 1 && late_touches(l, place, written)) {
			late_settle(w, i);
			i = 0;
		} else {
			i++;
		}
	}
}

void weak_late_place(struct warp *w, unsigned lane, const struct weak_place *place)
{
	late_settle_place(w, 1u << lane, place, false);
}

/* --- floating --- */

static void floating_add(struct warp *w, struct weak_late *l)
{
	struct weak *k = w->machine->weak;

	if (!k->floating)
		k->floating = memory_resize(NULL, WEAK_FLOATING * sizeof *k->floating);
	assert(k->nfloating < WEAK_FLOATING && !l->floating);
	k->floating[k->nfloating++] = (struct weak_floating){
		w, weak_who(w->weak, l->access.lane), l->access.stamp, false};
	l->floating = true;
}

void weak_late_known(struct weak *k, const struct weak_clock *clock)
{
	for (uint32_t i = 0; clock && i < k->nfloating; i++)
		if (weak_clock_knows(clock, &k->floating[i].who, k->floating[i].stamp))
			k->floating[i].due = k->due = true;
}

void weak_late_due(struct weak *k)
{
	k->due = false;
	for (uint32_t i = 0; i < k->nfloating;) {
		const struct weak_floating *f = &k->floating[i];

		if (f->due) {
			late_settle(f->warp, late_find(f->warp->weak, f->stamp));
			i = 0;
		} else {
			i++;
		}
	}
}

/* Makes a load choose a message that an acquire of its thread at SCOPE may use. It may choose again
 * later. */
static void late_choose_now(struct warp *w, uint32_t i, uint8_t scope)
{
	struct weak_late *l;

	i = late_settle_before(w, i);
	l = &w->weak->late[i];
	if (!l->chosen)
		w->machine->weak->execute(w, l);
	l->chosen = true;
	l->acquires = l->acquires > scope ? l->acquires : scope;
}

/* The thread releases, or acquires by a fence of scope ACQUIRES (-1: it does not): its late
 * operations are executed, or float. (If an observer is attached, strong accesses are executed: it
 * must be notified of them before the release.) */
static void late_pass(struct warp *w, uint32_t mask, bool release, int acquires)
{
	struct weak_warp *ww = w->weak;
	struct weak *k = w->machine->weak;

	if (choose(w->machine->chooser, CHOICE_READ, FLOATS) == 0) {
		weak_late_all(w, mask);
		return;
	}
	for (uint32_t i = 0; i < ww->nlate;) {
		struct weak_late *l = &ww->late[i];
		uint64_t stamp = l->access.stamp;
		bool strong = l->access.sem != SEM_WEAK && acquires >= 0,
		     told = l->access.sem != SEM_WEAK && !l->chosen &&
			w->machine->interest & INTEREST_ACCESS;

		if (!(mask >> l->access.lane & 1)) {
			i++;
		} else if (told || (release && !l->floating && k->nfloating == WEAK_FLOATING) ||
			(strong && l->kind == LATE_ATOM && !l->access.reduction)) {
			late_settle(w, i);
			i = 0;
		} else {
			if (strong && l->kind == LATE_LOAD) {
				late_choose_now(w, i, (uint8_t)acquires);
				i = late_find(ww, stamp);
				l = &ww->late[i];
			}
			if (release && !l->floating)
				floating_add(w, l);
			i++;
		}
	}
}

/* --- before an instruction --- */

enum kind { ARITHMETIC, ONLY_REGISTERS, ACCESSES, FENCES, WAITS, ORDERS };

static enum kind late_kind_of(const struct op *op)
{
	switch ((enum op_kind)op->kind) {
	case KIND_ALU: return ARITHMETIC;
	case KIND_BRANCH:
	case KIND_RESIZE:
	case KIND_REGROUP:
	case KIND_COMPLEMENT:
	case KIND_SREG:
	case KIND_ADDRESS:
	case KIND_CVTA:
	case KIND_ISSPACEP:
	case KIND_POLICY: return ONLY_REGISTERS;
	case KIND_LOAD:
	case KIND_STORE:
	case KIND_ATOM:
	case KIND_RED: return ACCESSES;
	case KIND_CLUSTER_WAIT: return WAITS;
	case KIND_FENCE: return FENCES;
	case KIND_BRANCH_INDEX:
	case KIND_CALL:
	case KIND_RETURN:
	case KIND_EXIT:
	case KIND_TRAP:
	case KIND_BREAKPOINT:
	case KIND_SLEEP:
	case KIND_NOTHING:
	case KIND_UNSUPPORTED:
	case KIND_ALLOCA:
	case KIND_STACKSAVE:
	case KIND_STACKRESTORE:
	case KIND_DISCARD:
	case KIND_TEXTURE:
	case KIND_PROXY_FENCE:
	case KIND_VOTE:
	case KIND_MATCH:
	case KIND_ACTIVEMASK:
	case KIND_REDUX:
	case KIND_ELECT:
	case KIND_SHFL:
	case KIND_WARP_BARRIER:
	case KIND_SETMAXNREG:
	case KIND_BARRIER:
	case KIND_CLUSTER_ARRIVE:
	case KIND_MAPA:
	case KIND_GETCTARANK:
	case KIND_TRY_CANCEL:
	case KIND_QUERY_CANCEL:
	case KIND_ROW_ADDRESS:
	case KIND_FRAGMENT_ADDRESS:
	case KIND_MOVMATRIX:
	case KIND_MMA:
	case KIND_WGMMA:
	case KIND_WGMMA_FENCE:
	case KIND_WGMMA_COMMIT:
	case KIND_WGMMA_WAIT:
	case KIND_TCGEN:
	case KIND_MBARRIER:
	case KIND_PENDING_COUNT:
	case KIND_CP_ASYNC:
	case KIND_CP_ASYNC_ARRIVE:
	case KIND_BULK:
	case KIND_TENSOR:
	case KIND_TENSOR_REPLACE:
	case KIND_TENSOR_PUBLISH:
	case KIND_ASYNC_VALUE:
	case KIND_ST_BULK:
	case KIND_COMMIT_GROUP:
	case KIND_WAIT_GROUP:
	case KIND_COUNT: return ORDERS;
	}
	return ORDERS;
}

static struct weak_place late_operand(const struct warp *w, const struct op *op, unsigned k)
{
	return (struct weak_place){op_place(w, op->at[k]), op->width[k]};
}

static void late_settle_operand(
	struct warp *w, uint32_t mask, uint32_t at, unsigned width, bool written)
{
	const struct weak_place place = {op_place(w, at), (uint8_t)width};

	if (!(at & 1))
		late_settle_place(w, mask, &place, written);
}

/* Queues OP for those lanes of MASK in which it needs a late register, and returns them. */
static uint32_t late_arithmetic(struct warp *w, const struct op *op, uint32_t mask)
{
	struct weak_warp *ww = w->weak;
	bool may = op->ndests == 1 && op->width[0] && op->noperands <= 1 + WEAK_FROM;
	uint32_t late = 0, undefined = 0;
	struct weak_place to, from[WEAK_FROM];

	for (unsigned k = 0; may && k < op->noperands; k++)
		/* which bits of the result are undefined depends on values */
		undefined |= undefined_lanes(w, op->at[k]);
	FOR_LANES(lane, mask) {
		struct weak_access a = {.k = w->machine->weak, .w = ww, .lane = lane};
		bool needs = false;

		for (unsigned k = 0; !needs && k < op->noperands; k++) {
			struct weak_place p = late_operand(w, op, k);

			needs = !(op->at[k] & 1) &&
				(k < op->ndests ? false : weak_late_writes(w, lane, &p));
		}
		if (!needs || !may || undefined >> lane & 1 || ww->nlate == WEAK_LATE) {
			for (unsigned k = 0; k < op->noperands; k++)
				late_settle_operand(
					w, 1u << lane, op->at[k], op->width[k], k < op->ndests);
			continue;
		}
		to = late_operand(w, op, 0);
		for (unsigned k = 1; k < op->noperands; k++)
			from[k - 1] = late_operand(w, op, k);
		a.stamp = ++a.k->now;
		weak_late_add(w, op, LATE_ALU, &a, &to, from, op->noperands - 1u);
		late |= 1u << lane;
	}
	return late;
}

/* Before an access: executes the late operations that yield its address or use its destinations.
 * The value that it stores may stay late. */
static void late_before_access(struct warp *w, const struct op *op, uint32_t mask)
{
	const struct op_vector *v = op->access.vector_at;
	bool waits = op->kind != KIND_LOAD && access_is_common(&op->access);
	unsigned address = op->access.base_operand;

	late_settle_operand(w, mask, op->at[address], op->width[address], false);
	for (unsigned k = 0; k < op->noperands && !v; k++)
		if (k < op->ndests || !waits)
			late_settle_operand(w, mask, op->at[k], op->width[k], k < op->ndests);
	for (unsigned c = 0; v && c < 3; c++)
		for (unsigned e = 0; e < op->access.vector; e++)
			if (v->width[c][e] && (c == 0 || !waits))
				late_settle_operand(
					w, mask, v->place[c][e], v->width[c][e], c == 0);
}

/* Before the lanes of MASK wait without having released: executes their late writes, which other
 * threads may be waiting for. Loads may stay late. */
static void late_settle_writes(struct warp *w, uint32_t mask)
{
	for (uint32_t i = 0; i < w->weak->nlate;) {
		const struct weak_late *l = &w->weak->late[i];

		if (mask >> l->access.lane & 1 && (l->kind == LATE_STORE || l->kind == LATE_ATOM)) {
			late_settle(w, i);
			i = 0;
		} else {
			i++;
		}
	}
}

uint32_t weak_before(struct warp *w, const struct op *op, uint32_t mask)
{
	uint32_t some = w->weak->late_lanes & mask;
	enum kind kind;

	if (!some)
		return mask;
	kind = w->machine->clock_frozen ? ORDERS : late_kind_of(op);
	switch (kind) {
	case ORDERS: weak_late_all(w, some); break;
	case WAITS: late_settle_writes(w, some); break;
	case ARITHMETIC: return mask & ~late_arithmetic(w, op, some);
	case FENCES:
		late_pass(w, some, sem_releases((enum sem)op->fence.sem),
			sem_acquires((enum sem)op->fence.sem) ? op->fence.scope : -1);
		break;
	case ACCESSES:
		if (sem_releases((enum sem)op->access.sem))
			late_pass(w, some, true, -1);
		late_before_access(w, op, some);
		break;
	case ONLY_REGISTERS:
		for (unsigned k = 0; k < op->noperands; k++)
			late_settle_operand(w, some, op->at[k], op->width[k],
				k < op->ndests || op->kind != KIND_ALU);
		break;
	}
	return mask;
}
