/* Prints reports as text: buffers, statistics, outcomes, the kernels of a file. */
#include "script/verdict/show.h"
#include "base/memory.h"
#include "profile/lines.h"
#include <stdlib.h>
#include <string.h>

enum { WIDTH = 100, MAX_LINE = 60 };

void show_label(const struct printed *p, bool json, struct text *out)
{
	text_puts(out, p->shown && !json ? p->shown : p->name);
	if (p->is_expr || p->scalar)
		return;
	if (p->low == p->high)
		text_printf(out, "[%llu]", (unsigned long long)p->low);
	else if (p->low != 0 || p->high != p->count - 1)
		text_printf(out, "[%llu..%llu]", (unsigned long long)p->low,
			(unsigned long long)p->high);
}

void show_element(const struct printed *p, uint64_t k, bool json, struct text *out)
{
	unsigned size = p->is_expr ? 0 : type_bytes((enum type)p->type);

	if (p->is_expr) {
		value_print(p->value[k], json, out);
		return;
	}
	for (unsigned b = 0; b < size; b++)
		if (!p->defined[k * size + b]) {
			text_puts(out, json ? "null" : "?");
			return;
		}
	scalar_print((enum type)p->type, p->bytes + k * size, json, out);
}

void show_printed(const struct printed *p, struct text *out)
{
	struct text one = {0};
	size_t line = out->len, indent;
	uint64_t n = p->high - p->low + 1;

	if (p->is_expr || p->scalar || p->low == p->high)
		show_label(p, false, out);
	else
		text_printf(out, "%s[%llu..%llu]", p->shown ? p->shown : p->name,
			(unsigned long long)p->low, (unsigned long long)p->high);
	if (p->is_expr ? !p->value : !p->bytes) {
		text_puts(out, " has no value\n");
		return;
	}
	text_puts(out, " =");
	indent = out->len - line < 20 ? out->len - line : 8;
	for (uint64_t k = 0; k < n; k++) {
		text_clear(&one);
		show_element(p, k, false, &one);
		if (out->len - line + 1 + one.len > WIDTH && out->len > line) {
			char at[24];
			struct text label = {0};

			text_putc(out, '\n');
			line = out->len;
			text_printf(&label, "[%llu]", (unsigned long long)(p->low + k));
			strncpy(at, text_str(&label), sizeof at - 1);
			at[sizeof at - 1] = 0;
			text_printf(out, "%*s", (int)indent, at);
			text_free(&label);
		}
		text_printf(out, " %s", text_str(&one));
	}
	text_putc(out, '\n');
	text_free(&one);
}

static void show_count(struct text *out, uint64_t n, const char *what)
{
	text_printf(out, "%16llu %s\n", (unsigned long long)n, what);
}

struct form_count {
	uint64_t n;
	unsigned form;
};

static int by_count(const void *a, const void *b)
{
	const struct form_count *x = a, *y = b;

	return x->n != y->n ? (x->n < y->n) - (x->n > y->n)
			    : (x->form > y->form) - (x->form < y->form);
}

static void show_forms(const struct machine_stats *s, struct text *out)
{
	struct form_count *list;
	unsigned n = 0;

	if (!s->by_form)
		return;
	list = memory_zeroed(isa_forms + 1, sizeof *list);
	for (unsigned k = 0; k < isa_forms; k++)
		if (s->by_form[k])
			list[n++] = (struct form_count){s->by_form[k], k};
	qsort(list, n, sizeof *list, by_count);
	text_puts(out, "thread-instructions by form:\n");
	for (unsigned k = 0; k < n; k++) {
		text_printf(out, "%16llu %5.1f%% ", (unsigned long long)list[k].n,
			s->thread_instructions
				? 100.0 * (double)list[k].n / (double)s->thread_instructions
				: 0.0);
		isa_form_name(list[k].form, out);
		text_putc(out, '\n');
	}
	memory_drop(list);
}

const char *const show_spaces[6] = {"global", "shared", "local", "const", "param", "other"};

void show_stats(const struct report *r, struct text *out)
{
	const struct machine_stats *s = &r->stats;

	if (!r->has_stats) {
		text_puts(out, "no statistics: this backend does not count\n");
		return;
	}
	text_puts(out, "statistics:\n");
	show_count(out, s->thread_instructions, "thread instructions");
	show_count(out, s->warp_instructions, "warp instructions");
	show_count(out, s->launches, "launches");
	show_count(out, s->ctas, "CTAs");
	show_count(out, s->warps, "warps");
	show_count(out, s->threads, "threads");
	show_count(out, s->barriers, "barrier phases");
	show_count(out, s->atomics, "atomic operations");
	show_count(out, s->divergent_branches, "divergent branches");
	for (unsigned k = 0; k < 6; k++)
		if (s->bytes_loaded[k] || s->bytes_stored[k])
			text_printf(out, "%16llu bytes loaded, %llu stored: %s\n",
				(unsigned long long)s->bytes_loaded[k],
				(unsigned long long)s->bytes_stored[k], show_spaces[k]);
	text_printf(out, "%16.6f seconds in kernels\n", s->seconds);
	if (s->seconds > 0)
		text_printf(out, "%16.1f million thread-instructions per second\n",
			(double)s->thread_instructions / s->seconds / 1e6);
	if (s->engine[0])
		text_printf(out, "engine: %s\n", s->engine);
	show_forms(s, out);
}

