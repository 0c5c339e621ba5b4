/* A JSON validator for tests: whether a text is exactly one value. */
#ifndef PTXI_TESTS_JSON_H
#define PTXI_TESTS_JSON_H
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

static const char *json_value(const char *s, unsigned depth);

static const char *json_space(const char *s) { return s ? s + strspn(s, " \n\t\r") : NULL; }

static const char *json_text(const char *s)
{
	if (!s || *s++ != '"')
		return NULL;
	for (; *s != '"'; s++) {
		if ((unsigned char)*s < 0x20)
			return NULL;
		if (*s == '\\' && !strchr("\"\\/bfnrtu", *++s))
			return NULL;
	}
	return s + 1;
}

static const char *json_members(const char *s, char end, bool keys, unsigned depth)
{
	s = json_space(s);
	if (*s == end)
		return s + 1;
	for (;;) {
		if (keys) {
			s = json_space(json_text(json_space(s)));
			if (!s || *s++ != ':')
				return NULL;
		}
		s = json_space(json_value(s, depth + 1));
		if (!s)
			return NULL;
		if (*s == end)
			return s + 1;
		if (*s++ != ',')
			return NULL;
	}
}

static const char *json_value(const char *s, unsigned depth)
{
	char *end;

	s = json_space(s);
	if (!s || depth > 50)
		return NULL;
	if (*s == '{')
		return json_members(s + 1, '}', true, depth);
	if (*s == '[')
		return json_members(s + 1, ']', false, depth);
	if (*s == '"')
		return json_text(s);
	if (strncmp(s, "true", 4) == 0 || strncmp(s, "null", 4) == 0)
		return s + 4;
	if (strncmp(s, "false", 5) == 0)
		return s + 5;
	if (*s != '-' && (*s < '0' || *s > '9'))
		return NULL;
	strtod(s, &end);
	return end;
}

#endif
