/* Gives the names of a script their meaning in a module, and checks all that can be known before anything runs. */
#include "script/args.h"
#include "script/expr.h"
#include "script/fill.h"
#include "script/options.h"
#include <stdlib.h>
#include <string.h>

enum { DEVICES_MOST = 16 };
#define BYTES_MOST (1ull << 40)

struct names {
	VEC(struct object) object;
};
struct resolver {
	struct script *s;
	const struct ir_module *m;
	struct diags *diags;
	struct script_case *c;
	struct names n;
	bool launched;
};

/* The nearest of several names. */
struct nearest {
	const char *name;
	unsigned distance;
};

static void consider(struct nearest *best, const char *wrong, const char *candidate)
{
	unsigned limit = strlen(wrong) < 2 ? 0 : strlen(wrong) < 4 ? 1 : strlen(wrong) < 8 ? 2 : 3;
	unsigned d = text_distance(wrong, strlen(wrong), candidate, strlen(candidate), limit);

	if (limit && d <= limit && (!best->name || d < best->distance))
		*best = (struct nearest){candidate, d};
}

static const char *symbol(const struct resolver *r, uint32_t name)
{
	return symbol_text(&r->m->symbols, name);
}

static int find_object(const struct resolver *r, const char *name)
{
	for (uint32_t k = 0; k < r->n.object.count; k++)
		if (strcmp(r->n.object.data[k].name, name) == 0)
			return (int)k;
	return -1;
}

static bool is_host_visible(const struct ir_var *v)
{
	return v->func == IR_NONE && (v->space == W_global || v->space == W_const);
}

/* A module variable becomes an object of the case when it is first named. */
static int find_variable(struct resolver *r, const char *name)
{
	uint32_t k = ir_find_var(r->m, name);
	const struct ir_var *v;
	unsigned bytes;
	struct object *o;

	if (k == IR_NONE || !is_host_visible(&r->m->var[k]))
		return -1;
	v = &r->m->var[k];
	bytes = scalar_usable((enum type)v->type) ? type_bytes((enum type)v->type) : 1;
	o = vec_push(&r->n.object);
	*o = (struct object){.name = name, .type = bytes > 1 || scalar_usable((enum type)v->type) ? v->type : TYPE_b8, .count = v->size / bytes};
	return (int)r->n.object.count - 1;
}

static void suggest_name(struct resolver *r, struct diag *d, const char *wrong)
{
	struct nearest best = {0};
	uint32_t shared = ir_find_var(r->m, wrong);

	if (shared != IR_NONE && !is_host_visible(&r->m->var[shared])) {
		diag_label(r->diags, d, r->m->source, r->m->var[shared].span, "a .%s variable: the host sees .global and .const ones",
			   word_text((enum word)r->m->var[shared].space));
		return;
	}
	for (uint32_t k = 0; k < r->n.object.count; k++)
		consider(&best, wrong, r->n.object.data[k].name);
	for (uint32_t k = 0; k < r->m->nvars; k++)
		if (is_host_visible(&r->m->var[k]))
			consider(&best, wrong, symbol(r, r->m->var[k].name));
	if (best.name)
		diag_help(r->diags, d, "did you mean %s?", best.name);
}

struct name_use {
	bool index;    /* i has a meaning here */
	bool address;  /* an argument or initialiser: names are addresses, and functions are allowed */
};

static bool resolve_expr(struct resolver *r, struct expr *x, struct name_use use);
static bool resolve_constant(struct resolver *r, struct expr *x);

