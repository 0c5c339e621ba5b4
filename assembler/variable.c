/* Variables: where they may be declared, alignment, size, redeclaration. Offsets are in
 * ir/layout.c, initial values in initialiser.c. */
#include "base/assert.h"
#include "assembler/internal.h"
#include <string.h>

#define MAX_BYTES (UINT64_C(1) << 48)

const char *space_text(uint16_t space) { return space ? word_text((enum word)space) : "(none)"; }

static bool check_align(struct assembler *as, const struct ast_var *v)
{
	if (!v->align && !v->align_span.len)
		return true;
	if (v->align && v->align <= (1u << 30) && (v->align & (v->align - 1)) == 0)
		return true;
	REPORT(as, E0410, v->align_span.len ? v->align_span : v->span,
		"alignment %llu is not a power of two", (unsigned long long)v->align);
	return false;
}

static bool check_type(struct assembler *as, const struct ast_var *v)
{
	const struct type_info *t = &type_info[v->type];
	struct span at = v->type_span.len ? v->type_span : v->span;

	if (v->type == TYPE_NONE) /* reported by the parser */
		return false;
	if (v->type == TYPE_pred && v->space != W_reg && as->var_group != GROUP_PROTOTYPE) {
		diag_help(as->diags,
			REPORT(as, E0411, at, "'%s' is .pred, and predicates must be registers",
				NAME(as, v->name)),
			"declare it with .reg, or store selp.u32's result");
		return false;
	}
	if (v->type == TYPE_pred && v->vector) {
		REPORT(as, E0415, at, "a predicate cannot be a vector");
		return false;
	}
	if (v->vector && (unsigned)t->bits * v->vector > 128) {
		REPORT(as, E0415, at, ".v%u .%s has %u bits; a vector has at most 128", v->vector,
			t->name, t->bits * v->vector);
		return false;
	}
	if (t->class == CLASS_ALT || (t->class == CLASS_PACKED && v->type != TYPE_f16x2) ||
		(t->class != CLASS_PRED && t->class != CLASS_OPAQUE && t->bits < 8)) {
		diag_help(as->diags,
			REPORT(as, E0436, at, "variables cannot have type .%s", t->name),
			"use .b%u: the instruction determines the format of the bits",
			t->bits < 8 ? 8u : t->bits);
		return false;
	}
	if (v->type == TYPE_samplerref && !as->m->texmode_independent) {
		diag_help(as->diags,
			REPORT(as, E0444, at,
				"samplers are part of their textures unless .target has texmode_independent"),
			"write .target sm_NN, texmode_independent");
		return false;
	}
	if (v->type == TYPE_b128)
		return directive_require(as, at, "type .b128", 83, 70);
	return true;
}

bool variable_check(struct assembler *as, const struct ast_var *v)
{
	bool ok = check_align(as, v);

	return check_type(as, v) && ok;
}

/* Computes dimensions and size; a leading [] counts as 0. Returns false after an error. */
static bool measure_variable(struct assembler *as, const struct ast_var *v, struct ir_var *var)
{
	uint64_t bytes = (uint64_t)type_bytes((enum type)v->type) * (v->vector ? v->vector : 1u);

	var->dims = as->dim_v.count;
	for (const struct ast_operand *d = v->dims; d; d = d->next) {
		uint64_t n = 0;

		assert(d->kind == AST_SINK || d->kind == AST_INT);
		if (d->kind == AST_INT)
			n = d->value;
		*vec_push(&as->dim_v) = n;
		if (n && bytes > MAX_BYTES / n) {
			REPORT(as, E0434, v->span, "'%s' is larger than the address space",
				NAME(as, v->name));
			return false;
		}
		bytes *= n;
	}
	var->ndims = as->dim_v.count - var->dims;
	var->size = bytes;
	return true;
}

