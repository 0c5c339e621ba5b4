/* A growing string: text_printf(&t, ...), text_add(&t, bytes, n). Memory from malloc. */
#ifndef PTXI_BASE_TEXT_H
#define PTXI_BASE_TEXT_H
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

/* Zero-initialise to begin; data is NUL-terminated once something was added. */
struct text {
	char *data;
	size_t len, cap;
};

void text_add(struct text *t, const char *bytes, size_t n);
void text_puts(struct text *t, const char *s);
void text_putc(struct text *t, char c);
void text_printf(struct text *t, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void text_vprintf(struct text *t, const char *fmt, va_list ap)
	__attribute__((format(printf, 2, 0)));
/* S as a JSON string with its quotes; bytes that are not UTF-8 become U+FFFD. */
void text_json(struct text *t, const char *s, size_t n);
/* Bytes of the UTF-8 character that S begins with (1 to 4), or 0 when it begins with none. */
unsigned text_utf8(const char *s, size_t n);
/* The text (never NULL). */
const char *text_str(const struct text *t);
void text_clear(struct text *t);
void text_free(struct text *t);

/* Edit distance of two names, for "did you mean"; gives up above LIMIT (at most 16) and returns
 * LIMIT + 1. */
unsigned text_distance(const char *a, size_t na, const char *b, size_t nb, unsigned limit);

#endif
