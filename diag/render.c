/* Renders records as text: "file:line:column: error: message [E0101]", the source with carets, the
 * other locations, notes and help. */
#include "diag/snippet.h"
#include <string.h>

static void print_safe(struct text *out, const char *s) { terminal_safe(out, s, strlen(s)); }

static const char *class_word(enum diag_code code)
{
	return diag_is_warning(code)                   ? "warning"
		: diag_code_info(code)->code[0] == 'U' ? "not executed"
						       : "error";
}

static const char *class_color(enum diag_code code)
{
	return diag_is_warning(code) || diag_code_info(code)->code[0] == 'U' ? COLOR_WARNING
									     : COLOR_ERROR;
}

static void print_place(const struct terminal *s, const struct diag_label *l)
{
	uint32_t line, column;

	source_place(s->arena, l->source, l->span.off, &line, &column);
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

static unsigned gutter_width(struct diags *d, const struct diag *r)
{
	unsigned most = 4;

	for (unsigned i = 0; i < r->nlabels; i++) {
		uint32_t line, column;

		if (!r->label[i].source)
			continue;
		source_place(&d->arena, r->label[i].source,
			r->label[i].span.off + r->label[i].span.len, &line, &column);
		most = count_digits(line) > most ? count_digits(line) : most;
	}
	return most;
}

static void headline(const struct terminal *s, const struct diag *r)
{
	const struct diag_code_info *info = diag_code_info(r->code);

	terminal_color(s, COLOR_BOLD);
	if (r->nlabels && r->label[0].source)
		print_place(s, &r->label[0]);
	terminal_color(s, "0");
	terminal_color(s, class_color(r->code));
	text_printf(s->out, "%s: ", class_word(r->code));
	terminal_color(s, "0");
	terminal_color(s, COLOR_BOLD);
	print_safe(s->out, r->message);
	terminal_color(s, "0");
	if (info->code[0])
		text_printf(s->out, " [%s]", info->code);
	if (r->count > 1)
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

static void render_one(struct diags *d, const struct diag *r, struct text *out, bool color)
{
	struct terminal s = {&d->arena, out, color, gutter_width(d, r)};
	unsigned done = 0;

	headline(&s, r);
	for (unsigned i = 0; i < r->nlabels; i++) {
		const struct diag_label *l = &r->label[i];

		if (done >> i & 1)
			continue;
		if (!l->source) {
			if (*l->text)
				print_remark(&s, COLOR_NOTE, "note", l->text);
			continue;
		}
		if (i > 0) {
			terminal_color(&s, COLOR_BOLD);
			print_place(&s, l);
			terminal_color(&s, COLOR_NOTE);
			text_puts(out, "note: ");
			terminal_color(&s, "0");
			print_safe(out, *l->text ? l->text : "here");
			text_putc(out, '\n');
		}
		snippet_render(&s, r, i, &done);
	}
	for (unsigned i = 0; i < r->nnotes; i++)
		print_remark(&s, COLOR_NOTE, "note", r->notes[i]);
	if (r->help)
		print_remark(&s, COLOR_HELP, "help", r->help);
}

void diag_render(struct diags *d, struct text *out, bool color)
{
	for (const struct diag *r = d->first; r; r = r->next)
		render_one(d, r, out, color);
	if (d->dropped)
		text_printf(out, "%u more %s not shown\n", d->dropped,
			d->dropped == 1 ? "message" : "messages");
}
