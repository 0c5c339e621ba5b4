/* The operations on mbarriers that arrivals, transactions and asynchronous copies share, with
 * their faults (which hardware raises too) and findings (which it does not). */
#include "interp/sync/mbarrier_table.h"
#include "interp/memory/name.h"
#include "interp/memory/order.h"
#include "interp/sync/mbarrier.h"
#include "interp/state/where.h"
#include "base/memory.h"
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

/* --- records and events --- */

static void mbarrier_event(struct warp *w, const struct op *op, unsigned lane,
	const struct sync_place *p, const struct mbarrier_record *r, enum sync_kind kind,
	uint64_t value)
{
	bool own = op->kind == KIND_MBARRIER; /* otherwise the completion of a copy */

	if (w->machine->interest & INTEREST_SYNC)
		observers_sync(w->machine,
			&(struct sync_event){.kind = kind,
				.cta = w->cta,
				.warp = w,
				.op = op,
				.mask = 1u << lane,
				.sem = (enum sem)(own ? op->mbarrier.sem : op->async.sem),
				.scope = (enum scope)(own ? op->mbarrier.scope : op->async.scope),
				.object = p->cta,
				.offset = p->offset,
				.phase = r->phase,
				.value = value,
				.word = r->word});
}

static void record_arrival(struct mbarrier_record *r, const struct warp *w, const struct op *op,
	unsigned lane, const struct cta *owner, uint32_t count, bool async)
{
	uint32_t bit = 1u << lane, user_call = w->frame->user_call;

	if (owner == w->cta) {
		r->twice = r->twice || (!async && r->now[w->index] & bit);
		r->now[w->index] |= bit;
		r->ever[w->index] |= bit;
	}
	for (uint32_t k = 0; k < r->arrivals; k++) {
		struct mbarrier_arrival *a = &r->arrival[k];

		if (a->cta == w->cta && a->warp == w->index && a->insn == op->insn &&
			a->user_call == user_call && a->async == async) {
			a->mask |= bit;
			a->count += count;
			return;
		}
	}
	if (r->arrivals == MBARRIER_ARRIVALS) {
		r->more += count;
		return;
	}
	r->arrival[r->arrivals++] = (struct mbarrier_arrival){
		w->cta, w->index, bit, op->insn, count, user_call, async};
}

static void record_next_phase(struct warp *w, const struct op *op, unsigned lane,
	const struct sync_place *p, struct mbarrier_record *r)
{
	assert(mbarrier_tx(r->word) == 0 &&
		mbarrier_pending(r->word) == mbarrier_expected(r->word));
	mbarrier_event(w, op, lane, p, r, SYNC_MBARRIER_PHASE, 0);
	r->phase++;
	w->worker->stats.barriers++;
	r->expected_tx = r->delivered_tx = 0;
	r->arrivals = r->more = 0;
	memset(r->now, 0, sizeof r->now);
}

/* --- before an operation --- */

static struct address_name name_place(const struct warp *w, const struct sync_place *p)
{
	return name_mbarrier(w->machine, p->cta, p->offset);
}

static uint64_t object_load(const struct sync_place *p)
{
	uint64_t w;

	memcpy(&w, p->host, 8);
	return w;
}

static void object_store(
	struct warp *w, const struct sync_place *p, struct mbarrier_record *r, uint64_t word)
{
	memcpy(p->host, &word, 8);
	if (p->defined)
		memset(p->defined, 0xff, 8);
	r->word = word;
	w->effect = 1;
}

/* A finding at OP with a label where R was initialised: nothing orders W's operation after that. */
static void report_unordered(struct warp *w, const struct op *op, unsigned lane,
	const struct mbarrier_record *r, enum diag_code code, const char *fmt, ...)
{
	const struct ir_module *ir = w->machine->module;
	struct text t = {0};
	struct diag *d;
	va_list ap;

	va_start(ap, fmt);
	text_vprintf(&t, fmt, ap);
	va_end(ap);
	d = finding(w, op, lane, code, "%s", text_str(&t));
	text_free(&t);
	lock_take(&w->machine->fault_lock);
	if (d->nlabels == 1 &&
		diag_label(w->machine->findings, d, ir->source, ir->insn[r->init_insn].span,
			"initialised here"))
		d->label[1].call = where_call(w->machine, r->init_call);
	lock_give(&w->machine->fault_lock);
}

