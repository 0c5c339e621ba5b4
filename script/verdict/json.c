/* Prints reports as JSON. */
#include "profile/lines.h"
#include "script/verdict/show.h"
#include <stdlib.h>
#include <string.h>

static void json_key(struct text *out, const char *name)
{
	text_json(out, name, strlen(name));
	text_puts(out, ": ");
}

/* Whether a later print has the same name. Only the last one is kept, since a JSON object has each
 * key once. */
static bool shown_again(const struct report *r, uint32_t k)
{
	struct text a = {0}, b = {0};
	bool again = false;

	show_label(&r->prints.data[k], true, &a);
	for (uint32_t n = k + 1; n < r->prints.count && !again; n++) {
		text_clear(&b);
		show_label(&r->prints.data[n], true, &b);
		again = a.len == b.len && memcmp(text_str(&a), text_str(&b), a.len) == 0;
	}
	text_free(&a);
	text_free(&b);
	return again;
}

static void json_buffers(const struct report *r, struct text *out)
{
	bool first = true;

	text_puts(out, "{");
	for (uint32_t k = 0; r && k < r->prints.count; k++) {
		const struct printed *p = &r->prints.data[k];
		struct text label = {0};

		if ((p->is_expr ? !p->value : !p->bytes) || shown_again(r, k))
			continue;
		show_label(p, true, &label);
		text_puts(out, first ? "" : ", ");
		text_json(out, text_str(&label), label.len);
		text_puts(out, ": [");
		for (uint64_t n = 0; n <= p->high - p->low; n++) {
			text_puts(out, n ? ", " : "");
			show_element(p, n, true, out);
		}
		text_puts(out, "]");
		text_free(&label);
		first = false;
	}
	text_puts(out, "}");
}

static void json_outcomes(const struct report *r, struct text *out)
{
	const struct outcome *usual[2] = {NULL, NULL};
	const char *differs;
	size_t n;
	uint32_t line;

	if (r)
		report_usual(r, usual);
	text_puts(out, "[");
	for (uint32_t k = 0; r && k < r->outcomes.count; k++) {
		text_puts(out, k ? ", {\"state\": {" : "{\"state\": {");
		for (uint32_t s = 0; s < r->nstate; s++) {
			text_puts(out, s ? ", " : "");
			json_key(out, r->state[s]);
			text_puts(out, r->outcomes.data[k].text[s]);
		}
		text_printf(
			out, "}, \"count\": %llu", (unsigned long long)r->outcomes.data[k].count);
		if ((line = report_difference(usual, &r->outcomes.data[k], &differs, &n)) != 0) {
			text_printf(out, ", \"first_difference\": {\"line\": %u, \"text\": ", line);
			text_json(out, differs, n);
			text_puts(out, "}");
		}
		text_puts(out, "}");
	}
	text_puts(out, "]");
}

static void json_conditions(const struct report *r, struct text *out)
{
	text_puts(out, "[");
	for (uint32_t k = 0; r && k < r->conditions.count; k++) {
		const struct judged_condition *c = &r->conditions.data[k];

		text_puts(out, k ? ", {\"kind\": " : "{\"kind\": ");
		text_json(out, c->kind, strlen(c->kind));
		text_puts(out, ", \"text\": ");
		text_json(out, c->text, strlen(c->text));
		text_printf(out, ", \"holds\": %s, \"decided\": %s}", c->holds ? "true" : "false",
			c->decided ? "true" : "false");
	}
	text_puts(out, "]");
}

/* The diagnostics of the file and the findings of the run, in one array. */
static void json_findings(struct program *p, struct report *r, struct text *out)
{
	struct text a = {0}, b = {0};
	size_t n, m;

	diag_render_json(&p->diags, &a);
	if (r)
		diag_render_json(&r->findings, &b);
	while (a.len && strchr(" \n\r\t", a.data[a.len - 1]))
		a.len--;
	n = a.len;
	m = b.len;
	if (p->diags.first && r && r->findings.first) { /* [x] and [y] make [x, y] */
		size_t skip = strcspn(text_str(&b), "[") + 1;

		text_add(out, a.data, n - 1);
		text_puts(out, ", ");
		text_add(out, b.data + skip, m - skip);
	} else if (r && r->findings.first) {
		text_add(out, b.data, m);
	} else if (p->diags.first) {
		text_add(out, a.data, n);
	} else {
		text_puts(out, "[]");
	}
	while (out->len && out->data[out->len - 1] == '\n')
		out->len--;
	text_free(&a);
	text_free(&b);
}

