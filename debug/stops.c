/* Breakpoints and watchpoints: what the user writes, and when it has happened. A place in the
 * program is found once; memory is found when the program runs on, since a buffer may not exist
 * before. */
#include "debug/stops.h"
#include "debug/names.h"
#include "interp/memory/name.h"
#include "interp/state/cluster.h"
#include "interp/state/where.h"
#include "interp/sync/async.h"
#include "interp/sync/barrier.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- places in the program --- */

static const struct ir_module *module_of(const struct engine *e) { return e->s->request->module; }

static void add_insn(struct stop *t, uint32_t insn)
{
	if (t->ninsns < STOP_INSNS)
		t->insn[t->ninsns++] = insn;
}

/* The first instruction at LINE of the PTX file OF, or after it. */
static void find_ptx_line(
	const struct engine *e, const struct source *of, uint64_t line, struct stop *t)
{
	uint32_t best = 0, found = IR_NONE;

	for (uint32_t k = 0; k < module_of(e)->ninsns; k++) {
		uint32_t at = names_source(e, k) == of ? names_line(e, k) : 0;

		if (at >= line && (found == IR_NONE || at < best)) {
			best = at;
			found = k;
		}
	}
	if (found != IR_NONE)
		add_insn(t, found);
}

static bool file_is(const struct origin *o, const char *file, size_t n)
{
	const char *name = o->file->name, *base = origin_base(name);

	if (n == 0)
		return o->file->users;
	return (strlen(base) == n && memcmp(base, file, n) == 0) ||
		(strlen(name) == n && memcmp(name, file, n) == 0);
}

/* Where the code of a line of the source begins: it may do so several times. When the line has no
 * code, the next one that has. */
static void find_source_line(
	const struct engine *e, const char *file, size_t n, uint64_t line, struct stop *t)
{
	const struct ir_module *m = module_of(e);
	uint32_t best = UINT32_MAX;

	for (uint32_t f = 0; f < m->nfuncs; f++) {
		const struct origin *last = NULL;

		for (uint32_t k = m->func[f].insn; k < m->func[f].insn + m->func[f].ninsns; k++) {
			const struct origin *o = names_origin(e, k);
			bool begins = o &&
				(!last || last->line != o->line || last->file != o->file);

			last = o;
			if (!begins || o->line < line || o->line > best || !file_is(o, file, n))
				continue;
			if (o->line < best)
				t->ninsns = 0;
			best = o->line;
			add_insn(t, k);
		}
	}
}

static void find_label(const struct engine *e, const char *name, struct stop *t)
{
	const struct ir_module *m = module_of(e);

	for (uint32_t f = 0; f < m->nfuncs; f++) {
		const struct ir_func *func = &m->func[f];

		if (func->ninsns &&
			(strcmp(symbol_text(&m->symbols, func->name), name) == 0 ||
				strcmp(symbol_shown(&m->symbols, func->name), name) == 0))
			add_insn(t, func->insn);
		for (uint32_t k = 0; k < func->nlabels; k++) {
			const struct ir_label *l = &m->label[func->label + k];

			if (l->insn < func->ninsns &&
				strcmp(symbol_text(&m->symbols, l->name), name) == 0)
				add_insn(t, func->insn + l->insn);
		}
	}
}

/* The PTX file that is called by the N bytes at NAME, or NULL. */
static const struct source *ptx_file(const struct engine *e, const char *name, size_t n)
{
	const struct source *s = module_of(e)->source;

	for (uint32_t k = 0; k < s->nparts || k == 0; k++) {
		const struct source *part = s->nparts ? s->part[k] : s;
		const char *base = origin_base(part->name);

		if (n &&
			((strlen(part->name) == n && memcmp(part->name, name, n) == 0) ||
				(strlen(base) == n && memcmp(base, name, n) == 0)))
			return part;
	}
	return NULL;
}

static void find_place(const struct engine *e, const char *what, struct stop *t)
{
	const char *colon = strrchr(what, ':');
	uint64_t line;

	if (what[0] == '*') {
		if (option_number(what + 1, module_of(e)->ninsns - 1, &line))
			add_insn(t, (uint32_t)line);
	} else if (option_number(what, UINT32_MAX, &line)) {
		find_ptx_line(e, names_source(e, IR_NONE), line, t);
	} else if (colon && option_number(colon + 1, UINT32_MAX, &line)) {
		size_t n = (size_t)(colon - what);
		const struct source *ptx = ptx_file(e, what, n);

		if (ptx)
			find_ptx_line(e, ptx, line, t);
		else
			find_source_line(e, what, n, line, t);
	} else {
		find_label(e, what, t);
	}
}

