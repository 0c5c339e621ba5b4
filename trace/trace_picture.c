/* Makes the time line of a recorded run: which warps and mbarriers get a column, in which row each
 * event stands, and what is said of it. Events of different warps share a row if they follow each
 * other and are the same instruction. */
#include "base/memory.h"
#include "diag/origin.h"
#include "interp/memory/memory.h"
#include "interp/memory/name.h"
#include "interp/state/cluster.h"
#include "interp/sync/mbarrier.h"
#include "interp/stuck/report.h"
#include "trace/trace_record.h"
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { WARPS = 12, OBJECTS = 6 };

/* What has a column. */
struct lane_of {
	uint8_t kind; /* enum chart_column_kind */
	uint32_t cta, number, column;
	const struct shot *shot; /* one of its events */
	/* of an mbarrier: its current phase */
	bool open;
	uint32_t from, arrived;
	uint64_t phase;
	uint64_t bytes;
	const struct shot *last;
	uint32_t step; /* of a warp: number of its last step + 1 */
};
/* A wait or a copy that has begun. */
struct begun {
	bool copy;
	uint32_t id, cta, column, row, lane;
	const struct shot *shot;
};
/* The columns of the threads that have arrived in the current phase of a barrier. */
struct meeting {
	uint8_t kind;
	uint32_t cta, number, first, last;
};
struct board {
	struct trace *t;
	const struct recording *r;
	const struct shot **shot;
	uint32_t nshots, more_warps;
	struct chart chart;
	VEC(struct lane_of) lane;
	VEC(struct begun) begun;
	VEC(struct meeting) meeting;
	VEC(uint32_t) step_of; /* wait -> number of its step + 1 */
	/* of the current row */
	bool *taken; /* [columns] */
	uint8_t row_kind;
	uint32_t row_insn;
	const struct origin_file *source; /* that lines are of, or NULL: of the PTX */
	bool sources;                     /* of several files */
	bool hangs;                       /* rows for waits that never end were added */
};

/* --- columns --- */

static struct lane_of *find_lane(const struct board *b, uint8_t kind, uint32_t cta, uint32_t number)
{
	for (uint32_t k = 0; k < b->lane.count; k++)
		if (b->lane.data[k].kind == kind && b->lane.data[k].cta == cta &&
			b->lane.data[k].number == number)
			return &b->lane.data[k];
	return NULL;
}

static void add_lane(
	struct board *b, uint8_t kind, uint32_t cta, uint32_t number, const struct shot *s)
{
	if (!find_lane(b, kind, cta, number))
		*vec_push(&b->lane) = (struct lane_of){
			.kind = kind, .cta = cta, .number = number, .shot = s};
}

static uint32_t count_lanes(const struct board *b, uint8_t kind)
{
	uint32_t n = 0;

	for (uint32_t k = 0; k < b->lane.count; k++)
		n += b->lane.data[k].kind == kind;
	return n;
}

static struct lane_of *warp_lane(const struct board *b, const struct shot *s)
{
	return find_lane(b, COLUMN_WARP, s->cta, s->warp);
}

static struct lane_of *object_lane(const struct board *b, const struct shot *s)
{
	return s->object_kind == OBJECT_MBARRIER
		? find_lane(b, COLUMN_OBJECT, s->object_cta, s->object_number)
		: NULL;
}

/* Whether S is something that a warp did. */
static bool is_of_warp(const struct shot *s)
{
	return s->cta != UINT32_MAX && s->kind != TRACE_CTA_BEGINS && s->kind != TRACE_CTA_ENDS;
}

static int by_place(const void *a, const void *b)
{
	const struct lane_of *x = a, *y = b;

	if (x->cta != y->cta)
		return x->cta < y->cta ? -1 : 1;
	if (x->kind != y->kind)
		return x->kind < y->kind ? -1 : 1;
	return (x->number > y->number) - (x->number < y->number);
}

