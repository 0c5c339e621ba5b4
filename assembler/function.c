/* Functions: declarations, definitions and their agreement; parameters; aliases (PTX ISA 5.1.6,
 * 7.1, 11.2). */
#include "assembler/internal.h"
#include <stdlib.h>
#include <string.h>

/* Creates every parameter in order and returns the number created. */
static uint32_t make_parameters(
	struct assembler *as, const struct ast_var *v, bool entry, bool result)
{
	uint32_t n = 0;

	for (; v; v = v->next)
		n += variable_parameter(as, v, entry, result) != IR_NONE;
	return n;
}

static uint32_t count_vars(const struct ast_var *v)
{
	uint32_t n = 0;

	for (; v; v = v->next)
		n++;
	return n;
}

static const char *signature_difference(
	struct assembler *as, const struct ir_func *old, const struct ir_func *new)
{
	uint32_t n = old->nrets + old->nparams;

	if (old->is_entry != new->is_entry)
		return "one is a kernel (.entry), the other a .func";
	if (old->nrets != new->nrets)
		return "the numbers of results differ";
	if (old->nparams != new->nparams)
		return "the numbers of parameters differ";
	for (uint32_t i = 0; i < n; i++) {
		const struct ir_var *a =
			&as->var_v
				 .data[i < old->nrets ? old->ret + i : old->param + i - old->nrets];
		const struct ir_var *b =
			&as->var_v
				 .data[i < new->nrets ? new->ret + i : new->param + i - new->nrets];

		if (a->type != b->type || a->size != b->size ||
			(a->space == W_reg) != (b->space == W_reg) || a->vector != b->vector)
			return i < old->nrets ? "the results have different types"
					      : "the parameters have different types";
		if (a->align != b->align)
			return "a parameter is aligned differently";
	}
	return NULL;
}

/* Whether declaration NEW is compatible with the earlier OLD; reports an error if not. */
static bool check_redeclaration(struct assembler *as, const struct ir_func *old,
	const struct ir_func *new, const struct ast_func *f)
{
	const char *why = signature_difference(as, old, new);
	struct diag *d;

	if (old->has_body) {
		d = REPORT(as, E0422, f->name_span,
			f->has_body ? "function '%s' is already defined"
				    : "function '%s' is declared after its definition",
			NAME(as, f->name));
	} else if (why) {
		d = REPORT(as, E0423, f->name_span, "'%s' was declared differently before: %s",
			NAME(as, f->name), why);
	} else if (old->linkage != new->linkage) {
		d = REPORT(as, E0423, f->name_span, "'%s' was declared with another linkage before",
			NAME(as, f->name));
		diag_help(as->diags, d,
			"use the same linkage (.extern, .visible, .weak) in both places");
	} else {
		return true;
	}
	diag_label(as->diags, d, as->source, old->span, "declared here");
	return false;
}

/* Puts the definition's parameters in place of the declaration's. */
static void replace_parameters(struct assembler *as, struct ir_func *old, struct ir_func *new)
{
	uint32_t first = as->var_v.count - new->nrets - new->nparams;

	for (uint32_t i = 0; i < new->nrets; i++)
		as->var_v.data[old->ret + i] = as->var_v.data[new->ret + i];
	for (uint32_t i = 0; i < new->nparams; i++)
		as->var_v.data[old->param + i] = as->var_v.data[new->param + i];
	for (uint32_t i = as->binding.count; i-- > as->scope.data[as->scope.count - 1];) {
		struct binding *b = &as->binding.data[i];

		if (b->kind == NAME_VAR && b->index >= first)
			b->index = b->index < first + new->nrets
				? old->ret + b->index - first
				: old->param + b->index - first - new->nrets;
	}
	as->gen++;
	as->var_v.count = first;
	as->group_v.count = first;
	as->local.count = 0;
	for (uint32_t i = 0; i < new->nrets; i++)
		*vec_push(&as->local) = old->ret + i;
	for (uint32_t i = 0; i < new->nparams; i++)
		*vec_push(&as->local) = old->param + i;
	new->ret = old->ret;
	new->param = old->param;
}

static void open_function(struct assembler *as, uint32_t index)
{
	as->func = index;
	as->mark++;
	as->func_reg = as->reg_v.count;
	as->func_insn = as->insn_v.count;
	as->func_label = as->label_v.count;
	as->func_loc = as->loc_v.count;
	as->local.count = 0;
	as->fixup.count = 0;
	as->used_bytes_set = false;
	scope_push(as);
}

static void close_function(struct assembler *as)
{
	scope_pop(as);
	as->func = IR_NONE;
	as->gen++;
}

static void check_results(struct assembler *as, const struct ast_func *f)
{
	if (f->rets && f->rets->next)
		for (const struct ast_var *v = f->rets; v; v = v->next)
			if (v->space == W_param) {
				REPORT(as, E0424, v->span,
					"several results must be in .reg: only one .param result is allowed");
				return;
			}
}

static void check_parameter_bytes(
	struct assembler *as, const struct ast_func *a, const struct ir_func *f)
{
	uint64_t bytes = 0, most = as->m->target.sm >= 70 && as->m->target.ptx >= 81 ? 32764 : 4352;
	struct diag *d;

