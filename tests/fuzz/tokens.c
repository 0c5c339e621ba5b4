/* See tokens.h. The words come from the text itself and from the tables of isa/. */
#include "tests/fuzz/tokens.h"
#include "isa/isa.h"
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t max);

enum { MAX_TOKENS = 1 << 15 };
struct token {
	uint32_t at, len;
};
static struct token token[MAX_TOKENS];

static uint32_t next(unsigned *state)
{
	*state = *state * 1664525u + 1013904223u;
	return *state >> 8;
}

static bool part_of_name(uint8_t c)
{
	return isalnum(c) || c == '_' || c == '$' || c == ':' || c == '%';
}

static uint32_t split(const uint8_t *data, size_t size)
{
	uint32_t n = 0;

	for (size_t i = 0; i < size && n < MAX_TOKENS;) {
		size_t from = i++;

		if (isspace(data[from]))
			continue;
		if (part_of_name(data[from]) || data[from] == '.')
			while (i < size && part_of_name(data[i]))
				i++;
		token[n++] = (struct token){(uint32_t)from, (uint32_t)(i - from)};
	}
	return n;
}

/* Replaces GONE bytes at AT by LEN bytes of TEXT. */
static size_t replace(uint8_t *data, size_t size, size_t max, size_t at, size_t gone,
	const char *text, size_t len)
{
	if (size - gone + len > max)
		return size;
	memmove(data + at + len, data + at + gone, size - at - gone);
	memcpy(data + at, text, len);
	return size - gone + len;
}

static const char *const numbers[] = {"0", "1", "-1", "2", "4", "7", "8", "15", "16", "31", "32",
	"33", "63", "64", "65", "127", "128", "255", "256", "1024", "65535", "65536", "0x7fffffff",
	"0x80000000", "-2147483648", "4294967295", "4294967296", "0x7fffffffffffffff",
	"0x8000000000000000", "0xffffffffffffffffU", "0f3f800000", "0f7fc00000",
	"0d3ff0000000000000", "1.0", "1e300", "3U", "WARP_SZ", "_"};
static const char *const signs[] = {",", ";", "{", "}", "[", "]", "(", ")", "|", "!", "@", "@!",
	"+", "-", "=", ":", "<", ">", "/", "\n", "//", "/*", "*/", "\"", "?", "&", "..", "~="};

/* Chooses a word to replace T. */
static size_t another(const uint8_t *data, uint32_t n, struct token t, unsigned *s, char out[64])
{
	const char *word = NULL;
	uint32_t pick = next(s) % 8;

	if (pick < 3 || n == 0) { /* of the same kind: a modifier, an opcode, a number, a sign */
		uint8_t c = data[t.at];
		if (c == '.')
			word = word_text((enum word)(1 + next(s) % (WORD_COUNT - 1)));
		else if (isdigit(c) || c == '-')
			word = numbers[next(s) % (sizeof numbers / sizeof *numbers)];
		else if (isalpha(c))
			word = opcode_text((enum opcode)(1 + next(s) % (OPCODE_COUNT - 1)));
		else if (c == '%')
			word = sreg_text(1 + next(s) % (SREG_COUNT - 1));
		else
			word = signs[next(s) % (sizeof signs / sizeof *signs)];
		if (c == '.' && word && word[0] != '.') {
			size_t len = strlen(word);
			if (len > 62)
				len = 62;
			out[0] = '.';
			memcpy(out + 1, word, len);
			return len + 1;
		}
	}
	if (word) {
		size_t len = strlen(word);
		if (len > 63)
			len = 63;
		memcpy(out, word, len);
		return len;
	}
	/* Another token of the text, usually one with the same first character. */
	struct token o = token[next(s) % n];
	for (unsigned tries = 0; tries < 8 && data[o.at] != data[t.at]; tries++)
		o = token[next(s) % n];
	size_t len = o.len < 63 ? o.len : 63;
	memcpy(out, data + o.at, len);
	return len;
}

/* The bytes of the line around AT. */
static void line_of(const uint8_t *data, size_t size, size_t at, size_t *from, size_t *to)
{
	for (*from = at; *from > 0 && data[*from - 1] != '\n'; --*from)
		;
	for (*to = at; *to < size && data[*to] != '\n'; ++*to)
		;
	if (*to < size)
		++*to;
}

static size_t change(uint8_t *data, size_t size, size_t max, unsigned *s)
{
	uint32_t n = split(data, size);
	char word[512];

	if (!n)
		return LLVMFuzzerMutate(data, size, max);
	struct token t = token[next(s) % n], o = token[next(s) % n];
	size_t from, to, len;
	switch (next(s) % 9) {
	case 0: return replace(data, size, max, t.at, t.len, "", 0);
	case 1: /* twice */
		len = t.len < sizeof word ? t.len : sizeof word;
		memcpy(word, data + t.at, len);
		return replace(data, size, max, t.at, 0, word, len);
	case 2: /* another token before this one */
		len = o.len < sizeof word ? o.len : sizeof word;
		memcpy(word, data + o.at, len);
		return replace(data, size, max, t.at, 0, word, len);
	case 3: /* a copy of a line, elsewhere */
		line_of(data, size, t.at, &from, &to);
		len = to - from < sizeof word ? to - from : sizeof word;
		memcpy(word, data + from, len);
		line_of(data, size, o.at, &from, &to);
		return replace(data, size, max, from, 0, word, len);
	case 4:
		line_of(data, size, t.at, &from, &to);
		return replace(data, size, max, from, to - from, "", 0);
	default:
		len = another(data, n, t, s, word);
		return replace(data, size, max, t.at, t.len, word, len);
	}
}

size_t token_mutate(uint8_t *data, size_t size, size_t max, unsigned seed)
{
	unsigned s = seed;

	if (next(&s) % 3 == 0)
		return LLVMFuzzerMutate(data, size, max);
	for (uint32_t n = 1 + next(&s) % 4; n; n--)
		size = change(data, size, max, &s);
	return size;
}

size_t token_mutate_script(uint8_t *data, size_t size, size_t max, unsigned seed)
{
	size_t line[256], lines = 0, from, to;
	unsigned s = seed;

	for (size_t i = 0; i + 3 <= size && lines < 256; i++)
		if (memcmp(data + i, "//@", 3) == 0)
			line[lines++] = i + 3;
	if (!lines || next(&s) % 16 == 0)
		return token_mutate(data, size, max, seed);
	from = line[next(&s) % lines];
	for (to = from; to < size && data[to] != '\n'; to++)
		;
	uint8_t text[1024];
	if (to - from > sizeof text)
		to = from + sizeof text;
	size_t len = to - from,
	       room = max - size + len < sizeof text ? max - size + len : sizeof text;
	memcpy(text, data + from, len);
	len = token_mutate(text, len, room, next(&s));
	memmove(data + from + len, data + to, size - to);
	memcpy(data + from, text, len);
	return size - (to - from) + len;
}
