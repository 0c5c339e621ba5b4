/* Parses expressions: C's operators and precedences, array ranges, ~= with a tolerance, registers
 * of threads. */
#include "script/lang/expr.h"
#include <string.h>

enum { MAX_DEPTH = 400, MAX_NESTING = 100 };

struct reader {
	struct lexer *x;
	unsigned nesting;
};

static const struct {
	char name[6];
	uint16_t function;
} functions[] = {
	{"abs", FUNCTION_ABS},
	{"min", FUNCTION_MIN},
	{"max", FUNCTION_MAX},
	{"sum", FUNCTION_SUM},
	{"count", FUNCTION_COUNT},
	{"sqrt", FUNCTION_SQRT},
	{"rsqrt", FUNCTION_RSQRT},
	{"exp", FUNCTION_EXP},
	{"exp2", FUNCTION_EXP2},
	{"log", FUNCTION_LOG},
	{"log2", FUNCTION_LOG2},
	{"sin", FUNCTION_SIN},
	{"cos", FUNCTION_COS},
	{"tanh", FUNCTION_TANH},
	{"pow", FUNCTION_POW},
	{"fma", FUNCTION_FMA},
	{"floor", FUNCTION_FLOOR},
	{"ceil", FUNCTION_CEIL},
	{"round", FUNCTION_ROUND},
	{"trunc", FUNCTION_TRUNC},
	{"isnan", FUNCTION_ISNAN},
	{"isinf", FUNCTION_ISINF},
	{"bits", FUNCTION_BITS},
	{"popc", FUNCTION_POPC},
};
enum { FUNCTIONS = sizeof functions / sizeof functions[0] };

static struct expr *parse_expression(struct reader *r, unsigned level);

struct expr *expr_new(struct lexer *x, enum expr_kind kind, struct span span)
{
	struct expr *e = ARENA_NEW(x->arena, struct expr);

	e->kind = (uint8_t)kind;
	e->span = e->name_span = span;
	e->source = x->source;
	e->object = OBJECT_UNRESOLVED;
	e->depth = 1;
	return e;
}

struct expr *expr_expected(struct lexer *x, const char *what)
{
	if (x->kind != T_BAD)
		diag_report(x->diags, DIAG_L0102, x->source, x->span, "expected %s, found %s", what,
			lex_shown(x));
	return NULL;
}

bool expr_accept(struct lexer *x, int kind, const char *what)
{
	if (x->kind != kind)
		return expr_expected(x, what) != NULL;
	lex_next(x);
	return true;
}

/* Makes SUB operand K of E. Returns NULL if SUB is NULL or the tree has become too deep. */
static struct expr *adopt(struct reader *r, struct expr *e, unsigned k, struct expr *sub)
{
	uint32_t end;

	if (!sub)
		return NULL;
	e->sub[k] = sub;
	if (sub->depth >= e->depth)
		e->depth = (uint16_t)(sub->depth + 1);
	end = sub->span.off + sub->span.len;
	if (sub->source == e->source && end > e->span.off + e->span.len)
		e->span.len = end - e->span.off;
	if (e->depth > MAX_DEPTH) {
		diag_report(r->x->diags, DIAG_L0122, e->source, e->span,
			"an expression with more than %d operations in a row or nested",
			(int)MAX_DEPTH);
		return NULL;
	}
	return e;
}

/* Extends E to the end of the previous token. */
static struct expr *ends_here(struct reader *r, struct expr *e)
{
	if (r->x->last_end > e->span.off)
		e->span.len = r->x->last_end - e->span.off;
	return e;
}

static uint16_t function_find(const char *name)
{
	for (unsigned k = 0; k < FUNCTIONS; k++)
		if (strcmp(functions[k].name, name) == 0)
			return functions[k].function;
	return FUNCTION_NONE;
}

static struct expr *unknown_function(struct lexer *x, const char *name, struct span span)
{
	struct diag *d = diag_report(
		x->diags, DIAG_L0120, x->source, span, "unknown function '%.60s'", name);
	const char *best = NULL;
	unsigned least = 3;

	for (unsigned k = 0; k < FUNCTIONS; k++) {
		unsigned n = text_distance(
			name, strlen(name), functions[k].name, strlen(functions[k].name), 2);

		if (n < least) {
			least = n;
			best = functions[k].name;
		}
	}
	if (best)
		diag_help(x->diags, d, "did you mean %s(...)?", best);
	return NULL;
}

