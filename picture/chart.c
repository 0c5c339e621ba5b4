/* Draws the time line of a run. Steps are boxes on the line of their warp, waits are hatched parts
 * of it, phases of mbarriers are bands of a column of their own, and findings have numbers. Of a
 * long run the first and the last rows are drawn, and those of findings. */
#include "picture/chart.h"
#include "base/memory.h"
#include "picture/draw.h"
#include <string.h>

enum {
	ROWS_FIRST = 90,
	ROWS_LAST = 45,
	ROWS_AROUND = 2, /* before and after a finding */
	FINDINGS = 8,    /* listed */
	ITEMS = 1500,    /* steps, bars and links */
	ROW = 24,
	BOX = 18,
	GAP = 22, /* between columns */
	WARP = 196,
	WARP_MANY = 164, /* of more than SOME warps */
	SOME = 5,
	OBJECT = 160,
	BAR = 12
};

/* A row in the place of COUNT others. */
struct cut {
	uint32_t row, count;
};
struct sheet {
	const struct chart *c;
	struct drawing *out;
	uint32_t *shown; /* [rows] number of the row as drawn, or UINT32_MAX */
	uint32_t drawn;
	int *x, *w; /* [columns] */
	int top;
	unsigned items, steps_left_out;
	VEC(struct cut) cut;
};

void chart_free(struct chart *c)
{
	arena_free(&c->arena);
	vec_free(&c->column);
	vec_free(&c->step);
	vec_free(&c->bar);
	vec_free(&c->link);
	vec_free(&c->rule);
	vec_free(&c->finding);
	vec_free(&c->note);
	memset(c, 0, sizeof *c);
}

/* --- rows --- */

static void keep_around(bool *keep, uint32_t rows, uint32_t row)
{
	for (uint32_t r = row > ROWS_AROUND ? row - ROWS_AROUND : 0;
		r < rows && r <= row + ROWS_AROUND; r++)
		keep[r] = true;
}

static void choose_rows(struct sheet *s)
{
	const struct chart *c = s->c;
	bool *keep = memory_zeroed(c->rows + 1, sizeof *keep);
	uint32_t gone = 0;

	for (uint32_t r = 0; r < c->rows; r++)
		keep[r] = c->rows <= ROWS_FIRST + ROWS_LAST || r < ROWS_FIRST ||
			r >= c->rows - ROWS_LAST;
	for (uint32_t k = 0; k < c->step.count; k++)
		if (c->step.data[k].mark && c->step.data[k].mark <= FINDINGS)
			keep_around(keep, c->rows, c->step.data[k].row);
	s->shown = memory_zeroed(c->rows + 1, sizeof *s->shown);
	for (uint32_t r = 0; r < c->rows; r++) {
		if (!keep[r]) {
			gone++;
			s->shown[r] = UINT32_MAX;
			continue;
		}
		if (gone)
			*vec_push(&s->cut) = (struct cut){s->drawn++, gone};
		gone = 0;
		s->shown[r] = s->drawn++;
	}
	memory_drop(keep);
}

static bool is_shown(const struct sheet *s, uint32_t row)
{
	return row < s->c->rows && s->shown[row] != UINT32_MAX;
}

/* The drawn row of ROW, or of the next (STEP 1) or last (STEP -1) one that is drawn. */
static uint32_t nearest(const struct sheet *s, uint32_t row, int step)
{
	if (row >= s->c->rows)
		row = s->c->rows - 1;
	while (!is_shown(s, row) && (step > 0 ? row + 1 < s->c->rows : row > 0))
		row = (uint32_t)((int64_t)row + step);
	return is_shown(s, row) ? s->shown[row] : 0;
}

static int row_y(const struct sheet *s, uint32_t drawn) { return s->top + (int)drawn * ROW; }
static int middle(const struct sheet *s, uint32_t column)
{
	return s->c->column.data[column].kind == COLUMN_WARP ? s->x[column] + 12
							     : s->x[column] + BAR;
}

static bool has_room(struct sheet *s)
{
	if (s->items < ITEMS) {
		s->items++;
		return true;
	}
	s->steps_left_out++;
	return false;
}

/* --- columns --- */

