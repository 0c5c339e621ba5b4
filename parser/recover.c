/* Where tokens come from and where reading goes on after an error: panic mode that knows lines, braces and what a statement begins with. */
#include "parser/front.h"
#include "parser/ptx.tab.h"

int front_token(struct front *f, union token_value *value, struct span *span)
{
	int kind;

	f->last = f->look;
	if (f->close) {
		f->close--;
		*span = (struct span){f->look.off, 0};
		return PTX_RBRACE;
	}
	if (f->held.kind > 0) {
		*value = f->held.value;
		*span = f->look = f->held.span;
		kind = f->held.kind == FRONT_HELD_END ? PTX_END : f->held.kind;
		f->held.kind = 0;
		return kind;
	}
	kind = lexer_next(&f->lexer, value, span);
	f->look = *span;
	return kind;
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
	look->kind = front_token(f, &look->value, &look->span);
}

/* What a statement can begin with; a name that begins with % is a register and so the rest of a broken instruction. */
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

/* The function ends without its }: say so, and deliver one for every { that is open before what comes next. */
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
	f->held = *look;
	if (look->kind == PTX_END)
		f->held.kind = FRONT_HELD_END;
	f->close = n - 1;
	look->kind = PTX_RBRACE;
	look->span.len = 0;
}

void recover_statement(struct front *f, struct token *look)
{
	uint32_t level = 0;

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
			if (level == 0)
				return;
			level--;
			break;
		default:
			if (level == 0 && begins_statement(f, look) && front_begins_line(f, look->span))
				return;
		}
	}
}

/* After a whole statement that lacks only its ; there is nothing to skip. */
void recover_end(struct front *f, struct token *look)
{
	bool whole = f->missing_semicolon;

	f->missing_semicolon = false;
	if (whole && (look->kind == PTX_RBRACE || look->kind == PTX_END || look->kind == PTX_LBRACE || begins_statement(f, look) || begins_top(f, look)))
		return;
	if (f->open.count)
		recover_statement(f, look);
	else
		recover_top(f, look);
	f->bad = true;
}

void recover_top(struct front *f, struct token *look)
{
	uint32_t level = 0;
	bool outside = f->outside;

	f->in_initialiser = f->outside = f->quiet = f->lexer.in_section = false;
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
			level -= level > 0;
			if (level > 0 || outside)
				break;
			look->kind = FRONT_EMPTY;
			return;
		case PTX_D_ENTRY:
		case PTX_D_FUNC: return;
		default:
			if (begins_top(f, look) && front_begins_line(f, look->span) && level == 0 && (!outside || look->kind != PTX_SPACE))
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
			/* the ) is missing: it comes first */
			f->held = *look;
			if (look->kind == PTX_END)
				f->held.kind = FRONT_HELD_END;
			look->kind = PTX_RPAREN;
			look->span.len = 0;
			return;
		default: break;
		}
	}
}