static void json_stats(const struct machine_stats *s, struct text *out)
{
	bool first = true;

	text_printf(out,
		"{\"thread_instructions\": %llu, \"warp_instructions\": %llu, \"launches\": %llu, \"ctas\": %llu, \"warps\": %llu, \"threads\": %llu, ",
		(unsigned long long)s->thread_instructions,
		(unsigned long long)s->warp_instructions, (unsigned long long)s->launches,
		(unsigned long long)s->ctas, (unsigned long long)s->warps,
		(unsigned long long)s->threads);
	text_printf(out,
		"\"barrier_phases\": %llu, \"atomics\": %llu, \"divergent_branches\": %llu, \"seconds\": %.9f, \"bytes\": {",
		(unsigned long long)s->barriers, (unsigned long long)s->atomics,
		(unsigned long long)s->divergent_branches, s->seconds);
	for (unsigned k = 0; k < 6; k++)
		text_printf(out, "%s\"%s\": {\"loaded\": %llu, \"stored\": %llu}", k ? ", " : "",
			show_spaces[k], (unsigned long long)s->bytes_loaded[k],
			(unsigned long long)s->bytes_stored[k]);
	text_puts(out, "}, \"forms\": {");
	for (unsigned k = 0; s->by_form && k < isa_forms; k++) {
		struct text name = {0};

		if (!s->by_form[k])
			continue;
		isa_form_text(k, &name);
		text_puts(out, first ? "" : ", ");
		text_json(out, text_str(&name), name.len);
		text_printf(out, ": %llu", (unsigned long long)s->by_form[k]);
		text_free(&name);
		first = false;
	}
	text_puts(out, "}}");
}

static void json_verified(const struct report_verified *v, struct text *out)
{
	text_printf(out,
		", \"verified\": {\"executions\": %llu, \"too_large\": %llu, \"broken\": %s, \"axiom\": ",
		(unsigned long long)v->executions, (unsigned long long)v->unverified,
		v->broken ? "true" : "false");
	if (v->axiom)
		text_json(out, v->axiom, strlen(v->axiom));
	else
		text_puts(out, "null");
	text_puts(out, ", \"events\": [");
	for (const char **e = v->event; *e; e++) {
		text_puts(out, e == v->event ? "" : ", ");
		text_json(out, *e, strlen(*e));
	}
	text_puts(out, "]}");
}

static bool was_interrupted(const struct report *r)
{
	const struct diag *d = r ? r->findings.first : NULL;

	while (d && d->code != DIAG_B0005)
		d = d->next;
	return d != NULL;
}

void json_report(struct program *p, const struct script_case *c, struct report *r,
	const char *extra, struct text *out)
{
	int status = r ? r->status : p->status;

	text_puts(out, "{\"schema\": 1, \"file\": ");
	text_json(out, p->path, strlen(p->path));
	if (c && c->name) {
		text_puts(out, ", \"case\": ");
		text_json(out, c->name, strlen(c->name));
	}
	text_printf(out,
		", \"status\": %d, \"complete\": %s, \"executions\": %llu, \"outcomes\": ", status,
		r && r->opened && r->ended == MACHINE_DONE && !r->incomplete ? "true" : "false",
		(unsigned long long)(r ? r->executions : 0));
	json_outcomes(r, out);
	text_puts(out, ", \"conditions\": ");
	json_conditions(r, out);
	text_puts(out, ", \"findings\": ");
	json_findings(p, r, out);
	text_puts(out, ", \"buffers\": ");
	json_buffers(r, out);
	text_puts(out, ", \"output\": ");
	text_json(out, r ? text_str(&r->output) : "", r ? r->output.len : 0);
	if (r && r->verified)
		json_verified(r->verified, out);
	if (r && r->has_stats) {
		text_puts(out, ", \"stats\": ");
		json_stats(&r->stats, out);
		if (r->profile) {
			text_puts(out, ", \"lines\": ");
			profile_json(p->module, r->profile, out);
		}
	}
	if (r && r->repeat) {
		text_printf(out, ", \"seed\": %llu, \"repeat\": ", (unsigned long long)r->seed);
		text_json(out, r->repeat, strlen(r->repeat));
	}
	if (was_interrupted(r))
		text_puts(out, ", \"interrupted\": true");
	if (extra)
		text_puts(out, extra);
	text_puts(out, "}");
}
