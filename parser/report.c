/* Messages for syntax errors: the token, what was expected, and a correction. */
#include "parser/front.h"
#include "parser/ptx.tab.h"
#include <string.h>

enum { NAMED = 4 };

static bool may_follow(const struct expected *e, int kind) { return e->name[kind] != NULL; }

static struct span after_last(const struct front *f)
{
	return (struct span){f->last.off + f->last.len, 0};
}

static int shown_length(struct span span) { return (int)(span.len > 40 ? 40 : span.len); }

/* If the first NEEDED kinds of GROUP are all expected, replaces the kinds of GROUP in E by WORD in
 * LIST. Returns the length of LIST. */
static unsigned fold_group(struct expected *e, const char **list, unsigned n, const char *word,
	const int *group, unsigned needed)
{
	bool all = true;

	for (unsigned i = 0; i < needed; i++)
		all = all && may_follow(e, group[i]);
	if (!all)
		return n;
	for (; *group; group++)
		e->name[*group] = NULL;
	list[n] = word;
	return n + 1;
}

static void drop_group(struct expected *e, const int *group)
{
	for (; *group; group++)
		e->name[*group] = NULL;
}

/* "A, B or C": at most NAMED of the expected kinds, grouped in familiar terms. */
static const char *expectation(struct front *f, const struct expected *expected)
{
	static const int top[] = {PTX_D_ENTRY, PTX_D_FILE, PTX_D_FUNC, PTX_D_SECTION,
		PTX_D_INTERMEDIATE, PTX_D_ALIAS, PTX_D_PRAGMA, PTX_LINKAGE, PTX_SPACE, PTX_REG,
		PTX_D_ALIGN, PTX_D_ATTRIBUTE, PTX_END, 0};
	static const int statement[] = {PTX_NAME, PTX_AT, PTX_D_LOC, PTX_D_LOC_INTERMEDIATE,
		PTX_D_PRAGMA, PTX_LBRACE, PTX_LINKAGE, PTX_SPACE, PTX_REG, PTX_D_ALIGN,
		PTX_D_ATTRIBUTE, PTX_D_BRANCHTARGETS, PTX_D_CALLTARGETS, PTX_D_CALLPROTOTYPE,
		PTX_D_TARGET, 0};
	static const int modifier[] = {
		PTX_MODIFIER, PTX_TYPE, PTX_SPACE, PTX_VECTOR, PTX_LINKAGE, PTX_D_ALIAS, 0};
	static const int operand[] = {PTX_NAME, PTX_INT, PTX_LBRACK, PTX_FLOAT, PTX_LBRACE,
		PTX_LPAREN, PTX_BANG, PTX_TILDE, PTX_SINK, PTX_MINUS, PTX_PLUS, 0};
	static const int expression[] = {PTX_NAME, PTX_INT, PTX_FLOAT, PTX_LPAREN, PTX_BANG,
		PTX_TILDE, PTX_SINK, PTX_MINUS, PTX_PLUS, 0};
	static const int declaration[] = {
		PTX_LINKAGE, PTX_SPACE, PTX_REG, PTX_D_ALIGN, PTX_D_ATTRIBUTE, 0};
	static const int operator[] = {PTX_STAR, PTX_SLASH, PTX_PERCENT, PTX_AMP, PTX_CARET,
		PTX_PIPE, PTX_LAND, PTX_LOR, PTX_QUESTION, PTX_SHL, PTX_SHR, PTX_LANGLE, PTX_RANGLE,
		PTX_LE, PTX_GE, PTX_EQ, PTX_NE, PTX_PLUS, PTX_MINUS, 0};
	static const int after_name[] = {PTX_MODIFIER, PTX_TYPE, PTX_LPAREN, PTX_LBRACK, 0};
	static const int specifier[] = {PTX_SINK, PTX_SPACE, PTX_TYPE, PTX_VECTOR, PTX_D_ALIGN,
		PTX_D_PTR, PTX_D_ATTRIBUTE, 0};
	struct expected e = *expected;
	const char *list[FRONT_TOKENS + 8];
	struct text t = {0};
	unsigned n = 0;
	const char *all;

	n = fold_group(&e, list, n, "a declaration or a function", top, 1);
	n = fold_group(&e, list, n, "a statement", statement, 2);
	n = fold_group(&e, list, n, "a modifier", modifier, 3);
	n = fold_group(&e, list, n, "an operand", operand, 3);
	n = fold_group(&e, list, n, "an expression", expression, 4);
	n = fold_group(&e, list, n, "a state space", declaration, 4);
	if (may_follow(&e, PTX_STAR))
		drop_group(&e, operator);
	if (may_follow(&e, PTX_COMMA))
		drop_group(&e, after_name);
	if (may_follow(&e, PTX_NAME) && f->has_type)
		drop_group(&e, specifier);
	for (int k = 0; k < FRONT_TOKENS; k++)
		if (e.name[k])
			list[n++] = e.name[k];
	for (unsigned i = 0; i < n && i < NAMED; i++) {
		const char *quote = strncmp(list[i], "a ", 2) == 0 ||
				strncmp(list[i], "an ", 3) == 0 || strncmp(list[i], "end ", 4) == 0
			? ""
			: "'";

		text_printf(&t, "%s%s%s%s",
			i == 0                                 ? ""
				: i + 1 == n || i + 1 == NAMED ? " or "
							       : ", ",
			quote, list[i], quote);
	}
	all = arena_text(f->arena, text_str(&t), t.len);
	text_free(&t);
	return all;
}

