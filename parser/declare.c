/* Declarations: the parts before the names are collected in f->spec and their order is checked;
 * variables, parameters, functions. */
#include "parser/front.h"
#include <string.h>

void spec_begin(struct front *f)
{
	f->arena = &f->module->arena;
	f->spec = (struct ast_var){.linkage = f->kept_linkage};
	f->kept_linkage = 0;
	f->has_space = f->has_type = f->is_param = false;
	f->bad = f->quiet = f->in_section = false;
	f->inner = 0;
	f->head.len = 0;
}

static struct diag *report_misplaced(struct front *f, struct span span, const char *message)
{
	f->bad = true;
	return diag_report(f->diags, DIAG_E0117, f->source, span, "%s", message);
}

void spec_linkage(struct front *f, enum word w, struct span span)
{
	uint8_t bit = w == W_visible ? 1 : w == W_extern ? 2 : w == W_weak ? 4 : 8;

	if (f->spec.linkage)
		report_misplaced(f, span, "a declaration has one linkage");
	f->spec.linkage |= bit;
	f->linkage_span = span;
}

void spec_space(struct front *f, enum word w, struct span span)
{
	if (f->spec.linkage && f->open.count && !f->bad)
		diag_help(f->diags,
			report_misplaced(f, f->linkage_span, "linkage is for module scope only"),
			"declare this before the function");
	if (!f->has_space) {
		f->spec.space = (uint16_t)w;
		f->has_space = true;
	} else if (f->spec.has_ptr && f->spec.ptr_space == W_NONE && f->spec.ptr_align == 0) {
		f->spec.ptr_space = (uint16_t)w;
	} else {
		report_misplaced(f, span,
			f->spec.has_ptr ? ".ptr is followed by one state space, then .align"
					: "a declaration has one state space");
	}
}

void spec_align(struct front *f, struct lexer_number n, struct span span)
{
	if (f->spec.has_ptr) {
		f->spec.ptr_align = n.value;
		return;
	}
	if (f->has_type && !f->is_param)
		diag_help(f->diags, report_misplaced(f, span, ".align precedes the type"),
			"write for example .global .align 8 .u32 x;");
	f->spec.align = n.value;
	f->spec.align_span = span;
	f->spec.align_late = f->has_type;
}

void spec_vector(struct front *f, enum word w, struct span span)
{
	if (f->has_type)
		diag_help(f->diags, report_misplaced(f, span, "the vector width precedes the type"),
			"write for example .reg .v4 .f32 x;");
	else if (f->spec.vector)
		report_misplaced(f, span, "a declaration has one vector width");
	else if (w == W_v8)
		report_misplaced(f, span, "vector variables have 2 or 4 elements");
	f->spec.vector = w == W_v2 ? 2 : w == W_v4 ? 4 : 8;
}

void spec_type(struct front *f, enum word w, struct span span)
{
	if (f->has_type)
		report_misplaced(f, span, "a declaration has one type");
	f->spec.type = (uint8_t)word_type(w);
	f->spec.type_span = span;
	f->has_type = true;
}

void spec_ptr(struct front *f, struct span span)
{
	if (!f->is_param)
		report_misplaced(f, span, ".ptr is for parameters of an .entry");
	else if (!f->has_type)
		report_misplaced(f, span, ".ptr follows the type");
	f->spec.has_ptr = 1;
}

void spec_attribute(struct front *f, struct ast_operand *words, struct span span)
{
	struct ast_operand **link = &f->spec.attribute;

	if (f->has_type)
		report_misplaced(f, span, ".attribute precedes the type");
	f->spec.has_attribute = 1;
	f->attribute_span = span;
	while (*link)
		link = &(*link)->next;
	*link = words;
}

