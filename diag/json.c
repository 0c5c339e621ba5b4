/* Renders records as a JSON array. Keys are never renamed or removed, only added. */
#include "diag/diag.h"
#include "base/demangle.h"
#include <inttypes.h>
#include <string.h>

static void json_string(struct text *out, const char *s) { text_json(out, s, strlen(s)); }

static const char *kind_of_class(char letter)
{
	switch (letter) {
	case 'E': return "error";
	case 'W': return "warning";
	case 'L': return "script";
	case 'F': return "fault";
	case 'S': return "sync";
	case 'D': return "deadlock";
	case 'R': return "race";
	case 'H': return "host";
	case 'B': return "budget";
	case 'U': return "unsupported";
	case 'X': return "expectation";
	default: return "message";
	}
}

static void json_frame(const struct origin *o, struct text *out)
{
	struct text cpp = {0};

	text_puts(out, "\"file\": ");
	json_string(out, o->file->name);
	text_printf(out, ", \"line\": %u, \"column\": %u, \"function\": ", o->line, o->column);
	if (o->function)
		json_string(out, o->function);
	else
		text_puts(out, "null");
	if (o->function && demangle(&cpp, o->function, NULL)) {
		text_puts(out, ", \"function_name\": ");
		json_string(out, text_str(&cpp));
	}
	text_free(&cpp);
}

/* The place in the user's source, and all inlined calls around the instruction. */
static void json_source(const struct diag_label *l, struct text *out)
{
	const struct origin *users = diag_origin(l);

	if (!users)
		return;
	text_puts(out, "\"source\": {");
	json_frame(users, out);
	text_puts(out, ", \"frames\": [");
	for (const struct origin *first = source_origin(l->source, l->span.off), *o = first; o;
		o = o->caller) {
		text_puts(out, o == first ? "{" : ", {");
		json_frame(o, out);
		text_putc(out, '}');
	}
	text_puts(out, "]}, ");
}

static void json_place(const struct diag *r, const struct diag_label *l, struct text *out)
{
	uint32_t line, column;

	text_putc(out, '{');
	json_source(l, out);
	text_puts(out, "\"file\": ");
	if (l->source) {
		source_place(l->source, l->span.off, &line, &column);
		json_string(out, l->source->name);
		text_printf(out, ", \"line\": %u, \"column\": %u, \"length\": %u", line, column,
			l->span.len);
	} else {
		text_puts(out, "null");
	}
	text_puts(out, ", \"text\": ");
	json_string(out, l->text ? l->text : "");
	if (r->cta >= 0 && l == &r->label[0])
		text_printf(out, ", \"cta\": %" PRId64, r->cta);
	if (r->thread >= 0 && l == &r->label[0])
		text_printf(out, ", \"thread\": %" PRId64, r->thread);
	text_putc(out, '}');
}

static void json_record(const struct diag *r, struct text *out)
{
	const struct diag_code_info info = diag_code_info(r->code);

	text_printf(out,
		"{\"kind\": \"%s\", \"code\": \"%s\", \"message\": ", kind_of_class(info.code[0]),
		info.code);
	json_string(out, r->message);
	text_puts(out, ", \"places\": [");
	for (unsigned i = 0; i < r->nlabels; i++) {
		text_puts(out, i ? ", " : "");
		json_place(r, &r->label[i], out);
	}
	text_puts(out, "], \"help\": ");
	if (r->help)
		json_string(out, r->help);
	else
		text_puts(out, "null");
	text_puts(out, ", \"notes\": [");
	for (unsigned i = 0; i < r->nnotes; i++) {
		text_puts(out, i ? ", " : "");
		json_string(out, r->notes[i]);
	}
	text_printf(out, "], \"count\": %u}", r->count);
}

void diag_render_json(struct diags *d, struct text *out)
{
	text_putc(out, '[');
	for (const struct diag *r = d->first; r; r = r->next) {
		text_puts(out, r == d->first ? "" : ", ");
		json_record(r, out);
	}
	text_putc(out, ']');
}
