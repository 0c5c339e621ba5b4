/* Resolves the names in expressions: buffers, variables, registers and functions, with suggestions
 * for unknown ones. */
#include "script/lang/resolve.h"
#include "script/lang/cpp_name.h"
#include <string.h>

void nearest_consider(struct nearest *best, const char *wrong, const char *candidate)
{
	unsigned limit = strlen(wrong) < 2 ? 0 : strlen(wrong) < 4 ? 1 : strlen(wrong) < 8 ? 2 : 3;
	unsigned d = text_distance(wrong, strlen(wrong), candidate, strlen(candidate), limit);

	if (limit && d <= limit && (!best->name || d < best->distance))
		*best = (struct nearest){candidate, d};
}

const char *resolver_symbol(const struct resolver *r, uint32_t name)
{
	return symbol_text(&r->m->symbols, name);
}

bool resolve_wrong(struct resolver *r, const struct stmt *t, enum diag_code code, const char *text)
{
	diag_report(r->diags, code, t->source, t->name_span, "%s", text);
	return false;
}

int resolve_object(const struct resolver *r, const char *name)
{
	for (uint32_t k = 0; k < r->object.count; k++)
		if (strcmp(r->object.data[k].name, name) == 0)
			return (int)k;
	return -1;
}

const char *resolver_shown(const struct resolver *r, uint32_t name)
{
	return symbol_shown(&r->m->symbols, name);
}

void nearest_symbol(struct resolver *r, struct nearest *best, const char *wrong, uint32_t name)
{
	const char *symbol = resolver_symbol(r, name);

	nearest_consider(best, wrong, symbol);
	for (int bare = 0; bare < 2 && symbol != resolver_shown(r, name); bare++) {
		struct text part = {0};

		cpp_short(symbol, bare, &part);
		nearest_consider(best, wrong, arena_text(&r->s->arena, text_str(&part), part.len));
		text_free(&part);
	}
}

static enum cpp_fit fit_of(const struct resolver *r, const char *name, uint32_t symbol)
{
	const char *text = resolver_symbol(r, symbol);

	if (text == resolver_shown(r, symbol))
		return strcmp(name, text) == 0 ? CPP_SYMBOL : CPP_NO;
	return cpp_fit(name, text);
}

static void take(struct named *best, enum cpp_fit *fit, enum cpp_fit of, uint32_t k)
{
	if (!of || of < *fit)
		return;
	*best = of > *fit ? (struct named){k, 1} : (struct named){best->at, best->n + 1};
	*fit = of;
}

struct named resolve_func_named(const struct resolver *r, const char *name, bool kernels)
{
	struct named best = {ir_find_func(r->m, name), 1};
	enum cpp_fit fit = CPP_NO;

	if (best.at != IR_NONE)
		return best;
	best.n = 0;
	for (uint32_t k = 0; k < r->m->nfuncs; k++)
		if (!kernels || r->m->func[k].is_entry)
			take(&best, &fit, fit_of(r, name, r->m->func[k].name), k);
	return best;
}

struct named resolve_var_named(const struct resolver *r, const char *name)
{
	struct named best = {ir_find_var(r->m, name), 1};
	enum cpp_fit fit = CPP_NO;

	if (best.at != IR_NONE)
		return best;
	best.n = 0;
	for (uint32_t k = 0; k < r->m->nvars; k++)
		if (is_host_visible(&r->m->var[k]))
			take(&best, &fit, fit_of(r, name, r->m->var[k].name), k);
	return best;
}