static const char *group_name(struct board *b, const struct shot *s)
{
	const struct launch *l = s->launch;
	uint64_t linear = s->linear;
	struct text t = {0};
	const char *name;
	bool again = false; /* another launch of this kernel */

	text_printf(&t, "CTA %" PRIu64 " of %s", linear, where_kernel(l));
	for (uint32_t k = 0; k < b->t->machine->launches.count; k++)
		again |= k != l->number && b->t->machine->launches.data[k]->code == l->code;
	if (again)
		text_printf(&t, ", launch %u", l->number + 1);
	name = arena_text(&b->chart.arena, text_str(&t), t.len);
	text_free(&t);
	return name;
}

static const char *variable_name(struct board *b, const struct launch *l, uint32_t offset)
{
	struct text t = {0};
	const char *name;

	if (!name_shared(b->t->machine, l, offset, 8, &t))
		text_printf(&t, "0x%x", offset);
	name = arena_text(&b->chart.arena, text_str(&t), t.len);
	text_free(&t);
	return name;
}

/* The shot that names the CTA of an object: one of that CTA, or its own with the object's number.
 */
static struct shot *owner_shot(struct board *b, const struct shot *s)
{
	struct shot *o = arena_copy(&b->chart.arena, s, sizeof *s, _Alignof(struct shot));

	o->linear = s->object_linear;
	return o;
}

static void choose_columns(struct board *b)
{
	struct map warps = {0}; /* all that did something */
	uint32_t total = 0;

	for (uint32_t k = 0; k < b->r->found.count; k++)
		for (unsigned end = 0; end < 2; end++) {
			const struct shot *s = &b->r->found.data[k].at[end];

			if (b->r->found.data[k].has[end] && is_of_warp(s) &&
				count_lanes(b, COLUMN_WARP) < WARPS)
				add_lane(b, COLUMN_WARP, s->cta, s->warp, s);
		}
	for (uint32_t k = 0; k < b->nshots; k++) {
		const struct shot *s = b->shot[k];

		if (!is_of_warp(s))
			continue;
		total += map_add(&warps, (uint64_t)s->cta << 8 | s->warp, 1);
		if (count_lanes(b, COLUMN_WARP) < WARPS)
			add_lane(b, COLUMN_WARP, s->cta, s->warp, s);
	}
	map_free(&warps);
	b->more_warps = total - count_lanes(b, COLUMN_WARP);
	for (uint32_t k = 0; k < b->nshots; k++) {
		const struct shot *s = b->shot[k];

		if (!is_of_warp(s) || !warp_lane(b, s))
			continue;
		if (s->object_kind == OBJECT_MBARRIER && count_lanes(b, COLUMN_OBJECT) < OBJECTS &&
			!object_lane(b, s))
			add_lane(b, COLUMN_OBJECT, s->object_cta, s->object_number,
				owner_shot(b, s));
		if (s->kind == TRACE_COPY_ISSUED)
			add_lane(b, COLUMN_COPIES, s->cta, 0, s);
	}
	if (b->lane.count)
		qsort(b->lane.data, b->lane.count, sizeof *b->lane.data, by_place);
	for (uint32_t k = 0; k < b->lane.count; k++) {
		struct lane_of *l = &b->lane.data[k];
		const char *name = l->kind == COLUMN_WARP
			? arena_printf(&b->chart.arena, "warp %u", l->number)
			: l->kind == COLUMN_COPIES
			? "copies"
			: arena_printf(&b->chart.arena, "mbarrier %s",
				  variable_name(b, l->shot->launch, l->number));

		l->column = k;
		*vec_push(&b->chart.column) = (struct chart_column){.kind = l->kind,
			.name = name,
			.group = group_name(b, l->shot),
			.begin = UINT32_MAX};
	}
}

/* --- words --- */

/* The opcode of S without the modifiers that say where and of what type. */
static void short_opcode(const struct board *b, uint32_t insn, struct text *out)
{
	struct op op = {.insn = insn};
	size_t n;
	const char *s = trace_opcode(b->t, &op, &n);

	size_t at = n > 9 && memcmp(s, "mbarrier.", 9) == 0        ? 9
		: n > 16 && memcmp(s, "barrier.cluster.", 16) == 0 ? 8
								   : 0;
	size_t first = at;

	while (at < n) {
		size_t end = at;
		enum word w;

		while (end < n && s[end] != '.')
			end++;
		w = at > first ? word_find(s + at, end - at) : W_NONE;
		if (at == first ||
			!(w == W_global || w == W_shared || w == W_shared__cta ||
				w == W_shared__cluster || w == W_aligned || w == W_parity ||
				(w != W_NONE && word_type(w) != TYPE_NONE))) {
			text_puts(out, at > first ? "." : "");
			text_add(out, s + at, end - at);
		}
		at = end + 1;
	}
}