static struct expr *parse_call(struct reader *r, const char *name, struct span span)
{
	struct lexer *x = r->x;
	struct expr *e = expr_new(x, EXPR_CALL, span), **last = &e->sub[0];
	enum type t = scalar_find(name, strlen(name));

	e->name = name;
	e->type = (uint8_t)t;
	e->function = t != TYPE_NONE ? FUNCTION_TYPE : function_find(name);
	if (e->function == FUNCTION_NONE)
		return unknown_function(x, name, span);
	lex_next(x);
	for (;;) {
		struct expr *a = parse_expression(r, 0);

		if (!a)
			return NULL;
		*last = a;
		last = &a->next;
		if (a->depth >= e->depth)
			e->depth = (uint16_t)(a->depth + 1);
		if (x->kind != ',')
			break;
		lex_next(x);
	}
	if (x->kind != ')')
		return expr_expected(x, "',' or ')'");
	lex_next(x);
	return ends_here(r, e);
}

static struct expr *parse_subscript(struct reader *r, struct expr *e)
{
	struct lexer *x = r->x;

	lex_next(x);
	if (x->kind == T_RANGE) {
		e->range = RANGE_ALL;
		lex_next(x);
	} else {
		e->range = RANGE_INDEX;
		if (!adopt(r, e, 0, parse_expression(r, 0)))
			return NULL;
		if (x->kind == T_RANGE) {
			e->range = RANGE_SPAN;
			lex_next(x);
			if (!adopt(r, e, 1, parse_expression(r, 0)))
				return NULL;
		}
	}
	if (x->kind != ']')
		return expr_expected(x, e->range == RANGE_INDEX ? "']' or '..'" : "']'");
	lex_next(x);
	return ends_here(r, e);
}

/* Whether the current word is a thread: P12 directly followed by ':'. */
static bool is_thread(const struct lexer *x, uint32_t *thread)
{
	uint64_t n = 0;

	if (x->str[0] != 'P' || !x->str[1] || x->source->text[x->span.off + x->span.len] != ':')
		return false;
	for (const char *s = x->str + 1; *s; s++) {
		if (*s < '0' || *s > '9')
			return false;
		n = n * 10 + (uint64_t)(*s - '0');
		if (n > UINT32_MAX)
			return false;
	}
	*thread = (uint32_t)n;
	return true;
}

static struct expr *parse_register(struct reader *r, uint32_t thread)
{
	struct lexer *x = r->x;
	struct expr *e = expr_new(x, EXPR_REGISTER, x->span);

	e->thread = thread;
	lex_next(x);
	lex_next(x);
	if (x->kind != T_WORD)
		return expr_expected(x, "a register, as in P1:%r2");
	e->name = x->str;
	e->name_span = x->span;
	lex_next(x);
	return ends_here(r, e);
}

static struct expr *parse_name(struct reader *r, bool may_call)
{
	struct lexer *x = r->x;
	struct expr *e = expr_new(x, EXPR_NAME, x->span);
	uint32_t thread;

	if (is_thread(x, &thread))
		return parse_register(r, thread);
	e->name = x->str;
	if (strcmp(x->str, "nan") == 0 || strcmp(x->str, "inf") == 0) {
		e->kind = EXPR_FLOAT;
		e->f = x->str[0] == 'n' ? __builtin_nan("") : __builtin_inf();
		lex_next(x);
		return e;
	}
	lex_next(x);
	if (x->kind == '(' &&
		(may_call ||
			(!x->spaced &&
				(function_find(e->name) ||
					scalar_find(e->name, strlen(e->name)) != TYPE_NONE))))
		return parse_call(r, e->name, e->span);
	return x->kind == '[' ? parse_subscript(r, e) : e;
}

static struct expr *parse_primary(struct reader *r, bool may_call)
{
	struct lexer *x = r->x;
	struct expr *e;

	switch (x->kind) {
	case T_INT:
	case T_FLOAT:
		e = expr_new(x, x->kind == T_INT ? EXPR_INT : EXPR_FLOAT, x->span);
		e->i = x->i;
		e->f = x->f;
		lex_next(x);
		return e;
	case T_WORD: return parse_name(r, may_call);
	case '(': {
		struct span open = x->span;

		lex_next(x);
		e = parse_expression(r, 0);
		if (!e)
			return NULL;
		if (x->kind != ')') {
			expr_expected(x, "')'");
			return NULL;
		}
		lex_next(x);
		e->span.len += e->span.off - open.off;
		e->span.off = open.off;
		return ends_here(r, e);
	}
	default: return expr_expected(x, "a number, a name or '('");
	}
}

