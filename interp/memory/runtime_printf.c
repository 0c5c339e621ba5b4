/* Formats the output of device printf. Each conversion is parsed here and rebuilt from its
 * parts, so that an invalid format cannot reach the C library. As measured on an H200 with CUDA
 * 13: %.*f, %Lf, %y, %llld and a trailing % are printed as written, %s of a null pointer is
 * (null), %p of one is (nil), a width given by * counts as an argument, and the result is the
 * number of arguments taken, at most 32. */
#include "interp/memory/runtime_printf.h"
#include <string.h>

enum { WIDTH_MAX = 4096, STRING_MAX = 1 << 20 };

struct conversion {
	bool minus, plus, space, alternate, zero;
	bool star_width, has_precision;
	unsigned width, precision;
	unsigned longs, halves; /* number of l and h; z, j, t count as two l */
	char type;
	size_t length; /* of the conversion's text, including the % */
};

static size_t parse_number(const char *f, size_t n, size_t at, unsigned *value)
{
	*value = 0;
	for (; at < n && f[at] >= '0' && f[at] <= '9'; at++)
		if (*value < WIDTH_MAX)
			*value = *value * 10 + (unsigned)(f[at] - '0');
	if (*value > WIDTH_MAX)
		*value = WIDTH_MAX;
	return at;
}

static size_t parse_flags(const char *f, size_t n, size_t at, struct conversion *c)
{
	for (; at < n; at++) {
		switch (f[at]) {
		case '-': c->minus = true; break;
		case '+': c->plus = true; break;
		case ' ': c->space = true; break;
		case '#': c->alternate = true; break;
		case '0': c->zero = true; break;
		default: return at;
		}
	}
	return at;
}

static size_t parse_length(const char *f, size_t n, size_t at, struct conversion *c)
{
	for (; at < n; at++) {
		switch (f[at]) {
		case 'l': c->longs++; break;
		case 'h': c->halves++; break;
		case 'z':
		case 'j':
		case 't': c->longs += 2; break;
		default: return at;
		}
	}
	return at;
}

/* Parses the conversion at F; F[0] is the %. False when it is not a conversion. */
static bool conversion_parse(const char *f, size_t n, struct conversion *c)
{
	size_t at = parse_flags(f, n, 1, c);

	if (at < n && f[at] == '*') {
		c->star_width = true;
		at++;
	} else {
		at = parse_number(f, n, at, &c->width);
	}
	if (at < n && f[at] == '.') {
		c->has_precision = true;
		at = parse_number(f, n, at + 1, &c->precision); /* .* is not a conversion in CUDA */
	}
	at = parse_length(f, n, at, c);
	if (at >= n || c->longs > 2 || c->halves > 2 || !f[at] ||
		!strchr("diouxXcsp%aAeEfFgG", f[at]))
		return false;
	c->type = f[at];
	c->length = at + 1;
	return true;
}

/* The arguments lie in memory as in a C struct: each at its natural alignment. */
struct arguments {
	const struct printf_source *source;
	unsigned offset;
	int count;
	bool failed;
};

static uint64_t argument_next(struct arguments *a, unsigned n)
{
	uint64_t value = 0;

	a->offset = (a->offset + n - 1) / n * n;
	if (!a->failed && !a->source->argument(a->source->self, a->offset, n, &value))
		a->failed = true;
	a->offset += n;
	a->count++;
	return value;
}

/* Writes the conversion for the C library to SPEC; TAIL is the length modifier and type. */
static void conversion_rebuild(const struct conversion *c, const char *tail, char *spec)
{
	*spec++ = '%';
	if (c->minus)
		*spec++ = '-';
	if (c->plus)
		*spec++ = '+';
	if (c->space)
		*spec++ = ' ';
	if (c->alternate)
		*spec++ = '#';
	if (c->zero)
		*spec++ = '0';
	*spec++ = '*';
	if (c->has_precision) {
		*spec++ = '.';
		*spec++ = '*';
	}
	strcpy(spec, tail);
}

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
/* Prints VALUE with the conversion's flags, width and precision; SPEC was built by
 * conversion_rebuild() and fits the type. */
#define PRINT(out, c, spec, value) \
	((c)->has_precision ? text_printf(out, spec, (int)(c)->width, (int)(c)->precision, value) \
			    : text_printf(out, spec, (int)(c)->width, value))

