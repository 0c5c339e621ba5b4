/* Keeps the events of a run for its picture: the first and the last ones, and those at the places
 * of findings. A finding is noticed at the next event, and its places are looked up among the
 * events before it; weak accesses are kept only for that, the last one of each instruction and
 * warp. */
#include "trace/trace_record.h"
#include "base/memory.h"
#include "interp/memory/name.h"
#include "interp/sync/async.h"
#include <stdlib.h>

enum { WEAK = 1 << 14 };

/* --- events --- */

static struct shot shot_of(const struct trace *t, const struct trace_event *e)
{
	const struct recording *r = t->recording;
	struct shot s = {.seq = r->seq,
		.kind = (uint8_t)e->kind,
		.outcome = (uint8_t)e->outcome,
		.sem = (uint8_t)e->sem,
		.scope = (uint8_t)e->scope,
		.object_kind = e->object.kind,
		.cta = UINT32_MAX,
		.insn = e->op ? e->op->insn : IR_NONE,
		.user_call = e->user_call,
		.mask = e->mask,
		.arrived = e->object.arrived,
		.expected = e->object.expected,
		.object_number = e->object.number,
		.phase = e->object.phase,
		.word = e->object.word,
		.count = e->count,
		.launch = e->launch};

	if (e->cta) {
		s.cta = e->cta->number;
		s.linear = e->cta->linear;
		s.launch = e->cta->launch;
	}
	if (e->warp) {
		s.warp = e->warp->index;
		s.last = e->kind == TRACE_EXIT && !(e->warp->live & ~e->mask);
	}
	if (e->object.cta) {
		s.object_cta = e->object.cta->number;
		s.object_linear = e->object.cta->linear;
	}
	if (e->wait) {
		s.wait = e->wait->row;
		s.last = e->kind == TRACE_WAIT_ENDS && !e->wait->lanes;
	}
	if (e->copy) {
		s.copy = e->copy->number;
		s.by_copy = e->kind != TRACE_COPY_ISSUED;
		s.last = !e->copy->left;
		for (uint32_t k = 0; k < e->copy->nparts; k++)
			s.bytes += e->copy->part[k].bytes;
		if (s.insn == IR_NONE)
			s.insn = e->copy->op->insn;
	}
	if (e->access) {
		const struct access_event *a = e->access;

		s.lane = (uint32_t)__builtin_ctz(a->mask | 1u << (LANES - 1));
		FOR_LANES(lane, a->mask)
			s.address[lane] = a->address[lane];
		s.space = a->space;
		s.bytes = a->bytes;
		s.atomic = a->atomic;
	}
	return s;
}

static void keep_weak(struct recording *r, const struct shot *s)
{
	uint64_t key = ((uint64_t)s->cta * MAX_WARPS + s->warp) << 32 | s->insn;
	uint32_t at = map_get(&r->weak_at, key, UINT32_MAX);

	if (at == UINT32_MAX && r->weak.count == WEAK) {
		map_clear(&r->weak_at);
		r->weak.count = 0;
	}
	if (at == UINT32_MAX) {
		map_set(&r->weak_at, key, r->weak.count);
		*vec_push(&r->weak) = *s;
	} else {
		r->weak.data[at] = *s;
	}
}

static void keep(struct recording *r, const struct shot *s)
{
	if (r->first.count < SHOTS_FIRST) {
		*vec_push(&r->first) = *s;
	} else if (r->last.count < SHOTS_LAST) {
		*vec_push(&r->last) = *s;
	} else {
		r->last.data[r->next] = *s;
		r->next = (r->next + 1) % SHOTS_LAST;
		r->lost++;
	}
}

static int by_seq(const void *a, const void *b)
{
	const struct shot *const *x = a, *const *y = b;

	return ((*x)->seq > (*y)->seq) - ((*x)->seq < (*y)->seq);
}

const struct shot **record_shots(const struct recording *r, uint32_t *n)
{
	const struct shot **all = memory_zeroed(
		r->first.count + r->last.count + 2 * FOUND + 1, sizeof *all);
	uint32_t count = 0, k = 0;

	for (uint32_t j = 0; j < r->first.count; j++)
		all[count++] = &r->first.data[j];
	for (uint32_t j = 0; j < r->last.count; j++)
		all[count++] = &r->last.data[j];
	for (uint32_t j = 0; j < r->found.count; j++)
		for (unsigned end = 0; end < 2; end++)
			if (r->found.data[j].has[end])
				all[count++] = &r->found.data[j].at[end];
	qsort(all, count, sizeof *all, by_seq);
	for (uint32_t j = 0; j < count; j++) /* a place that is also an event */
		if (!k || all[k - 1]->seq != all[j]->seq)
			all[k++] = all[j];
	*n = k;
	return all;
}

/* --- findings --- */

/* The threads at a place of a finding; CTA -1: unknown. */
struct threads {
	int64_t cta, thread;
	struct launch *launch; /* NULL: any */
};

static bool is_at(
	const struct trace *t, const struct shot *s, struct span span, const struct threads *who)
{
	const struct ir_module *m = t->machine->module;

	return s->insn != IR_NONE && s->kind != TRACE_WAIT_ENDS && s->cta != UINT32_MAX &&
		m->insn[s->insn].span.off == span.off &&
		(who->cta < 0 || s->linear == (uint64_t)who->cta) &&
		(who->thread < 0 || s->warp == (uint64_t)who->thread / LANES) &&
		(!who->launch || s->launch == who->launch);
}