static void place_name(const struct board *b, const struct shot *s, struct text *out)
{
	const struct machine *m = b->t->machine;
	const struct memory_block *block = s->space == W_shared
		? NULL
		: memory_find(m->memory, s->address[s->lane]);

	if (s->fault || s->space == W_NONE)
		return;
	if (s->space == W_shared) {
		if (!name_shared(m, s->launch, cluster_offset(s->address[s->lane]), 0, out))
			text_printf(out, "0x%x", (unsigned)s->address[s->lane]);
	} else if (block && block->name && *block->name) {
		name_element(out, block->name, s->address[s->lane] - block->base, block->element,
			block->size);
	} else {
		text_printf(out, "0x%" PRIx64, s->address[s->lane]);
	}
}

static void object_words(struct board *b, const struct shot *s, struct text *out)
{
	switch ((enum trace_object_kind)s->object_kind) {
	case OBJECT_MBARRIER: text_puts(out, variable_name(b, s->launch, s->object_number)); break;
	case OBJECT_BARRIER: text_printf(out, "%u", s->object_number); break;
	case OBJECT_NONE:
	case OBJECT_CLUSTER:
	case OBJECT_WARP:
	default: break;
	}
}

/* The words of a step: its instruction, and its object. */
static void step_words(struct board *b, const struct shot *s, struct chart_step *to)
{
	const struct ir_module *m = b->t->machine->module;
	struct span span = m->insn[s->insn].span;
	const char *text = source_bytes(m->source, span.off, span.len);
	struct arena *a = &b->chart.arena;
	struct text t = {0}, what = {0};

	if (s->fault && text)
		text_add(&t, text, span.len);
	else
		short_opcode(b, s->insn, &t);
	object_words(b, s, &what);
	if (s->kind == TRACE_ACCESS)
		place_name(b, s, &what);
	if (s->kind == TRACE_EXPECT_TX || s->kind == TRACE_COMPLETE_TX)
		text_printf(&what, " %" PRIu64, s->count);
	to->text = arena_text(a, text_str(&t), t.len);
	to->what = what.len ? arena_text(a, text_str(&what), what.len) : NULL;
	text_free(&t);
	text_free(&what);
}

/* "line 34: bar.sync 0; (lanes 0x0000ffff of warp 1)" */
static const char *tip_of(struct board *b, const struct shot *s)
{
	struct machine *m = b->t->machine;
	const struct source *source = m->module->source;
	struct text t = {0};
	const char *tip;

	if (s->insn != IR_NONE) {
		struct span span = m->module->insn[s->insn].span;
		const char *text = source_bytes(source, span.off, span.len);

		text_printf(&t, "%s: ", where_line_from(m, s->insn, s->user_call).text);
		if (text)
			text_add(&t, text, span.len);
		text_putc(&t, ' ');
	}
	text_printf(&t, "(CTA %" PRIu64 ", warp %u, lanes 0x%08x", s->linear, s->warp, s->mask);
	if (s->object_kind == OBJECT_MBARRIER)
		text_printf(&t, "; phase %" PRIu64 ": %u of %u pending, tx-count %d", s->phase,
			mbarrier_pending(s->word), mbarrier_expected(s->word),
			mbarrier_tx(s->word));
	text_putc(&t, ')');
	tip = arena_text(&b->chart.arena, text_str(&t), t.len);
	text_free(&t);
	return tip;
}

/* --- rows --- */

static uint32_t new_row(struct board *b, uint8_t kind, uint32_t insn)
{
	memset(b->taken, 0, b->chart.column.count * sizeof *b->taken);
	b->row_kind = kind;
	b->row_insn = insn;
	return b->chart.rows++;
}