/* An address may also be the one behind the last element. */
static bool resolve_bounds(struct resolver *r, struct expr *x, const struct object *o, bool an_address)
{
	struct value v;
	bool constant = x->sub[0]->kind == EXPR_INT || x->range == RANGE_SPAN;

	if (x->range == RANGE_INDEX) {
		if (constant && x->sub[0]->i >= (__int128)o->count + an_address) {
			diag_report(r->diags, DIAG_L0113, x->source, x->sub[0]->span, "%s has the elements 0 to %llu", o->name, (unsigned long long)o->count - 1);
			return false;
		}
		return true;
	}
	for (unsigned k = 0; k < 2; k++) {
		if (!expr_constant(x->sub[k], &v, &r->s->arena, r->diags))
			return false;
		if (v.is_float || v.i < 0 || v.i >= (__int128)o->count) {
			diag_report(r->diags, DIAG_L0113, x->source, x->sub[k]->span, "%s has the elements 0 to %llu", o->name, (unsigned long long)o->count - 1);
			return false;
		}
		*(k ? &x->high : &x->low) = (uint64_t)v.i;
	}
	if (x->low > x->high) {
		diag_report(r->diags, DIAG_L0113, x->source, x->span, "the range ends before it begins");
		return false;
	}
	return true;
}

static bool resolve_name(struct resolver *r, struct expr *x, struct name_use use)
{
	int k = find_object(r, x->name);
	const struct object *o;
	struct diag *d;

	if (strcmp(x->name, "i") == 0 && x->range == RANGE_NONE && (use.index || k < 0)) {
		x->object = OBJECT_THE_INDEX;
		if (use.index)
			return true;
		d = diag_report(r->diags, DIAG_L0106, x->source, x->span, "i is the index of a range, and no range stands here");
		diag_help(r->diags, d, "write c[0..9] == i, for example");
		return false;
	}
	if (k < 0)
		k = find_variable(r, x->name);
	if (k < 0 && use.address && x->range == RANGE_NONE) {
		x->func = ir_find_func(r->m, x->name);
		if (x->func != IR_NONE) {
			x->object = OBJECT_FUNCTION;
			return true;
		}
	}
	if (k < 0) {
		d = diag_report(r->diags, DIAG_L0106, x->source, x->name_span, "no buffer or module variable is called '%.80s'", x->name);
		suggest_name(r, d, x->name);
		return false;
	}
	x->object = k;
	if (r->n.object.data[k].broken)
		return false;
	for (unsigned n = 0; n < 2; n++)
		if (x->sub[n] && !resolve_expr(r, x->sub[n], (struct name_use){.index = use.index}))
			return false;
	o = &r->n.object.data[k];
	if (o->count == 0) {
		diag_report(r->diags, DIAG_L0113, x->source, x->name_span, "%s has no elements of its own: it is an .extern array", o->name);
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
		if (!resolve_constant(r, x) || !expr_whole(x, 1, UINT32_MAX, what, &v, &r->s->arena, r->diags))
			return false;
		out[k] = (uint32_t)v;
	}
	return true;
}

/* Once for each launch, when it or one of its threads is first named. */
static bool resolve_sizes(struct resolver *r, struct stmt *launch)
{
	bool ok;

	if (launch->dims[0][0])
		return true;
	ok = resolve_dims(r, launch->grid, "a grid's dimension", launch->dims[0]);
	ok = resolve_dims(r, launch->block, "a block's dimension", launch->dims[1]) && ok;
	if (launch->cluster)
		ok = resolve_dims(r, launch->cluster, "a cluster's dimension", launch->dims[2]) && ok;
	return ok;
}

/* At most UINT32_MAX, which is more than a launch can have. */
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
	uint32_t func = l ? ir_find_func(r->m, l->name) : IR_NONE;

	r->c->wants_registers = true;
	if (func == IR_NONE) {
		if (!l)
			diag_report(r->diags, DIAG_L0126, x->source, x->span, "P%u is a thread of the first launch, and the case has none", x->thread);
		return false;
	}
	threads = launch_threads(r, l);
	if (x->thread >= threads) {
		diag_report(r->diags, DIAG_L0126, x->source, x->span, "the first launch has no thread P%u: its last one is P%llu", x->thread, (unsigned long long)threads - 1);
		return false;
	}
	x->reg = ir_find_reg(r->m, func, x->name);
	if (x->reg != IR_NONE) {
		x->type = r->m->reg[r->m->func[func].reg + x->reg].type;
		return true;
	}
	d = diag_report(r->diags, DIAG_L0126, x->source, x->name_span, "%s has no register %.60s", l->name, x->name);
	for (uint32_t k = 0; k < r->m->func[func].nregs && k < 4096; k++)
		consider(&best, x->name, symbol(r, r->m->reg[r->m->func[func].reg + k].name));
	if (best.name)
		diag_help(r->diags, d, "did you mean %s?", best.name);
	return false;
}