void resolve_ambiguous(struct resolver *r, struct source *source, struct span span,
	const char *name, bool variables, bool kernels)
{
	uint32_t count = variables ? r->m->nvars : r->m->nfuncs, shown = 0;
	enum cpp_fit best = CPP_NO;
	struct diag *d = diag_report(r->diags, DIAG_L0130, source, span,
		"'%.200s' names several %s", name,
		variables         ? "variables"
			: kernels ? "kernels"
				  : "functions");

	for (int pass = 0; pass < 2; pass++)
		for (uint32_t k = 0; k < count; k++) {
			uint32_t symbol = variables ? r->m->var[k].name : r->m->func[k].name;
			enum cpp_fit fit;

			if (variables ? !is_host_visible(&r->m->var[k])
				      : kernels && !r->m->func[k].is_entry)
				continue;
			fit = fit_of(r, name, symbol);
			if (!pass && fit > best)
				best = fit;
			else if (pass && fit == best && shown++ < 8)
				diag_note(r->diags, d, "%s (%s)", resolver_shown(r, symbol),
					resolver_symbol(r, symbol));
		}
	if (shown > 8)
		diag_note(r->diags, d, "and %u more", shown - 8);
}

bool is_host_visible(const struct ir_var *v)
{
	return v->func == IR_NONE && (v->space == W_global || v->space == W_const);
}

/* Makes a module variable an object of the case when it is first named; -1 if there is none. */
static int find_variable(struct resolver *r, const char *name)
{
	struct named named = resolve_var_named(r, name);
	uint32_t var = named.n == 1 ? named.at : IR_NONE;
	const struct ir_var *v;
	int known;
	unsigned bytes;
	struct object *o;

	if (var == IR_NONE || !is_host_visible(&r->m->var[var]))
		return -1;
	v = &r->m->var[var];
	name = resolver_symbol(r, v->name); /* the host finds the variable by its symbol */
	known = resolve_object(r, name);
	if (known >= 0)
		return known;
	bytes = scalar_usable((enum type)v->type) ? type_bytes((enum type)v->type) : 1;
	o = vec_push(&r->object);
	*o = (struct object){.name = name,
		.shown = resolver_shown(r, v->name) != name ? resolver_shown(r, v->name) : NULL,
		.type = bytes > 1 || scalar_usable((enum type)v->type) ? v->type : TYPE_b8,
		.count = v->size / bytes};
	return (int)r->object.count - 1;
}

static void suggest_name(struct resolver *r, struct diag *d, const char *wrong)
{
	struct nearest best = {0};
	uint32_t shared = ir_find_var(r->m, wrong);

	if (shared != IR_NONE && !is_host_visible(&r->m->var[shared])) {
		diag_label(r->diags, d, r->m->source, r->m->var[shared].span,
			"a .%s variable: the host can only access .global and .const variables",
			word_text((enum word)r->m->var[shared].space));
		return;
	}
	for (uint32_t k = 0; k < r->object.count; k++)
		nearest_consider(&best, wrong, r->object.data[k].name);
	for (uint32_t k = 0; k < r->m->nvars; k++)
		if (is_host_visible(&r->m->var[k]))
			nearest_symbol(r, &best, wrong, r->m->var[k].name);
	if (best.name)
		diag_help(r->diags, d, "did you mean %s?", best.name);
}

/* Checks the index or range of X. An address may also be one past the last element. */
static bool resolve_bounds(
	struct resolver *r, struct expr *x, const struct object *o, bool an_address)
{
	struct value v;
	bool constant = x->sub[0]->kind == EXPR_INT || x->range == RANGE_SPAN;

	if (x->range == RANGE_INDEX) {
		if (constant && x->sub[0]->i >= (__int128)o->count + an_address) {
			diag_report(r->diags, DIAG_L0113, x->source, x->sub[0]->span,
				"%s has the elements 0 to %llu", object_shown(o),
				(unsigned long long)o->count - 1);
			return false;
		}
		return true;
	}
	for (unsigned k = 0; k < 2; k++) {
		if (!expr_constant(x->sub[k], &v, &r->s->arena, r->diags))
			return false;
		if (v.is_float || v.i < 0 || v.i >= (__int128)o->count) {
			diag_report(r->diags, DIAG_L0113, x->source, x->sub[k]->span,
				"%s has the elements 0 to %llu", object_shown(o),
				(unsigned long long)o->count - 1);
			return false;
		}
		*(k ? &x->high : &x->low) = (uint64_t)v.i;
	}
	if (x->low > x->high) {
		diag_report(r->diags, DIAG_L0113, x->source, x->span,
			"the range ends before it begins");
		return false;
	}
	return true;
}