static void set_columns(struct sheet *s)
{
	const struct chart *c = s->c;
	int at = 0;
	unsigned warps = 0;

	s->x = memory_zeroed(c->column.count + 1, sizeof *s->x);
	s->w = memory_zeroed(c->column.count + 1, sizeof *s->w);
	for (uint32_t k = 0; k < c->column.count; k++)
		warps += c->column.data[k].kind == COLUMN_WARP;
	for (uint32_t k = 0; k < c->column.count; k++) {
		bool warp = c->column.data[k].kind == COLUMN_WARP;

		s->x[k] = at;
		s->w[k] = !warp ? OBJECT : warps > SOME ? WARP_MANY : WARP;
		at += s->w[k] + GAP;
	}
	s->out->width = at - GAP > 560 ? at - GAP : 560;
}

static void draw_heads(struct sheet *s)
{
	const struct chart *c = s->c;

	for (uint32_t k = 0; k < c->column.count; k++) {
		const struct chart_column *o = &c->column.data[k];
		uint32_t last = k;

		draw_text(s->out, s->x[k], s->top - 8, "b", o->name,
			(unsigned)s->w[k] * 10 / DRAW_CHAR);
		if (k && strcmp(c->column.data[k - 1].group, o->group) == 0)
			continue;
		while (last + 1 < c->column.count &&
			strcmp(c->column.data[last + 1].group, o->group) == 0)
			last++;
		draw_box(s->out, s->x[k], s->top - 46, s->x[last] + s->w[last] - s->x[k], 20, 3,
			"head");
		draw_text(s->out, s->x[k] + 8, s->top - 32, "b", o->group,
			(unsigned)(s->x[last] + s->w[last] - s->x[k] - 12) * 10 / DRAW_CHAR);
	}
}

/* --- what is in them --- */

static void draw_lines_of_life(struct sheet *s)
{
	for (uint32_t k = 0; k < s->c->column.count; k++)
		if (s->c->column.data[k].kind == COLUMN_WARP && s->drawn) {
			uint32_t end = nearest(s, s->c->column.data[k].end, -1);

			uint32_t begin = nearest(s, s->c->column.data[k].begin, -1);

			draw_line(s->out, middle(s, k), row_y(s, begin), middle(s, k),
				row_y(s, end) + ROW / 2, "life");
		} else if (s->drawn) {
			draw_line(s->out, middle(s, k), s->top, middle(s, k), row_y(s, s->drawn),
				"cause plain");
		}
}

static void draw_bar(struct sheet *s, const struct chart_bar *b)
{
	static const char *const class[] = {[BAR_WAIT] = "wait",
		[BAR_STUCK] = "stuck",
		[BAR_LEFT] = "box",
		[BAR_EVEN] = "even",
		[BAR_ODD] = "odd",
		[BAR_OPEN] = "box",
		[BAR_FLIGHT] = "flight"};
	bool waits = b->kind <= BAR_LEFT;
	uint32_t from = nearest(s, b->from, 1), to = nearest(s, b->to, -1);
	/* further waits of a warp stand on its left, where no steps are */
	int x = s->x[b->column] +
		(waits ? 6 - (b->lane > 0) * (BAR + 2) : (int)(b->lane % 6) * (BAR + 2));
	int y = row_y(s, from) + (waits ? 3 : 1), end = row_y(s, to) + (waits ? 14 : ROW - 2);

	if (to < from || !has_room(s))
		return;
	draw_begin(s->out, b->tip);
	draw_box(s->out, x, y, waits || b->kind == BAR_FLIGHT ? BAR : 2 * BAR, end - y, 2,
		class[b->kind]);
	draw_end(s->out);
}

/* What bars are, on top of the links that cross them. */
static void draw_bar_text(struct sheet *s, const struct chart_bar *b)
{
	uint32_t from = nearest(s, b->from, 1);
	int x = s->x[b->column] + 2 * BAR + 4 + (int)(b->lane % 6) * (BAR + 2);

	if (b->text && nearest(s, b->to, -1) >= from)
		draw_text(s->out, x, row_y(s, from) + 11, "s o", b->text,
			(unsigned)(s->x[b->column] + s->w[b->column] + GAP - x) * 10 / DRAW_SMALL);
}

/* The text of step P in at most MOST characters: of the instruction as much as its object leaves.
 */
