/* Initial values: nested lists become bytes, addresses become relocations (PTX ISA 5.4.4). */
#include "assembler/internal.h"
#include <string.h>

/* bytes that initial values may span; the zeros after the last value need no memory */
#define MAX_DATA (UINT64_C(1) << 28)

struct filling {
	struct assembler *as;
	const struct ast_var *v;
	uint32_t var, start; /* start: first byte in data_v */
	unsigned size;       /* of an element */
	bool failed;
};

static void fail_initialiser(struct filling *f, struct span span, const char *text)
{
	if (!f->failed)
		REPORT(f->as, E0420, span, "%s", text);
	f->failed = true;
}

static uint8_t *reserve_bytes(struct filling *f, uint64_t at, unsigned size, struct span span)
{
	struct assembler *as = f->as;
	uint64_t end = (uint64_t)f->start + at + size;

	if (end > MAX_DATA) {
		if (!f->failed)
			REPORT(as, E0434, span, "the initial values take more than %llu bytes",
				(unsigned long long)MAX_DATA);
		f->failed = true;
		return NULL;
	}
	if (end > as->data_v.count) {
		uint32_t extra = (uint32_t)(end - as->data_v.count);

		vec_reserve(&as->data_v, extra);
		memset(as->data_v.data + as->data_v.count, 0, extra);
		as->data_v.count += extra;
	}
	return as->data_v.data + f->start + at;
}

static void put_bits(struct filling *f, uint64_t at, uint64_t bits, unsigned size, struct span span)
{
	uint8_t *p = reserve_bytes(f, at, size, span);

	for (unsigned i = 0; p && i < size; i++)
		p[i] = (uint8_t)(i < 8 ? bits >> (8 * i) : 0);
}

struct address {
	uint32_t symbol, index;
	enum name_kind kind;
	int64_t addend;
	bool generic;
	struct span span;
};

/* Reads x, x+4, generic(x) or generic(x)+4. Returns false when O is none of these (without a
 * report), or after an error (sets failed). */
static bool read_address(struct filling *f, const struct ast_operand *o, struct address *a)
{
	struct assembler *as = f->as;
	const struct ast_operand *base = o;
	struct constant c;

	*a = (struct address){.span = o->span};
	if (o->kind == AST_BINARY && (o->op == '+' || o->op == '-') &&
		(o->sub->kind == AST_NAME || o->sub->kind == AST_CALL)) {
		if (o->sub->kind == AST_NAME && o->sub->symbol == as->sym_warp_sz)
			return false;
		if (!constant_eval(as, o->sub->next, &c) || c.kind == CONST_F64) {
			f->failed = true;
			return false;
		}
		a->addend = (int64_t)(o->op == '+' ? c.bits : 0 - c.bits);
		base = o->sub;
	}
	if (base->kind == AST_CALL && base->symbol == as->sym_generic && base->sub) {
		a->generic = true;
		base = base->sub;
		if (base->kind == AST_BINARY && base->op == '+' && base->sub->kind == AST_NAME) {
			if (!constant_eval(as, base->sub->next, &c)) {
				f->failed = true;
				return false;
			}
			a->addend += (int64_t)c.bits;
			base = base->sub;
		}
	}
	if (base->kind != AST_NAME || base->symbol == as->sym_warp_sz)
		return false;
	a->symbol = base->symbol;
	a->kind = name_find(as, base->symbol, &a->index);
	if (a->kind == NAME_NONE) {
		name_unknown(as, base->symbol, base->span, "variable or function");
		f->failed = true;
	}
	return !f->failed && a->kind != NAME_BAD;
}

static void put_address(
	struct filling *f, const struct address *a, uint64_t at, unsigned size, unsigned shift)
{
	struct assembler *as = f->as;
	bool is_func = a->kind == NAME_FUNC;

	if (!is_func && a->kind != NAME_VAR) {
		fail_initialiser(f, a->span,
			"an initial value is a constant or the address of a variable or function");
		return;
	}
	if (is_func && a->addend)
		fail_initialiser(f, a->span, "nothing can be added to the address of a function");
	if (!is_func && as->var_v.data[a->index].space != W_global &&
		as->var_v.data[a->index].space != W_const)
		fail_initialiser(f, a->span,
			"only addresses of .global and .const variables are known before the kernel runs");
	if (f->failed)
		return;
	put_bits(f, at, 0, size, a->span);
	*vec_push(&as->reloc_v) = (struct ir_reloc){
		.at = (uint32_t)at,
		.size = (uint8_t)size,
		.shift = (uint8_t)shift,
		.is_func = is_func,
		.generic = a->generic,
		.index = a->index,
		.addend = a->addend,
	};
}

/* 0xff00(x): the byte of x that the mask selects. */
static void fill_mask(struct filling *f, const struct ast_operand *o, uint64_t at)
{
	const struct ast_operand *of = o->sub->next;
	uint64_t mask = o->sub->value;
	struct constant value;
	struct address a;
	unsigned shift = 0;

	while (shift < 56 && !(mask >> shift & 1))
		shift++;
	if (mask != UINT64_C(0xff) << shift || shift % 8) {
		fail_initialiser(f, o->span, "a mask is 0xff, 0xff00, ...: one whole byte");
		return;
	}
	if (f->v->type != TYPE_u8) {
		fail_initialiser(
			f, o->span, "a masked address is one byte: the variable has to be .u8");
		return;
	}
	if (read_address(f, of, &a)) {
		if (a.kind == NAME_FUNC)
			fail_initialiser(f, a.span, "a mask takes the address of a variable");
		put_address(f, &a, at, 1, shift);
	} else if (!f->failed && constant_eval(f->as, of, &value)) {
		put_bits(f, at, (value.bits & mask) >> shift, 1, o->span);
	} else {
		f->failed = true;
	}
}

