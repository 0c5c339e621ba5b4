/* Numbers: 64-bit integers in four bases, decimal and hexadecimal floating-point numbers, and
 * errors in malformed ones. */
#include "lexer/lexer.h"
#include <stdlib.h>
#include <string.h>

static unsigned digit_value(char c)
{
	return c <= '9' ? (unsigned)(c - '0') : (unsigned)((c | 0x20) - 'a') + 10;
}

int lexer_integer(struct lexer *l, const char *text, unsigned len, unsigned base, unsigned prefix,
	struct span span, struct lexer_number *n)
{
	uint64_t value = 0;

	n->flag = text[len - 1] == 'U';
	len -= n->flag;
	for (unsigned i = prefix; i < len; i++) {
		unsigned d = digit_value(text[i]);

		if (value > (UINT64_MAX - d) / base) {
			if (!l->skipping)
				diag_report(l->diags, DIAG_E0106, l->source, span,
					"this integer does not fit in 64 bits");
			l->reported = span.off + 1;
			value = UINT64_MAX;
			break;
		}
		value = value * base + d;
	}
	n->value = value;
	return PTX_INT;
}

/* Up to 15 digits without an exponent: both they and the power of ten are exact, so that the
 * quotient is rounded as the number is. */
static bool short_decimal(const char *text, double *value)
{
	static const double power[] = {
		1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15};
	const char *point = strchr(text, '.');
	const size_t n = strlen(text);
	uint64_t digits = 0;

	if (!point || n > 16)
		return false;
	for (const char *p = text; *p; p++) {
		if (p == point)
			continue;
		if (*p < '0' || *p > '9')
			return false;
		digits = digits * 10 + digit_value(*p);
	}
	*value = (double)digits / power[text + n - point - 1];
	return true;
}

int lexer_float(const char *text, struct lexer_number *n)
{
	double d;

	if (!short_decimal(text, &d))
		d = strtod(text, NULL);
	memcpy(&n->value, &d, sizeof d);
	n->flag = 0;
	return PTX_FLOAT;
}

int lexer_hex_float(const char *text, struct lexer_number *n)
{
	n->value = 0;
	n->flag = (text[1] | 0x20) == 'f' ? NUMBER_SINGLE : NUMBER_DOUBLE;
	for (const char *p = text + 2; *p; p++)
		n->value = n->value << 4 | digit_value(*p);
	return PTX_FLOAT;
}

static unsigned hex_digits(const char *text)
{
	return (unsigned)strspn(text, "0123456789abcdefABCDEF");
}

/* For numbers as written in C, such as 1.5f, the help shows the same number in PTX. */
static bool help_c_float(struct lexer *l, struct diag *r, const char *text, unsigned len)
{
	char *end;
	double d = strtod(text, &end);
	float f = (float)d;
	uint32_t bits;

	if (end != text + len - 1 || (*end | 0x20) != 'f' || !strpbrk(text, ".eE"))
		return false;
	memcpy(&bits, &f, sizeof f);
	diag_help(l->diags, r, "a number of type .f32 is written 0f%08X", bits);
	return true;
}

int lexer_bad_number(
	struct lexer *l, const char *text, unsigned len, struct span span, struct lexer_number *n)
{
	char second = len > 1 ? (char)(text[1] | 0x20) : '\0';
	struct diag *r;

	*n = (struct lexer_number){0, 0};
	l->reported = span.off + 1;
	if (l->skipping)
		return PTX_INT;
	r = diag_report(l->diags, DIAG_E0105, l->source, span, "malformed number '%.40s'", text);
	if (help_c_float(l, r, text, len))
		return PTX_FLOAT;
	if (text[0] == '0' && (second == 'f' || second == 'd')) {
		diag_help(l->diags, r, "0%c takes exactly %u hexadecimal digits, not %u", text[1],
			second == 'f' ? 8u : 16u, hex_digits(text + 2));
		return PTX_FLOAT;
	}
	if (text[len - 1] == 'u' && strspn(text, "0123456789") == len - 1)
		diag_help(l->diags, r, "the suffix of an unsigned integer is a capital U");
	else if (text[0] == '0' && second == 'x')
		diag_help(l->diags, r, "0x takes hexadecimal digits and may end with U");
	else if (text[0] == '0' && second == 'b')
		diag_help(l->diags, r, "0b takes the digits 0 and 1 and may end with U");
	else if (text[0] == '0' && strspn(text, "0123456789U") == len)
		diag_help(l->diags, r,
			"a leading 0 makes a number octal: it takes the digits 0 to 7");
	else
		diag_help(l->diags, r,
			"a name begins with a letter, or with _ $ or %% and one character more");
	return PTX_INT;
}