static void check_order_remote(struct warp *w, const struct op *op, unsigned lane,
	const struct cta *owner, struct mbarrier_record *r)
{
	uint32_t last = order_last(w->cta);

	if (!r->live || r->init_insn == IR_NONE || !last ||
		(r->init_released && r->init_released <= last))
		return;
	if (last > 1)
		report_unordered(w, op, lane, r, DIAG_S0231,
			"thread %u of the CTA of rank %u initialised mbarrier %s, but no fence.mbarrier_init or other release at cluster scope followed before this CTA synchronised with it",
			r->init_thread, owner->cluster_rank,
			name_mbarrier(w->machine, owner, r->offset).text);
	else
		report_unordered(w, op, lane, r, DIAG_S0230,
			"thread %u of the CTA of rank %u initialised mbarrier %s, and this CTA has not synchronised with it since",
			r->init_thread, owner->cluster_rank,
			name_mbarrier(w->machine, owner, r->offset).text);
	r->init_released = 1; /* report once */
}

void mbarrier_check_order(struct warp *w, const struct op *op, unsigned lane,
	const struct cta *owner, struct mbarrier_record *r)
{
	if (owner != w->cta) {
		check_order_remote(w, op, lane, owner, r);
		return;
	}
	if (!r->live || r->init_insn == IR_NONE || r->init_epoch == MBARRIER_ORDERED ||
		w->index * LANES + lane == r->init_thread)
		return;
	if (order_epoch(owner) != r->init_epoch) {
		r->init_epoch = MBARRIER_ORDERED;
		return;
	}
	report_unordered(w, op, lane, r, DIAG_S0230,
		"thread %u initialised mbarrier %s, and this thread has not synchronised with it since",
		r->init_thread, name_mbarrier(w->machine, owner, r->offset).text);
	r->init_epoch = MBARRIER_ORDERED; /* report once */
}

/* The record of the object at P. A fault when the object was never initialised, a finding when
 * it has been invalidated or overwritten. NULL after a fault. */
static struct mbarrier_record *object_record(
	struct warp *w, const struct op *op, unsigned lane, const struct sync_place *p)
{
	struct mbarrier_record *r = mbarrier_find(p->cta, p->offset);
	uint64_t word = object_load(p);

	if (!r && mbarrier_marked(word)) /* its bytes were copied here from another object */
		r = mbarrier_make(p->cta, p->offset);
	if (!r || (!r->live && !mbarrier_marked(word))) {
		fault(w, op, lane, DIAG_S0210, "mbarrier %s was never initialised",
			name_place(w, p).text);
		return NULL;
	}
	if (!sync_checks(w))
		return r;
	if (!r->live)
		finding(w, op, lane, r->was_live ? DIAG_S0218 : DIAG_S0210,
			r->was_live ? "mbarrier %s was invalidated"
				    : "mbarrier %s was never initialised",
			name_place(w, p).text);
	else if (word != r->word)
		finding(w, op, lane, DIAG_S0219,
			"mbarrier %s was overwritten: it holds 0x%016llx, its last operation left 0x%016llx",
			name_place(w, p).text, (unsigned long long)word,
			(unsigned long long)r->word);
	mbarrier_check_order(w, op, lane, p->cta, r);
	r->word = word;
	return r;
}

/* Merges the earlier diagnostic that named R's stale wait into D, a fault at W's instruction
 * that names the same wait. Requires machine.fault_lock. */
static void record_absorb(const struct warp *w, struct mbarrier_record *r, struct diag *d)
{
	struct diags *all = w->machine->findings;
	struct diag *was = r->told;
	const char *first;

	if (!was || !was->nlabels)
		return;
	diag_drop(all, was);
	first = arena_printf(&all->arena, "%s at %s has the same cause",
		diag_code_info(was->code).code, diag_line_text(&was->label[0]).text);
	diag_note(all, d, "%s", first);
	for (unsigned k = 0; k < was->nnotes; k++)
		if (strstr(was->notes[k], "has the same cause") &&
			strcmp(was->notes[k], first) != 0)
			diag_note(all, d, "%s", was->notes[k]);
	if (was->help)
		diag_help(all, d, "%s", was->help);
	r->told = d;
}

/* The fault of an operation with N arrivals or bytes on the object of R at P, whose word is
 * WORD, for reason T. Always false. */
static bool object_fault(struct warp *w, const struct op *op, unsigned lane,
	const struct sync_place *p, struct mbarrier_record *r, uint64_t word,
	enum mbarrier_trouble t, uint32_t n)
{
	struct text cause = {0};
	struct diag *d;