	for (uint32_t i = 0; i < f->nparams; i++) {
		const struct ir_var *v = &as->var_v.data[f->param + i];

		bytes = ((bytes + v->align - 1) & ~(uint64_t)(v->align - 1)) + v->size;
	}
	if (bytes <= most)
		return;
	d = REPORT(as, E0425, a->name_span,
		"the parameters of kernel '%s' take %llu bytes; the maximum here is %llu",
		NAME(as, a->name), (unsigned long long)bytes, (unsigned long long)most);
	if (most == 4352 && bytes <= 32764)
		diag_help(
			as->diags, d, "with PTX 8.1 and sm_70 or later the maximum is 32764 bytes");
}

/* The index of the function: that of an earlier declaration, or a new one. IR_NONE: the name
 * denotes something else. */
static uint32_t find_or_make(struct assembler *as, const struct ast_func *f, bool *old)
{
	struct binding *b = scope_here(as, f->name);

	*old = b && b->kind == NAME_FUNC;
	if (*old)
		return b->index;
	if (!scope_declare(as, f->name, NAME_FUNC, as->func_v.count, f->name_span, false))
		return IR_NONE;
	*vec_push(&as->func_v) = (struct ir_func){
		.name = f->name, .alias_of = IR_NONE, .span = f->name_span};
	return as->func_v.count - 1;
}

static void assemble_body(struct assembler *as, struct ir_func *new, const struct ast_func *f)
{
	new->reg = as->func_reg;
	new->insn = as->func_insn;
	new->label = as->func_label;
	new->loc = as->func_loc;
	as->var_group = GROUP_LOCAL;
	if (f->has_body)
		body_assemble(as, f->body);
	new->nregs = as->reg_v.count - as->func_reg;
	new->ninsns = as->insn_v.count - as->func_insn;
	new->nlabels = as->label_v.count - as->func_label;
	new->nlocs = as->loc_v.count - as->func_loc;
}

void function_assemble(struct assembler *as, const struct ast_func *f)
{
	bool old, ok = true;
	uint32_t index = find_or_make(as, f, &old), mark;
	struct ir_func new = {.name = f->name,
		.is_entry = f->is_entry,
		.linkage = f->linkage,
		.has_body = f->has_body,
		.alias_of = IR_NONE,
		.span = f->name_span};

	if (index == IR_NONE)
		return;
	open_function(as, index);
	as->var_group = GROUP_SIGNATURE;
	mark = as->var_v.count;
	new.nrets = make_parameters(as, f->rets, false, true);
	new.nparams = make_parameters(as, f->params, f->is_entry, false);
	new.declared = !f->has_body || (old && as->func_v.data[index].declared);
	new.ret = mark;
	new.param = mark + new.nrets;
	ok = new.nrets == count_vars(f->rets) && new.nparams == count_vars(f->params);
	check_results(as, f);
	directive_function(as, &new, f);
	if (f->has_body && (f->linkage & IR_EXTERN))
		diag_help(as->diags,
			REPORT(as, E0423, f->name_span, "'%s' is .extern and has a body",
				NAME(as, f->name)),
			"remove .extern, or write .visible");
	if (old && ok)
		ok = check_redeclaration(as, &as->func_v.data[index], &new, f);
	if (old && ok)
		replace_parameters(as, &as->func_v.data[index], &new);
	if (!old || ok)
		as->func_v.data[index] = new; /* before the body, which may call the function */
	assemble_body(as, &new, f);
	while (as->func_end.count <= index)
		*vec_push(&as->func_end) = 0;
	as->func_end.data[index] = f->span.off + f->span.len;
	if (f->is_entry && ok)
		check_parameter_bytes(as, f, &new);
	if (!old || ok)
		as->func_v.data[index] = new;
	else
		as->func_v.data[index].has_body = 1; /* its error has been reported */
	if (!new.has_body)
		/* the registers of a declaration's .reg parameters are not used */
		as->reg_v.count = as->func_reg;
	as->var_group = GROUP_MODULE;
	close_function(as);
}

/* .alias name, target: both must be functions with the same signature (PTX ISA 11.6.3). */
void function_alias(struct assembler *as, uint32_t name, uint32_t target, struct span span)
{
	uint32_t a, b;
	enum name_kind ka, kb;
	const char *why = NULL;

	if (!directive_require(as, span, ".alias", 63, 30))
		return;
	ka = name_find(as, name, &a);
	kb = name_find(as, target, &b);
	if (ka == NAME_NONE)
		name_unknown(as, name, span, "function");
	if (kb == NAME_NONE)
		name_unknown(as, target, span, "function");
	if (ka == NAME_NONE || kb == NAME_NONE || ka == NAME_BAD || kb == NAME_BAD)
		return;
	if (ka != NAME_FUNC || kb != NAME_FUNC || as->func_v.data[a].is_entry ||
		as->func_v.data[b].is_entry)
		why = "an alias and its target must be .func functions";
	else if (as->func_v.data[a].has_body)
		why = "the alias has a body of its own";
	else if (!as->func_v.data[b].has_body)
		why = "its target has no body here";
	else if ((as->func_v.data[a].linkage | as->func_v.data[b].linkage) & IR_WEAK)
		why = "a .weak function cannot have an alias or be one";
	else if (signature_difference(as, &as->func_v.data[a], &as->func_v.data[b]))
		why = "their signatures differ";
	else if (as->func_v.data[a].alias_of != IR_NONE)
		why = "it already is an alias";
	if (why)
		REPORT(as, E0431, span, "'%s' cannot be an alias of '%s': %s", NAME(as, name),
			NAME(as, target), why);
	if (ka == NAME_FUNC)
		as->func_v.data[a].alias_of = kb == NAME_FUNC ? b : a;
}
