/* Resolves a script's names against a module, and checks everything that can be checked before a
 * run. */
#include "script/lang/tensor.h"
#include "script/lang/args.h"
#include "script/lang/finding.h"
#include "script/lang/init_file.h"
#include "script/lang/texture.h"
#include "script/lang/options.h"
#include "script/lang/resolve.h"
#include <stdlib.h>
#include <string.h>

enum { MAX_DEVICES = 16 };
#define MAX_BYTES (1ull << 40)

static struct args_context args_of(struct resolver *r)
{
	r->c->object = r->object.data; /* only valid until the array grows */
	return (struct args_context){
		.module = r->m, .in = r->c, .diags = r->diags, .arena = &r->s->arena};
}

static bool resolve_list(
	struct resolver *r, struct stmt *t, enum type type, uint64_t room, const char *name)
{
	struct args_context c;
	unsigned char bytes[16];
	uint64_t n = 0;
	bool ok = true;

	if (t->value->kind == EXPR_FIELDS) {
		for (struct expr *x = t->value->sub[0]; x; x = x->next, n++)
			ok = resolve_expr(r, x, (struct name_use){.address = true}) && ok;
		if (ok && n > room) {
			diag_report(r->diags, DIAG_L0114, t->source, t->value_span,
				"%llu values for %llu element%s", (unsigned long long)n,
				(unsigned long long)room, room == 1 ? "" : "s");
			return false;
		}
	} else {
		ok = resolve_expr(r, t->value, (struct name_use){.address = true});
	}
	if (!ok)
		return false;
	c = args_of(r);
	n = 0;
	for (struct expr *x = t->value->kind == EXPR_FIELDS ? t->value->sub[0] : t->value; x;
		x = t->value->kind == EXPR_FIELDS ? x->next : NULL, n++)
		ok = args_store(&c, x, type,
			     arena_printf(&r->s->arena, "element %llu of %s", (unsigned long long)n,
				     name),
			     bytes) &&
			ok;
	return ok;
}

static bool resolve_iota(
	struct resolver *r, struct stmt *t, enum type type, uint64_t count, const char *name)
{
	struct value start, step = value_int(1), last;
	unsigned char bytes[16];
	struct text range = {0};
	__int128 product;

	if (!resolve_constant(r, t->value) || !resolve_constant(r, t->step) ||
		!expr_constant(t->value, &start, &r->s->arena, r->diags) ||
		(t->step && !expr_constant(t->step, &step, &r->s->arena, r->diags)))
		return false;
	if (start.is_float || step.is_float)
		last = value_float(value_double(start) + value_double(step) * (double)(count - 1));
	else if (!__builtin_mul_overflow(step.i, (__int128)(count - 1), &product) &&
		!__builtin_add_overflow(start.i, product, &product))
		last = value_int(product);
	else
		last = value_float(__builtin_inf());
	if (scalar_store(type, start, bytes) == SCALAR_FITS &&
		scalar_store(type, last, bytes) == SCALAR_FITS)
		return true;
	scalar_range(type, &range);
	diag_report(r->diags, DIAG_L0109, t->source, t->value_span,
		"not all values are in the range of %s, which is .%s: %s", name,
		type_info[type].name, text_str(&range));
	text_free(&range);
	return false;
}

static bool resolve_file(struct resolver *r, struct stmt *t, enum type type, uint64_t count)
{
	uint64_t bytes, want = count * type_bytes(type);

	if (!init_file_find(r->s, t, &r->s->arena, r->diags, &bytes))
		return false;
	if (bytes == want)
		return true;
	diag_report(r->diags, DIAG_L0114, t->source, t->value_span,
		"'%s' has %llu bytes, but %llu elements of .%s take %llu", t->file,
		(unsigned long long)bytes, (unsigned long long)count, type_info[type].name,
		(unsigned long long)want);
	return false;
}

