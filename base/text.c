/* Growable strings, JSON quoting, and the edit distance for "did you mean". */
#include "base/text.h"
#include "base/assert.h"
#include "base/memory.h"
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void reserve_text(struct text *t, size_t extra)
{
	size_t cap = t->cap ? t->cap : 64;

	if (extra > SIZE_MAX / 4 || t->len > SIZE_MAX / 4)
		memory_out();
	while (cap < t->len + extra + 1)
		cap *= 2;
	if (cap != t->cap) {
		t->data = memory_resize(t->data, cap);
		t->cap = cap;
	}
}

char *text_room(struct text *t, size_t n)
{
	if (n >= t->cap - t->len)
		reserve_text(t, n);
	return t->data + t->len;
}

void text_add(struct text *t, const char *bytes, size_t n)
{
	text_room(t, n);
	if (n)
		memcpy(t->data + t->len, bytes, n);
	t->len += n;
	t->data[t->len] = '\0';
}

void text_puts(struct text *t, const char *s) { text_add(t, s, strlen(s)); }

void text_putc(struct text *t, char c) { text_add(t, &c, 1); }

void text_vprintf(struct text *t, const char *fmt, va_list ap)
{
	va_list again;
	int n;

	va_copy(again, ap);
	reserve_text(t, 64);
	n = vsnprintf(t->data + t->len, t->cap - t->len, fmt, ap);
	if (n < 0)
		never();
	if ((size_t)n >= t->cap - t->len) {
		reserve_text(t, (size_t)n);
		vsnprintf(t->data + t->len, t->cap - t->len, fmt, again);
	}
	t->len += (size_t)n;
	va_end(again);
}

void text_printf(struct text *t, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	text_vprintf(t, fmt, ap);
	va_end(ap);
}

unsigned text_utf8(const char *s, size_t n)
{
	const unsigned char *b = (const unsigned char *)s;
	unsigned len = n == 0                 ? 0
		: b[0] < 0x80                 ? 1
		: b[0] >= 0xc2 && b[0] < 0xe0 ? 2
		: b[0] >= 0xe0 && b[0] < 0xf0 ? 3
		: b[0] >= 0xf0 && b[0] < 0xf5 ? 4
					      : 0;

	if (len == 0 || len > n)
		return 0;
	for (unsigned i = 1; i < len; i++)
		if ((b[i] & 0xc0) != 0x80)
			return 0;
	if ((b[0] == 0xe0 && b[1] < 0xa0) || (b[0] == 0xed && b[1] >= 0xa0) ||
		(b[0] == 0xf0 && b[1] < 0x90) || (b[0] == 0xf4 && b[1] >= 0x90))
		return 0; /* overlong, surrogate, or past U+10FFFF */
	return len;
}

static bool json_short(struct text *t, char c)
{
	switch (c) {
	case '"': text_puts(t, "\\\""); return true;
	case '\\': text_puts(t, "\\\\"); return true;
	case '\n': text_puts(t, "\\n"); return true;
	case '\r': text_puts(t, "\\r"); return true;
	case '\t': text_puts(t, "\\t"); return true;
	default: return false;
	}
}

/* The number of bytes at the start of the N at S that are ASCII and stand for themselves. */
static size_t json_plain(const char *s, size_t n)
{
	size_t i = 0;

	while (i < n && s[i] >= 0x20 && s[i] < 0x7f && s[i] != '"' && s[i] != '\\')
		i++;
	return i;
}

void text_json(struct text *t, const char *s, size_t n)
{
	text_putc(t, '"');
	while (n) {
		size_t len = json_plain(s, n);

		if (len) {
			text_add(t, s, len);
		} else if (!(len = text_utf8(s, n))) {
			text_puts(t, "\xef\xbf\xbd");
			len = 1;
		} else if (!json_short(t, *s)) {
			if ((unsigned char)*s < 0x20 || *s == 0x7f)
				text_printf(t, "\\u%04x", (unsigned)(unsigned char)*s);
			else
				text_add(t, s, len);
		}
		s += len;
		n -= len;
	}
	text_putc(t, '"');
}

const char *text_str(const struct text *t) { return t->data ? t->data : ""; }

void text_clear(struct text *t)
{
	t->len = 0;
	if (t->data)
		t->data[0] = '\0';
}

void text_free(struct text *t)
{
	memory_drop(t->data);
	*t = (struct text){0};
}

enum { DISTANCE_MAX = 16, BAND = 2 * DISTANCE_MAX + 1 };

static unsigned least_of(unsigned a, unsigned b) { return a < b ? a : b; }

/* Counts insertions, deletions, substitutions and swaps of neighbours. Only the diagonals within
 * LIMIT are computed, so the work is LIMIT times the length. */
unsigned text_distance(const char *a, size_t na, const char *b, size_t nb, unsigned limit)
{
	/* row i: column j is at index j - i + k + 1; the ends are guards */
	unsigned row[3][BAND + 2];
	unsigned *now = row[0], *last = row[1], *before = row[2];
	unsigned k = least_of(limit, DISTANCE_MAX), far = k + 1;

	if (na > nb ? na - nb > k : nb - na > k)
		return limit + 1;
	for (unsigned r = 0; r < 3; r++)
		for (unsigned c = 0; c < BAND + 2; c++)
			row[r][c] = far;
	for (unsigned c = 0; c <= k; c++)
		now[k + 1 + c] = c; /* row 0: j insertions */
	for (size_t i = 1; i <= na; i++) {
		unsigned *spare = before;
		unsigned best = far;

		before = last;
		last = now;
		now = spare;
		for (unsigned c = 1; c <= 2 * k + 1; c++) {
			size_t j = i + c;
			unsigned d = far;

			if (j >= k + 1 && j - (k + 1) <= nb) {
				j -= k + 1;
				if (j == 0) {
					d = least_of((unsigned)i, far);
				} else {
					d = last[c] + (a[i - 1] != b[j - 1]);
					d = least_of(d, last[c + 1] + 1);
					d = c > 1 ? least_of(d, now[c - 1] + 1) : d;
					if (i > 1 && j > 1 && a[i - 1] == b[j - 2] &&
						a[i - 2] == b[j - 1])
						d = least_of(d, before[c] + 1);
				}
			}
			now[c] = least_of(d, far);
			best = least_of(best, now[c]);
		}
		if (best == far)
			return limit + 1;
	}
	k = now[nb + k + 1 - na];
	return k < far ? k : limit + 1;
}
