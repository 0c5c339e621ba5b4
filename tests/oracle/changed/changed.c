/* Variants of test programs: `changed COUNT FOLDER FILE...` writes COUNT changed copies of each
 * file into FOLDER, named PATH-K with - for /. Half of the changes keep the structure of PTX: they
 * remove an instruction, exchange it with the next, remove its guard or a modifier, or replace a
 * modifier, register or number by another of its kind. The others remove, repeat or exchange any
 * token (tests/fuzz/tokens.h). */
#include "base/hash.h"
#include "tests/fuzz/tokens.h"
#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROOM = 4096, MOST = 1 << 20, TRIES = 40 };

/* Words that can replace each other. */
static const char *const kinds[][12] = {
	{".cta", ".cluster", ".gpu", ".sys"},
	{".relaxed", ".acquire", ".release", ".acq_rel", ".volatile", ".weak", ".sc"},
	{".eq", ".ne", ".lt", ".le", ".gt", ".ge"},
	{".add", ".min", ".max", ".and", ".or", ".xor", ".exch", ".inc", ".dec"},
	{".u32", ".s32", ".b32", ".f32"},
	{".u64", ".s64", ".b64", ".f64"},
	{".u16", ".s16", ".b16", ".u8", ".b8"},
	{".shared", ".global", ".local"},
	{".x", ".y", ".z"},
	{".sync", ".arrive"},
	{"sync", "arrive"},
	{"ld", "st"},
	{"atom", "red"},
	{"add", "sub", "min", "max"},
	{"and", "or", "xor"},
	{"test_wait", "try_wait"},
	{"expect_tx", "complete_tx"},
	{"0", "1", "2", "3", "-1", "4", "31", "32", "33", "64", "128", "0x80000000"},
};
enum { KINDS = sizeof kinds / sizeof *kinds };

/* libFuzzer's own mutation: none here. */
size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t max);
size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t max)
{
	(void)data;
	(void)max;
	return size;
}

static unsigned state;
static unsigned below(size_t n)
{
	state = state * 1664525u + 1013904223u;
	return (unsigned)((state >> 8) % n);
}

/* Replaces GONE bytes at AT by WORD; returns the new size. */
static size_t put(uint8_t *text, size_t size, size_t at, size_t gone, const char *word)
{
	size_t length = strlen(word);

	memmove(text + at + length, text + at + gone, size - at - gone);
	memcpy(text + at, word, length);
	return size - gone + length;
}

static bool in_word(uint8_t c) { return isalnum(c) || c == '_' || c == '$' || c == '%'; }

/* The length of a token with its dot or its sign. */
static size_t token_length(const uint8_t *text, size_t at, size_t size)
{
	size_t n = 1;

	while (at + n < size && in_word(text[at + n]))
		n++;
	return n;
}

/* Another word of its kind, or NULL. */
static const char *another(const char *word, size_t length)
{
	for (unsigned k = 0; k < KINDS; k++)
		for (unsigned i = 0, n; i < 12 && kinds[k][i]; i++)
			if (strlen(kinds[k][i]) == length && !strncmp(kinds[k][i], word, length)) {
				for (n = i + 1; n < 12 && kinds[k][n];)
					n++;
				unsigned other = below(n - 1);

				return kinds[k][other < i ? other : other + 1];
			}
	return NULL;
}

/* One change within the instruction in the LINE bytes at AT. */
static size_t change_token(uint8_t *text, size_t size, size_t at, size_t line)
{
	for (unsigned try = 0; try < TRIES; try++) {
		size_t t = at + below(line);

		while (t > at && in_word(text[t]) && (in_word(text[t - 1]) || text[t - 1] == '.'))
			t--;
		size_t n = token_length(text, t, size);
		const char *other = another((char *)text + t, n);

		if (other)
			return put(text, size, t, n, other);
		if (text[t] == '.' && below(3) == 0)
			return put(text, size, t, n, "");
		if (text[t] == '%' && n > 2 && isdigit(text[t + n - 1])) {
			text[t + n - 1] = (uint8_t)('0' + below(5));
			return size;
		}
	}
	return size;
}

/* One change that keeps the structure of instructions. */
static size_t change_instruction(uint8_t *text, size_t size)
{
	size_t at, line, first;

	unsigned tries = 0;

	do { /* a line with a semicolon */
		if (tries++ == TRIES)
			return size;
		at = below(size);
		while (at > 0 && text[at - 1] != '\n')
			at--;
		for (line = 0; at + line < size && text[at + line] != '\n';)
			line++;
		for (first = 0; first < line && isspace(text[at + first]);)
			first++;
	} while (!memchr(text + at, ';', line) || text[at + first] == '/' ||
		text[at + first] == '.');
	switch (below(8)) {
	case 0:
	case 1: return put(text, size, at, line, "");
	case 2: { /* after the next line */
		char copy[512];
		size_t next = line + 1;

		while (at + next < size && text[at + next] != '\n')
			next++;
		if (line >= sizeof copy || at + next >= size)
			return size;
		memcpy(copy, text + at, line);
		copy[line] = 0;
		memmove(text + at, text + at + line + 1, next - line - 1);
		text[at + next - line - 1] = '\n';
		memcpy(text + at + next - line, copy, line);
		return size;
	}
	case 3:
		if (text[at + first] == '@')
			return put(text, size, at + first,
				strcspn((char *)text + at + first, " \t\n"), "");
		return change_token(text, size, at, line);
	default: return change_token(text, size, at, line);
	}
}

int main(int argc, char **argv)
{
	static uint8_t text[MOST], changed[MOST + ROOM];

	if (argc < 3)
		return fprintf(stderr, "changed COUNT FOLDER FILE...\n"), 2;
	for (int i = 3; i < argc; i++) {
		FILE *f = fopen(argv[i], "rb");
		size_t size = f ? fread(text, 1, MOST, f) : 0;

		if (!f || size == MOST)
			return perror(argv[i]), 2;
		fclose(f);
		state = (unsigned)hash_bytes(argv[i], strlen(argv[i]), 1);
		for (int k = 0; k < atoi(argv[1]); k++) {
			char path[4096];
			size_t length = size;

			for (unsigned try = 0; try < TRIES; try++) {
				memcpy(changed, text, size);
				length = k % 4 == 3
					? token_mutate(changed, size, size + ROOM, below(1 << 24))
					: k % 4 == 2 ? token_mutate_script(changed, size,
							       size + ROOM, below(1 << 24))
						     : change_instruction(changed, size);
				if (length != size || memcmp(changed, text, size) != 0)
					break;
			}
			snprintf(path, sizeof path, "%s/%s-%d", argv[2], argv[i], k);
			for (char *p = path + strlen(argv[2]) + 1; *p; p++)
				*p = *p == '/' ? '-' : *p;
			f = fopen(path, "wb");
			if (!f || fwrite(changed, 1, length, f) != length || fclose(f))
				return perror(path), 2;
		}
	}
	return 0;
}