void report_missing(struct front *f, int missing, int kind)
{
	const char *text = f->source->text;
	struct diag *r;

	if (missing == PTX_COMMA) {
		diag_report(f->diags, DIAG_E0114, f->source, after_last(f),
			"missing ',' between '%.*s' and '%.*s'", shown_length(f->last),
			text + f->last.off, shown_length(f->look), text + f->look.off);
		return;
	}
	r = diag_report(f->diags, DIAG_E0102, f->source, after_last(f), "missing ';' after '%.*s'",
		shown_length(f->last), text + f->last.off);
	if (kind != PTX_RBRACE && kind != PTX_END)
		diag_label(f->diags, r, f->source, f->look, "the next statement begins here");
}

bool report_head_alone(const struct front *f)
{
	const char *text = f->source->text;
	uint32_t from = f->head.off + f->head.len, at = front_skip_blank(f->source, from);

	if (f->head.len == 0 || at > f->last.off || !memchr(text + from, '\n', at - from))
		return false;
	return (text[at] >= 'a' && text[at] <= 'z') || (text[at] >= 'A' && text[at] <= 'Z') ||
		text[at] == '_' || text[at] == '$';
}

/* Reports errors that have a message of their own; returns false for others. */
static bool report_special(struct front *f, int kind, struct span span, const struct expected *e)
{
	bool inside = f->open.count > 0;
	struct diag *r;

	if (may_follow(e, PTX_D_VERSION) ||
		(may_follow(e, PTX_D_TARGET) && !may_follow(e, PTX_NAME))) {
		r = diag_report(f->diags, DIAG_E0109, f->source, span,
			may_follow(e, PTX_D_VERSION) ? "a module begins with .version"
						     : ".version must be followed by .target");
		diag_help(f->diags, r,
			"write for example .version 9.0, then .target sm_90, then .address_size 64");
		return true;
	}
	if (inside && (kind == PTX_END || kind == PTX_D_ENTRY || kind == PTX_D_FUNC))
		return true; /* reported where it is repaired (recover.c) */
	if (inside && may_follow(e, PTX_COMMA) && may_follow(e, PTX_SEMI) && report_head_alone(f)) {
		diag_report(f->diags, DIAG_E0102, f->source,
			(struct span){f->head.off + f->head.len, 0}, "missing ';' after '%.*s'",
			shown_length(f->head), f->source->text + f->head.off);
		return true;
	}
	if (kind == PTX_SEMI && may_follow(e, PTX_NAME) &&
		(may_follow(e, PTX_AT) || may_follow(e, PTX_D_ENTRY))) {
		diag_help(f->diags,
			diag_report(f->diags, DIAG_E0113, f->source, span,
				"there is no statement before this ';'"),
			"remove it");
		return true;
	}
	if (kind == PTX_SEMI && may_follow(e, PTX_D_ENTRY)) {
		diag_help(f->diags,
			diag_report(f->diags, DIAG_E0113, f->source, span,
				"there is no declaration before this ';'"),
			"remove it");
		return true;
	}
	if (kind == PTX_RBRACE && may_follow(e, PTX_D_ENTRY)) {
		diag_report(f->diags, DIAG_E0112, f->source, span, "this '}' has no '{'");
		return true;
	}
	if (!inside && may_follow(e, PTX_D_ENTRY) && may_follow(e, PTX_D_FILE) &&
		(kind == PTX_NAME || kind == PTX_AT || kind == PTX_LBRACE || kind == PTX_D_LOC)) {
		diag_report(f->diags, DIAG_E0118, f->source, span, "'%.*s' is outside any function",
			shown_length(span), f->source->text + span.off);
		f->outside = kind != PTX_D_LOC; /* .loc ends with its line */
		return true;
	}
	if ((kind == PTX_D_VERSION || kind == PTX_D_TARGET || kind == PTX_D_ADDRESS_SIZE) &&
		may_follow(e, PTX_D_FILE)) {
		diag_report(f->diags, DIAG_E0109, f->source, span,
			"'%.*s' belongs at the beginning of a module, once", shown_length(span),
			f->source->text + span.off);
		return true;
	}
	return false;
}