static bool resolve_init(
	struct resolver *r, struct stmt *t, enum type type, uint64_t count, const char *name)
{
	uint64_t seed;

	switch (t->init) {
	case INIT_VALUE:
	case INIT_LIST: return resolve_list(r, t, type, count, name);
	case INIT_IOTA: return resolve_iota(r, t, type, count, name);
	case INIT_RANDOM:
		return resolve_constant(r, t->value) &&
			expr_whole(
				t->value, 0, UINT64_MAX, "a seed", &seed, &r->s->arena, r->diags);
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

		if (!resolve_constant(r, t->count) ||
			!expr_constant(t->count, &v, &r->s->arena, r->diags))
			return false;
		if (!v.is_float && v.i > 0 && v.i <= (__int128)(MAX_BYTES / size)) {
			*count = (uint64_t)v.i;
			return true;
		}
		value_print(v, false, &shown);
		if (!v.is_float && v.i > 0)
			diag_report(r->diags, DIAG_L0124, t->source, t->count->span,
				"%s elements of %llu bytes do not fit into memory",
				text_str(&shown), (unsigned long long)size);
		else
			diag_report(r->diags, DIAG_L0109, t->source, t->count->span,
				"a buffer has a whole number of elements, at least 1, not %s",
				text_str(&shown));
		text_free(&shown);
		return false;
	}
	if (t->init != INIT_LIST && t->init != INIT_FILE) {
		diag_report(r->diags, DIAG_L0114, t->source, t->name_span,
			"the number of elements is missing; only a list or a file determines it");
		return false;
	}
	if (t->init == INIT_LIST)
		for (const struct expr *x = t->value->sub[0]; x; x = x->next)
			n++;
	if (t->init == INIT_FILE) {
		uint64_t bytes;

		if (!init_file_find(r->s, t, &r->s->arena, r->diags, &bytes))
			return false;
		if (bytes == 0 || bytes % size) {
			diag_report(r->diags, DIAG_L0114, t->source, t->value_span,
				"'%s' has %llu bytes, which is not a whole number of .%s elements",
				t->file, (unsigned long long)bytes, type_info[t->type].name);
			return false;
		}
		n = bytes / size;
	}
	*count = n ? n : 1;
	return true;
}

static bool resolve_buffer(struct resolver *r, struct stmt *t)
{
	int old = resolve_object(r, t->name);
	uint32_t variable = ir_find_var(r->m, t->name);
	struct object *o;
	uint64_t count = 1;
	bool ok;

	if (old >= 0 && r->object.data[old].is_buffer) {
		struct diag *d = diag_report(r->diags, DIAG_L0112, t->source, t->name_span,
			"there is already a buffer '%.80s'", t->name);

		diag_label(r->diags, d, t->source, r->object.data[old].stmt->name_span, "here");
		return false;
	}
	if (variable != IR_NONE && is_host_visible(&r->m->var[variable])) {
		struct diag *d = diag_report(r->diags, DIAG_L0112, t->source, t->name_span,
			"the module has a variable '%.80s': the buffer needs another name",
			t->name);

		diag_label(r->diags, d, r->m->source, r->m->var[variable].span, "the variable");
		return false;
	}
	ok = !t->broken && resolve_count(r, t, &count);
	/* Entered even if it has an error, so that later directives do not report it as unknown. */
	o = vec_push(&r->object);
	*o = (struct object){.name = t->name,
		.type = t->type,
		.is_buffer = true,
		.count = count,
		.stmt = t,
		.broken = !ok};
	t->object = (int)r->object.count - 1;
	return ok && resolve_init(r, t, (enum type)t->type, count, t->name);
}

