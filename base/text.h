/* A growable string: text_printf(&t, ...), text_add(&t, bytes, n). Free with text_free. */
#ifndef PTXI_BASE_TEXT_H
#define PTXI_BASE_TEXT_H
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

/* Zero-initialise before use; data is NUL-terminated after the first addition. */
struct text {
	char *data;
	size_t len, cap;
};

/* The end of the text, with room for N more bytes and a NUL; whoever writes there adds to len. */
char *text_room(struct text *t, size_t n);
void text_add(struct text *t, const char *bytes, size_t n);
void text_puts(struct text *t, const char *s);
void text_putc(struct text *t, char c);
void text_printf(struct text *t, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void text_vprintf(struct text *t, const char *fmt, va_list ap)
	__attribute__((format(printf, 2, 0)));
/* Appends S as a quoted JSON string; invalid UTF-8 becomes U+FFFD. */
void text_json(struct text *t, const char *s, size_t n);
/* The length of the UTF-8 character at the start of S (1 to 4), or 0 if there is none. */
unsigned text_utf8(const char *s, size_t n);
/* The text (never NULL). */
const char *text_str(const struct text *t);
void text_clear(struct text *t);
void text_free(struct text *t);

/* The edit distance of two names, for "did you mean"; LIMIT + 1 if it exceeds LIMIT (at most
 * 16). */
unsigned text_distance(const char *a, size_t na, const char *b, size_t nb, unsigned limit);

#endif
