/* Nodes of operands and expressions, with the checks that the grammar alone cannot make. */
#include "parser/front.h"
#include <string.h>

struct ast_operand *operand_new(struct front *f, enum ast_operand_kind kind, struct span span)
{
	struct ast_operand *o = arena_alloc(f->arena, sizeof *o, _Alignof(struct ast_operand));

	*o = (struct ast_operand){.kind = kind & 15u, .span = span};
	return o;
}

struct ast_operand *operand_name(
	struct front *f, uint32_t symbol, enum word component, struct span span)
{
	struct ast_operand *o = operand_new(f, AST_NAME, span);

	o->symbol = symbol;
	o->word = (uint16_t)component;
	return o;
}

struct ast_operand *operand_number(
	struct front *f, enum ast_operand_kind kind, struct lexer_number n, struct span span)
{
	struct ast_operand *o = operand_new(f, kind, span);

	o->value = n.value;
	o->flag = n.flag & 3u;
	return o;
}

/* Reports an expression that PTX does not allow; its statement is omitted. */
static struct diag *reject_expression(struct front *f, struct span span, const char *message)
{
	f->bad = true;
	return diag_report(f->diags, DIAG_E0115, f->source, span, "%s", message);
}

/* Whether O consists of constants only; operators have the answer in FLAG. */
static bool is_constant(const struct front *f, const struct ast_operand *o)
{
	switch (o->kind) {
	case AST_INT:
	case AST_FLOAT: return true;
	case AST_NAME: return o->symbol == f->warp_sz && o->word == W_NONE;
	case AST_UNARY:
	case AST_BINARY:
	case AST_TERNARY:
	case AST_CAST: return o->flag;
	default: return false;
	}
}

/* Whether O is a name or generic(...), possibly plus constants. */
static bool is_address(const struct ast_operand *o)
{
	return (o->kind == AST_NAME && o->word == W_NONE) || (o->kind == AST_CALL && o->symbol) ||
		(o->kind == AST_BINARY && o->op == '+' && !o->flag);
}

static void set_depth(struct front *f, struct ast_operand *o)
{
	uint16_t depth = 0;

	for (const struct ast_operand *s = o->sub; s; s = s->next)
		depth = s->depth > depth ? s->depth : depth;
	o->depth = (depth + 1u) & 1023u;
	if (depth < FRONT_DEPTH)
		return;
	/* cut off here, so that no code descends further */
	if (!f->bad)
		report_depth(f, o->span);
	f->bad = true;
	*o = (struct ast_operand){.kind = AST_INT, .span = o->span};
}

/* O without enclosing parentheses. */
static struct ast_operand *strip_parentheses(struct ast_operand *o)
{
	while (o->kind == AST_LIST && o->sub && !o->sub->next) {
		struct ast_operand *next = o->next;

		o = o->sub;
		o->next = next;
	}
	return o;
}

struct ast_operand *operand_plain(struct front *f, struct ast_operand *o)
{
	const struct ast_operand *outer = o;

	o = strip_parentheses(o);
	if (o != outer && o->kind != AST_LIST && !is_constant(f, o))
		diag_help(f->diags,
			reject_expression(f, outer->span, "parentheses can only enclose constants"),
			"remove them");
	return o;
}

struct ast_operand *operand_group(
	struct front *f, enum ast_operand_kind kind, struct ast_operand *sub, struct span span)
{
	struct ast_operand *o = operand_new(f, kind, span), **link = &o->sub;

	o->sub = sub;
	for (; *link; link = &(*link)->next) {
		*link = operand_plain(f, *link);
		if (f->in_initialiser)
			continue;
		if (kind == AST_VECTOR &&
			((*link)->kind == AST_VECTOR || (*link)->kind == AST_ADDRESS ||
				(*link)->kind == AST_LIST))
			reject_expression(f, (*link)->span,
				"an element of a vector is a name, a constant or _");
		if (kind == AST_ADDRESS &&
			((*link)->kind == AST_ADDRESS || (*link)->kind == AST_LIST))
			reject_expression(f, (*link)->span,
				"brackets contain an address and its coordinates");
	}
	set_depth(f, o);
	return o;
}