/* The row of S in COLUMN: the current one if that has only the same instruction of other warps. */
static uint32_t row_for(struct board *b, const struct shot *s, uint32_t column)
{
	if (!b->chart.rows || b->taken[column] || b->row_kind != s->kind || b->row_insn != s->insn)
		new_row(b, s->kind, s->insn);
	b->taken[column] = true;
	if (b->chart.column.data[column].begin == UINT32_MAX)
		b->chart.column.data[column].begin = b->chart.rows - 1;
	b->chart.column.data[column].end = b->chart.rows - 1;
	return b->chart.rows - 1;
}

static uint32_t last_row(const struct board *b) { return b->chart.rows ? b->chart.rows - 1 : 0; }

static uint32_t mark_of(const struct board *b, const struct shot *s)
{
	for (uint32_t k = 0; k < b->r->found.count; k++)
		for (unsigned end = 0; end < 2; end++)
			if (b->r->found.data[k].has[end] &&
				b->r->found.data[k].at[end].seq == s->seq)
				return k + 1;
	return 0;
}

/* The line of S: of its source if that is known, otherwise of the PTX. */
static uint32_t line_of(struct board *b, const struct shot *s)
{
	struct machine *m = b->t->machine;
	const struct ir_module *module = m->module;
	const struct origin *o = origin_shown(
		module->source, module->insn[s->insn].span.off, where_call(m, s->user_call));

	if (!o)
		return where_ptx_line(m, s->insn);
	if (b->source && b->source != o->file)
		b->sources = true;
	b->source = o->file;
	return o->line;
}

/* Whether S is what the last step of L is, again: a poll, and nothing else happened in between; or
 * the arrival of an instruction whose expect_tx is drawn. */
static struct chart_step *repeated(
	struct board *b, const struct shot *s, const struct lane_of *l, uint32_t mark)
{
	struct chart_step *p = l->step ? &b->chart.step.data[l->step - 1] : NULL;

	if (!p || mark || p->mark || p->row != b->chart.rows - 1 || b->row_insn != s->insn)
		return NULL;
	if (s->kind == TRACE_ACCESS && b->row_kind == TRACE_ACCESS) {
		p->times += p->times ? 1 : 2;
		return p;
	}
	return s->kind == TRACE_ARRIVE && b->row_kind == TRACE_EXPECT_TX ? p : NULL;
}

static struct chart_step *add_step(
	struct board *b, const struct shot *s, enum chart_look look, struct lane_of *l)
{
	uint32_t mark = mark_of(b, s);
	struct chart_step *p = repeated(b, s, l, mark);

	if (p)
		return p;
	p = vec_push(&b->chart.step);
	*p = (struct chart_step){.row = row_for(b, s, l->column),
		.column = l->column,
		.look = (uint8_t)look,
		.line = look == LOOK_END ? 0 : line_of(b, s),
		.mark = mark,
		.text = "exit",
		.tip = tip_of(b, s)};
	if (look != LOOK_END)
		step_words(b, s, p);
	l->step = b->chart.step.count;
	return p;
}

static void add_link(struct board *b, enum chart_link_kind kind, uint32_t from_row, uint32_t from,
	uint32_t to_row, uint32_t to)
{
	*vec_push(&b->chart.link) = (struct chart_link){(uint8_t)kind, from_row, from, to_row, to};
}

/* --- waits and copies --- */

static struct begun *begin(struct board *b, const struct shot *s, bool copy, uint32_t id,
	uint32_t column, uint32_t row)
{
	uint32_t lane = 0;
	struct begun *n;

	for (uint32_t k = 0; k < b->begun.count; k++)
		if (b->begun.data[k].column == column && b->begun.data[k].lane == lane) {
			lane++;
			k = UINT32_MAX; /* look again */
		}
	n = vec_push(&b->begun);
	*n = (struct begun){.copy = copy,
		.id = id,
		.cta = s->cta,
		.column = column,
		.row = row,
		.lane = lane,
		.shot = s};
	return n;
}