static bool resolve_write(struct resolver *r, struct stmt *t)
{
	const struct object *o;
	struct expr *x = t->expr;

	if (!resolve_expr(r, x, (struct name_use){0}))
		return false;
	o = &r->object.data[x->object];
	t->object = x->object;
	if (x->range == RANGE_INDEX || x->range == RANGE_NONE) {
		uint64_t at = 0;

		if (x->sub[0] &&
			!expr_whole(x->sub[0], 0, o->count - 1, "an index", &at, &r->s->arena,
				r->diags))
			return false;
		x->low = x->high = at;
	}
	return resolve_init(r, t, (enum type)o->type, x->high - x->low + 1, o->name);
}

uint32_t resolve_kernel(
	struct resolver *r, struct source *source, struct span span, const char *name)
{
	struct nearest best = {0};
	struct diag *d;
	struct named named = resolve_func_named(r, name, true);

	if (named.n > 1) {
		resolve_ambiguous(r, source, span, name, false, true);
		return IR_NONE;
	}
	if (named.at != IR_NONE && r->m->func[named.at].is_entry)
		return named.at;
	if (named.at != IR_NONE) {
		d = diag_report(r->diags, DIAG_L0107, source, span,
			"%s is a function, but only a kernel (.entry) can be launched", name);
		diag_label(r->diags, d, r->m->source, r->m->func[named.at].span, "a .func");
		return IR_NONE;
	}
	d = diag_report(r->diags, DIAG_L0107, source, span, "the file has no kernel '%.80s'", name);
	for (uint32_t k = 0; k < r->m->nfuncs; k++)
		if (r->m->func[k].is_entry)
			nearest_symbol(r, &best, name, r->m->func[k].name);
	if (best.name) {
		diag_help(r->diags, d, "did you mean %s?", best.name);
		return IR_NONE;
	}
	for (uint32_t k = 0, n = 0; k < r->m->nfuncs && n < 6; k++)
		if (r->m->func[k].is_entry) {
			diag_note(r->diags, d, "it has the kernel %s",
				resolver_shown(r, r->m->func[k].name));
			n++;
		}
	return IR_NONE;
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
		struct diag *d = diag_report(r->diags, DIAG_L0108, t->source, t->args_span,
			"%s takes %u argument%s, not %u", resolver_shown(r, f->name), f->nparams,
			f->nparams == 1 ? "" : "s", t->nargs);
		struct text list = {0};