static bool resolve_name(struct resolver *r, struct expr *x, struct name_use use)
{
	int object = resolve_object(r, x->name);
	const struct object *o;
	struct diag *d;

	if (strcmp(x->name, "i") == 0 && x->range == RANGE_NONE && (use.index || object < 0)) {
		x->object = OBJECT_THE_INDEX;
		if (use.index)
			return true;
		d = diag_report(r->diags, DIAG_L0106, x->source, x->span,
			"i is the index of a range, but there is no range here");
		diag_help(r->diags, d, "write c[0..9] == i, for example");
		return false;
	}
	if (object < 0)
		object = find_variable(r, x->name);
	if (object < 0 && use.address && x->range == RANGE_NONE) {
		struct named named = resolve_func_named(r, x->name, false);

		if (named.n > 1) {
			resolve_ambiguous(r, x->source, x->span, x->name, false, false);
			return false;
		}
		x->func = named.at;
		if (x->func != IR_NONE) {
			x->object = OBJECT_FUNCTION;
			return true;
		}
	}
	if (object < 0 && resolve_var_named(r, x->name).n > 1) {
		resolve_ambiguous(r, x->source, x->name_span, x->name, true, false);
		return false;
	}
	if (object < 0) {
		d = diag_report(r->diags, DIAG_L0106, x->source, x->name_span,
			"no buffer or module variable named '%.80s'", x->name);
		suggest_name(r, d, x->name);
		return false;
	}
	x->object = object;
	if (r->object.data[object].broken)
		return false;
	for (unsigned n = 0; n < 2; n++)
		if (x->sub[n] && !resolve_expr(r, x->sub[n], (struct name_use){.index = use.index}))
			return false;
	o = &r->object.data[object];
	if (o->count == 0) {
		diag_report(r->diags, DIAG_L0113, x->source, x->name_span,
			"%s has no elements of its own: it is an .extern array", o->name);
		return false;
	}
	if (x->range == RANGE_ALL || (x->range == RANGE_NONE && o->count > 1 && !use.address)) {
		x->range = RANGE_SPAN;
		x->low = 0;
		x->high = o->count - 1;
		return true;
	}
	return x->range == RANGE_NONE || resolve_bounds(r, x, o, use.address);
}

static bool resolve_dims(struct resolver *r, struct expr *x, const char *what, uint32_t *out)
{
	uint64_t v;
	unsigned k = 0;

	out[0] = out[1] = out[2] = 1;
	for (; x; x = x->next, k++) {
		if (!resolve_constant(r, x) ||
			!expr_whole(x, 1, UINT32_MAX, what, &v, &r->s->arena, r->diags))
			return false;
		out[k] = (uint32_t)v;
	}
	return true;
}

bool resolve_sizes(struct resolver *r, struct stmt *launch)
{
	bool ok;

	if (launch->dims[0][0])
		return true;
	ok = resolve_dims(r, launch->grid, "a grid's dimension", launch->dims[0]);
	ok = resolve_dims(r, launch->block, "a block's dimension", launch->dims[1]) && ok;
	if (launch->cluster)
		ok = resolve_dims(r, launch->cluster, "a cluster's dimension", launch->dims[2]) &&
			ok;
	return ok;
}

/* Number of threads in the launch, capped at UINT32_MAX, which exceeds what a launch can have. */
static uint64_t launch_threads(struct resolver *r, struct stmt *launch)
{
	uint64_t n = 1;

	resolve_sizes(r, launch);
	for (unsigned k = 0; k < 6; k++) {
		n *= launch->dims[k / 3][k % 3];
		n = n < UINT32_MAX ? n : UINT32_MAX;
	}
	return n;
}

