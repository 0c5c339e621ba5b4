/* Supplies tokens, and resynchronises after an error: panic mode guided by line ends, braces and
 * the first words of statements. */
#include "parser/front.h"
#include "parser/ptx.tab.h"
#include <string.h>

int front_token(struct front *f, union token_value *value, struct span *span)
{
	int kind = f->held.kind;

	f->last = f->look;
	if (f->close) {
		f->close--;
		*span = (struct span){f->look.off, 0};
		return PTX_RBRACE;
	}
	if (kind > 0) {
		*value = f->held.value;
		*span = f->held.span;
		f->held.kind = 0;
		kind = kind == FRONT_HELD_END ? PTX_END : kind;
	} else {
		kind = lexer_next(&f->lexer, value, span);
	}
	f->look = *span;
	f->last_kind = kind;
	return kind;
}

/* Holds back a token, which the next call delivers. */
static void hold_token(struct front *f, const struct token *t)
{
	f->held = *t;
	if (t->kind == PTX_END)
		f->held.kind = FRONT_HELD_END;
}

enum { BEGINS = FRONT_BEGINS, ENDS = FRONT_ENDS };
const uint8_t front_edge[FRONT_TOKENS] = {
	[PTX_NAME] = BEGINS | ENDS,
	[PTX_INT] = BEGINS | ENDS,
	[PTX_FLOAT] = BEGINS | ENDS,
	[PTX_SINK] = BEGINS | ENDS,
	[PTX_LBRACK] = BEGINS,
	[PTX_LBRACE] = BEGINS,
	[PTX_LPAREN] = BEGINS,
	[PTX_BANG] = BEGINS,
	[PTX_TILDE] = BEGINS,
	[PTX_SPACE] = BEGINS,
	[PTX_REG] = BEGINS,
	[PTX_STRING] = ENDS,
	[PTX_RBRACK] = ENDS,
	[PTX_RBRACE] = ENDS,
	[PTX_RPAREN] = ENDS,
	[PTX_RANGLE] = ENDS,
	[PTX_MODIFIER] = ENDS,
	[PTX_TYPE] = ENDS,
};
static bool begins_operand(int kind) { return front_edge[kind] & BEGINS; }

bool front_ends_line(const struct front *f, int kind)
{
	return kind == PTX_RBRACE || kind == PTX_END || (kind > 0 && front_newline_before(f));
}

bool front_suspicious_after(const struct front *f, int kind, struct span span)
{
	if (span.len == 0)
		return kind == PTX_END;
	if (f->lexer.reported == span.off + 1)
		return false;
	return kind == PTX_RBRACE || begins_operand(kind) || front_ends_line(f, kind);
}

bool front_lacks_comma(const struct front *f, int before, int kind)
{
	if (!begins_operand(kind) || before == PTX_RPAREN)
		return false;
	if (f->open.count && kind == PTX_NAME && front_ends_line(f, kind) &&
		f->source->text[f->look.off] != '%')
		return false; /* probably the opcode of the next statement */
	return !report_head_alone(f);
}

int front_insert(
	struct front *f, int missing, int kind, const union token_value *value, struct span *span)
{
	struct token t = {kind, *value, *span};

	if (!f->quiet)
		report_missing(f, missing, kind);
	hold_token(f, &t);
	*span = f->look = (struct span){f->last.off + f->last.len, 0};
	f->last_kind = missing;
	return missing;
}

bool front_begins_line(const struct front *f, struct span span)
{
	const char *text = f->source->text;
	uint32_t at = span.off;

	while (at > 0 && (text[at - 1] == ' ' || text[at - 1] == '\t'))
		at--;
	return at == 0 || text[at - 1] == '\n';
}

static void advance(struct front *f, struct token *look)
{
	f->lexer.skipping = true;
	look->kind = front_token(f, &look->value, &look->span);
	f->lexer.skipping = false;
}

/* Whether LOOK can begin a statement. A name that begins with % is a register and so the rest of a
 * broken instruction. */
static bool begins_statement(const struct front *f, const struct token *look)
{
	switch (look->kind) {
	case PTX_NAME: return f->source->text[look->span.off] != '%';
	case PTX_AT:
	case PTX_REG:
	case PTX_SPACE:
	case PTX_LINKAGE:
	case PTX_D_ALIGN:
	case PTX_D_LOC:
	case PTX_D_LOC_INTERMEDIATE:
	case PTX_D_PRAGMA: return front_begins_line(f, look->span);
	default: return false;
	}
}

