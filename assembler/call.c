/* Calls: targets, signatures, arguments; tables of targets and prototypes (PTX ISA 9.7.14.5,
 * 11.3). */
#include "assembler/internal.h"

/* The formal parameters of a function or prototype. */
struct signature {
	uint32_t ret, nrets, param, nparams;
	struct span span;
	const char *name;
};

static struct signature signature_of_function(struct assembler *as, uint32_t index)
{
	const struct ir_func *f = &as->func_v.data[index];

	return (struct signature){
		f->ret, f->nrets, f->param, f->nparams, f->span, NAME(as, f->name)};
}

static struct signature signature_of_prototype(struct assembler *as, uint32_t index)
{
	const struct ir_table *t = &as->table_v.data[index];

	return (struct signature){
		t->ret, t->nrets, t->param, t->nparams, t->span, NAME(as, t->name)};
}

/* The signature of the K-th function that the call may reach. Returns false when there is none, or
 * after an error. */
static bool target_signature(struct assembler *as, const struct ast_operand *table,
	const struct isa_operand *target, uint32_t target_at, const struct isa_operand *table_shape,
	uint32_t table_at, uint32_t k, struct signature *out)
{
	const struct ir_operand *o = &as->operand_v.data[target_at], *t;
	const struct ir_table *list;

	if (target->kind == OPERAND_FUNC) {
		*out = signature_of_function(as, o->index);
		return k == 0;
	}
	if (!table_shape || table_shape->kind != OPERAND_TABLE)
		return false;
	t = &as->operand_v.data[table_at];
	list = &as->table_v.data[t->index];
	if (list->kind == IR_PROTOTYPE) {
		*out = signature_of_prototype(as, t->index);
		return k == 0;
	}
	if (list->kind == IR_BRANCH_TARGETS) {
		as->bad = true;
		diag_label(as->diags,
			REPORT(as, E0221, table->span, "'%s' lists branch targets, not functions",
				NAME(as, list->name)),
			as->source, list->span, "declared here");
		return false;
	}
	if (k >= list->ntargets)
		return false;
	*out = signature_of_function(as, as->operand_v.data[list->target + k].index);
	return true;
}

/* Whether register R (component COMPONENT) may be passed as FORMAL: not an array, same width,
 * compatible types. */
static bool register_fits(
	const struct ir_register *r, uint8_t component, const struct ir_var *formal)
{
	unsigned n = r->vector && !component ? r->vector : 1;

	if (formal->ndims || (formal->vector ? formal->vector : 1u) != n)
		return false;
	return type_agrees((enum type)formal->type, (enum type)r->type, false);
}

/* Whether V may be passed as FORMAL: an array as an array of the same size and alignment, a scalar
 * as a scalar of a compatible type. */
static bool variable_fits(const struct ir_var *v, const struct ir_var *formal)
{
	if (!v->ndims != !formal->ndims)
		return false;
	if (!v->ndims)
		return type_agrees((enum type)formal->type, (enum type)v->type, false);
	return (!formal->size || v->size == formal->size) &&
		(formal->size ? v->align == formal->align : v->align >= formal->align);
}

static void reject_argument(struct assembler *as, const struct ast_operand *o,
	const struct ir_var *formal, const char *is, const char *what)
{
	struct diag *d = REPORT(as, E0223, o->span, "%s, and %s '%s' is %s", is, what,
		formal->name ? NAME(as, formal->name) : "_",
		arena_printf(&as->scratch, ".%s%s (%llu bytes, aligned to %u)",
			type_info[formal->type].name, formal->ndims ? "[]" : "",
			(unsigned long long)formal->size, formal->align));

	as->bad = true;
	diag_label(as->diags, d, as->source, formal->span, "declared here");
}

static void check_register(struct assembler *as, const struct ast_operand *o,
	const struct ir_operand *ir, const struct ir_var *formal, const char *what)
{
	const struct ir_register *r = &as->reg_v.data[as->func_reg + ir->index];

	if (!register_fits(r, ir->aux, formal))
		reject_argument(as, o, formal,
			arena_printf(&as->scratch, "'%s' is .%s", NAME(as, r->name),
				type_info[r->type].name),
			what);
}

static void check_variable(struct assembler *as, const struct ast_operand *o,
	const struct ir_operand *ir, const struct ir_var *formal, const char *what)
{
	const struct ir_var *v = &as->var_v.data[ir->index];

	if (v->space != W_param) {
		as->bad = true;
		diag_label(as->diags,
			REPORT(as, E0223, o->span,
				"'%s' is .%s: a call passes registers, constants and .param variables",
				NAME(as, v->name), space_text(v->space)),
			as->source, v->span, "declared here");
	} else if (as->group_v.data[ir->index] != GROUP_LOCAL) {
		as->bad = true;
		diag_help(as->diags,
			REPORT(as, E0223, o->span,
				"'%s' is a parameter of this function and cannot be passed on directly",
				NAME(as, v->name)),
			"copy it: ld.param into a register, st.param into a .param variable of this block");
	} else if (!variable_fits(v, formal)) {
		reject_argument(as, o, formal,
			arena_printf(&as->scratch, "'%s' has %llu bytes, aligned to %u",
				NAME(as, v->name), (unsigned long long)v->size, v->align),
			what);
	}
}

