/* Resolving a .litmus file: from cells to threads, instructions and conditions with resolved
 * names. */
#include "parser/litmus_resolve.h"
#include "parser/litmus.tab.h"
#include "base/text.h"
#include <string.h>

enum { MAX_THREADS = 64, MAX_INSNS = 4096 };

static uint32_t find_thread(const struct litmus_test *t, const struct litmus_text *name)
{
	for (uint32_t i = 0; i < t->nthreads; i++) {
		if (name->is_integer ? (uint64_t)name->value == i
				     : !strcmp(t->thread[i].name, name->text))
			return i;
	}
	return UINT32_MAX;
}

static const struct litmus_cell *row_cell(const struct litmus_row *row, uint32_t k)
{
	const struct litmus_cell *c = row->first;
	while (c && k--)
		c = c->next;
	return c;
}

static void read_head(struct litmus_resolver *r, const struct litmus_row *row)
{
	struct litmus_test *t = r->test;
	uint32_t n = 0;
	for (const struct litmus_cell *c = row->first; c; c = c->next)
		n++;
	if (n > MAX_THREADS) {
		litmus_wrong(r->p, DIAG_E0154, row->first->name.span, "more than 64 threads", NULL);
		return;
	}
	t->thread = ARENA_ARRAY(r->p->arena, struct litmus_thread, n);
	for (const struct litmus_cell *c = row->first; c; c = c->next) {
		struct litmus_thread *h = &t->thread[t->nthreads];
		bool cluster = false;
		if (c->kind != CELL_HEAD) {
			litmus_wrong(r->p, DIAG_E0150, c->name.span,
				"the first row must name the threads: P0@cta 0,gpu 0 | ... ;",
				NULL);
			return;
		}
		if (find_thread(t, &c->name) != UINT32_MAX)
			litmus_wrong(r->p, DIAG_E0153, c->name.span, "two threads are called",
				c->name.text);
		h->name = c->name.text;
		for (const struct litmus_operand *o = c->operand; o; o = o->next) {
			uint32_t v = (uint32_t)o->text.value;
			if (o->text.value < 0 || o->text.value > INT32_MAX)
				litmus_wrong(r->p, DIAG_E0152, o->text.span,
					"a placement must be a number from 0 to 2147483647", NULL);
			if (!strcmp(o->text.text, "cta"))
				h->cta = v;
			else if (!strcmp(o->text.text, "cluster"))
				h->cluster = v, cluster = true;
			else if (!strcmp(o->text.text, "gpu"))
				h->gpu = v;
			else
				litmus_wrong(r->p, DIAG_E0153, o->text.span,
					"a thread is placed by cta, cluster and gpu, not by",
					o->text.text);
		}
		if (!cluster)
			/* a CTA without a cluster forms its own */
			h->cluster = UINT32_MAX - h->cta;
		h->reg = ARENA_ARRAY(r->p->arena, const char *, MAX_REGISTERS);
		t->nthreads++;
	}
}

static void collect_labels(struct litmus_resolver *r, const struct litmus_row *row, uint32_t k)
{
	uint32_t at = 0;
	r->nlabels = 0;
	for (; row; row = row->next) {
		const struct litmus_cell *c = row_cell(row, k);
		if (c && c->kind == CELL_INSN)
			at++;
		if (!c || c->kind != CELL_LABEL)
			continue;
		for (uint32_t i = 0; i < r->nlabels; i++) {
			if (!strcmp(r->label[i], c->name.text))
				litmus_wrong(r->p, DIAG_E0153, c->name.span,
					"two labels of one thread are called", c->name.text);
		}
		r->label[r->nlabels] = c->name.text;
		r->label_at[r->nlabels++] = at;
	}
}

static void read_threads(struct litmus_resolver *r)
{
	struct litmus_parse *p = r->p;
	uint32_t rows = 0;
	for (const struct litmus_row *row = p->row; row; row = row->next)
		rows++;
	if (rows > MAX_INSNS) {
		litmus_wrong(p, DIAG_E0154, p->row->first->name.span, "more than 4096 rows", NULL);
		return;
	}
	r->label = ARENA_ARRAY(p->arena, const char *, rows);
	r->label_at = ARENA_ARRAY(p->arena, uint32_t, rows);
	for (uint32_t k = 0; k < r->test->nthreads; k++) {
		struct litmus_thread *t = &r->test->thread[k];
		t->insn = ARENA_ARRAY(p->arena, struct litmus_insn, rows + 1);
		collect_labels(r, p->row->next, k);
		for (const struct litmus_row *row = p->row->next; row; row = row->next) {
			const struct litmus_cell *c = row_cell(row, k);
			if (c && c->kind == CELL_HEAD)
				litmus_wrong(p, DIAG_E0150, c->name.span,
					"threads are named in the first row only", NULL);
			if (c && c->kind == CELL_INSN)
				litmus_instruction(r, t, c);
		}
	}
	for (const struct litmus_row *row = p->row->next; row; row = row->next) {
		const struct litmus_cell *extra = row_cell(row, r->test->nthreads);
		if (extra)
			litmus_wrong(p, DIAG_E0150, extra->name.span,
				"this row has more columns than there are threads", NULL);
	}
}