static void print_integer(struct text *out, const struct conversion *c, struct arguments *a)
{
	char spec[16], tail[4] = {'l', 'l', c->type, 0};
	bool is_signed = c->type == 'd' || c->type == 'i';
	uint64_t v = argument_next(a, c->longs ? 8 : 4);

	if (!c->longs && c->halves == 1)
		v = is_signed ? (uint64_t)(int16_t)v : (uint16_t)v;
	else if (!c->longs && c->halves == 2)
		v = is_signed ? (uint64_t)(int8_t)v : (uint8_t)v;
	else if (!c->longs)
		v = is_signed ? (uint64_t)(int32_t)v : (uint32_t)v;
	conversion_rebuild(c, tail, spec);
	PRINT(out, c, spec, (long long)v);
}

static void print_float(struct text *out, const struct conversion *c, struct arguments *a)
{
	char spec[16], tail[2] = {c->type, 0};
	uint64_t bits = argument_next(a, 8);
	double v;

	memcpy(&v, &bits, sizeof v);
	conversion_rebuild(c, tail, spec);
	PRINT(out, c, spec, v);
}

static void print_pointer(struct text *out, const struct conversion *c, struct arguments *a)
{
	uint64_t v = argument_next(a, 8);
	struct conversion plain = {.minus = c->minus, .width = c->width, .alternate = v != 0};
	char spec[16];

	if (v) {
		conversion_rebuild(&plain, "llx", spec);
		PRINT(out, &plain, spec, (long long)v);
	} else {
		conversion_rebuild(&plain, "s", spec);
		PRINT(out, &plain, spec, "(nil)");
	}
}
#pragma GCC diagnostic pop

static void print_padding(struct text *out, size_t used, unsigned width)
{
	for (; used < width; used++)
		text_putc(out, ' ');
}

static void print_string(struct text *out, const struct conversion *c, struct arguments *a)
{
	uint64_t address = argument_next(a, 8);
	size_t limit = c->has_precision ? c->precision : STRING_MAX;
	struct text s = {0};

	if (!address && !a->failed)
		text_puts(&s, "(null)");
	while (address && !a->failed && s.len < limit) {
		char byte;

		if (!a->source->byte(a->source->self, address + s.len, &byte))
			a->failed = true;
		else if (byte)
			text_putc(&s, byte);
		else
			break;
	}
	if (s.len > limit)
		s.len = limit;
	if (!c->minus)
		print_padding(out, s.len, c->width);
	text_add(out, text_str(&s), s.len);
	if (c->minus)
		print_padding(out, s.len, c->width);
	text_free(&s);
}

static void print_char(struct text *out, const struct conversion *c, struct arguments *a)
{
	uint64_t v = argument_next(a, 4);

	if (!c->minus)
		print_padding(out, 1, c->width);
	text_putc(out, (char)v);
	if (c->minus)
		print_padding(out, 1, c->width);
}

static void conversion_print(struct text *out, struct conversion *c, struct arguments *a)
{
	if (c->star_width) {
		int32_t w = (int32_t)argument_next(a, 4);

		c->minus = c->minus || w < 0;
		c->width = w == INT32_MIN ? 0 : (unsigned)(w < 0 ? -w : w);
		if (c->width > WIDTH_MAX)
			c->width = WIDTH_MAX;
	}
	switch (c->type) {
	case '%': text_putc(out, '%'); break;
	case 'c': print_char(out, c, a); break;
	case 's': print_string(out, c, a); break;
	case 'p': print_pointer(out, c, a); break;
	case 'a':
	case 'A':
	case 'e':
	case 'E':
	case 'f':
	case 'F':
	case 'g':
	case 'G': print_float(out, c, a); break;
	default: print_integer(out, c, a); break;
	}
}

int printf_format(
	struct text *out, const char *format, size_t n, const struct printf_source *source)
{
	struct arguments a = {.source = source};

	for (size_t at = 0; at < n && !a.failed;) {
		const char *percent = memchr(format + at, '%', n - at);
		size_t plain = percent ? (size_t)(percent - format) - at : n - at;
		struct conversion c = {0};

		text_add(out, format + at, plain);
		at += plain;
		if (at == n)
			break;
		if ((a.count < PRINTF_MAX_ARGUMENTS || (at + 1 < n && format[at + 1] == '%')) &&
			conversion_parse(format + at, n - at, &c)) {
			conversion_print(out, &c, &a);
			at += c.length;
		} else {
			text_putc(out, format[at++]);
		}
	}
	return a.failed ? -1 : a.count;
}