/* Stores the last event at SPAN before SEQ in TO. */
static bool find_shot(const struct trace *t, struct span span, const struct threads *who,
	uint64_t seq, struct shot *to)
{
	const struct recording *r = t->recording;
	const struct shot *best = NULL;
	uint32_t n;
	const struct shot **all = record_shots(r, &n);

	for (uint32_t k = n; k-- > 0 && !best;)
		if (all[k]->seq < seq && is_at(t, all[k], span, who))
			best = all[k];
	for (uint32_t k = 0; k < r->weak.count; k++) {
		const struct shot *s = &r->weak.data[k];

		if (s->seq < seq && (!best || s->seq > best->seq) && is_at(t, s, span, who))
			best = s;
	}
	if (best)
		*to = *best;
	memory_drop(all);
	return best != NULL;
}

/* Makes an event of a place where none was recorded: an access that did not take place, or an
 * instruction that is no synchronisation. */
static bool make_shot(struct trace *t, struct span span, const struct threads *who, struct shot *to)
{
	const struct ir_module *m = t->machine->module;
	uint32_t insn = 0;

	while (insn < m->ninsns && m->insn[insn].span.off != span.off)
		insn++;
	for (uint32_t k = t->cta.count; k-- > 0 && insn < m->ninsns && who->thread >= 0;) {
		const struct trace_cta *c = t->cta.data[k];

		if (c->linear != (uint64_t)who->cta || (who->launch && c->launch != who->launch))
			continue;
		*to = (struct shot){.seq = t->recording->seq++,
			.kind = TRACE_ACCESS,
			.fault = true,
			.cta = c->number,
			.linear = c->linear,
			.launch = c->launch,
			.warp = (uint32_t)(who->thread / LANES),
			.insn = insn,
			.mask = 1u << who->thread % LANES};
		return true;
	}
	return false;
}

/* A finding about synchronisation is reported while its instruction executes, before the event: E
 * is what happens next. */
static bool is_next(const struct trace *t, const struct diag *d, const struct trace_event *e,
	const struct threads *who, struct shot *to)
{
	struct shot s;

	if (diag_code_info(d->code).code[0] != 'S' || !e->op || !e->cta || !e->warp)
		return false;
	s = shot_of(t, e);
	if (!is_at(t, &s, d->label[0].span, who))
		return false;
	*to = s;
	return true;
}

static void note_finding(struct trace *t, const struct diag *d, const struct trace_event *e)
{
	struct recording *r = t->recording;
	const char *code = diag_code_info(d->code).code;
	struct found *f;
	uint64_t before = r->seq;

	if (*code == 'W' || *code == 'X' || *code == 'L')
		return;
	if (r->found.count == FOUND) {
		r->more++;
		return;
	}
	f = vec_push(&r->found);
	*f = (struct found){.diag = d};
	for (unsigned end = 0; end < 2 && end < d->nlabels; end++) {
		const struct diag_label *l = &d->label[end];
		struct threads who = {-1, -1, NULL};

		if (l->who.known)
			who = (struct threads){(int64_t)l->who.cta, l->who.thread,
				t->machine->launches.data[l->who.launch]};
		else if (end == 0)
			who = (struct threads){d->cta, d->thread, NULL};
		/* a race is between two threads; a hang has many */
		if (!l->source || (*code == 'R' && who.thread < 0))
			continue;
		f->next |= end == 0 && is_next(t, d, e, &who, &f->at[0]);
		f->has[end] = (end == 0 && f->next) ||
			find_shot(t, l->span, &who, before, &f->at[end]);
		if (f->has[end] && who.thread >= 0 && f->at[end].mask >> who.thread % LANES & 1)
			f->at[end].lane = (uint32_t)(who.thread % LANES);
		if (!f->has[end] && end == 0 && who.cta >= 0)
			f->has[end] = make_shot(t, l->span, &who, &f->at[end]);
	}
}

void record_findings(struct trace *t, const struct trace_event *e)
{
	struct recording *r = t->recording;
	unsigned k = 0;

	if (t->machine->findings->count == r->known)
		return;
	for (const struct diag *d = t->machine->findings->first; d; d = d->next)
		if (k++ >= r->known)
			note_finding(t, d, e);
	r->known = k;
	for (uint32_t j = 0; j < r->found.count; j++)
		if (r->found.data[j].next) {
			r->found.data[j].at[0].seq = r->seq; /* places that were made precede it */
			r->found.data[j].next = false;
		}
}

/* --- runs and cases --- */

void record_begins(struct trace *t)
{
	struct recording *r = t->recording;

	r->seq = r->lost = 0;
	r->waits = r->next = 0;
	r->first.count = r->last.count = r->weak.count = r->found.count = 0;
	map_clear(&r->weak_at);
	r->more = 0;
	r->known = t->machine->findings->count;
}

void record_add(struct trace *t, const struct trace_event *e)
{
	struct recording *r = t->recording;
	struct shot s;

	if (e->kind == TRACE_WAIT_BEGINS)
		e->wait->row = r->waits++;
	s = shot_of(t, e);
	r->seq++;
	if (e->kind == TRACE_ACCESS && !e->access->atomic && e->sem == SEM_WEAK)
		keep_weak(r, &s);
	else
		keep(r, &s);
}

void record_open(struct trace *t) { t->recording = memory_zeroed(1, sizeof *t->recording); }

void record_close(struct trace *t)
{
	struct recording *r = t->recording;

	vec_free(&r->first);
	vec_free(&r->last);
	vec_free(&r->weak);
	vec_free(&r->found);
	map_free(&r->weak_at);
	drawing_free(&r->kept);
	memory_drop(r);
}

void trace_case_begins(struct trace *t, const char *name, uint64_t runs)
{
	struct recording *r = t->recording;

	drawing_free(&r->kept);
	r->has_kept = r->kept_findings = false;
	r->name = name;
	r->runs = runs;
	r->run = 0;
}

void trace_case_ends(struct trace *t, struct picture *out)
{
	if (t->recording->has_kept)
		picture_add(out, &t->recording->kept);
}