static void step_words(const struct chart_step *p, unsigned most, struct text *out)
{
	struct text what = {0};
	unsigned room, length = draw_chars(p->text);

	if (p->what)
		text_printf(&what, " %s", p->what);
	if (p->times > 1)
		text_printf(&what, " x%u", p->times);
	room = draw_chars(text_str(&what));
	room = room + 6 < most ? most - room : 6;
	if (length > room)
		text_printf(out, "%.*s\342\200\246", (int)room - 1, p->text);
	else
		text_puts(out, p->text);
	text_puts(out, text_str(&what));
	text_free(&what);
}

static void draw_step(struct sheet *s, const struct chart_step *p)
{
	static const char *const class[] = {[LOOK_PLAIN] = "box",
		[LOOK_SYNC] = "box",
		[LOOK_FENCE] = "fence",
		[LOOK_ATOM] = "atom",
		[LOOK_COPY] = "flight",
		[LOOK_FAULT] = "fault"};
	int x = s->x[p->column], y = row_y(s, s->shown[p->row]), w = s->w[p->column];
	int from = x + 22;
	struct text line = {0}, words = {0};
	unsigned chars;

	if (!is_shown(s, p->row) || !has_room(s))
		return;
	draw_begin(s->out, p->tip);
	if (p->look == LOOK_END) {
		draw_line(s->out, x + 4, y + 12, x + 20, y + 12, "life");
		draw_text(s->out, from + 4, y + 16, "s u", p->text, 20);
		draw_end(s->out);
		return;
	}
	draw_box(s->out, from, y + 3, w - 22, BOX, p->look == LOOK_SYNC ? 9 : 3,
		p->mark                        ? "fault"
			: p->look == LOOK_COPY ? "box"
					       : class[p->look]);
	draw_line(s->out, x + 12, y + 12, from, y + 12, "life");
	if (p->line)
		text_printf(&line, "%u", p->line);
	chars = (unsigned)(w - 22 - 14 - (int)line.len * 7) * 10 /
		(w < WARP ? DRAW_SMALL : DRAW_CHAR);
	step_words(p, chars, &words);
	draw_text(s->out, from + 6, y + 16, w < WARP ? "s" : "", text_str(&words), chars);
	text_free(&words);
	draw_text(s->out, x + w - 4, y + 16, "s u e", text_str(&line), 12);
	if (p->mark) {
		text_clear(&line);
		text_printf(&line, "%u", p->mark);
		text_printf(&s->out->svg, "<circle cx=\"%d\" cy=\"%d\" r=\"9\" class=\"dot\"/>\n",
			x + 12, y + 12);
		draw_text(s->out, x + 12, y + 16, "n m s", text_str(&line), 3);
	}
	draw_end(s->out);
	text_free(&line);
}

static void draw_link(struct sheet *s, const struct chart_link *k)
{
	static const char *const class[] = {[LINK_ARRIVE] = "arrive",
		[LINK_GO] = "go",
		[LINK_WAKE] = "go",
		[LINK_COPY] = "copy"};
	int from, to, y1, y2;

	if (!is_shown(s, k->from_row) || !is_shown(s, k->to_row) || !has_room(s))
		return;
	y1 = row_y(s, s->shown[k->from_row]) + 12;
	y2 = row_y(s, s->shown[k->to_row]) + 12;
	from = k->to > k->from ? s->x[k->from] + s->w[k->from] : s->x[k->from];
	to = k->to > k->from ? s->x[k->to] : s->x[k->to] + s->w[k->to];
	/* objects and copies have their bars on the left */
	if (s->c->column.data[k->to].kind != COLUMN_WARP && k->to < k->from)
		to = s->x[k->to] + 2 * BAR;
	if (s->c->column.data[k->from].kind != COLUMN_WARP && k->to > k->from)
		from = s->x[k->from] + BAR;
	if (k->kind == LINK_WAKE)
		to = s->x[k->to] + 6 + BAR;
	text_printf(&s->out->svg, "<path class=\"%s\" d=\"M%d %dL%d %d\"/>\n", class[k->kind], from,
		y1, to, y2);
}