	switch (t) {
	case MBARRIER_PENDING:
		if (r->stale_insn != IR_NONE)
			mbarrier_describe_stale(w, r, &cause);
		if (mbarrier_expected(word) == 0) {
			fault(w, op, lane, DIAG_S0214,
				"arrival at mbarrier %s, whose expected count arrive_drop reduced to 0",
				name_place(w, p).text);
		} else {
			d = fault_begin(w, op, lane, DIAG_S0212,
				"%u arrival%s at mbarrier %s, but in phase %llu only %u of %u are pending%s%s",
				n, n == 1 ? "" : "s", name_place(w, p).text,
				(unsigned long long)r->phase, mbarrier_pending(word),
				mbarrier_expected(word),
				mbarrier_tx(word) ? " (the phase waits for its transactions)" : "",
				text_str(&cause));
			if (d) {
				record_absorb(w, r, d);
				fault_end(w);
			}
		}
		break;
	case MBARRIER_TX:
		fault(w, op, lane, DIAG_S0213,
			"%u bytes move the tx-count of mbarrier %s from %d past its range of -1048575 to 1048575",
			n, name_place(w, p).text, mbarrier_tx(word));
		break;
	case MBARRIER_BYTES:
		fault(w, op, lane, DIAG_S0213,
			"%u bytes in one operation on mbarrier %s: the maximum is 1048575", n,
			name_place(w, p).text);
		break;
	case MBARRIER_EXPECTED:
		fault(w, op, lane, DIAG_S0214,
			"arrive_drop with count %u at mbarrier %s, which expects only %u", n,
			name_place(w, p).text, mbarrier_expected(word));
		break;
	case MBARRIER_FINE:
	case MBARRIER_COUNT:
	case MBARRIER_RAISED:
	default:
		fault(w, op, lane, DIAG_S0212,
			"the pending count of mbarrier %s would exceed 1048575",
			name_place(w, p).text);
		break;
	}
	text_free(&cause);
	return false;
}

/* --- the operations --- */

bool mbarrier_do_expect(struct warp *w, const struct op *op, unsigned lane,
	const struct sync_place *p, uint32_t bytes)
{
	struct mbarrier_record *r = object_record(w, op, lane, p);
	enum mbarrier_trouble t;
	uint64_t word;
	bool flipped;

	if (!r)
		return false;
	word = r->word;
	t = mbarrier_expect_tx(&word, bytes, &flipped);
	if (t)
		return object_fault(w, op, lane, p, r, word, t, bytes);
	object_store(w, p, r, word);
	r->expected_tx += bytes;
	r->expect_insn = op->insn;
	r->expect_call = w->frame->user_call;
	mbarrier_event(w, op, lane, p, r, SYNC_MBARRIER_EXPECT, bytes);
	if (flipped)
		record_next_phase(w, op, lane, p, r);
	return true;
}

bool mbarrier_do_complete(struct warp *w, const struct op *op, unsigned lane,
	const struct sync_place *p, uint32_t bytes)
{
	struct mbarrier_record *r = object_record(w, op, lane, p);
	enum mbarrier_trouble t;
	uint64_t word;
	bool flipped;

	if (!r)
		return false;
	word = r->word;
	t = mbarrier_complete_tx(&word, bytes, &flipped);
	if (t)
		return object_fault(w, op, lane, p, r, word, t, bytes);
	object_store(w, p, r, word);
	r->delivered_tx += bytes;
	mbarrier_event(w, op, lane, p, r, SYNC_MBARRIER_COMPLETE, bytes);
	if (flipped)
		record_next_phase(w, op, lane, p, r);
	return true;
}

bool mbarrier_do_report(
	struct warp *w, const struct op *op, unsigned lane, const struct sync_place *p, bool has)
{
	struct mbarrier_record *r = object_record(w, op, lane, p);
	uint64_t word;

	if (!r)
		return false;
	word = r->word;
	if (!mbarrier_report_on(&word)) {
		if (sync_checks(w))
			finding(w, op, lane, DIAG_S0232,
				"the copy inspects its data, and mbarrier %s, of .layout::v0, cannot keep a report",
				name_place(w, p).text);
	} else if (has) {
		object_store(w, p, r, word);
	}
	return true;
}

/* A thread must observe that phase N is complete before any thread arrives in phase N + 1. When
 * no thread has, and the arriving thread has never arrived before, phase N completed without it:
 * more threads arrive than the count says. Otherwise a wait returned too early. */
