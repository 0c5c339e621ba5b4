/* Renders records as text: "file:line:column: error: message [E0101]", the source with carets, the
 * other locations, notes and help. Where a location was compiled from the user's source, that comes
 * first, with the calls inlined around it, and the PTX after it. */
#include "base/memory.h"
#include "base/demangle.h"
#include "diag/snippet.h"
#include <string.h>

static void print_safe(struct text *out, const char *s) { terminal_safe(out, s, strlen(s)); }

static const char *class_word(enum diag_code code)
{
	return diag_is_warning(code)                  ? "warning"
		: diag_code_info(code).code[0] == 'U' ? "not executed"
						      : "error";
}

static const char *class_color(enum diag_code code)
{
	return diag_is_warning(code) || diag_code_info(code).code[0] == 'U' ? COLOR_WARNING
									    : COLOR_ERROR;
}

enum { LABELS = 3 }; /* of a record at most */

/* Records of the same mistake at the same places of the user's source: a loop that the compiler
 * unrolled has many instructions for one line. The first is shown. */
struct group {
	const struct diag *r;                /* NULL: an earlier record stands for it */
	const struct origin *origin[LABELS]; /* of the labels; NULL: the PTX is all there is */
	unsigned count, instructions;
};

/* One record while it is printed. */
struct shown {
	struct diags *d;
	const struct diag *r;
	const struct group *group;
	const struct origin *const *origin; /* of the group */
	struct diag users;                  /* with the places in the user's source, where known */
	bool text[LABELS];                  /* the line of the user's source can be shown */
};

static void print_origin(const struct terminal *s, const struct origin *o)
{
	print_safe(s->out, o->file->name);
	text_printf(s->out, ":%u:", o->line);
	if (o->column)
		text_printf(s->out, "%u:", o->column);
	text_putc(s->out, ' ');
}

static void print_place(const struct terminal *s, const struct diag_label *l)
{
	uint32_t line, column;

	source_place(l->source, l->span.off, &line, &column);
	print_safe(s->out, l->source->name);
	text_printf(s->out, ":%u:%u: ", line, column);
}

static unsigned count_digits(uint32_t n)
{
	unsigned d = 1;

	while (n >= 10) {
		n /= 10;
		d++;
	}
	return d;
}

/* The width of the largest line number, at least MOST. */
static unsigned gutter_width(const struct diag *r, unsigned most)
{
	for (unsigned i = 0; i < r->nlabels; i++) {
		uint32_t line, column;

		if (!r->label[i].source)
			continue;
		source_place(r->label[i].source, r->label[i].span.off + r->label[i].span.len, &line,
			&column);
		most = count_digits(line) > most ? count_digits(line) : most;
	}
	return most;
}

static void headline(const struct terminal *s, const struct shown *v)
{
	const struct diag *r = v->r;
	const struct diag_code_info info = diag_code_info(r->code);

	terminal_color(s, COLOR_BOLD);
	if (r->nlabels && v->origin[0])
		print_origin(s, v->origin[0]);
	else if (r->nlabels && r->label[0].source)
		print_place(s, &r->label[0]);
	terminal_color(s, "0");
	terminal_color(s, class_color(r->code));
	text_printf(s->out, "%s: ", class_word(r->code));
	terminal_color(s, "0");
	terminal_color(s, COLOR_BOLD);
	print_safe(s->out, r->message);
	terminal_color(s, "0");
	if (info.code[0])
		text_printf(s->out, " [%s]", info.code);
	if (v->group->instructions > 1)
		text_printf(s->out, " (%u times, in %u instructions)", v->group->count,
			v->group->instructions);
	else if (r->count > 1)
		text_printf(s->out, " (%u times)", r->count);
	text_putc(s->out, '\n');
}

static void print_remark(
	const struct terminal *s, const char *color, const char *word, const char *text)
{
	const char *line = text;

	for (;;) {
		size_t n = strcspn(line, "\n");

		text_printf(s->out, "%*s", (int)s->gutter + 2, "");
		terminal_color(s, color);
		if (line == text)
			text_printf(s->out, "%s: ", word);
		else
			text_printf(s->out, "%*s", (int)strlen(word) + 2, "");
		terminal_color(s, "0");
		terminal_safe(s->out, line, n);
		text_putc(s->out, '\n');
		if (!line[n])
			return;
		line += n + 1;
	}
}

/* After the bold place of a note: its text. */
static void print_note(const struct terminal *s, const char *before, const char *text)
{
	terminal_color(s, COLOR_NOTE);
	text_puts(s->out, "note: ");
	terminal_color(s, "0");
	text_puts(s->out, before);
	print_safe(s->out, text);
	text_putc(s->out, '\n');
}

/* One frame of inlined calls as a note. */
static void print_frame(
	const struct terminal *s, const struct origin *o, const char *before, const char *name)
{
	struct text cpp = {0};

	terminal_color(s, COLOR_BOLD);
	print_origin(s, o);
	if (name && demangle(&cpp, name, NULL))
		name = text_str(&cpp);
	print_note(s, before, name ? name : "a function");
	text_free(&cpp);
}

/* The calls around the user's place O, then those of library functions inside it: ALL is the
 * innermost place. */