/* --- what the user writes --- */

static void fails(struct engine *e, const char *what)
{
	text_printf(&e->out, "%s\n", what);
	e->s->failed = true;
}

/* Copies the next word of *AT to OUT; false: there is none. */
static bool next_word(const char **at, char out[LINE])
{
	size_t n;

	*at += strspn(*at, " \t");
	n = strcspn(*at, " \t");
	if (n >= LINE)
		n = LINE - 1;
	memcpy(out, *at, n);
	out[n] = 0;
	*at += n;
	return n > 0;
}

/* "cta 1 warp 2 lane 3" after a stop, and "phase 4" of a barrier. */
static bool read_filter(const char *at, struct stop *t)
{
	char word[LINE], number[LINE];
	uint64_t n;

	while (next_word(&at, word)) {
		if (strcmp(word, "if") == 0)
			continue;
		if (!next_word(&at, number) || !option_number(number, INT64_MAX, &n))
			return false;
		if (strcmp(word, "cta") == 0) {
			t->filter |= FILTER_CTA;
			t->only.cta = n;
		} else if (strcmp(word, "warp") == 0 && n < MAX_WARPS) {
			t->filter |= FILTER_WARP;
			t->only.warp = (uint32_t)n;
		} else if (strcmp(word, "lane") == 0 && n < LANES) {
			t->filter |= FILTER_LANE;
			t->only.lane = (uint32_t)n;
		} else if (strcmp(word, "phase") == 0 &&
			(t->kind == STOP_BARRIER || t->kind == STOP_MBARRIER)) {
			t->filter |= FILTER_PHASE;
			t->phase = n;
		} else {
			return false;
		}
	}
	return true;
}

static void describe(const struct engine *e, const struct stop *t, struct text *out)
{
	static const char *const kinds[] = {[STOP_PLACE] = "at",
		[STOP_BARRIER] = "after a phase of barrier",
		[STOP_MBARRIER] = "after a phase of mbarrier",
		[STOP_WRITE] = "after a write to",
		[STOP_READ] = "after a read of",
		[STOP_ACCESS] = "after an access to",
		[STOP_FINDING] = "after a finding"};

	text_puts(out, kinds[t->kind]);
	if (t->kind == STOP_PLACE) {
		for (uint32_t k = 0; k < t->ninsns && k < 3; k++)
			text_printf(out, "%s %s", k ? "," : "",
				source_line_text(module_of(e)->source,
					module_of(e)->insn[t->insn[k]].span.off,
					(struct span){0, 0})
					.text);
		if (t->ninsns > 3)
			text_printf(out, " and %u more", t->ninsns - 3);
	} else if (t->what[0]) {
		text_printf(out, " %.200s", t->what);
	}
	if (t->filter & FILTER_PHASE)
		text_printf(out, ", phase %llu", (unsigned long long)t->phase);
	if (t->filter & FILTER_CTA)
		text_printf(out, ", CTA %llu", (unsigned long long)t->only.cta);
	if (t->filter & FILTER_WARP)
		text_printf(out, ", warp %u", t->only.warp);
	if (t->filter & FILTER_LANE)
		text_printf(out, ", lane %u", t->only.lane);
}

static bool add(struct engine *e, struct stop *t)
{
	struct session *s = e->s;

	if (s->nstops == STOPS) {
		fails(e, "there are too many stops; 'delete' removes them");
		return false;
	}
	t->number = ++s->numbers;
	s->stop[s->nstops++] = *t;
	text_printf(&e->out, "stop %u: ", t->number);
	describe(e, t, &e->out);
	text_puts(&e->out, t->once ? ", once\n" : "\n");
	return true;
}

