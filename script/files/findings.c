/* Copies records, so that they outlive the program and the run that they are about. */
#include "script/files/findings.h"
#include <string.h>

static const char *copy_text(struct arena *a, const char *s)
{
	return s ? arena_text(a, s, strlen(s)) : NULL;
}

static struct ptxi_place place_of(const struct diag_label *l, struct arena *a)
{
	struct ptxi_place p = {.text = l->text ? copy_text(a, l->text) : ""};
	uint32_t line, column;

	if (l->source) {
		source_place(l->source, l->span.off, &line, &column);
		p.file = copy_text(a, l->source->name);
		p.line = line;
		p.column = column;
		p.length = l->span.len;
	}
	return p;
}

static struct ptxi_finding finding_of(const struct diag *r, struct arena *a)
{
	const struct diag_code_info info = diag_code_info(r->code);
	struct ptxi_place *place = ARENA_ARRAY(a, struct ptxi_place, r->nlabels + 1);
	const char **note = ARENA_ARRAY(a, const char *, r->nnotes + 1);

	for (unsigned k = 0; k < r->nlabels; k++)
		place[k] = place_of(&r->label[k], a);
	for (unsigned k = 0; k < r->nnotes; k++)
		note[k] = copy_text(a, r->notes[k]);
	return (struct ptxi_finding){
		.code = info.code,
		.name = info.name,
		.is_warning = diag_is_warning(r->code),
		.message = copy_text(a, r->message),
		.places = place,
		.nplaces = r->nlabels,
		.notes = note,
		.nnotes = r->nnotes,
		.help = copy_text(a, r->help),
		.count = r->count,
		.cta = r->cta,
		.thread = r->thread,
	};
}

struct findings findings_copy(struct diags *d, struct arena *a)
{
	struct findings f = {.data = ARENA_ARRAY(a, struct ptxi_finding, d->count + 1)};

	for (const struct diag *r = d->first; r; r = r->next)
		if (f.count < d->count)
			f.data[f.count++] = finding_of(r, a);
	return f;
}