static struct expr *parse_unary(struct reader *r, bool may_call)
{
	struct lexer *x = r->x;
	struct expr *e;

	if (x->kind != '-' && x->kind != '+' && x->kind != '!' && x->kind != '~' && x->kind != '&')
		return parse_primary(r, may_call);
	if (++r->nesting > MAX_NESTING) {
		diag_report(x->diags, DIAG_L0122, x->source, x->span,
			"more than %d levels of nesting", (int)MAX_NESTING);
		return NULL;
	}
	e = expr_new(x, EXPR_UNARY, x->span);
	e->op = (int16_t)x->kind;
	lex_next(x);
	e = adopt(r, e, 0, parse_unary(r, may_call));
	r->nesting--;
	return e;
}

/* C's precedences; 0 is the conditional operator's own level. */
static unsigned precedence(int kind)
{
	switch (kind) {
	case T_OR: return 1;
	case T_AND: return 2;
	case '|': return 3;
	case '^': return 4;
	case '&': return 5;
	case T_EQ:
	case T_NE:
	case T_NEAR: return 6;
	case '<':
	case '>':
	case T_LE:
	case T_GE: return 7;
	case T_SHL:
	case T_SHR: return 8;
	case '+':
	case '-': return 9;
	case '*':
	case '/':
	case '%': return 10;
	default: return 0;
	}
}

static struct expr *parse_tolerance(struct reader *r, struct expr *e)
{
	struct lexer *x = r->x;

	if (x->kind != '(')
		return e;
	lex_next(x);
	e->tolerance = parse_expression(r, 0);
	if (!e->tolerance)
		return NULL;
	if (x->kind != ')')
		return expr_expected(x, "')' after the tolerance");
	lex_next(x);
	return ends_here(r, e);
}

/* Parses operators that bind at least as tightly as LEVEL. NEAR: this is the right side of ~=,
 * where "name (" is a name followed by a tolerance. */
static struct expr *parse_operators(struct reader *r, unsigned level, bool near)
{
	struct lexer *x = r->x;
	struct expr *left = parse_unary(r, !near);

	while (left && precedence(x->kind) >= level && precedence(x->kind)) {
		struct expr *e = expr_new(x, EXPR_BINARY, left->span);
		unsigned p = precedence(x->kind);

		e->op = (int16_t)x->kind;
		e->name_span = x->span;
		lex_next(x);
		if (!adopt(r, e, 0, left) ||
			!adopt(r, e, 1, parse_operators(r, p + 1, near || e->op == T_NEAR)))
			return NULL;
		left = e->op == T_NEAR ? parse_tolerance(r, e) : e;
	}
	return left;
}

static struct expr *parse_expression(struct reader *r, unsigned level)
{
	struct lexer *x = r->x;
	struct expr *e, *condition;

	if (++r->nesting > MAX_NESTING) {
		diag_report(x->diags, DIAG_L0122, x->source, x->span,
			"more than %d levels of nesting", (int)MAX_NESTING);
		return NULL;
	}
	e = parse_operators(r, level + 1, false);
	if (e && x->kind == '?') {
		condition = e;
		e = expr_new(x, EXPR_TERNARY, condition->span);
		lex_next(x);
		if (!adopt(r, e, 0, condition) || !adopt(r, e, 1, parse_expression(r, 0)))
			return NULL;
		if (x->kind != ':')
			return expr_expected(x, "':'");
		lex_next(x);
		if (!adopt(r, e, 2, parse_expression(r, 0)))
			return NULL;
	}
	r->nesting--;
	return e;
}

struct expr *expr_parse(struct lexer *x)
{
	struct reader r = {.x = x};

	return parse_expression(&r, 0);
}

/* Parses a list up to its closing brace; the elements are in sub[0]. */
static struct expr *parse_fields(struct reader *r);

/* Whether the current word is a type followed by ':', and not a thread as in P1:%r2. */
static bool is_field_type(const struct lexer *x)
{
	const char *t = x->source->text + x->span.off + x->span.len;

	while (*t == ' ' || *t == '\t')
		t++;
	return *t == ':' && x->str[0] != 'P';
}