uint32_t variable_make(struct assembler *as, const struct ast_var *v, uint32_t name)
{
	struct ir_var var = {
		.name = name,
		.space = v->space,
		.type = v->type,
		.vector = v->vector,
		.linkage = v->linkage,
		.func = as->func,
		.data = IR_NONE,
		.span = v->span,
	};
	uint64_t natural = (uint64_t)type_bytes((enum type)v->type) * (v->vector ? v->vector : 1u);

	if (type_info[v->type].class == CLASS_OPAQUE)
		natural = 8;
	if (!measure_variable(as, v, &var))
		return IR_NONE;
	var.align = (uint32_t)(v->align ? v->align : natural);
	var.ptr_space_known = v->has_ptr;
	var.ptr_space = v->ptr_space;
	var.ptr_align = (uint32_t)v->ptr_align;
	for (const struct ast_operand *a = v->attribute; a; a = a->next) {
		if (a->word && strcmp(word_text((enum word)a->word), "managed") == 0)
			var.managed = 1;
		if (a->word && strcmp(word_text((enum word)a->word), "unified") == 0) {
			bool both = a->sub && a->sub->next;

			var.unified = 1;
			var.unified_id = as->dim_v.count;
			*vec_push(&as->dim_v) = both ? a->sub->value : 0;
			*vec_push(&as->dim_v) = both ? a->sub->next->value : 0;
		}
	}
	if (as->var_group == GROUP_SIGNATURE || as->var_group == GROUP_LOCAL) {
		var.name = name ? name_unique(as, name) : 0;
		*vec_push(&as->local) = as->var_v.count;
	}
	*vec_push(&as->var_v) = var;
	*vec_push(&as->group_v) = as->var_group;
	return as->var_v.count - 1;
}

static bool wrong_space(struct assembler *as, const struct ast_var *v, const char *why)
{
	REPORT(as, E0412, v->span, "%s", why);
	return false;
}

/* Which state spaces are allowed at this point (PTX ISA 5.1). */
static bool check_space(struct assembler *as, const struct ast_var *v)
{
	bool module = as->func == IR_NONE;
	struct diag *d;

	if (type_info[v->type].class == CLASS_OPAQUE && v->space != W_tex &&
		(!module || v->space == W_const || v->space == W_shared)) {
		diag_help(as->diags,
			REPORT(as, E0412, v->span,
				"a .%s is a .global variable of the module, or a kernel's parameter",
				type_info[v->type].name),
			"write .global .%s %s; before the functions", type_info[v->type].name,
			NAME(as, v->name));
		return false;
	}
	switch (v->space) {
	case W_reg:
		if (!module)
			return true;
		d = REPORT(as, E0413, v->span, "register '%s' is declared outside a function",
			NAME(as, v->name));
		diag_help(as->diags, d, "move the .reg into the function that uses it");
		return false;
	case W_local:
		if (!module)
			return true;
		d = REPORT(as, E0432, v->span, ".local '%s' is declared outside a function",
			NAME(as, v->name));
		diag_help(
			as->diags, d, "move it into the function that uses it, or make it .global");
		return false;
	case W_param:
		return !module ||
			wrong_space(as, v, ".param outside a function and its parameter list");
	case W_tex:
		REPORT(as, E0414, v->span,
			".tex variables were removed with PTX 1.5: use .global .texref");
		return false;
	case W_global:
	case W_const:
	case W_shared: return true;
	default:
		REPORT(as, E0412, v->span, "variables cannot be in state space .%s",
			space_text(v->space));
		return false;
	}
}

static const char *const param_type =
	"a .param variable cannot be a vector or .f16x2: use .b32, or an array with .align";

/* The ABI limits the alignment of function parameters. */
static bool check_param_align(struct assembler *as, const struct ast_var *v)
{
	if (v->align > 128)
		REPORT(as, E0410, v->align_span,
			"a parameter of a function is aligned to at most 128 bytes");
	return v->align <= 128;
}

static bool check_attribute(struct assembler *as, const struct ast_var *v)
{
	if (!directive_require(as, v->span, ".attribute", 40, 0))
		return false;
	for (const struct ast_operand *a = v->attribute; a; a = a->next) {
		if (!a->word || strcmp(word_text((enum word)a->word), "managed") != 0)
			continue;
		if (v->space != W_global)
			return wrong_space(as, v, "a .managed variable must be in .global");
		if (!directive_require(as, a->span, ".managed", 40, 30))
			return false;
	}
	return true;
}