/* Rejects 0f... in an expression, where its own type has no meaning; ptxas accepts it in
 * parentheses. */
static void reject_exact(struct front *f, int op, const struct ast_operand *a)
{
	uint32_t bits, other;
	float single;
	double wide;
	uint64_t wide_bits;
	struct diag *r;

	if (a->kind != AST_FLOAT || a->flag != NUMBER_SINGLE)
		return;
	bits = (uint32_t)a->value;
	other = bits ^ UINT32_C(0x80000000);
	memcpy(&single, &bits, sizeof single);
	wide = single;
	memcpy(&wide_bits, &wide, sizeof wide_bits);
	r = reject_expression(f, a->span, "an exact number 0f... cannot be part of an expression");
	if (op == '-')
		diag_help(f->diags, r, "write 0f%08X", other);
	else
		diag_help(f->diags, r, "write 0d%016llX", (unsigned long long)wide_bits);
}

struct ast_operand *operand_unary(struct front *f, int op, struct ast_operand *a, struct span span)
{
	struct ast_operand *o = operand_new(f, AST_UNARY, span);
	bool plain = a->kind != AST_LIST;

	reject_exact(f, op, a);
	a = strip_parentheses(a);
	o->op = (uint16_t)op;
	o->sub = a;
	o->flag = is_constant(f, a);
	if (!o->flag && !((op == '-' || op == '!') && a->kind == AST_NAME && plain)) {
		struct diag *r = reject_expression(f, a->span, "a constant is needed here");

		diag_help(f->diags, r,
			op == '-' || op == '!' ? "'%c' can only precede a constant or a name"
					       : "'%c' can only precede a constant",
			op);
	}
	set_depth(f, o);
	return o;
}

/* Suggests "write FIRST+SECOND", in brackets if SPAN, the whole expression, is in brackets. */
static void help_sum(struct front *f, struct diag *r, struct span span, struct span first,
	const char *plus, struct span second)
{
	const char *text = f->source->text;
	bool bracketed = span.off > 0 && text[span.off - 1] == '[';

	diag_help(f->diags, r, "write %s%.*s%s%.*s%s", bracketed ? "[" : "",
		(int)(first.len > 60 ? 60 : first.len), text + first.off, plus,
		(int)(second.len > 60 ? 60 : second.len), text + second.off, bracketed ? "]" : "");
}

/* Reports why A op B is not a PTX expression, at the responsible operand. */
static void reject_binary(struct front *f, int op, const struct ast_operand *a,
	const struct ast_operand *b, struct span span)
{
	struct diag *r;

	if (op == '-' && is_address(a) && is_constant(f, b)) {
		help_sum(f,
			reject_expression(
				f, span, "an address takes + only; write +- for a negative offset"),
			span, a->span, "+-", b->span);
		return;
	}
	if (op == '+' && is_constant(f, a) && is_address(b)) {
		help_sum(f, reject_expression(f, span, "the name comes first in an address"), span,
			b->span, "+", a->span);
		return;
	}
	if (is_constant(f, a) || (op == '+' && is_address(a)))
		r = reject_expression(f, b->span, "a constant is needed here");
	else
		r = reject_expression(f, a->span,
			op == '+' ? "a name or a constant is needed here"
				  : "a constant is needed here");
	diag_help(f->diags, r, "arithmetic is between constants; compute this with an instruction");
}

struct ast_operand *operand_binary(
	struct front *f, int op, struct ast_operand *a, struct ast_operand *b, struct span span)
{
	struct ast_operand *o = operand_new(f, AST_BINARY, span);
	bool pair;

	reject_exact(f, 0, a);
	reject_exact(f, 0, b);
	a = operand_plain(f, a);
	b = operand_plain(f, b);
	a->next = b;
	b->next = NULL;
	o->op = (uint16_t)op;
	o->sub = a;
	o->flag = is_constant(f, a) && is_constant(f, b);
	/* the constants after a name form one constant: %rd1+4-4 is %rd1+(4-4) */
	if (op != '+' && a->kind == AST_BINARY && a->op == '+' && !a->flag && is_address(a) &&
		is_constant(f, b)) {
		a->sub->next = operand_binary(
			f, op, a->sub->next, b, span_join(a->sub->next->span, b->span));
		a->span = span;
		a->next = NULL;
		set_depth(f, a);
		return a;
	}
	pair = op == '|' && (a->kind == AST_NAME || a->kind == AST_SINK) &&
		(b->kind == AST_NAME || b->kind == AST_SINK);
	if (!o->flag && !pair && !(op == '+' && is_address(a) && is_constant(f, b)))
		reject_binary(f, op, a, b, span);
	set_depth(f, o);
	return o;
}