static void draw_rule(struct sheet *s, const struct chart_rule *r)
{
	int x = s->x[r->first], end = s->x[r->last] + s->w[r->last], y, w;
	struct text t = {0};

	if (!is_shown(s, r->row) || !has_room(s))
		return;
	y = row_y(s, s->shown[r->row]) + ROW / 2;
	if (r->launch) {
		draw_text(s->out, x + 24, y + 4, "b o", r->text,
			(unsigned)s->out->width * 10 / DRAW_CHAR);
		return;
	}
	text_puts(&t, r->text);
	if (draw_width(r->text, DRAW_SMALL) > end - x - 40 && strchr(r->text, ':')) {
		text_clear(&t);
		text_add(&t, r->text, strcspn(r->text, ":"));
	}
	w = draw_width(text_str(&t), DRAW_SMALL);
	draw_line(s->out, x, y, end, y, "phase plain");
	draw_box(s->out, x + 28, y - 8, w + 8, 16, 0, "paper");
	draw_text(s->out, x + 32, y + 4, "s", text_str(&t), (unsigned)(end - x) * 10 / DRAW_SMALL);
	text_free(&t);
}

/* Joins the two places of a finding. */
static void draw_join(struct sheet *s, const struct chart_finding *f)
{
	int x1, y1, x2, y2;

	if (!f->joined || !is_shown(s, f->row[0]) || !is_shown(s, f->row[1]))
		return;
	x1 = s->x[f->column[0]] + 12;
	x2 = s->x[f->column[1]] + 12;
	y1 = row_y(s, s->shown[f->row[0]]) + 12;
	y2 = row_y(s, s->shown[f->row[1]]) + 12;
	text_printf(&s->out->svg, "<path class=\"join\" d=\"M%d %dC%d %d %d %d %d %d\"/>\n", x1, y1,
		x1 - 30, (y1 + y2) / 2, x2 - 30, (y1 + y2) / 2, x2, y2);
}

static void draw_cuts(struct sheet *s)
{
	struct text t = {0};

	for (uint32_t k = 0; k < s->cut.count; k++) {
		int y = row_y(s, s->cut.data[k].row);

		text_clear(&t);
		text_printf(&t, "%u step%s not drawn", s->cut.data[k].count,
			s->cut.data[k].count == 1 ? " is" : "s are");
		draw_box(s->out, 0, y + 2, s->out->width, ROW - 4, 0, "paper");
		draw_line(s->out, 0, y + 4, s->out->width, y + 4, "cause plain");
		draw_line(s->out, 0, y + ROW - 4, s->out->width, y + ROW - 4, "cause plain");
		draw_text(s->out, s->out->width / 2, y + 16, "m b", text_str(&t), 60);
	}
	text_free(&t);
}

/* --- below --- */

static int draw_findings(struct sheet *s, int y)
{
	const struct chart *c = s->c;
	unsigned chars = (unsigned)(s->out->width - 30) * 10 / DRAW_CHAR;
	struct text t = {0};

	for (uint32_t k = 0; k < c->finding.count && k < FINDINGS; k++) {
		const struct chart_finding *f = &c->finding.data[k];

		text_clear(&t);
		text_printf(&t, "%u", k + 1);
		text_printf(&s->out->svg, "<circle cx=\"10\" cy=\"%d\" r=\"9\" class=\"dot\"/>\n",
			y - 4);
		draw_text(s->out, 10, y, "n m s", text_str(&t), 3);
		text_clear(&t);
		text_printf(&t, "%s: %s", f->code, f->message);
		y = draw_lines(s->out, 26, y, "", text_str(&t), chars);
		text_printf(&s->out->says, "%s. ", text_str(&t));
		if (f->help) {
			text_clear(&t);
			text_printf(&t, "help: %s", f->help);
			y = draw_lines(s->out, 26, y, "u", text_str(&t), chars);
		}
		y += 6;
	}
	if (c->finding.count > FINDINGS) {
		text_clear(&t);
		text_printf(&t, "%u more findings", (unsigned)(c->finding.count - FINDINGS));
		draw_text(s->out, 0, y, "b", text_str(&t), 60);
		y += DRAW_LINE;
	}
	text_free(&t);
	return y;
}

static int draw_notes(struct sheet *s, int y)
{
	const struct chart *c = s->c;
	unsigned chars = (unsigned)s->out->width * 10 / DRAW_CHAR;
	struct text t = {0};

	for (uint32_t k = 0; k < c->note.count; k++)
		y = draw_lines(s->out, 0, y, "u", c->note.data[k], chars);
	if (s->steps_left_out) {
		text_printf(&t, "%u more steps and waits are not drawn.", s->steps_left_out);
		draw_text(s->out, 0, y, "b", text_str(&t), chars);
		y += DRAW_LINE;
	}
	text_free(&t);
	return y;
}

