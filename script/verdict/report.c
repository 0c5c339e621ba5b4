/* Combines the reports of several executions, keeping each outcome and each finding once. */
#include "script/verdict/report.h"
#include "base/hash.h"
#include <stdlib.h>
#include <string.h>

struct outcome *report_outcome(struct report *r, const char *const *texts)
{
	struct text all = {0};
	uint64_t key;
	uint32_t at;
	struct outcome *o;

	for (uint32_t k = 0; k < r->nstate; k++)
		text_add(&all, texts[k], strlen(texts[k]) + 1);
	key = hash_bytes(text_str(&all), all.len, 0) >> 1;
	text_free(&all);
	for (;; key++) { /* try the next key while this one belongs to another state */
		bool same = true;

		at = map_get(&r->seen, key, UINT32_MAX);
		if (at == UINT32_MAX)
			break;
		for (uint32_t k = 0; k < r->nstate && same; k++)
			same = strcmp(r->outcomes.data[at].text[k], texts[k]) == 0;
		if (same)
			return &r->outcomes.data[at];
	}
	map_set(&r->seen, key, r->outcomes.count);
	o = vec_push(&r->outcomes);
	*o = (struct outcome){.text = ARENA_ARRAY(&r->arena, const char *, r->nstate + 1)};
	for (uint32_t k = 0; k < r->nstate; k++)
		o->text[k] = arena_text(&r->arena, texts[k], strlen(texts[k]));
	return o;
}

void report_keep_printed(struct report *r, struct outcome *o, const char *text, size_t n)
{
	if (n == 0 || n > r->keep)
		return;
	r->keep -= n;
	o->printed = arena_text(&r->arena, text, n);
	o->nprinted = n;
}

void report_usual(const struct report *r, const struct outcome *usual[2])
{
	usual[0] = usual[1] = NULL;
	for (uint32_t k = 0; k < r->outcomes.count; k++) {
		const struct outcome *o = &r->outcomes.data[k];

		if (!o->printed)
			continue;
		if (!usual[0] || o->count > usual[0]->count) {
			usual[1] = usual[0];
			usual[0] = o;
		} else if (!usual[1] || o->count > usual[1]->count) {
			usual[1] = o;
		}
	}
}

uint32_t report_difference(
	const struct outcome *usual[2], const struct outcome *o, const char **text, size_t *n)
{
	const struct outcome *other = usual[0] == o ? usual[1] : usual[0];
	uint32_t line = 1;
	size_t begin = 0, at = 0;

	if (!o->printed || !other)
		return 0;
	for (; at < o->nprinted && at < other->nprinted && o->printed[at] == other->printed[at];
		at++)
		if (o->printed[at] == '\n') {
			line++;
			begin = at + 1;
		}
	if (at == o->nprinted && at == other->nprinted)
		return 0;
	while (at < o->nprinted && o->printed[at] != '\n')
		at++;
	*text = o->printed + begin;
	*n = at - begin;
	return line;
}

void report_put_outcome(const struct report *r, const struct outcome *o, struct text *out)
{
	for (uint32_t k = 0; k < r->nstate; k++)
		text_printf(out, "%s%s=%s;", k ? " " : "", r->state[k], o->text[k]);
}

struct diag *report_copy(struct report *whole, const struct diag *d)
{
	struct diag *copy = diag_report(&whole->findings, d->code,
		d->nlabels ? d->label[0].source : NULL,
		d->nlabels ? d->label[0].span : (struct span){0, 0}, "%s", d->message);

	for (unsigned k = 1; k < d->nlabels; k++)
		diag_label(&whole->findings, copy, d->label[k].source, d->label[k].span, "%s",
			d->label[k].text);
	for (unsigned k = 0; k < d->nnotes; k++)
		diag_note(&whole->findings, copy, "%s", d->notes[k]);
	if (d->help)
		diag_help(&whole->findings, copy, "%s", d->help);
	copy->cta = d->cta;
	copy->thread = d->thread;
	return copy;
}

bool report_has(const struct report *whole, const struct diag *d)
{
	for (const struct diag *other = whole->findings.first; other; other = other->next)
		if (other->code == d->code && other->nlabels == d->nlabels &&
			(!d->nlabels || other->label[0].span.off == d->label[0].span.off))
			return true;
	return false;
}

void report_merge(struct report *whole, struct report *one)
{
	if (one->ended != MACHINE_DONE)
		whole->ended = one->ended;
	if (whole->findings.errors)
		return;
	for (const struct diag *d = one->findings.first; d; d = d->next)
		if (!report_has(whole, d))
			report_copy(whole, d);
}

void report_join(struct report *whole, struct report *some)
{
	report_merge(whole, some);
	whole->executions += some->executions;
	for (uint32_t k = 0; k < some->outcomes.count; k++) {
		const struct outcome *from = &some->outcomes.data[k];
		struct outcome *to = report_outcome(whole, from->text);

		if (to->count == 0 && from->printed)
			report_keep_printed(whole, to, from->printed, from->nprinted);
		to->count += from->count;
		to->forbidden |= from->forbidden;
	}
	for (uint32_t k = 0; k < some->conditions.count; k++) {
		struct judged_condition *to = &whole->conditions.data[k];
		const struct judged_condition *from = &some->conditions.data[k];

		to->positive += from->positive;
		if (!from->decided)
			continue;
		to->holds = from->holds;
		to->decided = true;
	}
}

void report_free(struct report *r)
{
	text_free(&r->output);
	text_free(&r->listing);
	text_free(&r->why);
	vec_free(&r->prints);
	vec_free(&r->outcomes);
	vec_free(&r->conditions);
	map_free(&r->seen);
	diags_free(&r->findings);
	arena_free(&r->arena);
}
