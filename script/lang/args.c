/* Arguments of a launch: numbers in their parameters' types, addresses of buffers, and structs
 * stored field by field at their natural alignment. */
#include "script/lang/args.h"
#include "base/assert.h"
#include "script/lang/expr.h"
#include "script/lang/tensor.h"
#include <stdlib.h>
#include <string.h>

/* The address that X denotes if it is a name, &name or &name[k]. *is_address is false if X is a
 * number. */
static bool argument_address(
	const struct args_context *c, const struct expr *x, bool *is_address, uint64_t *address)
{
	const struct expr *name = x->kind == EXPR_UNARY && x->op == '&' ? x->sub[0] : x;
	const struct object *o;
	struct value v = {0};

	*is_address = false;
	if (name->kind != EXPR_NAME || name->object == OBJECT_THE_INDEX ||
		(name == x && name->range == RANGE_INDEX && name->sub[0]))
		return true;
	*is_address = true;
	if (name->object == OBJECT_FUNCTION) {
		*address = c->function ? c->function(c->self, name->func) : 0;
		return true;
	}
	if (name->object < 0)
		return false; /* already reported by name resolution */
	o = &c->in->object[name->object];
	*address = o->address;
	if (name == x || name->range == RANGE_NONE || (name->range == RANGE_SPAN && !name->sub[0]))
		return true;
	if (name->range != RANGE_INDEX) {
		diag_report(c->diags, DIAG_L0110, x->source, x->span,
			"expected the address of one element, not of a range");
		return false;
	}
	if (!expr_constant(name->sub[0], &v, c->arena, c->diags))
		return false;
	if (v.is_float || v.i < 0 || v.i > (__int128)o->count) {
		diag_report(c->diags, DIAG_L0113, x->source, name->sub[0]->span,
			"%s has the elements 0 to %llu", object_shown(o),
			(unsigned long long)o->count - 1);
		return false;
	}
	*address += (uint64_t)v.i * type_bytes((enum type)o->type);
	return true;
}

static bool misfit(const struct args_context *c, const struct expr *x, enum type type,
	const char *what, struct value v, enum scalar_fit fit)
{
	struct text shown = {0}, range = {0};
	struct diag *d;

	value_print(v, false, &shown);
	if (fit == SCALAR_FRACTION) {
		d = diag_report(c->diags, DIAG_L0110, x->source, x->span,
			"%s is .%s, which takes whole numbers, not %s", what, type_info[type].name,
			text_str(&shown));
		if (value_double(v) < 1e15 && value_double(v) > -1e15 &&
			value_double(v) == (double)(int64_t)value_double(v))
			diag_help(c->diags, d, "write %lld", (long long)value_double(v));
	} else {
		scalar_range(type, &range);
		diag_report(c->diags, DIAG_L0109, x->source, x->span,
			"%s is out of range for %s, which is .%s: %s", text_str(&shown), what,
			type_info[type].name, text_str(&range));
	}
	text_free(&shown);
	text_free(&range);
	return false;
}

bool args_store(const struct args_context *c, const struct expr *x, enum type type,
	const char *what, unsigned char *out)
{
	bool is_address;
	uint64_t address = 0;
	struct value v;
	enum scalar_fit fit;

	if (!argument_address(c, x, &is_address, &address))
		return false;
	if (is_address) {
		if (type_info[type].bits != 64 || scalar_is_float(type)) {
			diag_report(c->diags, DIAG_L0110, x->source, x->span,
				"%s is .%s, but the address of a buffer needs 64 bits", what,
				type_info[type].name);
			return false;
		}
		memcpy(out, &address, 8);
		return true;
	}
	if (x->kind == EXPR_NAME && x->range == RANGE_INDEX && x->object >= 0) {
		struct diag *d = diag_report(c->diags, DIAG_L0125, x->source, x->span,
			"expected a number or an address, not an element of a buffer");

		diag_help(c->diags, d, "&%s is its address", expr_text(x, c->arena));
		return false;
	}
	if (!expr_constant(x, &v, c->arena, c->diags))
		return false;
	fit = scalar_store(type, v, out);
	return fit == SCALAR_FITS || misfit(c, x, type, what, v, fit);
}

/* Size and alignment of a list whose fields are laid out like a C struct. */
struct layout {
	uint64_t size, align;
};

/* Stores the fields of LIST in OUT, of ROOM bytes, unless OUT is NULL, and computes their
 * layout. */
static bool lay_out_fields(const struct args_context *c, const struct expr *list,
	unsigned char *out, uint64_t room, struct layout *l)
{
	unsigned k = 0;

	*l = (struct layout){0, 1};
	for (const struct expr *f = list->sub[0]; f; f = f->next, k++) {
		enum type type = f->field_type ? (enum type)f->field_type : TYPE_b64;
		struct layout in = {type_bytes(type), type_bytes(type)};

		if (f->kind == EXPR_FIELDS && !lay_out_fields(c, f, NULL, 0, &in))
			return false;
		l->size = (l->size + in.align - 1) / in.align * in.align;
		l->align = in.align > l->align ? in.align : l->align;
		if (out && l->size + in.size <= room) {
			if (f->kind == EXPR_FIELDS
					? !lay_out_fields(c, f, out + l->size, room - l->size, &in)
					: !args_store(c, f, type,
						  arena_printf(c->arena, "field %u", k + 1),
						  out + l->size))
				return false;
		}
		l->size += in.size;
	}
	if (list->sub[0])
		l->size = (l->size + l->align - 1) / l->align * l->align;
	return true;
}