/* Ends what has begun, up to ROW. False: its beginning was not recorded. */
static bool finish(struct board *b, bool copy, uint32_t cta, uint32_t id, uint32_t row,
	enum chart_bar_kind kind, struct begun *was)
{
	for (uint32_t k = 0; k < b->begun.count; k++) {
		struct begun *n = &b->begun.data[k];

		if (n->copy != copy || n->id != id || n->cta != cta)
			continue;
		*was = *n;
		*n = b->begun.data[--b->begun.count];
		if (row > was->row)
			*vec_push(&b->chart.bar) = (struct chart_bar){.kind = (uint8_t)kind,
				.column = was->column,
				.from = was->row,
				.to = row,
				.lane = was->lane,
				.text = copy ? arena_printf(&b->chart.arena, "%" PRIu64 " bytes",
						       was->shot->bytes)
					     : NULL,
				.tip = tip_of(b, was->shot)};
		return true;
	}
	return false;
}

/* The first finding of a hang, which unfinished waits show. */
static uint32_t hang_of(const struct board *b)
{
	for (uint32_t k = 0; k < b->r->found.count; k++)
		if (diag_code_info(b->r->found.data[k].diag->code).code[0] == 'D')
			return k + 1;
	return 0;
}

static void meet(struct board *b, const struct shot *s, uint32_t column)
{
	uint32_t cta = s->object_kind == OBJECT_CLUSTER ? s->object_cta : s->cta;

	for (uint32_t k = 0; k < b->meeting.count; k++) {
		struct meeting *m = &b->meeting.data[k];

		if (m->kind != s->object_kind || m->cta != cta || m->number != s->object_number)
			continue;
		m->first = column < m->first ? column : m->first;
		m->last = column > m->last ? column : m->last;
		return;
	}
	*vec_push(&b->meeting) = (struct meeting){
		s->object_kind, cta, s->object_number, column, column};
}

static void wait_begins(struct board *b, const struct shot *s, struct lane_of *l)
{
	const struct chart_step *p = add_step(b, s, LOOK_SYNC, l);

	if (s->object_kind == OBJECT_BARRIER || s->object_kind == OBJECT_CLUSTER)
		meet(b, s, l->column);
	while (b->step_of.count <= s->wait)
		*vec_push(&b->step_of) = 0;
	b->step_of.data[s->wait] = b->chart.step.count;
	begin(b, s, false, s->wait, l->column, p->row);
}

static void wait_ends(struct board *b, const struct shot *s, const struct lane_of *l)
{
	const struct lane_of *o = object_lane(b, s);
	uint32_t row = last_row(b);
	bool polls = s->object_kind == OBJECT_MBARRIER || s->object_kind == OBJECT_CLUSTER;
	struct begun was = {.row = UINT32_MAX};
	uint32_t mark = hang_of(b);

	if (!s->last) /* other lanes still wait */
		return;
	if (s->outcome == WAIT_NEVER) {
		if (!b->hangs) {
			b->hangs = true;
			new_row(b, TRACE_RUN_ENDS, IR_NONE);
			row = new_row(b, TRACE_RUN_ENDS, IR_NONE);
		}
		if (finish(b, false, s->cta, s->wait, row, BAR_STUCK, &was) && mark &&
			s->wait < b->step_of.count && b->step_of.data[s->wait])
			b->chart.step.data[b->step_of.data[s->wait] - 1].mark = mark;
		b->chart.column.data[l->column].end = UINT32_MAX;
		return;
	}
	for (uint32_t k = 0; k < b->begun.count; k++)
		if (!b->begun.data[k].copy && b->begun.data[k].id == s->wait)
			was = b->begun.data[k];
	if (polls && was.row != row)
		row = row_for(b, s, l->column);
	if (finish(b, false, s->cta, s->wait, row,
		    s->outcome == WAIT_COMPLETE ? BAR_WAIT : BAR_LEFT, &was) &&
		o && s->outcome == WAIT_COMPLETE)
		add_link(b, row > was.row ? LINK_WAKE : LINK_GO, row, o->column, row, l->column);
	b->chart.column.data[l->column].end = row;
}

static void copy_issued(struct board *b, const struct shot *s, struct lane_of *l)
{
	const struct lane_of *to = find_lane(b, COLUMN_COPIES, s->cta, 0);
	const struct chart_step *p = add_step(b, s, LOOK_COPY, l);

	if (!to)
		return;
	begin(b, s, true, (uint32_t)s->copy, to->column, p->row);
	add_link(b, LINK_COPY, p->row, l->column, p->row, to->column);
}