static bool resolve_register(struct resolver *r, struct expr *x)
{
	struct stmt *l = r->c->first_launch;
	struct nearest best = {0};
	struct diag *d;
	uint64_t threads;
	struct named kernel = {IR_NONE, 0};
	uint32_t func;

	if (l)
		kernel = resolve_func_named(r, l->name, true);
	func = kernel.n == 1 ? kernel.at : IR_NONE;
	r->c->wants_registers = true;
	if (func == IR_NONE) {
		if (!l)
			diag_report(r->diags, DIAG_L0126, x->source, x->span,
				"P%u is a thread of the first launch, but the case has no launch",
				x->thread);
		return false;
	}
	threads = launch_threads(r, l);
	if (x->thread >= threads) {
		diag_report(r->diags, DIAG_L0126, x->source, x->span,
			"the first launch has no thread P%u: its last one is P%llu", x->thread,
			(unsigned long long)threads - 1);
		return false;
	}
	x->reg = ir_find_reg(r->m, func, x->name);
	if (x->reg != IR_NONE) {
		x->type = r->m->reg[r->m->func[func].reg + x->reg].type;
		return true;
	}
	d = diag_report(r->diags, DIAG_L0126, x->source, x->name_span, "%s has no register %.60s",
		l->name, x->name);
	for (uint32_t k = 0; k < r->m->func[func].nregs && k < 4096; k++)
		nearest_consider(&best, x->name,
			resolver_symbol(r, r->m->reg[r->m->func[func].reg + k].name));
	if (best.name)
		diag_help(r->diags, d, "did you mean %s?", best.name);
	return false;
}

static bool has_span(const struct expr *x)
{
	if (!x)
		return false;
	if (x->kind == EXPR_NAME)
		return x->range == RANGE_SPAN || x->range == RANGE_ALL ||
			(x->range == RANGE_NONE && strcmp(x->name, "i") != 0);
	if (x->kind == EXPR_CALL || x->kind == EXPR_FIELDS) {
		for (const struct expr *a = x->sub[0]; a; a = a->next)
			if (has_span(a))
				return true;
		return false;
	}
	return has_span(x->sub[0]) || has_span(x->sub[1]) || has_span(x->sub[2]);
}

bool resolve_expr(struct resolver *r, struct expr *x, struct name_use use)
{
	bool ok = true;

	switch (x->kind) {
	case EXPR_NAME: return resolve_name(r, x, use);
	case EXPR_REGISTER: return resolve_register(r, x);
	case EXPR_CALL:
	case EXPR_FIELDS:
		if (x->kind == EXPR_CALL && x->function >= FUNCTION_MIN &&
			x->function <= FUNCTION_COUNT && has_span(x->sub[0]))
			use.index = true;
		for (struct expr *a = x->sub[0]; a; a = a->next)
			ok = resolve_expr(r, a, use) && ok;
		return ok;
	case EXPR_UNARY:
		if (x->op == '&' && x->sub[0]->kind != EXPR_NAME) {
			diag_report(r->diags, DIAG_L0110, x->source, x->span,
				"only a buffer or one of its elements has an address");
			return false;
		}
		return resolve_expr(r, x->sub[0], use);
	default:
		for (unsigned k = 0; k < 3; k++)
			if (x->sub[k])
				ok = resolve_expr(r, x->sub[k], use) && ok;
		if (x->tolerance)
			ok = resolve_expr(r, x->tolerance, use) && ok;
		return ok;
	}
}

bool resolve_judged(struct resolver *r, struct expr *x)
{
	const struct expr *first;
	bool ok;

	if (!resolve_expr(r, x, (struct name_use){.index = has_span(x)}))
		return false;
	expr_ranges(x, &ok, &first, r->diags);
	return ok;
}

bool resolve_constant(struct resolver *r, struct expr *x)
{
	return !x || resolve_expr(r, x, (struct name_use){0});
}