bool stops_break(struct engine *e, const char *words, bool once)
{
	struct stop t = {.once = once, .where = e->s->focus};
	char word[LINE];
	struct text why = {0};
	struct place p;
	uint64_t n;

	if (!next_word(&words, word)) {
		fails(e,
			"it takes a line (23, reduce.cu:12), a label, a kernel, barrier [N], mbarrier [NAME] or finding");
		return false;
	}
	if (strcmp(word, "finding") == 0) {
		t.kind = STOP_FINDING;
	} else if (strcmp(word, "barrier") == 0 || strcmp(word, "mbarrier") == 0) {
		const char *rest = words;
		bool cta = word[0] == 'b';

		t.kind = cta ? STOP_BARRIER : STOP_MBARRIER;
		if (next_word(&rest, word) && strcmp(word, "cta") != 0 &&
			strcmp(word, "warp") != 0 && strcmp(word, "if") != 0 &&
			strcmp(word, "phase") != 0) {
			words = rest;
			strcpy(t.what, word);
			if (cta && !option_number(word, MAX_BARRIERS - 1, &n))
				text_puts(&why, "a barrier has a number from 0 to 15");
			if (!cta)
				names_place(e, word, &t.where, &p, &why);
		}
	} else {
		t.kind = STOP_PLACE;
		strcpy(t.what, word);
		find_place(e, word, &t);
		if (!t.ninsns)
			text_printf(&why, "there is no code at '%.80s'", word);
	}
	if (!why.len && !read_filter(words, &t))
		text_puts(&why,
			t.kind == STOP_BARRIER || t.kind == STOP_MBARRIER
				? "after a barrier it takes phase N, cta N, warp N and lane N"
				: "after the place it takes cta N, warp N and lane N");
	if (why.len)
		fails(e, text_str(&why));
	bool ok = !why.len && add(e, &t);

	text_free(&why);
	return ok;
}

static bool read_watch(struct engine *e, const char *words, struct stop *t)
{
	struct text why = {0};
	struct place p;

	t->where = e->s->focus;
	if (!next_word(&words, t->what))
		text_puts(&why, "it takes memory, such as out[3]");
	else if (names_place(e, t->what, &t->where, &p, &why) && !read_filter(words, t))
		text_puts(&why, "after the memory it takes cta N, warp N and lane N");
	else if (!why.len && p.space == W_param)
		text_puts(&why, "a parameter of a kernel is never written");
	else if (!why.len && p.space == W_local) {
		t->fixed = true;
		t->place = p;
	}
	if (why.len)
		fails(e, text_str(&why));
	bool ok = !why.len;

	text_free(&why);
	return ok;
}

bool stops_watch(struct engine *e, const char *words, bool reads, bool writes)
{
	struct stop t = {.kind = reads && writes ? STOP_ACCESS : reads ? STOP_READ : STOP_WRITE};

	return read_watch(e, words, &t) && add(e, &t);
}

bool stops_search(struct engine *e, const char *words, struct stop *out)
{
	*out = (struct stop){.kind = STOP_WRITE};
	return read_watch(e, words, out);
}

bool stops_delete(struct session *s, uint32_t number)
{
	for (uint32_t k = 0; number && k < s->nstops; k++)
		if (s->stop[k].number == number) {
			memmove(&s->stop[k], &s->stop[k + 1],
				(--s->nstops - k) * sizeof s->stop[k]);
			return true;
		}
	if (!number)
		s->nstops = 0;
	return !number;
}

void stops_list(struct engine *e)
{
	for (uint32_t k = 0; k < e->s->nstops; k++) {
		text_printf(&e->out, "stop %u: ", e->s->stop[k].number);
		describe(e, &e->s->stop[k], &e->out);
		text_puts(&e->out, e->s->stop[k].once ? ", once\n" : "\n");
	}
	if (!e->s->nstops)
		text_puts(&e->out, "no stops\n");
}

/* --- while the program runs --- */

static void find_memory(struct engine *e, struct condition *c)
{
	struct text why = {0};
	const struct stop *t = c->stop;

	if (c->ready || !t->what[0] ||
		(t->kind != STOP_WRITE && t->kind != STOP_READ && t->kind != STOP_ACCESS &&
			t->kind != STOP_MBARRIER))
		return;
	c->place = t->place;
	c->ready = t->fixed || names_place(e, t->what, &t->where, &c->place, &why);
	text_free(&why);
}

static void prepare(struct engine *e, const struct stop *t)
{
	struct condition *c = &e->condition[e->nconditions++];

	c->stop = t;
	c->ready = false;
	for (uint32_t k = 0; k < t->ninsns; k++)
		e->marked[t->insn[k]] = 1;
	find_memory(e, c);
}