static void print_frames(const struct terminal *s, const struct origin *o, const struct origin *all)
{
	enum { OUTER = 4, INNER = 2 };
	const struct origin *inner[INNER];
	unsigned n = 0;

	for (const struct origin *at = o; at->caller && n < OUTER; at = at->caller, n++)
		print_frame(s, at->caller, "inlined from here, in ", at->caller->function);
	n = 0;
	for (const struct origin *at = all; at && at != o; at = at->caller)
		inner[n++ % INNER] = at;
	for (unsigned k = 0; k < n && k < INNER; k++)
		print_frame(s, inner[(n - 1 - k) % INNER], "inside, in ",
			inner[(n - 1 - k) % INNER]->function);
}

/* The PTX of label I, whose place in the user's source has been printed. */
static void print_ptx(const struct terminal *s, const struct shown *v, unsigned i)
{
	struct diag one = {.nlabels = 1, .label = {v->r->label[i]}};
	unsigned done = 0;

	if (v->text[i] || i > 0)
		one.label[0].text = "";
	terminal_color(s, COLOR_BOLD);
	print_place(s, &v->r->label[i]);
	print_note(s, "", "the instruction in PTX");
	snippet_render(s, &one, 0, &done);
}

static void begin_shown(struct shown *v, struct diags *d, const struct group *g)
{
	const struct diag *r = g->r;

	*v = (struct shown){.d = d, .r = r, .group = g, .origin = g->origin, .users = *r};
	for (unsigned i = 0; i < r->nlabels; i++) {
		const struct origin *o = g->origin[i];
		struct source *text = o ? origin_text(r->label[i].source, o) : NULL;

		v->text[i] = text != NULL;
		if (!o)
			continue;
		v->users.label[i].source = text;
		if (text)
			v->users.label[i].span = origin_span(text, o);
	}
}

/* Whether A and B are the same place, reached through the same calls. */
static bool same_place(const struct origin *a, const struct origin *b)
{
	for (; a && b && a != b; a = a->caller, b = b->caller)
		if (a->file != b->file || a->line != b->line || a->column != b->column)
			return false;
	return a == b; /* both NULL, or from here on the same */
}

/* Prints label I and those that the same line of source shows; returns the set of them. */
static unsigned print_label(
	const struct terminal *s, const struct shown *v, unsigned i, unsigned done)
{
	const struct diag_label *l = &v->r->label[i];
	unsigned before = done;

	if (i > 0) {
		terminal_color(s, COLOR_BOLD);
		if (v->origin[i])
			print_origin(s, v->origin[i]);
		else
			print_place(s, l);
		print_note(s, "", *l->text ? l->text : "here");
	}
	done |= 1u << i;
	if (v->text[i] || !v->origin[i]) {
		unsigned shown = before;

		snippet_render(s, &v->users, i, &shown);
		done |= shown;
	}
	for (unsigned k = 0; k < v->r->nlabels; k++) {
		if (!((done & ~before) >> k & 1) || !v->origin[k])
			continue;
		if (k == i || !same_place(v->origin[k], v->origin[i]))
			print_frames(s, v->origin[k],
				source_origin(v->r->label[k].source, v->r->label[k].span.off));
		print_ptx(s, v, k);
	}
	return done;
}

static void render_one(struct diags *d, const struct group *g, struct text *out, bool color)
{
	const struct diag *r = g->r;
	struct shown v;
	struct terminal s = {&d->arena, out, color, 0};
	unsigned done = 0;

	begin_shown(&v, d, g);
	s.gutter = gutter_width(r, gutter_width(&v.users, 4));
	headline(&s, &v);
	for (unsigned i = 0; i < r->nlabels; i++) {
		if (done >> i & 1)
			continue;
		if (r->label[i].source)
			done = print_label(&s, &v, i, done);
		else if (*r->label[i].text)
			print_remark(&s, COLOR_NOTE, "note", r->label[i].text);
	}
	for (unsigned i = 0; i < r->nnotes; i++)
		print_remark(&s, COLOR_NOTE, "note", r->notes[i]);
	if (r->help)
		print_remark(&s, COLOR_HELP, "help", r->help);
}

static bool same_mistake(const struct group *a, const struct group *b)
{
	const struct diag *x = a->r, *y = b->r;

	if (x->code != y->code || x->nlabels != y->nlabels || !x->nlabels ||
		strcmp(x->help ? x->help : "", y->help ? y->help : "") != 0)
		return false;
	for (unsigned i = 0; i < x->nlabels; i++)
		if (!a->origin[i] || !same_place(a->origin[i], b->origin[i]))
			return false;
	return true;
}

/* Makes one group of each mistake at the same places of the user's source. */
static void join_groups(struct group *g, unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		for (unsigned k = 0; k < i && g[i].origin[0]; k++) {
			if (!g[k].r || !same_mistake(&g[k], &g[i]))
				continue;
			g[k].count += g[i].count;
			g[k].instructions++;
			g[i].r = NULL;
			break;
		}
}

void diag_render(struct diags *d, struct text *out, bool color)
{
	struct group *g;
	unsigned n = 0;

	for (const struct diag *r = d->first; r; r = r->next)
		n++;
	g = memory_zeroed(n + 1u, sizeof *g);
	n = 0;
	for (const struct diag *r = d->first; r; r = r->next, n++) {
		g[n] = (struct group){.r = r, .count = r->count, .instructions = 1};
		for (unsigned i = 0; i < r->nlabels; i++)
			g[n].origin[i] = diag_origin(&r->label[i]);
	}
	join_groups(g, n);
	for (unsigned i = 0; i < n; i++)
		if (g[i].r)
			render_one(d, &g[i], out, color);
	memory_drop(g);
	if (d->dropped)
		text_printf(out, "%u more %s not shown\n", d->dropped,
			d->dropped == 1 ? "message" : "messages");
}
