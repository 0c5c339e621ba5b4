/* Diagnostic records: creation, labels and counts; records are kept in the order reported. */
#include "diag/diag.h"
#include <ptxi/status.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

enum { DEFAULT_LIMIT = 1000 };

/* The texts of all codes, and where each begins: pointers to them would be relocated whenever ptxi
 * starts. */
static const struct texts {
	char none[1];
#define CODE(c, n, t, r, w, i, s) \
	struct { \
		char code[sizeof #c], name[sizeof #n], title[sizeof t], rule[sizeof r]; \
		char wrong[sizeof w], right[sizeof i], section[sizeof s]; \
	} c;
#include "diag/code/all.def"
} texts = {
	"",
#define CODE(c, n, t, r, w, i, s) {#c, #n, t, r, w, i, s},
#include "diag/code/all.def"
};
static const struct {
	uint32_t code, name, title, rule, wrong, right, section;
} place[DIAG_COUNT] = {
	{0},
#define AT(member) offsetof(struct texts, member)
#define CODE(c, n, t, r, w, i, s) \
	{AT(c.code), AT(c.name), AT(c.title), AT(c.rule), AT(c.wrong), AT(c.right), AT(c.section)},
#include "diag/code/all.def"
};

struct diag_code_info diag_code_info(enum diag_code code)
{
	const unsigned i = (unsigned)code < DIAG_COUNT ? code : DIAG_NONE;
	const char *all = (const char *)&texts;

	return (struct diag_code_info){
		.code = all + place[i].code,
		.name = all + place[i].name,
		.title = all + place[i].title,
		.rule = all + place[i].rule,
		.wrong = all + place[i].wrong,
		.right = all + place[i].right,
		.section = all + place[i].section,
	};
}

enum diag_code diag_code_find(const char *word)
{
	for (unsigned i = 1; i < DIAG_COUNT; i++) {
		const struct diag_code_info info = diag_code_info((enum diag_code)i);

		if (strcmp(info.code, word) == 0 || strcmp(info.name, word) == 0)
			return (enum diag_code)i;
	}
	return DIAG_NONE;
}

bool diag_is_warning(enum diag_code code)
{
	return diag_code_info(code).code[0] == 'W' || code == DIAG_S0107 || code == DIAG_S0109 ||
		code == DIAG_H0151 || code == DIAG_H0152;
}

bool diag_is_off(const struct diags *d, enum diag_code code)
{
	return diag_is_warning(code) &&
		(d->no_warnings || (d->off[(unsigned)code / 8] >> ((unsigned)code % 8) & 1));
}

int diag_status(enum diag_code code)
{
	if (diag_is_warning(code))
		return PTXI_OK;
	switch (diag_code_info(code).code[0]) {
	case 'E': return PTXI_REJECTED;
	case 'L': return PTXI_USAGE;
	case 'F':
	case 'H':
	case 'S': return PTXI_FAULT;
	case 'R': return PTXI_RACE;
	case 'D': return PTXI_DEADLOCK;
	case 'B': return PTXI_UNDECIDED;
	case 'U': return PTXI_UNSUPPORTED;
	case 'X': return PTXI_FAILED;
	default: return PTXI_OK;
	}
}

static struct diag_label label_at(struct source *s, struct span span, const char *text)
{
	struct diag_label l = {.span = span, .text = text, .given = s, .given_off = span.off};

	l.source = s ? source_part(s, &l.span.off) : NULL;
	return l;
}

/* A record that is not kept; all of them share one spare. */
static struct diag *spare_record(struct diags *d, enum diag_code code)
{
	if (!d->spare)
		d->spare = ARENA_NEW(&d->arena, struct diag);
	*d->spare = (struct diag){.code = code, .message = "", .count = 1, .cta = -1, .thread = -1};
	return d->spare;
}

static struct diag *new_record(struct diags *d, enum diag_code code, const char *fmt, va_list ap)
{
	struct diag *r;

	if (diag_is_off(d, code))
		return spare_record(d, code);
	if (!diag_is_warning(code))
		d->errors++;
	if (d->count >= (d->limit ? d->limit : DEFAULT_LIMIT)) {
		d->dropped++;
		return spare_record(d, code);
	}
	r = ARENA_NEW(&d->arena, struct diag);
	*r = (struct diag){.code = code,
		.message = arena_vprintf(&d->arena, fmt, ap),
		.count = 1,
		.cta = -1,
		.thread = -1};
	if (!d->first)
		d->first = r;
	else
		*d->last = r;
	d->last = &r->next;
	d->count++;
	return r;
}

struct diag *diag_report(struct diags *d, enum diag_code code, struct source *source,
	struct span span, const char *fmt, ...)
{
	struct diag *r;
	va_list ap;

	va_start(ap, fmt);
	r = new_record(d, code, fmt, ap);
	va_end(ap);
	if (source && r != d->spare)
		r->label[r->nlabels++] = label_at(source, span, "");
	return r;
}

struct diag *diag_plain(struct diags *d, enum diag_code code, const char *fmt, ...)
{
	struct diag *r;
	va_list ap;

	va_start(ap, fmt);
	r = new_record(d, code, fmt, ap);
	va_end(ap);
	return r;
}

void diag_drop(struct diags *d, struct diag *r)
{
	for (struct diag **at = &d->first; *at; at = &(*at)->next) {
		if (*at != r)
			continue;
		*at = r->next;
		if (d->last == &r->next)
			d->last = at;
		d->count--;
		d->errors -= !diag_is_warning(r->code);
		return;
	}
}

void diags_rewind(struct diags *d, const struct diags *before)
{
	d->first = before->first;
	d->last = before->last;
	if (d->first)
		*d->last = NULL;
	d->count = before->count;
	d->errors = before->errors;
	d->dropped = before->dropped;
}

bool diag_label(struct diags *d, struct diag *r, struct source *source, struct span span,
	const char *fmt, ...)
{
	va_list ap;

	if (r == d->spare || r->nlabels == 3)
		return false;
	if (r->nlabels == 0) /* label 0 is the record's own location, which it does not have */
		r->label[r->nlabels++] = (struct diag_label){.text = ""};
	va_start(ap, fmt);
	r->label[r->nlabels++] = label_at(source, span, arena_vprintf(&d->arena, fmt, ap));
	va_end(ap);
	return true;
}

void diag_help(struct diags *d, struct diag *r, const char *fmt, ...)
{
	va_list ap;

	if (r == d->spare)
		return;
	va_start(ap, fmt);
	r->help = arena_vprintf(&d->arena, fmt, ap);
	va_end(ap);
}

void diag_note(struct diags *d, struct diag *r, const char *fmt, ...)
{
	va_list ap;

	if (r == d->spare || r->nnotes == sizeof r->notes / sizeof r->notes[0])
		return;
	va_start(ap, fmt);
	r->notes[r->nnotes++] = arena_vprintf(&d->arena, fmt, ap);
	va_end(ap);
}

void diags_free(struct diags *d)
{
	unsigned limit = d->limit;

	arena_free(&d->arena);
	*d = (struct diags){.limit = limit};
}

const struct origin *diag_origin(const struct diag_label *l)
{
	const struct origin *own = origin_shown(l->source, l->span.off, (struct span){0}), *o;

	if (!l->call.len || (own && own->file->users))
		return own;
	o = origin_shown(l->given ? l->given : l->source, l->call.off, (struct span){0});
	return o && o->file->users ? o : own;
}

struct line_text diag_line_text(const struct diag_label *l)
{
	return l->given ? source_line_text(l->given, l->given_off, l->call)
			: source_line_text(l->source, l->span.off, l->call);
}