/* Rules that relate state space, array, linkage and initial value. */
static bool check_form(struct assembler *as, const struct ast_var *v)
{
	bool incomplete = false;

	for (const struct ast_operand *d = v->dims; d; d = d->next)
		incomplete |= (d == v->dims && d->kind == AST_SINK && !v->init) ||
			(d->kind == AST_INT && !d->value);
	if (v->space == W_reg && v->dims) {
		diag_help(as->diags,
			REPORT(as, E0412, v->span,
				"'%s' is an array, but registers cannot be indexed",
				NAME(as, v->name)),
			"declare %s<N> registers, or use .local", NAME(as, v->name));
		return false;
	}
	if (v->space == W_param && (v->vector || v->type == TYPE_f16x2))
		return wrong_space(as, v, param_type);
	if ((v->linkage & IR_COMMON) && v->space != W_global) {
		REPORT(as, E0416, v->span, ".common variables must be in .global");
		return false;
	}
	if ((v->linkage & IR_COMMON) && !directive_require(as, v->span, ".common", 50, 0))
		return false;
	if ((v->linkage & IR_WEAK) && !directive_require(as, v->span, ".weak", 31, 0))
		return false;
	if (v->space == W_param && !check_param_align(as, v))
		return false;
	if (v->has_attribute && !check_attribute(as, v))
		return false;
	if (v->init && (v->linkage & IR_EXTERN)) {
		REPORT(as, E0418, v->init->span,
			"'%s' is .extern: its initial value belongs to its definition",
			NAME(as, v->name));
		return false;
	}
	if (v->init && v->space != W_global && v->space != W_const) {
		diag_help(as->diags,
			REPORT(as, E0418, v->init->span,
				"a .%s variable cannot have an initial value",
				space_text(v->space)),
			"only .global and .const variables have initial values; write it with an instruction");
		return false;
	}
	if (incomplete && !(v->linkage & IR_EXTERN)) {
		REPORT(as, E0417, v->span, "array '%s' has no length", NAME(as, v->name));
		return false;
	}
	return true;
}

static bool variable_same_shape(
	const struct assembler *as, const struct ir_var *a, const struct ir_var *b)
{
	bool ok = a->space == b->space && a->type == b->type && a->vector == b->vector &&
		a->ndims == b->ndims;

	for (uint32_t i = 0; ok && i < a->ndims; i++) {
		uint64_t m = as->dim_v.data[a->dims + i], n = as->dim_v.data[b->dims + i];

		ok = m == n || (i == 0 && (!m || !n));
	}
	return ok;
}

/* A second declaration of a module variable: legal if one of them is .extern and they agree. */
static void redeclare_variable(struct assembler *as, const struct ast_var *v, uint32_t old_index)
{
	struct ir_var *old = &as->var_v.data[old_index], new;
	uint32_t index = variable_make(as, v, v->name);
	struct diag *d;

	if (index == IR_NONE)
		return;
	new = as->var_v.data[--as->var_v.count];
	as->group_v.count--;
	old = &as->var_v.data[old_index];
	if (!variable_same_shape(as, old, &new)) {
		d = REPORT(as, E0423, v->span, "'%s' was declared differently before",
			NAME(as, v->name));
	} else if (!((old->linkage | new.linkage) & IR_EXTERN) ||
		(!(old->linkage & IR_EXTERN) && v->init && old->data != IR_NONE)) {
		d = REPORT(as, E0203, v->span, "'%s' is already defined", NAME(as, v->name));
	} else if (!((old->linkage & new.linkage) & IR_EXTERN) &&
		!((old->linkage | new.linkage) & (IR_VISIBLE | IR_WEAK | IR_COMMON))) {
		d = REPORT(as, E0423, v->span,
			"'%s' is .extern in one declaration and without linkage in the other",
			NAME(as, v->name));
		diag_help(as->diags, d, "define it with .visible");
	} else {
		if (old->linkage & IR_EXTERN) {
			new.data = old->data;
			*old = new;
		}
		if (v->init)
			variable_init(as, old_index, v);
		return;
	}
	diag_label(as->diags, d, as->source, old->span, "first declared here");
}

static void declare_range(struct assembler *as, const struct ast_var *v)
{
	if (v->space != W_reg &&
		(v->init ||
			(v->space != W_local && v->space != W_param && v->space != W_shared &&
				v->space != W_global && v->space != W_const))) {
		REPORT(as, E0412, v->span, "a range %s<N> cannot have an initial value",
			NAME(as, v->name));
		return;
	}
	scope_declare(as, v->name, NAME_DECL, decl_add(as, v, IR_NONE), v->span, true);
}