static void fill_element(struct filling *f, const struct ast_operand *o, uint64_t at)
{
	struct assembler *as = f->as;
	enum type type = f->v->type;
	struct constant c;
	struct address a;
	uint64_t bits;
	struct diag *d;

	if (o->kind == AST_INT && type_info[type].class != CLASS_FLOAT &&
		type_info[type].class != CLASS_PACKED) {
		put_bits(f, at, o->value, f->size, o->span);
		return;
	}
	if (o->kind == AST_CALL && !o->symbol) {
		fill_mask(f, o, at);
		return;
	}
	if (o->kind == AST_VECTOR || o->kind == AST_STRING || o->kind == AST_LIST) {
		fail_initialiser(f, o->span, "one value is expected here, not a list");
		return;
	}
	if (read_address(f, o, &a)) {
		if (type != TYPE_u64 && type != TYPE_u32 && a.kind != NAME_BAD) {
			if (!f->failed)
				diag_help(as->diags,
					REPORT(as, E0420, o->span,
						"an address requires an element of type .u64 or .u32; '%s' is .%s",
						NAME(as, f->v->name), type_info[type].name),
					"declare it .u64, or take a byte of the address with 0xff(%s)",
					NAME(as, a.symbol));
			f->failed = true;
		}
		put_address(f, &a, at, f->size, 0);
		return;
	}
	if (f->failed || !constant_eval(as, o, &c)) {
		f->failed = true;
		return;
	}
	if (!constant_convert(&c, type, &bits)) {
		if (!f->failed) {
			d = REPORT(as, E0420, o->span, "%s constant, but '%s' is .%s",
				c.kind == CONST_F64 ? "a floating-point" : "an integer",
				NAME(as, f->v->name), type_info[type].name);
			if (c.kind != CONST_F64 && type_info[type].class == CLASS_FLOAT)
				diag_help(as->diags, d, "write it with a decimal point");
		}
		f->failed = true;
		return;
	}
	put_bits(f, at, bits, f->size, o->span);
}

/* Fills one level of the dimensions (the vector length is the last one), whose elements have STRIDE
 * bytes each. Returns the number of elements given. */
static uint64_t fill_level(struct filling *f, const struct ast_operand *o, const uint64_t *dim,
	unsigned n, uint64_t at, uint64_t stride)
{
	uint64_t count = 0;

	if (!n) {
		fill_element(f, o, at);
		return 1;
	}
	if (o->kind != AST_VECTOR) {
		fail_initialiser(f, o->span, "a list { ... } is expected here");
		return 0;
	}
	for (const struct ast_operand *e = o->sub; e && !f->failed; e = e->next, count++) {
		if (dim[0] && count == dim[0]) {
			if (!f->failed)
				REPORT(f->as, E0419, e->span,
					"more initial values than elements: %llu",
					(unsigned long long)dim[0]);
			f->failed = true;
			break;
		}
		fill_level(f, e, dim + 1, n - 1, at, n > 1 && dim[1] ? stride / dim[1] : stride);
		at += stride;
	}
	return count;
}

/* Drops trailing zeros, in whole elements; elements with an address are kept. */
static void trim_zeros(struct assembler *as, struct ir_var *v)
{
	uint32_t n = as->data_v.count - v->data, element = type_bytes((enum type)v->type),
		 least = 0;

	if (v->nrelocs)
		least = as->reloc_v.data[v->reloc + v->nrelocs - 1].at + element;
	while (n > least && !as->data_v.data[v->data + n - 1])
		n--;
	v->ndata = (n + element - 1) / element * element;
	as->data_v.count = v->data + v->ndata;
}

void variable_init(struct assembler *as, uint32_t index, const struct ast_var *v)
{
	struct ir_var *var = &as->var_v.data[index];
	uint64_t dim[34], stride = type_bytes((enum type)v->type), count;
	unsigned n = var->ndims;
	struct filling f = {as, v, index, as->data_v.count, type_bytes((enum type)v->type), false};

	if (v->type == TYPE_f16 || v->type == TYPE_f16x2 ||
		(type_info[v->type].class == CLASS_OPAQUE && v->init->kind != AST_VECTOR)) {
		diag_help(as->diags,
			REPORT(as, E0418, v->init->span,
				"a variable of type .%s cannot have an initial value",
				type_info[v->type].name),
			type_info[v->type].class == CLASS_OPAQUE
				? "it is bound by the host"
				: "declare it .b%u and write the bits",
			type_info[v->type].bits);
		return;
	}
	if (type_info[v->type].class == CLASS_OPAQUE)
		return;
	if (n > 32) {
		REPORT(as, E0434, v->span, "an array has at most 32 dimensions");
		return;
	}
	for (unsigned i = 0; i < n; i++)
		dim[i] = as->dim_v.data[var->dims + i];
	if (v->vector)
		dim[n++] = v->vector;
	for (unsigned i = 1; i < n; i++)
		stride *= dim[i];
	var->reloc = as->reloc_v.count;
	count = fill_level(&f, v->init, dim, n, 0, stride);
	var = &as->var_v.data[index];
	if (f.failed)
		return;
	if (var->ndims && !dim[0]) {
		as->dim_v.data[var->dims] = count;
		var->size = count * stride;
	}
	var->data = f.start;
	var->nrelocs = as->reloc_v.count - var->reloc;
	trim_zeros(as, var);
}