void spec_end(struct front *f, struct span span)
{
	struct diag *r;

	if (f->has_type || f->bad)
		return;
	f->bad = f->quiet = true;
	r = diag_report(f->diags, DIAG_E0119, f->source, span, "this declaration has no type");
	if (word_type(word_find(f->source->text + f->look.off, f->look.len)) != TYPE_NONE)
		diag_help(f->diags, r, "types begin with a dot: write .%.*s", (int)f->look.len,
			f->source->text + f->look.off);
	else
		diag_help(f->diags, r, "write for example .%s .u32 x",
			word_text((enum word)f->spec.space));
}

struct ast_var *var_new(struct front *f, uint32_t name, struct span span)
{
	struct ast_var *v = arena_copy(f->arena, &f->spec, sizeof *v, _Alignof(struct ast_var));

	v->name = name;
	v->span = span;
	return v;
}

/* Adds [WARP_SZ] after the dimensions BEFORE. */
struct ast_list dims_name(struct front *f, struct ast_list before, uint32_t name, struct span span)
{
	struct ast_operand *o = operand_number(f, AST_INT, (struct lexer_number){32, 0}, span);

	if (name != f->warp_sz) {
		f->bad = true;
		diag_report(f->diags, DIAG_E0119, f->source, span,
			"the length of an array is a number");
	}
	return before.first ? list_add(before, o) : list_of(o);
}

/* Adds [] after the dimensions BEFORE; only the first may be omitted. */
struct ast_list dims_open(struct front *f, struct ast_list before, struct span span)
{
	struct ast_operand *o = operand_new(f, AST_SINK, span);

	if (!before.first)
		return list_of(o);
	f->bad = true;
	diag_report(f->diags, DIAG_E0119, f->source, span,
		"only the first length of an array may be omitted");
	return list_add(before, o);
}

void parameter_add(struct front *f, uint32_t name, struct ast_operand *dims, struct span span)
{
	struct ast_var *v = var_new(f, name, span);

	v->dims = dims;
	if (dims && dims->next) {
		f->bad = true;
		diag_help(f->diags,
			diag_report(f->diags, DIAG_E0119, f->source, dims->next->span,
				"a parameter is an array of one dimension"),
			"multiply the lengths");
	}
	f->parameters = vars_add(f->parameters, v);
}

void var_range(struct front *f, struct ast_var *v, struct lexer_number n, struct span span)
{
	if (n.value > UINT32_MAX) {
		f->bad = true;
		diag_report(f->diags, DIAG_E0121, f->source, span,
			"a range of names has fewer than 2^32 names");
	}
	f->keep |= !f->func; /* its members are made where they are used */
	v->has_range = true;
	v->range = n.value;
}

void directive_add(struct front *f, enum word w, struct ast_operand *args, struct span span)
{
	struct ast_directive *d = ARENA_NEW(f->arena, struct ast_directive);

	*d = (struct ast_directive){.word = (uint16_t)w, .args = args, .span = span};
	*f->next_directive = d;
	f->next_directive = &d->next;
}

struct ast_directive *directives_take(struct front *f)
{
	struct ast_directive *all = f->directives;

	f->directives = NULL;
	f->next_directive = &f->directives;
	return all;
}

void func_begin(struct front *f, bool is_entry)
{
	struct ast_func *fn = ARENA_NEW(f->arena, struct ast_func);

	fn->is_entry = is_entry;
	fn->linkage = f->spec.linkage;
	if (fn->linkage == 8)
		report_misplaced(f, f->linkage_span, ".common is for variables");
	f->func = fn;
	f->last_stmt = NULL;
	f->next_stmt = &fn->body;
	directives_take(f);
	if (f->spec.has_attribute)
		directive_add(f, W_attribute, f->spec.attribute, f->attribute_span);
}

void func_name(struct front *f, uint32_t name, struct span span)
{
	f->func->name = name;
	f->func->name_span = span;
}

void func_end(struct front *f, bool has_body, struct span span)
{
	struct ast_top *t = top_new(f, AST_TOP_FUNC, span);

	f->func->has_body = has_body;
	f->func->span = span;
	t->func = f->func;
	f->func = NULL;
	f->open.count = 0;
}