void variable_declare(struct assembler *as, const struct ast_var *v)
{
	struct binding *old;
	uint32_t index;

	if (!v->name) /* `.global .u32;` without a name declares nothing */
		return;
	if (!check_space(as, v) || !variable_check(as, v) || !check_form(as, v)) {
		if (!scope_here(as, v->name))
			scope_declare(as, v->name, NAME_BAD, 0, v->span, v->has_range);
		return;
	}
	if (v->has_range) {
		declare_range(as, v);
		return;
	}
	if (v->space == W_reg) {
		scope_declare(as, v->name, NAME_DECL, decl_add(as, v, IR_NONE), v->span, false);
		return;
	}
	old = scope_here(as, v->name);
	if (old && as->func == IR_NONE && old->kind == NAME_VAR) {
		redeclare_variable(as, v, old->index);
		return;
	}
	if (old) {
		scope_declare(as, v->name, NAME_VAR, 0, v->span, false); /* reports the duplicate */
		return;
	}
	index = variable_make(as, v, v->name);
	if (index == IR_NONE)
		scope_declare(as, v->name, NAME_BAD, 0, v->span, false);
	else if (v->init)
		variable_init(as, index, v);
	if (index != IR_NONE)
		scope_declare(as, v->name, NAME_VAR, index, v->span, false);
}

bool variable_is_open(struct assembler *as, const struct ast_var *v, bool entry, bool result)
{
	/* dimensions are numbers, except that the first may be [] */
	if (!v->dims || (v->dims->kind == AST_INT && v->dims->value) ||
		(!entry && !result && !v->next))
		return false;
	REPORT(as, E0417, v->span, "%s",
		entry            ? "a kernel's array parameter needs a length"
			: result ? "a result that is an array needs a length"
				 : "only the last parameter may be an array without a length");
	return true;
}

static bool check_parameter(struct assembler *as, const struct ast_var *v, bool entry, bool result)
{
	if (entry && v->space != W_param) {
		diag_help(as->diags,
			REPORT(as, E0424, v->span, "a kernel's parameter must be .param"),
			"write .param before the type");
		return false;
	}
	if (v->space != W_param && v->space != W_reg) {
		REPORT(as, E0424, v->span, "a function's %s is in .param or .reg",
			result ? "result" : "parameter");
		return false;
	}
	if (!entry && (v->has_ptr || v->align_late)) {
		diag_help(as->diags,
			REPORT(as, E0429, v->span,
				v->has_ptr
					? ".ptr is for parameters of kernels"
					: "the .align of a function's parameter precedes its type"),
			v->has_ptr ? "remove it" : "write .param .align 8 .b8 a[16]");
		return false;
	}
	if (!entry && v->name && strcmp(NAME(as, v->name), "_") == 0) {
		REPORT(as, E0424, v->span, "the parameters and results of a .func have names");
		return false;
	}
	if (!entry && type_info[v->type].class == CLASS_OPAQUE) {
		diag_help(as->diags,
			REPORT(as, E0412, v->span,
				"a .%s is a .global variable of the module, or a kernel's parameter",
				type_info[v->type].name),
			"pass its address in a .u64");
		return false;
	}
	if (!variable_check(as, v) || (!entry && !check_param_align(as, v)))
		return false;
	if (v->ptr_align & (v->ptr_align - 1)) {
		REPORT(as, E0410, v->align_span.len ? v->align_span : v->span,
			"alignment %llu is not a power of two", (unsigned long long)v->ptr_align);
		return false;
	}
	if (v->space == W_param && (v->vector || v->type == TYPE_f16x2))
		return wrong_space(as, v, param_type);
	if (v->space == W_reg && v->dims)
		return wrong_space(as, v, "a register parameter cannot be an array");
	return !variable_is_open(as, v, entry, result);
}

uint32_t variable_parameter(struct assembler *as, const struct ast_var *v, bool entry, bool result)
{
	uint32_t index;

	if (!check_parameter(as, v, entry, result)) {
		if (v->name && !scope_here(as, v->name))
			scope_declare(as, v->name, NAME_BAD, 0, v->span, false);
		return IR_NONE;
	}
	index = variable_make(as, v, v->name);
	if (index == IR_NONE)
		return index;
	if (v->space == W_reg) {
		uint32_t decl = decl_add(as, v, as->reg_v.count - as->func_reg);

		as->var_v.data[index].offset = as->reg_v.count - as->func_reg;
		*vec_push(&as->reg_v) = (struct ir_register){
			.name = as->var_v.data[index].name, .type = v->type, .vector = v->vector};
		if (v->name)
			scope_declare(as, v->name, NAME_DECL, decl, v->span, false);
	} else if (v->name) {
		scope_declare(as, v->name, NAME_VAR, index, v->span, false);
	}
	return index;
}