static void object_check_turn(struct warp *w, const struct op *op, unsigned lane,
	const struct sync_place *p, struct mbarrier_record *r)
{
	unsigned long long before = (unsigned long long)r->phase - 1;
	bool first = p->cta == w->cta && !(r->ever[w->index] >> lane & 1) && !r->twice,
	     stale = !first && r->stale_insn != IR_NONE;
	struct text t = {0};

	if (r->phase <= r->seen)
		return;
	if (first)
		text_printf(&t,
			"phase %llu of mbarrier %s completed with the %u arrivals that mbarrier.init expects, without this thread's: it arrives in phase %llu before any thread has waited for phase %llu",
			before, name_place(w, p).text, r->init_count, before + 1, before);
	else
		text_printf(&t,
			"arrival in phase %llu of mbarrier %s, but no thread has waited for phase %llu",
			before + 1, name_place(w, p).text, before);
	if (stale)
		mbarrier_describe_stale(w, r, &t);
	if (stale && r->told) {
		lock_take(&w->machine->fault_lock);
		mbarrier_tell_more(w->machine, r->told, DIAG_S0221, op->insn);
		lock_give(&w->machine->fault_lock);
		r->skewed = r->told;
	} else {
		r->skewed = finding(w, op, lane, DIAG_S0221, "%s", text_str(&t));
	}
	text_free(&t);
	r->seen = r->phase;
}

bool mbarrier_do_arrive(struct warp *w, const struct op *op, unsigned lane,
	const struct sync_place *p, uint32_t count, unsigned act, uint64_t *token)
{
	struct mbarrier_record *r = object_record(w, op, lane, p);
	enum mbarrier_trouble t = MBARRIER_FINE;
	uint64_t word;
	bool flipped;

	if (!r)
		return false;
	word = r->word;
	if (token)
		*token = mbarrier_token(word, r->phase) | (act & ACT_NO_COMPLETE);
	if (count == 0 && sync_checks(w))
		finding(w, op, lane, DIAG_S0228,
			"arrival with count 0 at mbarrier %s: the count must be 1 to 1048575",
			name_place(w, p).text);
	if (r->live && sync_checks(w))
		object_check_turn(w, op, lane, p, r);
	if (act & ACT_DROP)
		t = mbarrier_drop(&word, count);
	if (!t)
		t = mbarrier_arrive(&word, count, &flipped);
	if (t)
		return object_fault(w, op, lane, p, r, r->word, t, count);
	object_store(w, p, r, word);
	record_arrival(r, w, op, lane, p->cta, count, (act & ACT_ASYNC) != 0);
	if (act & ACT_DROP && p->cta == w->cta)
		r->dropped[w->index] |= 1u << lane;
	mbarrier_event(w, op, lane, p, r, SYNC_MBARRIER_ARRIVE, count);
	if (!flipped)
		return true;
	if (act & ACT_NO_COMPLETE && sync_checks(w))
		finding(w, op, lane, DIAG_S0220,
			"this .noComplete arrival completes phase %llu of mbarrier %s",
			(unsigned long long)r->phase, name_place(w, p).text);
	record_next_phase(w, op, lane, p, r);
	return true;
}

bool mbarrier_do_raise(
	struct warp *w, const struct op *op, unsigned lane, const struct sync_place *p)
{
	struct mbarrier_record *r = object_record(w, op, lane, p);
	enum mbarrier_trouble t;
	uint64_t word;

	if (!r)
		return false;
	word = r->word;
	t = mbarrier_raise(&word);
	if (t)
		return object_fault(w, op, lane, p, r, word, t, 1);
	object_store(w, p, r, word);
	return true;
}

void mbarrier_at_exit(struct cta *c, struct warp *w)
{
	uint32_t n;
	const struct mbarrier_record *all = mbarrier_all(c, &n);

	for (uint32_t k = 0; sync_checks(w) && k < n; k++) {
		const struct mbarrier_record *r = &all[k];
		struct op at = {.insn = r->expected_tx ? r->expect_insn : r->init_insn};
		int32_t tx = mbarrier_tx(r->word);

		if (!r->live || tx == 0 || at.insn == IR_NONE)
			continue;
		struct frame nowhere = {.user_call = r->expected_tx ? r->expect_call
								    : r->init_call},
			     *f = sync_detach(w, &nowhere);

		finding(w, &at, 0, DIAG_S0224,
			"the CTA exits while mbarrier %s has a tx-count of %d: in phase %llu %llu bytes were expected, %llu delivered",
			name_mbarrier(w->machine, c, r->offset).text, tx,
			(unsigned long long)r->phase, (unsigned long long)r->expected_tx,
			(unsigned long long)r->delivered_tx);
		sync_attach(w, f);
	}
}