/* What the patterns mean that the picture has. */
static int draw_legend(struct sheet *s, int y)
{
	static const struct {
		enum chart_bar_kind kind;
		const char *class, *text;
	} bars[] = {{BAR_WAIT, "wait", "waits"}, {BAR_STUCK, "stuck", "waits, and never goes on"},
		{BAR_LEFT, "box", "waited, and left without success"},
		{BAR_EVEN, "even", "phase of an mbarrier, parity 0"},
		{BAR_ODD, "odd", "phase of an mbarrier, parity 1"},
		{BAR_FLIGHT, "flight", "copy, from its instruction to its end"}};
	static const struct {
		enum chart_link_kind kind;
		const char *class, *text;
	} links[] = {{LINK_ARRIVE, "arrive", "arrives, or completes bytes"},
		{LINK_WAKE, "go", "finds the phase complete"}};
	uint32_t bar = 0, link = 0;

	for (uint32_t k = 0; k < s->c->bar.count; k++)
		bar |= 1u << s->c->bar.data[k].kind;
	for (uint32_t k = 0; k < s->c->link.count; k++)
		link |= 1u << (s->c->link.data[k].kind == LINK_GO ? LINK_WAKE
								  : s->c->link.data[k].kind);
	for (size_t k = 0; k < sizeof bars / sizeof bars[0]; k++)
		if (bar >> bars[k].kind & 1) {
			draw_box(s->out, 4, y - 11, BAR, 14, 2, bars[k].class);
			draw_text(s->out, 36, y, "", bars[k].text, 60);
			y += DRAW_LINE + 2;
		}
	for (size_t k = 0; k < sizeof links / sizeof links[0]; k++)
		if (link >> links[k].kind & 1) {
			draw_line(s->out, 0, y - 4, 28, y - 4, links[k].class);
			draw_text(s->out, 36, y, "", links[k].text, 60);
			y += DRAW_LINE;
		}
	if (s->c->rule.count) {
		bool any = false;

		for (uint32_t k = 0; k < s->c->rule.count; k++)
			any |= !s->c->rule.data[k].launch;
		if (any) {
			draw_line(s->out, 0, y - 4, 28, y - 4, "phase plain");
			draw_text(s->out, 36, y, "", "a phase of a barrier is complete", 60);
			y += DRAW_LINE;
		}
	}
	return y + 4;
}

static void say_chart(struct sheet *s)
{
	enum { SAID = 2000 };
	const struct chart *c = s->c;

	for (uint32_t k = 0; k < c->step.count && s->out->says.len < SAID; k++) {
		const struct chart_step *p = &c->step.data[k];
		const struct chart_column *o = &c->column.data[p->column];

		if (p->look != LOOK_END && is_shown(s, p->row))
			text_printf(&s->out->says, "%s, %s: %s. ", o->group, o->name, p->text);
	}
}

void chart_draw(const struct chart *c, const char *title, struct drawing *out)
{
	struct sheet s = {.c = c, .out = out};

	choose_rows(&s);
	set_columns(&s);
	s.top = 86;
	text_puts(&out->title, title);
	draw_text(out, 0, 14, "t", title, (unsigned)out->width * 10 / DRAW_TITLE);
	draw_heads(&s);
	draw_lines_of_life(&s);
	for (uint32_t k = 0; k < c->bar.count; k++)
		draw_bar(&s, &c->bar.data[k]);
	for (uint32_t k = 0; k < c->rule.count; k++)
		draw_rule(&s, &c->rule.data[k]);
	for (uint32_t k = 0; k < c->finding.count && k < FINDINGS; k++)
		draw_join(&s, &c->finding.data[k]);
	for (uint32_t k = 0; k < c->step.count; k++)
		draw_step(&s, &c->step.data[k]);
	for (uint32_t k = 0; k < c->link.count; k++)
		draw_link(&s, &c->link.data[k]);
	for (uint32_t k = 0; k < c->bar.count; k++)
		draw_bar_text(&s, &c->bar.data[k]);
	draw_cuts(&s);
	out->height = draw_findings(&s, row_y(&s, s.drawn) + 26);
	say_chart(&s);
	out->height = draw_notes(&s, draw_legend(&s, out->height));
	memory_drop(s.shown);
	memory_drop(s.x);
	memory_drop(s.w);
	vec_free(&s.cut);
}