/* Reports a guard before something other than an instruction. */
static bool guard_error(struct front *f, int kind, struct span span, const struct expected *e)
{
	unsigned n = 0;
	struct diag *r;

	for (int k = 0; k < FRONT_TOKENS; k++)
		n += e->name[k] != NULL;
	if (n != 1 || !may_follow(e, PTX_NAME) || f->open.count == 0 || kind != PTX_LBRACE)
		return false;
	r = diag_report(f->diags, DIAG_E0116, f->source, span,
		"a guard predicate applies to one instruction, not to a block");
	diag_help(f->diags, r, "guard each instruction of the block, or branch over it");
	return true;
}

void report_syntax(struct front *f, int kind, struct span span, const struct expected *expected)
{
	struct diag *r;
	const char *what;

	f->outside = false;
	if (f->quiet || kind < 0 || (f->lexer.reported && f->lexer.reported == span.off + 1)) {
		f->quiet = false;
		return;
	}
	if (report_special(f, kind, span, expected) || guard_error(f, kind, span, expected))
		return;
	what = expectation(f, expected);
	if (front_newline_before(f) && kind != PTX_END && kind != PTX_RBRACE && f->last.len &&
		!strchr(";{}:", f->source->text[f->last.off]))
		r = diag_report(f->diags, DIAG_E0101, f->source, after_last(f),
			"the line ends too early after '%.*s'", shown_length(f->last),
			f->source->text + f->last.off);
	else if (kind == PTX_END)
		r = diag_report(f->diags, DIAG_E0101, f->source, span, "the file ends too early");
	else
		r = diag_report(f->diags, DIAG_E0101, f->source, span, "unexpected '%.*s'",
			shown_length(span), f->source->text + span.off);
	if (*what)
		diag_help(f->diags, r, "expected here: %s", what);
}

void report_depth(struct front *f, struct span span)
{
	diag_report(f->diags, DIAG_E0110, f->source, span, "this is nested too deeply");
}