void stops_prepare(struct engine *e)
{
	const struct order *o = &e->s->order;

	memset(e->marked, 0, module_of(e)->ninsns);
	e->nconditions = 0;
	e->wrote = NULL;
	e->s->hit.any = false;
	if (o->search)
		prepare(e, o->search);
	else
		for (uint32_t k = 0; o->stops && k < e->s->nstops; k++)
			prepare(e, &e->s->stop[k]);
}

void stops_again(struct engine *e)
{
	for (uint32_t k = 0; k < e->nconditions; k++)
		find_memory(e, &e->condition[k]);
}

static bool applies(const struct stop *t, const struct warp *w, uint32_t lanes)
{
	return (!(t->filter & FILTER_CTA) || w->cta->linear == t->only.cta) &&
		(!(t->filter & FILTER_WARP) || w->index == t->only.warp) &&
		(!(t->filter & FILTER_LANE) || lanes >> t->only.lane & 1);
}

static struct turn turn_of(const struct warp *w, uint32_t lane)
{
	return (struct turn){w->cta->launch->number, w->cta->linear, w->index, lane};
}

static void set_hit(struct engine *e, const struct stop *t, const struct warp *w, uint32_t lane,
	uint32_t insn, const char *text)
{
	struct hit *h = &e->s->hit;

	*h = (struct hit){.any = true, .stop = t->number, .step = e->step, .insn = insn};
	if (e->step) /* the step is counted before it executes */
		h->step = e->step - 1;
	if (w)
		h->who = turn_of(w, lane);
	strncpy(h->text, text, sizeof h->text - 1);
	e->wrote = NULL;
}

bool stops_here(struct engine *e, struct hit *hit)
{
	uint32_t insn = e->op->insn;

	if (!e->marked[insn])
		return false;
	for (uint32_t k = 0; k < e->nconditions; k++) {
		const struct stop *t = e->condition[k].stop;

		if (t->kind != STOP_PLACE || !applies(t, e->w, e->w->active))
			continue;
		for (uint32_t i = 0; i < t->ninsns; i++)
			if (t->insn[i] == insn) {
				*hit = (struct hit){.any = true,
					.stop = t->number,
					.step = e->step,
					.insn = insn,
					.who = turn_of(e->w, TURN_ANY_LANE)};
				return true;
			}
	}
	return false;
}

/* The first lane of A that touches the place of C; LANES: none. *K: the element. */
static unsigned touches(const struct condition *c, const struct access_event *a, uint64_t *element)
{
	const struct place *p = &c->place;
	unsigned size = type_bytes((enum type)p->type);
	uint64_t from = p->address + p->low * size, to = p->address + (p->high + 1) * size;

	FOR_LANES(lane, a->mask) {
		uint64_t at = a->address[lane];
		const struct cta *owner = a->warp->cta;

		if (c->stop->filter & FILTER_LANE && lane != c->stop->only.lane)
			continue;
		if (p->space == W_shared) {
			owner = cluster_at(owner, at);
			at = cluster_offset(at);
			if (!owner || owner->linear != p->cta || owner->launch->number != p->launch)
				continue;
		}
		if (p->space == W_local &&
			(!(p->lanes >> lane & 1) || a->warp->index != p->warp ||
				owner->linear != p->cta || owner->launch->number != p->launch))
			continue;
		if (at < to && at + a->bytes > from) {
			*element = at > from ? (at - from) / size : 0;
			return lane;
		}
	}
	return LANES;
}

/* Appends "out[3]", or "n" when there is only one. */
static void add_element(const struct place *p, uint64_t element, struct text *out)
{
	text_puts(out, p->name);
	if (p->count > 1)
		text_printf(out, "[%llu]", (unsigned long long)(p->low + element));
}

static bool read_element(
	const struct engine *e, const struct condition *c, uint64_t k, unsigned char bytes[16])
{
	unsigned size = type_bytes((enum type)c->place.type);

	return names_read(e, &c->place, (c->place.low + k) * size, size, bytes, NULL);
}