static bool has_span(const struct expr *x)
{
	if (!x)
		return false;
	if (x->kind == EXPR_NAME)
		return x->range == RANGE_SPAN || x->range == RANGE_ALL || (x->range == RANGE_NONE && strcmp(x->name, "i") != 0);
	if (x->kind == EXPR_CALL || x->kind == EXPR_FIELDS) {
		for (const struct expr *a = x->sub[0]; a; a = a->next)
			if (has_span(a))
				return true;
		return false;
	}
	return has_span(x->sub[0]) || has_span(x->sub[1]) || has_span(x->sub[2]);
}

static bool resolve_expr(struct resolver *r, struct expr *x, struct name_use use)
{
	bool ok = true;

	switch (x->kind) {
	case EXPR_NAME: return resolve_name(r, x, use);
	case EXPR_REGISTER: return resolve_register(r, x);
	case EXPR_CALL:
	case EXPR_FIELDS:
		if (x->kind == EXPR_CALL && x->function >= FUNCTION_MIN && x->function <= FUNCTION_COUNT && has_span(x->sub[0]))
			use.index = true;
		for (struct expr *a = x->sub[0]; a; a = a->next)
			ok = resolve_expr(r, a, use) && ok;
		return ok;
	case EXPR_UNARY:
		if (x->op == '&' && x->sub[0]->kind != EXPR_NAME) {
			diag_report(r->diags, DIAG_L0110, x->source, x->span, "only a buffer or one of its elements has an address");
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

/* An expression judged over its ranges. */
static bool resolve_judged(struct resolver *r, struct expr *x)
{
	const struct expr *first;
	bool ok;

	if (!resolve_expr(r, x, (struct name_use){.index = has_span(x)}))
		return false;
	expr_ranges(x, &ok, &first, r->diags);
	return ok;
}

static bool resolve_constant(struct resolver *r, struct expr *x)
{
	return !x || resolve_expr(r, x, (struct name_use){0});
}

static struct args_context args_of(struct resolver *r)
{
	r->c->object = r->n.object.data; /* for this check only; the array may move */
	return (struct args_context){.module = r->m, .in = r->c, .diags = r->diags, .arena = &r->s->arena};
}

static bool resolve_list(struct resolver *r, struct stmt *t, enum type type, uint64_t room, const char *name)
{
	struct args_context c;
	unsigned char bytes[16];
	uint64_t n = 0;
	bool ok = true;

	if (t->value->kind == EXPR_FIELDS) {
		for (struct expr *x = t->value->sub[0]; x; x = x->next, n++)
			ok = resolve_expr(r, x, (struct name_use){.address = true}) && ok;
		if (ok && n > room) {
			diag_report(r->diags, DIAG_L0114, t->source, t->value_span, "%llu values for %llu element%s", (unsigned long long)n, (unsigned long long)room,
				    room == 1 ? "" : "s");
			return false;
		}
	} else {
		ok = resolve_expr(r, t->value, (struct name_use){.address = true});
	}
	if (!ok)
		return false;
	c = args_of(r);
	n = 0;
	for (struct expr *x = t->value->kind == EXPR_FIELDS ? t->value->sub[0] : t->value; x; x = t->value->kind == EXPR_FIELDS ? x->next : NULL, n++)
		ok = args_store(&c, x, type, arena_printf(&r->s->arena, "element %llu of %s", (unsigned long long)n, name), bytes) && ok;
	return ok;
}

static bool resolve_iota(struct resolver *r, struct stmt *t, enum type type, uint64_t count, const char *name)
{
	struct value start, step = value_int(1), last;
	unsigned char bytes[16];
	struct text range = {0};
	__int128 product;

	if (!resolve_constant(r, t->value) || !resolve_constant(r, t->step) || !expr_constant(t->value, &start, &r->s->arena, r->diags) ||
	    (t->step && !expr_constant(t->step, &step, &r->s->arena, r->diags)))
		return false;
	if (start.is_float || step.is_float)
		last = value_float(value_double(start) + value_double(step) * (double)(count - 1));
	else if (!__builtin_mul_overflow(step.i, (__int128)(count - 1), &product) && !__builtin_add_overflow(start.i, product, &product))
		last = value_int(product);
	else
		last = value_float(__builtin_inf());
	if (scalar_store(type, start, bytes) == SCALAR_FITS && scalar_store(type, last, bytes) == SCALAR_FITS)
		return true;
	scalar_range(type, &range);
	diag_report(r->diags, DIAG_L0109, t->source, t->value_span, "the values do not all fit %s, which is .%s: %s", name, type_info[type].name, text_str(&range));
	text_free(&range);
	return false;
}

static bool resolve_file(struct resolver *r, struct stmt *t, enum type type, uint64_t count)
{
	uint64_t bytes, want = count * type_bytes(type);

	if (!fill_file_size(t, &r->s->arena, r->diags, &bytes))
		return false;
	if (bytes == want)
		return true;
	diag_report(r->diags, DIAG_L0114, t->source, t->value_span, "'%s' has %llu bytes, and %llu elements of .%s take %llu", t->file, (unsigned long long)bytes,
		    (unsigned long long)count, type_info[type].name, (unsigned long long)want);
	return false;
}

static bool resolve_init(struct resolver *r, struct stmt *t, enum type type, uint64_t count, const char *name)
{
	uint64_t seed;

	switch (t->init) {
	case INIT_VALUE:
	case INIT_LIST: return resolve_list(r, t, type, count, name);
	case INIT_IOTA: return resolve_iota(r, t, type, count, name);
	case INIT_RANDOM: return resolve_constant(r, t->value) && expr_whole(t->value, 0, UINT64_MAX, "a seed", &seed, &r->s->arena, r->diags);
	case INIT_FILE: return resolve_file(r, t, type, count);
	default: return true;
	}
}

static bool resolve_count(struct resolver *r, struct stmt *t, uint64_t *count)
{
	uint64_t n = 0, size = type_bytes((enum type)t->type);

	if (t->count) {
		struct value v;
		struct text shown = {0};

		if (!resolve_constant(r, t->count) || !expr_constant(t->count, &v, &r->s->arena, r->diags))
			return false;
		if (!v.is_float && v.i > 0 && v.i <= (__int128)(BYTES_MOST / size)) {
			*count = (uint64_t)v.i;
			return true;
		}
		value_print(v, false, &shown);
		if (!v.is_float && v.i > 0)
			diag_report(r->diags, DIAG_L0124, t->source, t->count->span, "%s elements of %llu bytes do not fit into memory", text_str(&shown), (unsigned long long)size);
		else
			diag_report(r->diags, DIAG_L0109, t->source, t->count->span, "a buffer has a whole number of elements, at least 1, not %s", text_str(&shown));
		text_free(&shown);
		return false;
	}
	if (t->init != INIT_LIST && t->init != INIT_FILE) {
		diag_report(r->diags, DIAG_L0114, t->source, t->name_span, "how many elements? Only a list or a file says it by itself");
		return false;
	}
	if (t->init == INIT_LIST)
		for (const struct expr *x = t->value->sub[0]; x; x = x->next)
			n++;
	if (t->init == INIT_FILE) {
		uint64_t bytes;

		if (!fill_file_size(t, &r->s->arena, r->diags, &bytes))
			return false;
		if (bytes == 0 || bytes % size) {
			diag_report(r->diags, DIAG_L0114, t->source, t->value_span, "'%s' has %llu bytes, no whole number of .%s elements", t->file,
				    (unsigned long long)bytes, type_info[t->type].name);
			return false;
		}
		n = bytes / size;
	}
	*count = n ? n : 1;
	return true;
}

static bool resolve_buffer(struct resolver *r, struct stmt *t)
{
	int old = find_object(r, t->name);
	uint32_t variable = ir_find_var(r->m, t->name);
	struct object *o;
	uint64_t count = 1;
	bool ok;

	if (old >= 0 && r->n.object.data[old].is_buffer) {
		struct diag *d = diag_report(r->diags, DIAG_L0112, t->source, t->name_span, "there is a buffer '%.80s' already", t->name);

		diag_label(r->diags, d, t->source, r->n.object.data[old].stmt->name_span, "here");
		return false;
	}
	if (variable != IR_NONE && is_host_visible(&r->m->var[variable])) {
		struct diag *d = diag_report(r->diags, DIAG_L0112, t->source, t->name_span, "the module has a variable '%.80s': the buffer needs another name", t->name);

		diag_label(r->diags, d, r->m->source, r->m->var[variable].span, "the variable");
		return false;
	}
	ok = !t->broken && resolve_count(r, t, &count);
	/* Entered also when something is wrong with it, so that later lines are not told that there is no such buffer. */
	o = vec_push(&r->n.object);
	*o = (struct object){.name = t->name, .type = t->type, .is_buffer = true, .count = count, .stmt = t, .broken = !ok};
	t->object = (int)r->n.object.count - 1;
	return ok && resolve_init(r, t, (enum type)t->type, count, t->name);
}

static bool resolve_write(struct resolver *r, struct stmt *t)
{
	const struct object *o;
	struct expr *x = t->expr;

	if (!resolve_expr(r, x, (struct name_use){0}))
		return false;
	o = &r->n.object.data[x->object];
	t->object = x->object;
	if (x->range == RANGE_INDEX || x->range == RANGE_NONE) {
		uint64_t at = 0;

		if (x->sub[0] && !expr_whole(x->sub[0], 0, o->count - 1, "an index", &at, &r->s->arena, r->diags))
			return false;
		x->low = x->high = at;
	}
	return resolve_init(r, t, (enum type)o->type, x->high - x->low + 1, o->name);
}

static bool resolve_kernel(struct resolver *r, struct stmt *t)
{
	struct nearest best = {0};
	struct diag *d;

	t->func = ir_find_func(r->m, t->name);
	if (t->func != IR_NONE && r->m->func[t->func].is_entry)
		return true;
	if (t->func != IR_NONE) {
		d = diag_report(r->diags, DIAG_L0107, t->source, t->name_span, "%s is a function, and only a kernel (.entry) can be launched", t->name);
		diag_label(r->diags, d, r->m->source, r->m->func[t->func].span, "a .func");
		return false;
	}
	d = diag_report(r->diags, DIAG_L0107, t->source, t->name_span, "the file has no kernel '%.80s'", t->name);
	for (uint32_t k = 0; k < r->m->nfuncs; k++)
		if (r->m->func[k].is_entry)
			consider(&best, t->name, symbol(r, r->m->func[k].name));
	if (best.name) {
		diag_help(r->diags, d, "did you mean %s?", best.name);
		return false;
	}
	for (uint32_t k = 0, n = 0; k < r->m->nfuncs && n < 6; k++)
		if (r->m->func[k].is_entry) {
			diag_note(r->diags, d, "it has the kernel %s", symbol(r, r->m->func[k].name));
			n++;
		}
	return false;
}

static bool resolve_args(struct resolver *r, struct stmt *t)
{
	const struct ir_func *f = &r->m->func[t->func];
	struct args_context c;
	unsigned char *buffer;
	bool ok = true;

	for (struct expr *x = t->args; x; x = x->next)
		ok = resolve_expr(r, x, (struct name_use){.address = true}) && ok;
	if (t->nargs != f->nparams) {
		struct diag *d = diag_report(r->diags, DIAG_L0108, t->source, t->args_span, "%s takes %u argument%s, not %u", t->name, f->nparams, f->nparams == 1 ? "" : "s",
					     t->nargs);
		struct text list = {0};

		for (uint32_t k = 0; k < f->nparams; k++) {
			const struct ir_var *p = &r->m->var[f->param + k];

			text_printf(&list, "%s.%s %s", k ? ", " : "", type_info[p->type].name, symbol(r, p->name));
			if (p->ndims)
				text_printf(&list, "[%llu bytes]", (unsigned long long)p->size);
		}
		diag_label(r->diags, d, r->m->source, f->span, "declared here");
		if (f->nparams)
			diag_help(r->diags, d, "its parameters are (%s)", text_str(&list));
		text_free(&list);
		return false;
	}
	if (!ok)
		return false;
	c = args_of(r);
	buffer = arena_zalloc(&r->s->arena, f->param_bytes + 1u, 16);
	return args_build(&c, t, buffer);
}

static bool resolve_launch(struct resolver *r, struct stmt *t)
{
	uint64_t v = 0;
	bool ok = resolve_kernel(r, t);

	r->launched = true;
	ok = resolve_sizes(r, t) && ok;
	if (t->shared) {
		ok = resolve_constant(r, t->shared) && expr_whole(t->shared, 0, UINT32_MAX, "the size of shared memory", &v, &r->s->arena, r->diags) && ok;
		t->shared_bytes = (uint32_t)v;
	}
	if (t->device_expr) {
		v = 0;
		ok = resolve_constant(r, t->device_expr) && expr_whole(t->device_expr, 0, DEVICES_MOST - 1, "the number of a GPU", &v, &r->s->arena, r->diags) && ok;
		t->device = (uint32_t)v;
		if (t->device + 1 > r->c->devices)
			r->c->devices = t->device + 1;
	}
	if (t->func == IR_NONE || !r->m->func[t->func].is_entry) {
		for (struct expr *x = t->args; x; x = x->next)
			resolve_expr(r, x, (struct name_use){.address = true});
		return false;
	}
	return resolve_args(r, t) && ok;
}

static bool resolve_set(struct resolver *r, struct stmt *t)
{
	struct run_options scratch = {0};
	struct text why = {0};
	bool ok = true;

	if (r->launched) {
		diag_report(r->diags, DIAG_L0123, t->source, t->span, "options hold for the whole case: set stands before the first launch");
		return false;
	}
	for (const struct script_option *o = t->options; o; o = o->next) {
		struct diag *d;

		text_clear(&why);
		switch (option_apply(&scratch, o->name, o->value, false, &why)) {
		case OPTION_FITS: break;
		case OPTION_BAD_VALUE:
			d = diag_report(r->diags, DIAG_L0115, t->source, o->value_span, "'%.60s' is no value of %s", o->value, o->name);
			diag_help(r->diags, d, "%s", text_str(&why));
			ok = false;
			break;
		default:
			d = diag_report(r->diags, DIAG_L0115, t->source, o->name_span, "there is no option '%.60s'", o->name);
			if (option_nearest(o->name))
				diag_help(r->diags, d, "did you mean %s?", option_nearest(o->name));
			else
				diag_help(r->diags, d, "set takes schedule, seed, memory, max-steps, timeout, check and runs");
			ok = false;
		}
	}
	text_free(&why);
	return ok;
}

static bool resolve_needs(struct resolver *r, struct stmt *t)
{
	static const char *const needs[] = {"gpu", "interp", "weak", "race", "init", "explore"};
	struct nearest best = {0};
	struct diag *d;
	uint64_t sm;
	char digits[8];
	size_t n = strlen(t->name);

	for (size_t k = 0; k < sizeof needs / sizeof needs[0]; k++) {
		if (strcmp(needs[k], t->name) == 0)
			return true;
		consider(&best, t->name, needs[k]);
	}
	if (strncmp(t->name, "sm_", 3) == 0 && n > 3 && n < 3 + sizeof digits) {
		memcpy(digits, t->name + 3, n - 2);
		if (digits[n - 4] == 'a' || digits[n - 4] == 'f')
			digits[n - 4] = 0;
		if (option_number(digits, 999, &sm))
			return true;
	}
	d = diag_report(r->diags, DIAG_L0118, t->source, t->name_span, "'%.60s' is nothing that a case can need", t->name);
	if (best.name)
		diag_help(r->diags, d, "did you mean %s?", best.name);
	else
		diag_help(r->diags, d, "needs takes gpu, interp, sm_NN, weak, race, init and explore");
	return false;
}

/* fault KIND: a code of class F or S, its name, or a word of its name. */
static bool resolve_finding(struct resolver *r, struct stmt *t)
{
	if (t->finding != FINDING_FAULT || !t->name)
		return true;
	for (unsigned k = 1; k < DIAG_COUNT; k++) {
		const struct diag_code_info *info = diag_code_info((enum diag_code)k);

		if ((info->code[0] == 'F' || info->code[0] == 'S') && script_fault_is((enum diag_code)k, t->name))
			return true;
	}
	{
		struct diag *d = diag_report(r->diags, DIAG_L0127, t->source, t->name_span, "no fault is called '%.60s'", t->name);
		struct nearest best = {0};

		for (unsigned k = 1; k < DIAG_COUNT; k++) {
			const struct diag_code_info *info = diag_code_info((enum diag_code)k);

			if (info->code[0] == 'F' || info->code[0] == 'S')
				consider(&best, t->name, info->name);
		}
		if (best.name)
			diag_help(r->diags, d, "did you mean %s?", best.name);
		else
			diag_help(r->diags, d, "'ptxi explain codes' lists the codes; F and S are faults");
	}
	return false;
}

/* expect dedlock: one word that is no name is most likely a misspelt finding. */
static bool is_misspelt_finding(struct resolver *r, const struct stmt *t)
{
	static const char *const findings[] = {"clean", "race", "deadlock", "livelock", "uninitialised", "fault", "prints"};
	const struct expr *x = t->expr;
	struct nearest best = {0};

	if (t->kind != STMT_EXPECT || x->kind != EXPR_NAME || x->range != RANGE_NONE || find_object(r, x->name) >= 0 || ir_find_var(r->m, x->name) != IR_NONE)
		return false;
	for (size_t k = 0; k < sizeof findings / sizeof findings[0]; k++)
		consider(&best, x->name, findings[k]);
	if (best.name)
		diag_help(r->diags, diag_report(r->diags, DIAG_L0127, x->source, x->span, "'%.60s' is no finding and no name", x->name), "did you mean %s?", best.name);
	return best.name != NULL;
}

static void resolve_stmt(struct resolver *r, struct stmt *t)
{
	uint64_t lines;

	switch (t->kind) {
	case STMT_BUFFER: resolve_buffer(r, t); break;
	case STMT_WRITE: resolve_write(r, t); break;
	case STMT_LAUNCH: resolve_launch(r, t); break;
	case STMT_SET: resolve_set(r, t); break;
	case STMT_NEEDS: resolve_needs(r, t); break;
	case STMT_EXPECT:
	case STMT_CONDITION:
		if (!is_misspelt_finding(r, t))
			resolve_judged(r, t->expr);
		break;
	case STMT_EXPECT_FINDING: resolve_finding(r, t); break;
	case STMT_EXPECT_PRINTS:
		if (t->count && resolve_constant(r, t->count))
			expr_whole(t->count, 0, UINT32_MAX, "a number of lines", &lines, &r->s->arena, r->diags);
		break;
	case STMT_PRINT:
	case STMT_OBSERVE:
		for (struct expr *x = t->expr; x; x = x->next)
			resolve_judged(r, x);
		break;
	default: break;
	}
}

/* Streams and events are numbered from 1 in the order of their first use; 0 is the default stream. */
static uint32_t number_of(struct script *s, const char *name, const char ***list, uint32_t *n, uint32_t *cap)
{
	for (uint32_t k = 0; k < *n; k++)
		if (strcmp((*list)[k], name) == 0)
			return k + 1;
	if (*n == *cap) {
		uint32_t more = *cap ? *cap * 2 : 8;
		const char **grown = ARENA_ARRAY(&s->arena, const char *, more);

		if (*n)
			memcpy(grown, *list, *n * sizeof *grown);
		*list = grown;
		*cap = more;
	}
	(*list)[(*n)++] = name;
	return *n;
}

static void resolve_handles(struct resolver *r)
{
	const char **stream = NULL, **event = NULL;
	uint32_t nstreams = 0, nevents = 0, streams = 0, events = 0;

	for (struct stmt *t = r->c->first; t; t = t->next) {
		uint32_t before = nevents;

		if (t->stream && strcmp(t->stream, "0") != 0)
			t->stream_number = number_of(r->s, t->stream, &stream, &nstreams, &streams);
		if (t->kind != STMT_RECORD && t->kind != STMT_WAIT)
			continue;
		t->event_number = number_of(r->s, t->name, &event, &nevents, &events);
		if (t->kind == STMT_WAIT && nevents > before) {
			struct diag *d = diag_report(r->diags, DIAG_L0116, t->source, t->name_span, "no record line before this one marks an event '%.60s'", t->name);
			struct nearest best = {0};

			for (uint32_t k = 0; k < before; k++)
				consider(&best, t->name, event[k]);
			if (best.name)
				diag_help(r->diags, d, "did you mean %s?", best.name);
		}
	}
}

void script_resolve(struct script *s, const struct ir_module *m, struct diags *diags)
{
	for (uint32_t k = 0; k < s->cases.count; k++) {
		struct resolver r = {.s = s, .m = m, .diags = diags, .c = &s->cases.data[k]};

		r.c->devices = 1;
		for (struct stmt *t = r.c->first; t; t = t->next)
			resolve_stmt(&r, t);
		resolve_handles(&r);
		r.c->nobjects = r.n.object.count;
		r.c->object = r.n.object.count ? arena_copy(&s->arena, r.n.object.data, r.n.object.count * sizeof(struct object), _Alignof(struct object)) : NULL;
		vec_free(&r.n.object);
	}
}

void script_resolve_errors(struct script *s, struct diags *diags)
{
	for (struct stmt *t = s->errors; t; t = t->next_error) {
		t->code = (uint32_t)diag_code_find(t->name);
		if (t->code == DIAG_NONE) {
			struct nearest best = {0};
			struct diag *d = diag_report(diags, DIAG_L0117, t->source, t->name_span, "'%.60s' is no diagnostic code", t->name);

			for (unsigned k = 1; k < DIAG_COUNT; k++) {
				consider(&best, t->name, diag_code_info((enum diag_code)k)->code);
				consider(&best, t->name, diag_code_info((enum diag_code)k)->name);
			}
			if (best.name)
				diag_help(diags, d, "did you mean %s?", best.name);
		}
	}
}

bool script_fault_is(enum diag_code code, const char *kind)
{
	static const struct {
		const char *word, *name;
	} also[] = {{"alignment", "misaligned"}, {"misalignment", "misaligned"}, {"assert", "assertion"}, {"null", "null_pointer"}, {"launch", "launch_shape"}};
	const struct diag_code_info *info = diag_code_info(code);
	char word[64];
	size_t n = strlen(kind);

	if (n >= sizeof word)
		return false;
	for (size_t k = 0; k <= n; k++)
		word[k] = kind[k] == '-' ? '_' : kind[k];
	kind = word;
	for (size_t k = 0; k < sizeof also / sizeof also[0]; k++)
		if (strcmp(also[k].word, kind) == 0 && strcmp(also[k].name, info->name) == 0)
			return true;
	if (strcmp(info->code, kind) == 0 || strcmp(info->name, kind) == 0)
		return true;
	for (const char *s = info->name; (s = strstr(s, kind)); s++)
		if (n && (s == info->name || s[-1] == '_') && (s[n] == 0 || s[n] == '_'))
			return true;
	return false;
}