static bool begins_top(const struct front *f, const struct token *look)
{
	switch (look->kind) {
	case PTX_D_ENTRY:
	case PTX_D_FUNC:
	case PTX_D_FILE:
	case PTX_D_SECTION:
	case PTX_D_INTERMEDIATE:
	case PTX_LINKAGE: return true;
	case PTX_SPACE:
	case PTX_REG:
	case PTX_D_ALIGN:
	case PTX_D_ATTRIBUTE:
	case PTX_D_ALIAS:
	case PTX_D_PRAGMA: return front_begins_line(f, look->span);
	default: return false;
	}
}

/* Reports a function without its }, and delivers one for every open { before the lookahead. */
static void close_function(struct front *f, struct token *look)
{
	struct diag *r;
	uint32_t n = f->open.count;

	if (n == 0)
		return;
	r = diag_report(f->diags, DIAG_E0111, f->source, look->span, "missing '}' before %s",
		look->kind == PTX_END ? "the end of the file" : "the next function");
	diag_label(f->diags, r, f->source, f->open.data[n - 1], "this '{' is never closed");
	f->kept_linkage = f->spec.linkage;
	hold_token(f, look);
	f->close = n - 1;
	look->kind = PTX_RBRACE;
	look->span.len = 0;
}

/* Whether a } ends a vector rather than a block: a ; or , follows. */
static bool closes_vector(const struct front *f, const struct token *look)
{
	char next = look->span.len ? lexer_peek(&f->lexer) : '\0';

	return next == ';' || next == ',';
}

void recover_statement(struct front *f, struct token *look)
{
	uint32_t level = 0, inner = f->inner;

	f->inner = 0;
	f->arena = &f->module->arena;
	f->in_initialiser = f->bad = f->quiet = false;
	if (look->kind == FRONT_EMPTY)
		advance(f, look);
	for (;; advance(f, look)) {
		switch (look->kind) {
		case PTX_END:
		case PTX_D_ENTRY:
		case PTX_D_FUNC: close_function(f, look); return;
		case PTX_SEMI:
			if (level > 0)
				break;
			look->kind = FRONT_EMPTY;
			return;
		case PTX_LBRACE:
			if (level == 0 && front_begins_line(f, look->span))
				return;
			level++;
			break;
		case PTX_RBRACE:
			if (level > 0)
				level--;
			else if (inner > 0)
				inner--;
			else if (!closes_vector(f, look))
				return;
			break;
		default:
			if (level == 0 && begins_statement(f, look) &&
				front_begins_line(f, look->span))
				return;
		}
	}
}

void recover_top(struct front *f, struct token *look)
{
	uint32_t level = f->in_section, inner = f->inner;
	bool outside = f->outside;

	f->in_initialiser = f->outside = f->quiet = f->lexer.in_section = f->in_section = false;
	f->inner = 0;
	f->func = NULL;
	f->open.count = 0;
	if (look->kind == FRONT_EMPTY)
		advance(f, look);
	for (;; advance(f, look)) {
		switch (look->kind) {
		case PTX_END: return;
		case PTX_SEMI:
			if (level > 0 || outside)
				break;
			look->kind = FRONT_EMPTY;
			return;
		case PTX_LBRACE: level++; break;
		case PTX_RBRACE:
			if (level == 0 && inner > 0) {
				inner--;
				break;
			}
			level -= level > 0;
			if (level > 0 || outside || closes_vector(f, look))
				break;
			look->kind = FRONT_EMPTY;
			return;
		case PTX_D_ENTRY:
		case PTX_D_FUNC: return;
		default:
			if (begins_top(f, look) && front_begins_line(f, look->span) && level == 0 &&
				(!outside || look->kind != PTX_SPACE))
				return;
			if (look->kind == PTX_LINKAGE && front_begins_line(f, look->span))
				return;
		}
	}
}

void recover_parameter(struct front *f, struct token *look)
{
	uint32_t level = 0;

	if (look->kind == FRONT_EMPTY)
		advance(f, look);
	for (;; advance(f, look)) {
		switch (look->kind) {
		case PTX_COMMA:
			if (level == 0)
				return;
			break;
		case PTX_LPAREN: level++; break;
		case PTX_RPAREN:
			if (level-- == 0)
				return;
			break;
		case PTX_END:
		case PTX_SEMI:
		case PTX_LBRACE:
		case PTX_RBRACE:
		case PTX_D_ENTRY:
		case PTX_D_FUNC:
			/* the ) is missing: insert it */
			hold_token(f, look);
			f->quiet = true;
			look->kind = PTX_RPAREN;
			look->span.len = 0;
			return;
		default: break;
		}
	}
}