void stops_access(struct engine *e, const struct access_event *a)
{
	for (uint32_t k = 0; k < e->nconditions; k++) {
		struct condition *c = &e->condition[k];
		bool writes = c->stop->kind != STOP_READ && a->writes,
		     reads = c->stop->kind != STOP_WRITE && a->reads;
		uint64_t element = 0;
		struct text t = {0};
		unsigned lane;

		if (c->stop->kind < STOP_WRITE || c->stop->kind > STOP_ACCESS || !c->ready ||
			(!writes && !reads) || !applies(c->stop, a->warp, UINT32_MAX) ||
			a->space != c->place.space)
			continue;
		lane = touches(c, a, &element);
		if (lane == LANES)
			continue;
		c->place.lane = lane;
		text_printf(&t, "thread %u %s ", a->warp->index * LANES + lane,
			writes ? "wrote" : "read");
		add_element(&c->place, element, &t);
		text_puts(&t, ": ");
		names_element(e, &c->place, element, &t);
		e->before = e->s->hit;
		set_hit(e, c->stop, a->warp, lane, a->op->insn, text_str(&t));
		if (writes) {
			e->wrote = c;
			e->wrote_at = element;
			e->wrote_maybe = a->atomic && a->op->access.atomic == ATOMIC_CAS &&
				read_element(e, c, element, e->old);
		}
		text_free(&t);
	}
}

/* "initialised" and the like, for what changes an mbarrier; NULL: Y does not. */
static const char *mbarrier_change(const struct sync_event *y)
{
	switch ((int)y->kind) {
	case SYNC_MBARRIER_INIT: return "initialised";
	case SYNC_MBARRIER_INVAL: return "invalidated";
	case SYNC_MBARRIER_ARRIVE: return "arrived at";
	case SYNC_MBARRIER_EXPECT: return "expected bytes at";
	case SYNC_MBARRIER_COMPLETE: return "completed bytes of";
	default: return NULL;
	}
}

/* An operation on an mbarrier in watched memory. */
static void look_at_mbarrier(struct engine *e, const struct sync_event *y, const char *change)
{
	for (uint32_t k = 0; k < e->nconditions; k++) {
		const struct condition *c = &e->condition[k];
		const struct place *p = &c->place;
		uint64_t size = type_bytes((enum type)p->type);
		struct text t = {0};

		if ((c->stop->kind != STOP_WRITE && c->stop->kind != STOP_ACCESS) || !c->ready ||
			p->space != W_shared || y->object->linear != p->cta ||
			y->object->launch->number != p->launch ||
			y->offset >= p->address + (p->high + 1) * size ||
			y->offset + 8 <= p->address + p->low * size ||
			!applies(c->stop, y->warp, y->mask))
			continue;
		text_printf(&t, "thread %u %s mbarrier %s",
			y->warp->index * LANES + lane_first(y->mask ? y->mask : 1), change,
			name_mbarrier(e->machine, y->object, y->offset).text);
		set_hit(e, c->stop, y->warp, lane_first(y->mask ? y->mask : 1),
			y->op ? y->op->insn : IR_NONE, text_str(&t));
		text_free(&t);
	}
}

/* Whether part P of a copy was written to the place of C; *ELEMENT: the first one there. */
static bool part_touches(const struct condition *c, const struct copy_part *p, uint64_t *element)
{
	const struct place *at = &c->place;
	unsigned size = type_bytes((enum type)at->type);
	uint64_t from = at->address + at->low * size, to = at->address + (at->high + 1) * size;
	uint64_t first = p->to.space == W_shared ? p->to.offset : p->to.address;

	if (p->to.space != at->space || first >= to || first + p->bytes <= from)
		return false;
	if (at->space == W_shared &&
		(!p->to.cta || p->to.cta->linear != at->cta ||
			p->to.cta->launch->number != at->launch))
		return false;
	*element = first > from ? (first - from) / size : 0;
	return true;
}

/* A copy has landed: in watched memory? */
static void look_at_copy(struct engine *e, const struct sync_event *y)
{
	for (uint32_t k = 0; k < e->nconditions; k++) {
		const struct condition *c = &e->condition[k];
		uint64_t element = 0;

		if ((c->stop->kind != STOP_WRITE && c->stop->kind != STOP_ACCESS) || !c->ready)
			continue;
		for (uint32_t i = 0; i < y->copy->nparts; i++) {
			const struct copy_part *p = &y->copy->part[i];
			struct text t = {0};

			if (!(y->mask >> p->lane & 1) || !part_touches(c, p, &element))
				continue;
			text_printf(&t, "an asynchronous copy of thread %u landed in ",
				y->copy->warp->index * LANES + p->lane);
			add_element(&c->place, element, &t);
			text_puts(&t, ": now ");
			names_element(e, &c->place, element, &t);
			set_hit(e, c->stop, y->copy->warp, p->lane, y->copy->op->insn,
				text_str(&t));
			text_free(&t);
			break;
		}
	}
}