void show_profile(const struct program *p, const struct report *r, struct text *out)
{
	if (r->profile)
		profile_show(p->module, r->profile, out);
	else
		text_puts(out, "no profile: only a single run by the interpreter is counted\n");
}

static int by_state(const void *a, const void *b)
{
	const struct outcome *x = *(const struct outcome *const *)a,
			     *y = *(const struct outcome *const *)b;

	for (uint32_t k = 0; x->text[k] && y->text[k]; k++) {
		int d = strlen(x->text[k]) != strlen(y->text[k])
			? (strlen(x->text[k]) < strlen(y->text[k]) ? -1 : 1)
			: strcmp(x->text[k], y->text[k]);

		if (d)
			return d;
	}
	return 0;
}

void show_outcomes(const struct report *r, struct text *out)
{
	const struct outcome **sorted = memory_zeroed(r->outcomes.count + 1u, sizeof *sorted);
	const struct outcome *usual[2];
	const char *differs;
	size_t n;
	uint32_t line;

	for (uint32_t k = 0; k < r->outcomes.count; k++)
		sorted[k] = &r->outcomes.data[k];
	report_usual(r, usual);
	qsort(sorted, r->outcomes.count, sizeof *sorted, by_state);
	text_printf(out, "%u outcome%s in %llu run%s\n", r->outcomes.count,
		r->outcomes.count == 1 ? "" : "s", (unsigned long long)r->executions,
		r->executions == 1 ? "" : "s");
	for (uint32_t k = 0; k < r->outcomes.count; k++) {
		text_printf(out, "%12llu %s", (unsigned long long)sorted[k]->count,
			sorted[k]->forbidden ? "*> " : ":> ");
		for (uint32_t s = 0; s < r->nstate; s++)
			text_printf(out, "%s%s=%s", s ? "; " : "", r->state[s], sorted[k]->text[s]);
		text_putc(out, '\n');
		if ((line = report_difference(usual, sorted[k], &differs, &n)) != 0) {
			text_printf(out, "%16sprinted line %u: ", "", line);
			text_json(out, differs, n < MAX_LINE ? n : MAX_LINE);
			text_puts(out, n > MAX_LINE ? "...\n" : "\n");
		}
	}
	memory_drop(sorted);
	for (uint32_t k = 0; k < r->conditions.count; k++) {
		const struct judged_condition *c = &r->conditions.data[k];

		text_printf(out, "%s %s: %s\n", c->kind, c->text,
			c->stmt->condition == CONDITION_ALLOW ? (c->holds ? "seen" : "not seen")
				: c->stmt->condition == CONDITION_FORBID
				? (c->holds ? "not seen" : "SEEN")
				: (c->holds ? "always so" : "NOT always so"));
	}
}

static void example_argument(const struct ir_var *p, struct text *out)
{
	if (p->ndims)
		text_puts(out, "{...}");
	else if (type_info[p->type].bits == 64 && !scalar_is_float((enum type)p->type))
		text_puts(out, "x");
	else
		text_puts(out, scalar_is_float((enum type)p->type) ? "1.0" : "64");
}

void show_kernels(const struct program *p, struct text *out)
{
	const struct ir_module *m = p->module;
	const struct ir_func *first = NULL;
	uint32_t shown = 0, kernels = 0;

	for (uint32_t k = 0; k < m->nfuncs; k++)
		kernels += m->func[k].is_entry;
	text_printf(out, "%s has %u kernel%s and no //@ launch line%s\n", p->path, kernels,
		kernels == 1 ? "" : "s", kernels ? ":" : "");
	for (uint32_t k = 0; k < m->nfuncs && shown < 50; k++) {
		const struct ir_func *f = &m->func[k];

		if (!f->is_entry)
			continue;
		first = first ? first : f;
		shown++;
		text_printf(out, "  %s(", symbol_text(&m->symbols, f->name));
		for (uint32_t a = 0; a < f->nparams; a++) {
			const struct ir_var *v = &m->var[f->param + a];

			text_printf(out, "%s.%s %s", a ? ", " : "", type_info[v->type].name,
				symbol_text(&m->symbols, v->name));
			if (v->ndims)
				text_printf(out, "[%llu bytes]", (unsigned long long)v->size);
		}
		text_putc(out, ')');
		if (symbol_shown(&m->symbols, f->name) != symbol_text(&m->symbols, f->name))
			text_printf(out, ": %s", symbol_shown(&m->symbols, f->name));
		text_putc(out, '\n');
	}
	if (kernels > shown)
		text_printf(out, "  and %u more\n", kernels - shown);
	if (!first)
		return;
	text_printf(out,
		"launch one, for example: ptxi run %s -e 'buffer x : u32[64] = 0' -e 'launch %s<<<1, 32>>>(",
		p->path, symbol_text(&m->symbols, first->name));
	for (uint32_t a = 0; a < first->nparams; a++) {
		text_puts(out, a ? ", " : "");
		example_argument(&m->var[first->param + a], out);
	}
	text_puts(out, ")' -e 'print x'\n");
}