/* Integers and floating-point constants are not interchangeable; bit types accept both. */
static bool constant_fits(const struct ir_operand *ir, enum type type)
{
	bool is_float = type_info[ir->type].class == CLASS_FLOAT;
	unsigned class = type_info[type].class;

	return is_float ? class == CLASS_FLOAT || class == CLASS_BITS
			: class == CLASS_BITS || class == CLASS_UNSIGNED || class == CLASS_SIGNED;
}

static void check_argument(struct assembler *as, const struct ast_operand *o, uint32_t at,
	const struct ir_var *formal, bool result)
{
	struct ir_operand *ir = &as->operand_v.data[at];
	const char *what = result ? "result" : "parameter";
	enum type type = formal->type;

	switch (ir->kind) {
	case IR_REG: check_register(as, o, ir, formal, what); return;
	case IR_VAR: check_variable(as, o, ir, formal, what); return;
	case IR_SINK: return;
	case IR_IMM:
		if (result)
			break;
		if (formal->ndims || !constant_fits(ir, type)) {
			reject_argument(as, o, formal, "this is a constant", what);
			return;
		}
		if (!immediate_convert(ir, type) &&
			!immediate_convert(ir, type_info[type].bits == 64 ? TYPE_f64 : TYPE_f32))
			break;
		ir->type = (uint8_t)type;
		return;
	default: break;
	}
	as->bad = true;
	REPORT(as, E0223, o->span,
		result ? "a result goes to a register or a .param variable"
		       : "an argument is a register, a constant or a .param variable");
}

static void check_list(struct assembler *as, const struct ast_stmt *s,
	const struct ast_operand *list, uint32_t at, const struct signature *sig, bool result)
{
	const struct ir_operand *ir = &as->operand_v.data[at];
	uint32_t formals = result ? sig->nrets : sig->nparams,
		 first = result ? sig->ret : sig->param;
	const struct ast_operand *o = list ? list->sub : NULL;
	uint32_t element = ir->index;

	if (ir->count != formals) {
		struct diag *d = REPORT(as, E0222, list ? list->span : s->name_span,
			"'%s' has %u %s%s, but the call has %u", sig->name, formals,
			result ? "result" : "parameter", formals == 1 ? "" : "s", ir->count);

		as->bad = true;
		diag_label(as->diags, d, as->source, sig->span, "declared here");
		return;
	}
	for (uint32_t i = 0; i < formals; i++, o = o->next)
		check_argument(as, o, element + i, &as->var_v.data[first + i], result);
}

struct call_parts {
	const struct ast_operand *rets, *target, *args, *table;
};

/* Splits (r), f, (a), t, of which all but f are optional: a list before f holds the results. */
static void split_call(const struct ast_operand *o, struct call_parts *p)
{
	*p = (struct call_parts){0};
	if (o && o->kind == AST_LIST) {
		p->rets = o;
		o = o->next;
	}
	p->target = o;
	o = o ? o->next : NULL;
	if (o && o->kind == AST_LIST) {
		p->args = o;
		o = o->next;
	}
	p->table = o;
}

static void lower_list(
	struct assembler *as, const struct ast_operand *o, struct isa_operand *shape, uint32_t at)
{
	as->operand_v.data[at].kind = IR_LIST;
	if (o)
		operand_lower(as, o, shape, at);
}

static bool lower_target(
	struct assembler *as, const struct ast_operand *o, struct isa_operand *shape, uint32_t at)
{
	uint32_t index;
	enum name_kind kind = o->kind == AST_NAME ? name_find(as, o->symbol, &index) : NAME_NONE;
	struct diag *d;

	if (o->kind == AST_NAME && kind == NAME_NONE) {
		name_unknown(as, o->symbol, o->span,
			NAME(as, o->symbol)[0] == '%' ? "register" : "function");
		return false;
	}
	if (!operand_lower(as, o, shape, at))
		return false;
	if (shape->kind == OPERAND_FUNC && as->func_v.data[index].is_entry) {
		d = REPORT(as, E0220, o->span,
			"'%s' is a kernel (.entry), and only a .func can be called",
			NAME(as, o->symbol));
		diag_label(as->diags, d, as->source, as->func_v.data[index].span, "declared here");
		as->bad = true;
	} else if (shape->kind != OPERAND_FUNC && shape->kind != OPERAND_REG) {
		REPORT(as, E0220, o->span,
			"a call names a function, or a register that contains a function's address");
		as->bad = true;
	}
	return !as->bad;
}