/* Declares an alias. Its target may itself be an alias that is declared later. */
static void declare_alias(struct litmus_resolver *r, const struct litmus_init *i)
{
	uint32_t target = litmus_location(r, &i->target), self = litmus_location(r, &i->name);
	struct litmus_location *l = &r->test->location[self];
	bool generic = !strcmp(i->proxy.text, "generic");
	if (l->alias) {
		litmus_wrong(
			r->p, DIAG_E0153, i->name.span, "this already is an alias:", i->name.text);
		return;
	}
	if (!generic && strcmp(i->proxy.text, "surface") != 0 &&
		strcmp(i->proxy.text, "texture") != 0 && strcmp(i->proxy.text, "constant") != 0)
		litmus_wrong(r->p, DIAG_E0153, i->proxy.span,
			"an alias is generic, surface, texture or constant, not", i->proxy.text);
	l->alias = true;
	l->phys = target;
	l->virt = generic ? self : target;
}

/* The location at the end of LOCATION's chain of aliases; the number of locations if the chain is
 * circular. */
static uint32_t alias_end(const struct litmus_test *t, uint32_t location)
{
	for (uint32_t steps = 0; t->location[location].alias; steps++) {
		if (steps == t->nlocations)
			return t->nlocations;
		location = t->location[location].phys;
	}
	return location;
}

static void resolve_aliases(struct litmus_resolver *r)
{
	struct litmus_test *t = r->test;
	uint32_t *end = ARENA_ARRAY(r->p->arena, uint32_t, t->nlocations + 1);
	for (const struct litmus_init *i = r->p->init; i; i = i->next) {
		if (i->proxy.text && alias_end(t, litmus_location(r, &i->name)) == t->nlocations) {
			litmus_wrong(r->p, DIAG_E0153, i->name.span,
				"an alias of itself:", i->name.text);
			return;
		}
	}
	for (uint32_t k = 0; k < t->nlocations; k++) {
		struct litmus_location *l = &t->location[k];
		end[k] = alias_end(t, k);
		while (t->location[l->virt].virt != l->virt)
			l->virt = t->location[l->virt].virt;
	}
	for (uint32_t k = 0; k < t->nlocations; k++)
		t->location[k].phys = end[k];
}

static void initial_values(struct litmus_resolver *r)
{
	struct litmus_test *t = r->test;
	for (const struct litmus_init *i = r->p->init; i; i = i->next) {
		if (i->proxy.text)
			declare_alias(r, i);
		else if (!i->thread.text)
			litmus_location(r, &i->name);
	}
	if (!r->p->failed)
		resolve_aliases(r);
	for (const struct litmus_init *i = r->p->init; i; i = i->next) {
		if (!i->proxy.text && !i->thread.text)
			t->location[t->location[litmus_location(r, &i->name)].phys].init = i->value;
	}
}

static void initial_registers(struct litmus_resolver *r)
{
	struct litmus_test *t = r->test;
	for (const struct litmus_init *i = r->p->init; i; i = i->next) {
		if (!i->thread.text)
			continue;
		uint32_t k = find_thread(t, &i->thread);
		if (k == UINT32_MAX)
			litmus_wrong(r->p, DIAG_E0153, i->thread.span, "there is no thread",
				i->thread.text);
		else
			litmus_register(r, &t->thread[k], &i->name);
	}
}

/* Sets initial values of registers, after the instructions have named all registers. */
static void set_registers(struct litmus_resolver *r)
{
	struct litmus_test *t = r->test;
	for (uint32_t k = 0; k < t->nthreads; k++)
		t->thread[k].reg_init = ARENA_ARRAY(r->p->arena, int64_t, t->thread[k].nregs + 1);
	for (const struct litmus_init *i = r->p->init; i; i = i->next) {
		uint32_t k = i->thread.text ? find_thread(t, &i->thread) : UINT32_MAX;
		if (k != UINT32_MAX)
			t->thread[k].reg_init[litmus_find_register(&t->thread[k], i->name.text)] =
				i->value;
	}
}

