/* State of each mbarrier beyond its 64 bits: whether it is live, the number of its phase, which
 * threads arrived, and a stale wait. */
#include "interp/memory/mbarrier_record.h"
#include "base/memory.h"
#include "base/assert.h"
#include "base/map.h"
#include "interp/memory/mbarrier_wait.h"
#include "interp/memory/name.h"
#include "interp/state/cluster.h"
#include "interp/state/where.h"
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

/* The mbarriers of one CTA. */
struct mbarriers {
	VEC(struct mbarrier_record) record;
	struct map at; /* key: offset */
};

struct mbarrier_record *mbarrier_find(struct cta *c, uint32_t offset)
{
	struct mbarriers *t = c->mbarriers;
	uint32_t k = t ? map_get(&t->at, offset, UINT32_MAX) : UINT32_MAX;

	return k == UINT32_MAX ? NULL : &t->record.data[k];
}

struct mbarrier_record *mbarrier_known(struct cta *c, uint32_t offset)
{
	struct mbarrier_record *r = mbarrier_find(c, offset);

	assert(r);
	return r;
}

struct mbarrier_record *mbarrier_make(struct cta *c, uint32_t offset)
{
	struct mbarrier_record *r = mbarrier_find(c, offset);
	struct mbarriers *t = c->mbarriers;

	if (r)
		return r;
	if (!t)
		t = c->mbarriers = ARENA_NEW(&c->arena, struct mbarriers);
	map_set(&t->at, offset, t->record.count);
	r = vec_push(&t->record);
	*r = (struct mbarrier_record){
		.offset = offset, .init_insn = IR_NONE, .stale_insn = IR_NONE};
	return r;
}

struct mbarrier_record *mbarrier_all(struct cta *c, uint32_t *n)
{
	*n = c->mbarriers ? c->mbarriers->record.count : 0;
	return c->mbarriers ? c->mbarriers->record.data : NULL;
}

static void records_begin(struct cluster *k)
{
	EVERY_CTA(c, k)
		if (c->mbarriers) {
			map_clear(&c->mbarriers->at);
			c->mbarriers->record.count = 0;
		}
}

static void records_free(struct cluster *k)
{
	EVERY_CTA(c, k)
		if (c->mbarriers) {
			map_free(&c->mbarriers->at);
			vec_free(&c->mbarriers->record);
		}
}
const struct keeper mbarrier_keeper = {.begin = records_begin, .free = records_free};

/* --- stale waits --- */

/* Appends the stale wait on R to T. Requires machine.fault_lock. */
static void record_say_wait(const struct warp *w, const struct mbarrier_record *r, struct text *t)
{
	text_printf(t, "the wait for parity %u at %s returned at once for thread %u: ",
		(unsigned)(r->stale_phase & 1),
		where_line_from(w->machine, r->stale_insn, r->stale_call).text, r->stale_thread);
	if (r->stale_phase == UINT64_MAX)
		text_puts(t, "until phase 0 completes, the phase of parity 1 counts as complete");
	else
		text_printf(t,
			"phase %llu had already completed, and the thread had waited for it before",
			(unsigned long long)r->stale_phase);
}

void mbarrier_describe_stale(const struct warp *w, const struct mbarrier_record *r, struct text *t)
{
	text_puts(t, ": ");
	lock_take(&w->machine->fault_lock);
	record_say_wait(w, r, t);
	lock_give(&w->machine->fault_lock);
}

struct mbarrier_record *mbarrier_stale(const struct warp *w, unsigned lane)
{
	const struct mbarrier_wait *wait = mbarrier_passed_stale(w, lane) ? mbarrier_passed(w, lane)
									  : NULL;
	struct mbarrier_record *r = wait && wait->cta == w->cta
		? mbarrier_known(w->cta, wait->offset)
		: NULL;

	return r && r->live && r->stale_insn != IR_NONE ? r : NULL;
}

void mbarrier_tell(const struct warp *w, struct mbarrier_record *r, struct diag *d)
{
	struct text t = {0};

	r->told = d;
	if (d->count > 1) /* reported for another CTA before */
		return;
	record_say_wait(w, r, &t);
	diag_note(w->machine->findings, d, "%s (mbarrier %s)", text_str(&t),
		name_mbarrier(w->machine, w->cta, r->offset).text);
	diag_help(w->machine->findings, d,
		"wait for parity 0 in the first phase, and change it with every phase");
	text_free(&t);
}

void mbarrier_tell_more(struct machine *m, struct diag *d, enum diag_code code, uint32_t insn)
{
	const char *note = arena_printf(&m->findings->arena, "%s at %s has the same cause",
		diag_code_info(code).code, where_line(m, insn).text);

	for (unsigned k = 0; k < d->nnotes; k++)
		if (strcmp(d->notes[k], note) == 0)
			return;
	diag_note(m->findings, d, "%s", note);
}

void mbarrier_finding(struct warp *w, const struct op *op, unsigned lane, struct mbarrier_record *r,
	enum diag_code code, const char *fmt, ...)
{
	struct text t = {0};
	struct diag *d = NULL;
	va_list ap;

	if (!r || !r->told) {
		va_start(ap, fmt);
		text_vprintf(&t, fmt, ap);
		va_end(ap);
		d = finding(w, op, lane, code, "%s", text_str(&t));
		text_free(&t);
	}
	if (!r)
		return;
	lock_take(&w->machine->fault_lock);
	if (d)
		mbarrier_tell(w, r, d);
	else
		mbarrier_tell_more(w->machine, r->told, code, op->insn);
	lock_give(&w->machine->fault_lock);
}