static void copy_landed(struct board *b, const struct shot *s)
{
	const struct lane_of *to = find_lane(b, COLUMN_COPIES, s->cta, 0);
	struct begun was;

	if (to && s->last)
		finish(b, true, s->cta, (uint32_t)s->copy, row_for(b, s, to->column), BAR_FLIGHT,
			&was);
}

/* --- mbarriers and barriers --- */

static void close_phase(struct board *b, struct lane_of *o, uint32_t row, bool complete)
{
	const struct shot *s = o->last;
	const char *text;

	if (!o->open || row < o->from)
		return;
	text = arena_printf(&b->chart.arena, "phase %" PRIu64 ": %u of %u%s", o->phase, o->arrived,
		complete ? o->arrived : o->arrived + mbarrier_pending(s->word),
		complete ? o->bytes ? arena_printf(&b->chart.arena, ", %" PRIu64 " bytes", o->bytes)
				    : ""
			: mbarrier_tx(s->word) ? ", bytes missing"
					       : ", open");
	*vec_push(&b->chart.bar) = (struct chart_bar){
		.kind = complete ? (o->phase & 1 ? BAR_ODD : BAR_EVEN) : BAR_OPEN,
		.column = o->column,
		.from = o->from,
		.to = row,
		.text = text,
		.tip = text};
}

static void mbarrier_event(struct board *b, const struct shot *s, uint32_t row)
{
	struct lane_of *o = object_lane(b, s);

	if (!o)
		return;
	if (s->kind == TRACE_INIT || s->kind == TRACE_INVAL) {
		close_phase(b, o, row, false);
		o->open = s->kind == TRACE_INIT;
		o->from = row;
		o->arrived = 0;
		o->bytes = 0;
		o->phase = 0;
	} else if (s->kind == TRACE_PHASE_FLIPS) {
		o->phase = s->phase;
		if (!o->open) /* its beginning was not recorded */
			o->from = row;
		o->open = true;
		close_phase(b, o, row, true);
		o->phase = s->phase + 1;
		o->from = row + 1;
		o->arrived = 0;
		o->bytes = 0;
	} else if (s->kind == TRACE_ARRIVE || s->kind == TRACE_EXPECT_TX ||
		s->kind == TRACE_COMPLETE_TX) {
		if (!o->open) {
			o->open = true;
			o->from = row;
		}
		o->phase = s->phase;
		if (s->kind == TRACE_ARRIVE)
			o->arrived += (uint32_t)s->count;
		if (s->kind == TRACE_COMPLETE_TX)
			o->bytes += s->count;
	}
	o->last = s;
}

static void contribution(struct board *b, const struct shot *s, struct lane_of *l)
{
	const struct lane_of *o = object_lane(b, s);
	const struct lane_of *from = s->by_copy ? find_lane(b, COLUMN_COPIES, s->cta, 0) : l;
	uint32_t row;

	if (!from)
		return;
	row = s->by_copy ? row_for(b, s, from->column) : add_step(b, s, LOOK_PLAIN, l)->row;
	/* one arrow for the expect_tx and the arrival of one instruction */
	if (o && s->kind != TRACE_INIT && s->kind != TRACE_INVAL &&
		!(s->kind == TRACE_ARRIVE && b->row_kind == TRACE_EXPECT_TX))
		add_link(b, LINK_ARRIVE, row, from->column, row, o->column);
	mbarrier_event(b, s, row);
}

static void barrier_flips(struct board *b, const struct shot *s)
{
	uint32_t cta = s->object_kind == OBJECT_CLUSTER ? s->object_cta : s->cta;
	const char *text = s->object_kind == OBJECT_CLUSTER
		? arena_printf(&b->chart.arena, "cluster barrier, phase %" PRIu64 ": %u of %u",
			  s->phase, s->arrived, s->expected)
		: arena_printf(&b->chart.arena, "barrier %u, phase %" PRIu64 ": %u of %u",
			  s->object_number, s->phase, s->arrived, s->expected);

	for (uint32_t k = 0; k < b->meeting.count; k++) {
		const struct meeting *m = &b->meeting.data[k];

		if (m->kind != s->object_kind || m->cta != cta || m->number != s->object_number)
			continue;
		*vec_push(&b->chart.rule) = (struct chart_rule){.row = new_row(b, s->kind, IR_NONE),
			.first = m->first,
			.last = m->last,
			.text = text};
		b->meeting.data[k] = b->meeting.data[--b->meeting.count];
		return;
	}
}