unsigned call_lower(struct assembler *as, const struct ast_stmt *s, struct isa_operand **shape,
	uint32_t *base, unsigned *noperands)
{
	struct call_parts p;
	unsigned n = operand_count(as->operands), k = 0;
	struct isa_operand *sh = *shape = shape_reserve(as, n), *rets, *target, *args, *table;
	struct signature sig;

	split_call(as->operands, &p);
	*noperands = p.table ? 4 : 3;
	*base = operand_reserve(as, 4);
	if (!p.target || p.target->kind == AST_LIST || (p.table && p.table->next)) {
		as->bad = true;
		diag_help(as->diags,
			REPORT(as, E0220, s->span,
				"a call is written call (results), function, (arguments)"),
			"empty parts may be omitted");
		return 0;
	}
	rets = p.rets ? &sh[k++] : NULL;
	target = &sh[k++];
	args = p.args ? &sh[k++] : NULL;
	table = p.table ? &sh[k++] : NULL;
	lower_list(as, p.rets, rets, *base);
	if (!lower_target(as, p.target, target, *base + 1))
		return n;
	lower_list(as, p.args, args, *base + 2);
	if (p.table)
		operand_lower(as, p.table, table, *base + 3);
	if (!as->bad && target->kind == OPERAND_REG && !p.table) {
		as->bad = true;
		diag_help(as->diags,
			REPORT(as, E0224, p.target->span,
				"a call through a register needs a prototype or a list of targets"),
			"declare one: proto: .callprototype (.param .b32 _) _ (.param .b32 _); and name it last");
	}
	for (uint32_t i = 0; !as->bad &&
		target_signature(as, p.table, target, *base + 1, table, *base + 3, i, &sig);
		i++) {
		check_list(as, s, p.rets, *base, &sig, true);
		check_list(as, s, p.args, *base + 2, &sig, false);
	}
	return n;
}

static void declare_targets(struct assembler *as, const struct ast_table *t, struct ir_table *out)
{
	bool calls = out->kind == IR_CALL_TARGETS;
	unsigned n = operand_count(t->targets);
	uint32_t at = operand_reserve(as, n);

	out->target = at;
	out->ntargets = n;
	for (const struct ast_operand *o = t->targets; o; o = o->next, at++) {
		uint32_t index;
		enum name_kind kind = o->kind == AST_NAME ? name_find(as, o->symbol, &index)
							  : NAME_WARP_SZ;
		struct span span;
		struct diag *d;

		if (kind == NAME_NONE) {
			name_unknown(as, o->symbol, o->span, calls ? "function" : "label");
		} else if (kind == NAME_LABEL && !calls) {
			as->operand_v.data[at] = (struct ir_operand){.kind = IR_LABEL};
			*vec_push(&as->fixup) = (struct fixup){at, index};
		} else if (kind == NAME_FUNC && calls && !as->func_v.data[index].is_entry) {
			as->operand_v.data[at] = (struct ir_operand){
				.kind = IR_FUNC, .index = index};
		} else if (kind != NAME_BAD) {
			d = REPORT(as, E0221, o->span,
				calls ? ".calltargets lists functions"
				      : ".branchtargets lists labels");
			if (o->kind == AST_NAME && name_place(as, o->symbol, &span))
				diag_label(as->diags, d, as->source, span, "'%s' is declared here",
					NAME(as, o->symbol));
		}
	}
}

static uint32_t declare_formals(
	struct assembler *as, const struct ast_var *v, bool result, uint32_t *count)
{
	uint32_t first = as->var_v.count;

	for (; v; v = v->next) {
		if (!variable_check(as, v) || variable_is_open(as, v, false, result))
			continue;
		if (v->space != W_param && v->space != W_reg)
			REPORT(as, E0424, v->span, "a function's %s is in .param or .reg",
				result ? "result" : "parameter");
		variable_make(as, v, 0);
	}
	*count = as->var_v.count - first;
	return *count ? first : 0;
}

void table_declare(struct assembler *as, const struct ast_table *t)
{
	struct ir_table table = {
		.func = as->func, .insn = as->insn_v.count - as->func_insn, .span = t->span};
	uint8_t group = as->var_group;

	table.kind = t->word == W_branchtargets ? IR_BRANCH_TARGETS
		: t->word == W_calltargets      ? IR_CALL_TARGETS
						: IR_PROTOTYPE;
	if (table.kind == IR_PROTOTYPE) {
		as->var_group = GROUP_PROTOTYPE;
		table.ret = declare_formals(as, t->rets, true, &table.nrets);
		table.param = declare_formals(as, t->params, false, &table.nparams);
		as->var_group = group;
		for (const struct ast_directive *d = t->directives; d; d = d->next)
			table.noreturn |= d->word == W_noreturn &&
				directive_require(as, d->span, ".noreturn", 64, 30);
	} else {
		declare_targets(as, t, &table);
	}
	if (!scope_declare(as, t->name, NAME_TABLE, as->table_v.count, t->span, false))
		return;
	table.name = name_unique(as, t->name);
	*vec_push(&as->table_v) = table;
}