/* The number of the phase that Y is about. */
static uint64_t phase_of(const struct sync_event *y)
{
	return y->kind == SYNC_COMPLETE ? barrier_state(y->cta, y->number).phase : y->phase;
}

void stops_sync(struct engine *e, const struct sync_event *y)
{
	for (uint32_t k = 0; k < e->nconditions; k++) {
		const struct condition *c = &e->condition[k];
		const struct place *p = &c->place;
		char text[HIT_TEXT];

		if (!y->warp || !applies(c->stop, y->warp, UINT32_MAX))
			continue;
		if (c->stop->filter & FILTER_PHASE && c->stop->phase != phase_of(y))
			continue;
		if (c->stop->kind == STOP_BARRIER && y->kind == SYNC_COMPLETE &&
			(!c->stop->what[0] || strtoul(c->stop->what, NULL, 10) == y->number))
			snprintf(text, sizeof text, "barrier %u of CTA %llu completed phase %llu",
				y->number, (unsigned long long)y->cta->linear,
				(unsigned long long)phase_of(y));
		else if (c->stop->kind == STOP_MBARRIER && y->kind == SYNC_MBARRIER_PHASE &&
			y->object &&
			(!c->stop->what[0] ||
				(c->ready && p->space == W_shared && y->object->linear == p->cta &&
					y->offset >= p->address +
							p->low * type_bytes((enum type)p->type) &&
					y->offset < p->address +
							(p->high + 1) *
								type_bytes((enum type)p->type))))
			snprintf(text, sizeof text, "mbarrier %s of CTA %llu completed phase %llu",
				name_mbarrier(e->machine, y->object, y->offset).text,
				(unsigned long long)y->object->linear,
				(unsigned long long)y->phase);
		else
			continue;
		set_hit(e, c->stop, y->warp, TURN_ANY_LANE, y->op ? y->op->insn : IR_NONE, text);
	}
	if (y->warp && y->object && mbarrier_change(y))
		look_at_mbarrier(e, y, mbarrier_change(y));
	if (y->kind == SYNC_COPY_LANDED && y->copy)
		look_at_copy(e, y);
}

void stops_after(struct engine *e)
{
	const struct diags *d = &e->report.findings;
	struct hit *h = &e->s->hit;

	unsigned char now[16];

	if (h->any && e->wrote && e->wrote_maybe && read_element(e, e->wrote, e->wrote_at, now) &&
		memcmp(now, e->old, type_bytes((enum type)e->wrote->place.type)) == 0) {
		if (e->wrote->stop->kind == STOP_WRITE) {
			*h = e->before;
		} else {
			char *wrote = strstr(h->text, " wrote ");

			if (wrote)
				memmove(wrote + 6, wrote + 7, strlen(wrote + 6));
			if (wrote)
				memcpy(wrote, " read ", 6);
		}
		e->wrote = NULL;
	}
	if (h->any && e->wrote) {
		const struct condition *c = e->wrote;
		struct text t = {0};

		text_printf(&t, "%s -> ", h->text);
		names_element(e, &c->place, e->wrote_at, &t);
		strncpy(h->text, text_str(&t), sizeof h->text - 1);
		text_free(&t);
		e->wrote = NULL;
	}
	if (d->count == e->findings)
		return;
	e->findings = d->count;
	for (uint32_t k = 0; k < e->nconditions; k++)
		if (e->condition[k].stop->kind == STOP_FINDING)
			for (const struct diag *r = d->first; r; r = r->next)
				if (!r->next) {
					struct text t = {0};

					text_puts(&t, diag_code_info(r->code).code);
					if (r->nlabels && r->label[0].source)
						text_printf(&t, " at %s",
							diag_line_text(&r->label[0]).text);
					text_printf(&t, ": %s", r->message);
					set_hit(e, e->condition[k].stop, e->w, TURN_ANY_LANE,
						IR_NONE, text_str(&t));
					text_free(&t);
				}
}