static void launch_begins(struct board *b, const struct shot *s)
{
	struct arena *a = &b->chart.arena;
	const uint32_t *g = s->launch->ask.grid, *block = s->launch->ask.block;

	*vec_push(&b->chart.rule) = (struct chart_rule){.row = new_row(b, s->kind, IR_NONE),
		.last = b->chart.column.count ? b->chart.column.count - 1 : 0,
		.launch = true,
		.text = arena_printf(a, "%s<<<%s, %s>>>", where_kernel(s->launch),
			where_dim(a, g, g), where_dim(a, block, block))};
}

/* --- all events --- */

static void put_shot(struct board *b, const struct shot *s)
{
	struct lane_of *l = is_of_warp(s) ? warp_lane(b, s) : NULL;

	if (s->kind == TRACE_LAUNCH_BEGINS)
		launch_begins(b, s);
	if (s->kind == TRACE_PHASE_FLIPS && s->object_kind != OBJECT_MBARRIER)
		barrier_flips(b, s);
	else if (!l || s->kind == TRACE_PHASE_FLIPS)
		mbarrier_event(b, s, last_row(b)); /* of warps without a column, too */
	if (!l)
		return;
	switch ((enum trace_kind)s->kind) {
	case TRACE_INIT:
	case TRACE_INVAL:
	case TRACE_EXPECT_TX:
	case TRACE_COMPLETE_TX: contribution(b, s, l); break;
	case TRACE_ARRIVE:
		if (s->object_kind == OBJECT_MBARRIER) {
			contribution(b, s, l);
			break;
		}
		/* threads that wait, too, are shown by their wait */
		for (uint32_t k = 0; k < b->begun.count; k++)
			if (!b->begun.data[k].copy && b->begun.data[k].column == l->column &&
				b->begun.data[k].shot->insn == s->insn)
				return;
		meet(b, s, l->column);
		add_step(b, s, LOOK_SYNC, l);
		break;
	case TRACE_WAIT_BEGINS: wait_begins(b, s, l); break;
	case TRACE_WAIT_ENDS: wait_ends(b, s, l); break;
	case TRACE_WARP_SYNC: {
		/* a row of its own unless the lanes have waited there */
		for (uint32_t k = 0; k < b->begun.count; k++)
			if (b->begun.data[k].column == l->column &&
				b->begun.data[k].shot->insn == s->insn)
				return;
		add_step(b, s, LOOK_SYNC, l);
		break;
	}
	case TRACE_FENCE:
	case TRACE_PROXY_FENCE: add_step(b, s, LOOK_FENCE, l); break;
	case TRACE_COPY_ISSUED: copy_issued(b, s, l); break;
	case TRACE_COPY_LANDED: copy_landed(b, s); break;
	case TRACE_COPIES_AWAITED: add_step(b, s, LOOK_SYNC, l); break;
	case TRACE_ACCESS:
		add_step(b, s, s->fault ? LOOK_FAULT : s->atomic ? LOOK_ATOM : LOOK_PLAIN, l);
		break;
	case TRACE_EXIT:
		if (s->last)
			add_step(b, s, LOOK_END, l);
		break;
	case TRACE_RUN_BEGINS:
	case TRACE_RUN_ENDS:
	case TRACE_LAUNCH_BEGINS:
	case TRACE_LAUNCH_ENDS:
	case TRACE_PHASE_FLIPS:
	case TRACE_CTA_BEGINS:
	case TRACE_CTA_ENDS:
	default: break;
	}
}

static void put_rest(struct board *b)
{
	struct begun was;

	while (b->begun.count) {
		const struct begun *n = &b->begun.data[0];

		if (!finish(b, n->copy, n->cta, n->id, b->chart.rows,
			    n->copy ? BAR_FLIGHT : BAR_WAIT, &was))
			break;
	}
	for (uint32_t k = 0; k < b->lane.count; k++) {
		struct lane_of *o = &b->lane.data[k];

		/* the last phase of an mbarrier that nobody used any more says nothing */
		if (o->kind == COLUMN_OBJECT && o->last &&
			(o->arrived || mbarrier_tx(o->last->word)))
			close_phase(b, o, b->chart.rows, false);
	}
}

