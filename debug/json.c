/* Reads JSON (RFC 8259), strictly, and at most DEPTH levels deep. */
#include "debug/json.h"
#include <stdlib.h>
#include <string.h>

enum { DEPTH = 32 };

struct reader {
	struct arena *a;
	const char *at, *end;
	unsigned depth;
};

static void skip(struct reader *r)
{
	while (r->at < r->end && strchr(" \t\r\n", *r->at) && *r->at)
		r->at++;
}

static bool take(struct reader *r, const char *word)
{
	size_t n = strlen(word);

	if ((size_t)(r->end - r->at) < n || memcmp(r->at, word, n) != 0)
		return false;
	r->at += n;
	return true;
}

static bool read_hex(struct reader *r, unsigned *out)
{
	*out = 0;
	for (unsigned k = 0; k < 4; k++, r->at++) {
		const char *digits = "0123456789abcdefABCDEF", *d;

		if (r->at == r->end || !*r->at || !(d = strchr(digits, *r->at)))
			return false;
		*out = *out * 16 + (unsigned)(d - digits < 16 ? d - digits : d - digits - 6);
	}
	return true;
}

static char *put_utf8(char *to, unsigned c)
{
	if (c < 0x80) {
		*to++ = (char)c;
	} else if (c < 0x800) {
		*to++ = (char)(0xc0 | c >> 6);
		*to++ = (char)(0x80 | (c & 63));
	} else if (c < 0x10000) {
		*to++ = (char)(0xe0 | c >> 12);
		*to++ = (char)(0x80 | (c >> 6 & 63));
		*to++ = (char)(0x80 | (c & 63));
	} else {
		*to++ = (char)(0xf0 | c >> 18);
		*to++ = (char)(0x80 | (c >> 12 & 63));
		*to++ = (char)(0x80 | (c >> 6 & 63));
		*to++ = (char)(0x80 | (c & 63));
	}
	return to;
}

/* One escape, after its backslash. NULL: it is none. */
static char *read_escape(struct reader *r, char *to)
{
	static const char names[] = "\"\\/bfnrt", values[] = "\"\\/\b\f\n\r\t";
	const char *name = *r->at ? strchr(names, *r->at) : NULL;
	unsigned c, low;

	if (name) {
		r->at++;
		*to++ = values[name - names];
		return to;
	}
	if (*r->at++ != 'u' || !read_hex(r, &c))
		return NULL;
	if (c >= 0xd800 && c < 0xdc00 && take(r, "\\u")) {
		if (!read_hex(r, &low) || low < 0xdc00 || low > 0xdfff)
			return NULL;
		c = 0x10000 + ((c - 0xd800) << 10) + (low - 0xdc00);
	}
	return put_utf8(to, c);
}

/* A string, after its quote; NULL: it does not end. */
static const char *read_string(struct reader *r)
{
	const char *close = r->at;

	while (close < r->end && *close != '"')
		close += *close == '\\' && close + 1 < r->end ? 2 : 1;
	if (close >= r->end)
		return NULL;
	char *text = arena_alloc(r->a, (size_t)(close - r->at) + 1, 1), *to = text;

	while (r->at < close) {
		if ((unsigned char)*r->at < 32)
			return NULL;
		if (*r->at != '\\') {
			*to++ = *r->at++;
			continue;
		}
		r->at++;
		to = read_escape(r, to);
		if (!to)
			return NULL;
	}
	*to = 0;
	r->at = close + 1;
	return text;
}

static struct json *read_value(struct reader *r);

static bool read_members(struct reader *r, struct json *j, char close)
{
	const struct json **last = &j->first;

	skip(r);
	if (r->at < r->end && *r->at == close) {
		r->at++;
		return true;
	}
	for (;;) {
		const char *name = NULL;
		struct json *one;

		skip(r);
		if (close == '}') {
			if (!take(r, "\"") || !(name = read_string(r)))
				return false;
			skip(r);
			if (!take(r, ":"))
				return false;
		}
		one = read_value(r);
		if (!one)
			return false;
		one->name = name;
		*last = one;
		last = &one->next;
		skip(r);
		if (r->at < r->end && *r->at == close) {
			r->at++;
			return true;
		}
		if (!take(r, ","))
			return false;
	}
}

static bool read_number(struct reader *r, struct json *j)
{
	char text[64], *end;
	size_t n = 0;

	while (r->at + n < r->end && n + 1 < sizeof text && r->at[n] &&
		strchr("+-.0123456789eE", r->at[n]))
		n++;
	memcpy(text, r->at, n);
	text[n] = 0;
	j->number = strtod(text, &end);
	r->at += n;
	return n > 0 && !*end;
}

static struct json *read_value(struct reader *r)
{
	struct json *j = arena_zalloc(r->a, sizeof *j, _Alignof(struct json));
	bool ok = true;

	skip(r);
	if (r->at == r->end || ++r->depth > DEPTH)
		return NULL;
	if (take(r, "{")) {
		j->kind = JSON_OBJECT;
		ok = read_members(r, j, '}');
	} else if (take(r, "[")) {
		j->kind = JSON_ARRAY;
		ok = read_members(r, j, ']');
	} else if (take(r, "\"")) {
		j->kind = JSON_STRING;
		j->text = read_string(r);
		ok = j->text != NULL;
	} else if (take(r, "true") || take(r, "false")) {
		j->kind = JSON_BOOL;
		j->truth = r->at[-2] == 'u';
	} else if (!take(r, "null")) {
		j->kind = JSON_NUMBER;
		ok = read_number(r, j);
	}
	r->depth--;
	return ok ? j : NULL;
}

const struct json *json_read(struct arena *a, const char *bytes, size_t n)
{
	struct reader r = {a, bytes, bytes + n, 0};
	const struct json *j = read_value(&r);

	skip(&r);
	return r.at == r.end ? j : NULL;
}

const struct json *json_member(const struct json *j, const char *name)
{
	if (!j || j->kind != JSON_OBJECT)
		return NULL;
	for (const struct json *k = j->first; k; k = k->next)
		if (strcmp(k->name, name) == 0)
			return k;
	return NULL;
}

const char *json_text(const struct json *j, const char *name)
{
	const struct json *k = json_member(j, name);

	return k && k->kind == JSON_STRING ? k->text : "";
}

double json_number(const struct json *j, const char *name)
{
	const struct json *k = json_member(j, name);

	return k && k->kind == JSON_NUMBER ? k->number : 0;
}
