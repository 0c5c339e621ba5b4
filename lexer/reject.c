/* Messages for text that is not a token. */
#include "lexer/lexer.h"

static struct span sub_span(struct span span, uint32_t skip, uint32_t len)
{
	return (struct span){span.off + skip, len};
}

void lexer_reject_bytes(struct lexer *l, const char *text, unsigned len, struct span span)
{
	unsigned char c = (unsigned char)text[0];

	if (l->skipping)
		return;
	if (c == '@' && len == 2) {
		diag_report(l->diags, DIAG_E0104, l->source, span,
			"@@ directives were removed in PTX 2.0");
		return;
	}
	if (c >= 0x80) {
		if (text_utf8(text, len))
			diag_report(l->diags, DIAG_E0104, l->source, span, "'%.*s' is not ASCII",
				(int)(len > 40 ? 40 : len), text);
		else
			diag_report(l->diags, DIAG_E0104, l->source, span,
				"byte 0x%02x is not ASCII", c);
		return;
	}
	if (c < 0x20 || c == 0x7f)
		diag_report(l->diags, DIAG_E0104, l->source, span,
			c ? "control character 0x%02x" : "NUL byte in the text", c);
	else
		diag_report(l->diags, DIAG_E0104, l->source, span, "PTX has no character '%c'", c);
}

void lexer_reject_ascii(
	struct lexer *l, const char *text, unsigned len, struct span span, const char *where)
{
	uint32_t i = 0, n = 0;

	while (i < len && (signed char)text[i] > 0)
		i++;
	while (i + n < len && (signed char)text[i + n] < 0)
		n++;
	if (i < len && n == 0) {
		diag_report(l->diags, DIAG_E0104, l->source, sub_span(span, i, 1), "NUL byte %s",
			where);
		return;
	}
	diag_report(l->diags, DIAG_E0104, l->source, sub_span(span, i, n),
		"'%.*s' is not ASCII: PTX allows ASCII only, even %s", (int)n, text + i, where);
}

void lexer_reject_string(struct lexer *l, struct span span)
{
	struct diag *r = diag_report(l->diags, DIAG_E0107, l->source, span,
		"this string has no closing quote on its line");

	diag_help(l->diags, r, "write \" at its end");
}

void lexer_reject_comment(struct lexer *l, struct span span)
{
	struct diag *r = diag_report(
		l->diags, DIAG_E0108, l->source, sub_span(span, 0, 2), "this comment never ends");

	diag_help(l->diags, r, "write */ at its end");
}

void lexer_reject_hash(struct lexer *l, struct span span)
{
	struct diag *r = diag_report(l->diags, DIAG_E0104, l->source, sub_span(span, 0, 1),
		"'#' can only begin a line marker such as # 12 \"file.cu\"");

	diag_help(l->diags, r, "comments begin with //");
}