static struct litmus_term resolve_term(struct litmus_resolver *r, const struct litmus_raw_term *raw)
{
	struct litmus_test *t = r->test;
	struct litmus_term out = {.kind = LITMUS_TERM_INT, .value = raw->name.value};
	if (raw->has_thread) {
		uint32_t k = find_thread(t, &raw->thread);
		if (k == UINT32_MAX) {
			litmus_wrong(r->p, DIAG_E0153, raw->thread.span, "there is no thread",
				raw->thread.text);
			return out;
		}
		uint32_t index = litmus_find_register(&t->thread[k], raw->name.text);
		if (index == UINT32_MAX) {
			litmus_wrong(r->p, DIAG_E0153, raw->name.span,
				"this thread has no register", raw->name.text);
			return out;
		}
		out = (struct litmus_term){.kind = LITMUS_TERM_REG, .thread = k, .index = index};
	} else if (!raw->name.is_integer) {
		uint32_t k = litmus_find_location(t, raw->name.text);
		if (k == UINT32_MAX) {
			litmus_wrong(r->p, DIAG_E0153, raw->name.span, "there is no location",
				raw->name.text);
			return out;
		}
		out = (struct litmus_term){.kind = LITMUS_TERM_LOCATION, .index = k};
	}
	if (out.kind != LITMUS_TERM_INT) {
		for (uint32_t i = 0; i < t->nobserved; i++) {
			if (t->observed[i].kind == out.kind &&
				t->observed[i].thread == out.thread &&
				t->observed[i].index == out.index)
				return out;
		}
		t->observed[t->nobserved++] = out;
	}
	return out;
}

static struct litmus_cond *resolve_condition(
	struct litmus_resolver *r, const struct litmus_raw_cond *raw)
{
	struct litmus_cond *c = ARENA_NEW(r->p->arena, struct litmus_cond);
	c->kind = raw->kind;
	c->relation = raw->relation;
	if (raw->kind == LITMUS_COMPARE) {
		c->left = resolve_term(r, &raw->left);
		c->right = resolve_term(r, &raw->right);
		return c;
	}
	c->a = resolve_condition(r, raw->a);
	c->b = raw->b ? resolve_condition(r, raw->b) : NULL;
	return c;
}

static uint32_t count_terms(const struct litmus_raw_cond *c)
{
	if (!c)
		return 0;
	return c->kind == LITMUS_COMPARE ? 2 : count_terms(c->a) + count_terms(c->b);
}

/* The text in SPAN with every run of blanks replaced by one space. */
static const char *one_line(struct litmus_parse *p, struct span span)
{
	char *out = arena_alloc(p->arena, span.len + 1u, 1), *to = out;
	for (uint32_t i = 0; i < span.len; i++) {
		char c = p->source->text[span.off + i];
		bool blank = c == ' ' || c == '\t' || c == '\r' || c == '\n';
		if (!blank)
			*to++ = c;
		else if (to != out && to[-1] != ' ')
			*to++ = ' ';
	}
	while (to != out && to[-1] == ' ')
		to--;
	*to = 0;
	return out;
}

static struct litmus_test *resolve_test(struct litmus_parse *p)
{
	struct litmus_test *t = ARENA_NEW(p->arena, struct litmus_test);
	struct litmus_resolver r = {.p = p, .test = t};
	uint32_t terms = count_terms(p->cond);
	t->name = p->name.text;
	t->source = p->source;
	t->quantifier = p->quantifier;
	t->location = ARENA_ARRAY(p->arena, struct litmus_location, MAX_LOCATIONS);
	for (const struct litmus_raw_list *l = p->locations; l; l = l->next)
		terms++;
	t->observed = ARENA_ARRAY(p->arena, struct litmus_term, terms + 1);
	read_head(&r, p->row);
	if (p->failed)
		return NULL;
	initial_values(&r);
	initial_registers(&r);
	read_threads(&r);
	if (p->failed)
		return NULL;
	t->cond = resolve_condition(&r, p->cond);
	t->cond_off = p->quantifier_span.off;
	t->cond_text = one_line(p, p->cond_span);
	for (const struct litmus_raw_list *l = p->locations; l; l = l->next)
		resolve_term(&r, &l->term);
	set_registers(&r);
	return p->failed ? NULL : t;
}

struct litmus_test *litmus_ask(const struct litmus_test *test, const char *condition,
	struct arena *arena, struct diags *diags)
{
	struct text t = {0};
	text_add(&t, test->source->text, test->cond_off);
	text_printf(&t, "exists %s", condition);
	struct source *source = source_new(arena, test->source->name, text_str(&t), t.len);
	text_free(&t);
	return litmus_parse(source, arena, diags);
}

const char *litmus_quantifier_text(const struct litmus_test *t)
{
	static const char *const text[] = {"exists", "~exists", "forall"};
	return text[t->quantifier];
}

struct litmus_test *litmus_parse(struct source *source, struct arena *arena, struct diags *diags)
{
	struct litmus_parse p = {.source = source, .arena = arena, .diags = diags};
	if (!litmus_scanner_begin(&p.scanner, source))
		return NULL;
	bool ok = !litmus_grammar_parse(&p);
	litmus_scanner_end(&p.scanner);
	return ok && !p.failed ? resolve_test(&p) : NULL;
}