struct ast_operand *operand_residency(
	struct front *f, struct ast_operand *vector, struct ast_operand *p, struct span span)
{
	struct ast_operand *o = operand_new(f, AST_BINARY, span);

	o->op = '|';
	o->sub = vector;
	vector->next = p;
	set_depth(f, o);
	return o;
}

struct ast_operand *operand_ternary(struct front *f, struct ast_operand *a, struct ast_operand *b,
	struct ast_operand *c, struct span span)
{
	struct ast_operand *o = operand_new(f, AST_TERNARY, span),
			   *part[3] = {
				   operand_plain(f, a), operand_plain(f, b), operand_plain(f, c)};

	o->sub = part[0];
	o->flag = 1;
	for (int i = 0; i < 3; i++) {
		part[i]->next = i < 2 ? part[i + 1] : NULL;
		if (!is_constant(f, part[i])) {
			reject_expression(f, part[i]->span, "a constant is needed here");
			o->flag = 0;
		}
	}
	set_depth(f, o);
	return o;
}

struct ast_operand *operand_cast(
	struct front *f, enum word type, struct ast_operand *a, struct span span)
{
	struct ast_operand *o = operand_new(f, AST_CAST, span);

	o->word = (uint16_t)type;
	o->sub = a = operand_plain(f, a);
	o->flag = is_constant(f, a);
	if (!o->flag)
		reject_expression(f, a->span, "a constant is needed here");
	else if (type != W_s64 && type != W_u64)
		reject_expression(f, span, "the casts of PTX are (.s64) and (.u64)");
	set_depth(f, o);
	return o;
}

struct ast_operand *operand_call(struct front *f, uint32_t symbol, struct lexer_number mask,
	struct ast_operand *sub, struct span head, struct span span)
{
	struct ast_operand *o = operand_new(f, AST_CALL, span);

	o->symbol = symbol;
	o->sub = sub = operand_plain(f, sub);
	if (symbol && symbol != f->generic)
		diag_help(f->diags, reject_expression(f, head, "only generic(...) has this form"),
			"a call is an instruction: call (result), name, (arguments);");
	else if (!f->in_initialiser)
		reject_expression(f, span,
			symbol ? "generic(...) is for initialisers only"
			       : "a mask before an address is for initialisers only");
	else if (sub->next || !is_address(sub) || (symbol && sub->kind != AST_NAME))
		reject_expression(f, sub->span,
			symbol ? "generic(...) takes the name of a variable"
			       : "a mask takes one address");
	if (!symbol) {
		o->sub = operand_number(f, AST_INT, mask, head);
		o->sub->next = sub;
	}
	set_depth(f, o);
	return o;
}

struct ast_operand *operand_index(
	struct front *f, uint32_t symbol, struct ast_operand *index, struct span span)
{
	struct ast_operand *o = operand_new(f, AST_ADDRESS, span);

	o->symbol = symbol;
	o->sub = index = operand_plain(f, index);
	if (!is_constant(f, index))
		diag_help(f->diags, reject_expression(f, index->span, "a constant is needed here"),
			"this is the index of an array; an address that is an operand of its own has a comma before it");
	set_depth(f, o);
	return o;
}

struct ast_operand *operand_setting(
	struct front *f, struct ast_operand *name, struct ast_operand *value, struct span span)
{
	struct ast_operand *o = operand_new(f, AST_BINARY, span);

	name = operand_plain(f, name);
	value = operand_plain(f, value);
	if (name->kind != AST_NAME)
		reject_expression(f, name->span, "the name of a field is needed before '='");
	name->next = value;
	value->next = NULL;
	o->op = '=';
	o->sub = name;
	set_depth(f, o);
	return o;
}