/* --- findings and notes --- */

static void put_findings(struct board *b)
{
	struct arena *a = &b->chart.arena;

	for (uint32_t k = 0; k < b->r->found.count; k++) {
		const struct found *f = &b->r->found.data[k];
		struct chart_finding *to = vec_push(&b->chart.finding);
		unsigned n = 0;

		*to = (struct chart_finding){.code = diag_code_info(f->diag->code).code,
			.message = arena_printf(a, "%s", f->diag->message),
			.help = f->diag->help ? arena_printf(a, "%s", f->diag->help) : NULL};
		for (uint32_t j = 0; j < b->chart.step.count && n < 2; j++)
			if (b->chart.step.data[j].mark == k + 1) {
				to->row[n] = b->chart.step.data[j].row;
				to->column[n++] = b->chart.step.data[j].column;
			}
		to->joined = n == 2 && f->has[0] && f->has[1];
	}
}

static void put_note(struct board *b, const char *text)
{
	*vec_push(&b->chart.note) = arena_printf(&b->chart.arena, "%s", text);
}

static void put_notes(struct board *b)
{
	const struct recording *r = b->r;
	const struct machine *m = b->t->machine;
	struct arena *a = &b->chart.arena;

	if (r->runs > 1)
		put_note(b,
			arena_printf(a, "Run %" PRIu64 " of %" PRIu64 ", with seed %" PRIu64 "%s.",
				r->run + 1, r->runs, m->options.seed,
				r->found.count ? ": the first with a finding" : ""));
	if (strcmp(trace_outcome_of(m), "done") != 0)
		put_note(b, arena_printf(a, "The run ended early: %s.", trace_outcome_of(m)));
	if (r->more)
		put_note(b, arena_printf(a, "%u more findings are not marked.", r->more));
	if (b->more_warps)
		put_note(b,
			arena_printf(a, "%s%u more warps are not drawn.",
				r->lost ? "At least " : "", b->more_warps));
	if (r->lost)
		put_note(b,
			arena_printf(a,
				"%" PRIu64
				" events in the middle of the run were not recorded for the picture.",
				r->lost));
	if (!(m->options.checks & CHECK_RACE))
		put_note(b, "Races were not looked for: --check=all marks them here.");
	if (b->source)
		put_note(b,
			b->sources ? "Numbers in boxes are lines of the source."
				   : arena_printf(a, "Numbers in boxes are lines of %s.",
					     origin_base(b->source->name)));
	put_note(b, "Time goes down. A row is a step of the run, not a length of time.");
}

/* Draws the run that ended as the picture of its case, unless an earlier run is. */
static void draw_run(struct trace *t)
{
	struct recording *r = t->recording;
	struct board b = {.t = t, .r = r};
	bool finds = r->found.count > 0;

	if (r->has_kept && (r->kept_findings || !finds))
		return;
	b.shot = record_shots(r, &b.nshots);
	choose_columns(&b);
	b.taken = memory_zeroed(b.chart.column.count + 1, sizeof *b.taken);
	for (uint32_t k = 0; k < b.nshots; k++)
		put_shot(&b, b.shot[k]);
	put_rest(&b);
	put_findings(&b);
	put_notes(&b);
	drawing_free(&r->kept);
	r->kept = (struct drawing){.width = 0};
	chart_draw(&b.chart, r->name ? r->name : "", &r->kept);
	r->has_kept = true;
	r->kept_findings = finds;
	memory_drop(b.shot);
	memory_drop(b.taken);
	vec_free(&b.lane);
	vec_free(&b.begun);
	vec_free(&b.meeting);
	vec_free(&b.step_of);
	chart_free(&b.chart);
}

void picture_event(struct trace *t, const struct trace_event *e)
{
	if (e->kind == TRACE_RUN_BEGINS) {
		record_begins(t);
		return;
	}
	record_findings(t, e);
	if (e->kind != TRACE_RUN_ENDS) {
		record_add(t, e);
		return;
	}
	draw_run(t);
	t->recording->run++;
}
