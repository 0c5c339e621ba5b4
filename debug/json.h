/* Reads JSON. */
#ifndef PTXI_DEBUG_JSON_H
#define PTXI_DEBUG_JSON_H
#include "base/arena.h"
#include <stdbool.h>
#include <stddef.h>

enum json_kind { JSON_NULL, JSON_BOOL, JSON_NUMBER, JSON_STRING, JSON_ARRAY, JSON_OBJECT };
struct json {
	enum json_kind kind;
	const char *name; /* in an object */
	const char *text; /* STRING: NUL-terminated, in UTF-8; a NUL inside ends it */
	double number;
	bool truth;
	const struct json *first, *next; /* members or elements */
};

/* Reads N bytes, in arena A; NULL: they are not JSON, or nested too deeply. */
const struct json *json_read(struct arena *a, const char *bytes, size_t n);
/* The member NAME of J, or NULL. J may be NULL. */
const struct json *json_member(const struct json *j, const char *name);
/* Member NAME as a text ("" if there is none), or as a number (0). */
const char *json_text(const struct json *j, const char *name);
double json_number(const struct json *j, const char *name);

#endif