/* Whether LIST has one number per element of P: {1, 2, 3, 4} for .b32 p[4]. */
static bool is_elements(const struct expr *list, const struct ir_var *p)
{
	uint64_t n = 0;

	if (type_info[p->type].bits <= 8)
		return false;
	for (const struct expr *f = list->sub[0]; f; f = f->next, n++)
		if (f->kind == EXPR_FIELDS || f->field_type)
			return false;
	return n * type_bytes((enum type)p->type) == p->size;
}

static bool build_array(const struct args_context *c, const struct expr *x, const struct ir_var *p,
	const char *what, unsigned char *out)
{
	struct layout l;
	unsigned size = type_bytes((enum type)p->type), k = 0;
	const struct object *map = x->kind == EXPR_NAME && x->range == RANGE_NONE && x->object >= 0
		? &c->in->object[x->object]
		: NULL;

	if (map && map->stmt && map->stmt->kind == STMT_TENSOR_MAP && p->size == TENSOR_IMAGE) {
		memcpy(out, map->stmt->tensor->image, TENSOR_IMAGE);
		return true;
	}

	if (x->kind != EXPR_FIELDS) {
		struct diag *d = diag_report(c->diags, DIAG_L0110, x->source, x->span,
			"%s is an array of %llu bytes: its fields must be in braces", what,
			(unsigned long long)p->size);

		diag_label(c->diags, d, c->module->source, p->span, "declared here");
		diag_help(c->diags, d,
			"write {field, ...}; a field is 8 bytes wide, or as wide as its type says: {row, col, u32:220}");
		return false;
	}
	if (is_elements(x, p)) {
		for (const struct expr *f = x->sub[0]; f; f = f->next, k++)
			if (!args_store(c, f, (enum type)p->type,
				    arena_printf(c->arena, "element %u of %s", k, what),
				    out + (size_t)k * size))
				return false;
		return true;
	}
	if (!lay_out_fields(c, x, out, p->size, &l))
		return false;
	if (l.size != p->size) {
		struct diag *d = diag_report(c->diags, DIAG_L0111, x->source, x->span,
			"the fields take %llu bytes, but %s has %llu", (unsigned long long)l.size,
			what, (unsigned long long)p->size);

		diag_label(c->diags, d, c->module->source, p->span, "%llu bytes",
			(unsigned long long)p->size);
		diag_help(c->diags, d,
			"a field is 8 bytes wide unless it has a type: {row, col, u32:220}");
		return false;
	}
	return true;
}

static bool build_scalar(const struct args_context *c, const struct expr *x, const struct ir_var *p,
	const char *what, unsigned char *out)
{
	if (x->kind == EXPR_FIELDS && p->vector) {
		unsigned k = 0;

		for (const struct expr *f = x->sub[0]; f; f = f->next, k++)
			if (k < p->vector &&
				!args_store(c, f, (enum type)p->type, what,
					out + (size_t)k * type_bytes((enum type)p->type)))
				return false;
		if (k == p->vector)
			return true;
	}
	if (x->kind == EXPR_FIELDS || p->vector) {
		struct diag *d = diag_report(c->diags, DIAG_L0110, x->source, x->span,
			"%s is %s.%s%s", what, p->vector ? "a vector of " : "",
			type_info[p->type].name, p->vector ? "" : ", not an array or struct");

		diag_label(c->diags, d, c->module->source, p->span, "declared here");
		return false;
	}
	if (!scalar_usable((enum type)p->type)) { /* .texref and similar */
		diag_report(c->diags, DIAG_L0110, x->source, x->span,
			"%s is .%s, a type that arguments cannot have", what,
			type_info[p->type].name);
		return false;
	}
	return args_store(c, x, (enum type)p->type, what, out);
}

bool args_build(const struct args_context *c, const struct stmt *t, unsigned char *out)
{
	const struct ir_module *m = c->module;
	const struct ir_func *f = &m->func[t->func];
	const struct expr *x = t->args;
	bool ok = true;

	for (uint32_t k = 0; k < f->nparams && x; k++, x = x->next) {
		const struct ir_var *p = &m->var[f->param + k];
		const char *what = arena_printf(
			c->arena, "parameter %u (%s)", k + 1, symbol_text(&m->symbols, p->name));
		bool array = p->ndims > 0;

		if (p->offset > f->param_bytes || p->size > f->param_bytes - p->offset)
			never(); /* the assembler guarantees this */
		ok = (array ? build_array(c, x, p, what, out + p->offset)
			    : build_scalar(c, x, p, what, out + p->offset)) &&
			ok;
	}
	return ok;
}