static struct expr *parse_argument(struct reader *r)
{
	struct lexer *x = r->x;
	struct lexer before = *x;
	enum type t;
	struct expr *e;

	if (x->kind == '{')
		return parse_fields(r);
	if (x->kind != T_WORD)
		return parse_expression(r, 0);
	if (!is_field_type(x))
		return parse_expression(r, 0);
	t = scalar_find(x->str, x->len);
	lex_next(x);
	if (t == TYPE_NONE) {
		const char *near = scalar_nearest(before.str, before.len);
		struct diag *d = diag_report(x->diags, DIAG_L0105, x->source, before.span,
			"unknown type '%.40s'", before.str);

		if (near)
			diag_help(x->diags, d, "did you mean %s?", near);
		return NULL;
	}
	lex_next(x);
	e = parse_expression(r, 0);
	if (!e)
		return NULL;
	e->field_type = (uint8_t)t;
	e->span = (struct span){before.span.off, e->span.off + e->span.len - before.span.off};
	return e;
}

static struct expr *parse_fields(struct reader *r)
{
	struct lexer *x = r->x;
	struct expr *e = expr_new(x, EXPR_FIELDS, x->span), **last = &e->sub[0];

	if (++r->nesting > MAX_NESTING) {
		diag_report(x->diags, DIAG_L0122, x->source, x->span,
			"more than %d levels of nesting", (int)MAX_NESTING);
		return NULL;
	}
	lex_next(x);
	while (x->kind != '}') {
		struct expr *a = parse_argument(r);

		if (!a)
			return NULL;
		*last = a;
		last = &a->next;
		if (x->kind == ',')
			lex_next(x);
		else if (x->kind != '}')
			return expr_expected(x, "',' or '}'");
	}
	lex_next(x);
	r->nesting--;
	return ends_here(r, e);
}

struct expr *expr_parse_argument(struct lexer *x)
{
	struct reader r = {.x = x};

	return parse_argument(&r);
}

struct expr *expr_parse_dims(struct lexer *x)
{
	struct reader r = {.x = x};
	struct lexer before = *x;
	struct expr *first, **last;

	if (x->kind != '(')
		return parse_expression(&r, 0);
	lex_next(x);
	first = parse_expression(&r, 0);
	if (!first)
		return NULL;
	if (x->kind == T_BAD)
		return NULL;
	if (x->kind != ',') { /* (4), (4 + 1) * 2: an ordinary expression */
		*x = before;
		r = (struct reader){.x = x};
		return parse_expression(&r, 0);
	}
	last = &first->next;
	for (unsigned n = 1; x->kind == ','; n++) {
		lex_next(x);
		if (n == 3) {
			diag_report(x->diags, DIAG_L0121, x->source, x->span,
				"at most three dimensions");
			return NULL;
		}
		*last = parse_expression(&r, 0);
		if (!*last)
			return NULL;
		last = &(*last)->next;
	}
	if (x->kind != ')')
		return expr_expected(x, "',' or ')'");
	lex_next(x);
	return first;
}

const char *expr_text(const struct expr *x, struct arena *arena)
{
	const char *s = x->source->text + x->span.off;
	uint32_t n = x->span.len;
	char *copy = arena_text(arena, s, n), *to = copy;

	/* drop the line breaks of an expression that spans several lines */
	for (uint32_t k = 0; k < n;) {
		if (s[k] == '\\' && memchr(s + k, '\n', n - k)) {
			uint32_t m = k + 1;

			while (m < n && (s[m] == ' ' || s[m] == '\t' || s[m] == '\r'))
				m++;
			if (m < n && s[m] == '\n') {
				for (k = m; k < n && strchr(" \t\r\n/@", s[k]); k++)
					;
				continue;
			}
		}
		*to++ = s[k++];
	}
	*to = 0;
	return copy;
}

bool expr_parse_list(
	struct lexer *x, int close, unsigned most, const char *too_many, struct expr **list)
{
	for (unsigned n = 0;; n++) {
		if (n == most)
			return expr_expected(x, too_many) != NULL;
		if (!(*list = expr_parse(x)))
			return false;
		list = &(*list)->next;
		if (x->kind == close)
			break;
		if (!expr_accept(x, ',', "',' or the end of the list"))
			return false;
	}
	lex_next(x);
	return true;
}