		for (uint32_t k = 0; k < f->nparams; k++) {
			const struct ir_var *p = &r->m->var[f->param + k];

			text_printf(&list, "%s.%s %s", k ? ", " : "", type_info[p->type].name,
				resolver_symbol(r, p->name));
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
	bool ok;

	t->func = resolve_kernel(r, t->source, t->name_span, t->name);
	ok = t->func != IR_NONE;
	r->launched = true;
	ok = resolve_sizes(r, t) && ok;
	if (t->shared) {
		ok = resolve_constant(r, t->shared) &&
			expr_whole(t->shared, 0, UINT32_MAX, "the size of shared memory", &v,
				&r->s->arena, r->diags) &&
			ok;
		t->shared_bytes = (uint32_t)v;
	}
	if (t->device_expr) {
		v = 0;
		ok = resolve_constant(r, t->device_expr) &&
			expr_whole(t->device_expr, 0, MAX_DEVICES - 1, "the number of a GPU", &v,
				&r->s->arena, r->diags) &&
			ok;
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
		diag_report(r->diags, DIAG_L0123, t->source, t->span,
			"options apply to the whole case: set must precede the first launch");
		return false;
	}
	for (const struct script_option *o = t->options; o; o = o->next) {
		struct diag *d;

		text_clear(&why);
		switch (option_apply(&scratch, o->name, o->value, false, &why)) {
		case OPTION_FITS: break;
		case OPTION_BAD_VALUE:
			d = diag_report(r->diags, DIAG_L0115, t->source, o->value_span,
				"invalid value '%.60s' of %s", o->value, o->name);
			diag_help(r->diags, d, "%s", text_str(&why));
			ok = false;
			break;
		case OPTION_UNKNOWN:
		default:
			d = diag_report(r->diags, DIAG_L0115, t->source, o->name_span,
				"unknown option '%.60s'", o->name);
			if (option_nearest(o->name))
				diag_help(r->diags, d, "did you mean %s?", option_nearest(o->name));
			else
				diag_help(r->diags, d, "set takes " OPTION_NAMES);
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
		nearest_consider(&best, t->name, needs[k]);
	}
	if (strncmp(t->name, "sm_", 3) == 0 && n > 3 && n < 3 + sizeof digits) {
		memcpy(digits, t->name + 3, n - 2);
		if (digits[n - 4] == 'a' || digits[n - 4] == 'f')
			digits[n - 4] = 0;
		if (option_number(digits, 999, &sm))
			return true;
	}
	d = diag_report(r->diags, DIAG_L0118, t->source, t->name_span,
		"unknown requirement '%.60s'", t->name);
	if (best.name)
		diag_help(r->diags, d, "did you mean %s?", best.name);
	else
		diag_help(r->diags, d,
			"needs takes gpu, interp, sm_NN, weak, race, init and explore");
	return false;
}

static void resolve_stmt(struct resolver *r, struct stmt *t)
{
	uint64_t lines;

	switch (t->kind) {
	case STMT_BUFFER: resolve_buffer(r, t); break;
	case STMT_TENSOR_MAP: tensor_line_resolve(r, t); break;
	case STMT_TEXTURE: texture_line_resolve(r, t); break;
	case STMT_WRITE: resolve_write(r, t); break;
	case STMT_LAUNCH: resolve_launch(r, t); break;
	case STMT_SET: resolve_set(r, t); break;
	case STMT_NEEDS: resolve_needs(r, t); break;
	case STMT_EXPECT:
	case STMT_CONDITION:
		if (!resolve_misspelt_finding(r, t))
			resolve_judged(r, t->expr);
		break;
	case STMT_EXPECT_FINDING: resolve_finding(r, t); break;
	case STMT_EXPECT_PRINTS:
		if (t->count && resolve_constant(r, t->count))
			expr_whole(t->count, 0, UINT32_MAX, "a number of lines", &lines,
				&r->s->arena, r->diags);
		break;
	case STMT_PRINT:
	case STMT_OBSERVE:
		for (struct expr *x = t->expr; x; x = x->next)
			resolve_judged(r, x);
		break;
	default: break;
	}
}

/* Numbers streams and events from 1 in the order of their first use; 0 is the default stream. */
static uint32_t number_of(
	struct script *s, const char *name, const char ***list, uint32_t *n, uint32_t *cap)
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
			struct diag *d = diag_report(r->diags, DIAG_L0116, t->source, t->name_span,
				"no earlier record directive for event '%.60s'", t->name);
			struct nearest best = {0};

			for (uint32_t k = 0; k < before; k++)
				nearest_consider(&best, t->name, event[k]);
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
		r.c->nobjects = r.object.count;
		r.c->object = r.object.count
			? arena_copy(&s->arena, r.object.data,
				  r.object.count * sizeof(struct object), _Alignof(struct object))
			: NULL;
		vec_free(&r.object);
	}
}

void script_resolve_errors(struct script *s, struct diags *diags)
{
	for (struct stmt *t = s->errors; t; t = t->next_error) {
		t->code = (uint32_t)diag_code_find(t->name);
		if (t->code == DIAG_NONE) {
			struct nearest best = {0};
			struct diag *d = diag_report(diags, DIAG_L0117, t->source, t->name_span,
				"unknown diagnostic code '%.60s'", t->name);

			for (unsigned k = 1; k < DIAG_COUNT; k++) {
				nearest_consider(
					&best, t->name, diag_code_info((enum diag_code)k).code);
				nearest_consider(
					&best, t->name, diag_code_info((enum diag_code)k).name);
			}
			if (best.name)
				diag_help(diags, d, "did you mean %s?", best.name);
		}
	}
}
