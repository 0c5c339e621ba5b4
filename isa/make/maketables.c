/* Build tool: writes the constant tables of isa/ as C to standard output: compiled rows, hashes
 * of words, opcodes and special registers, then the texts of all of them. */
#include "isa/make/make.h"
#include "isa/table.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const words[] = {
	NULL,
#define TYPE(name, class, bits) #name,
#include "isa/type.def"
#define WORD(id, text, token, category) text,
#include "isa/word.def"
};
static const char *const opcodes[] = {
	NULL,
#define OPCODE(name) #name,
#include "isa/opcode.def"
};
static const char *const sregs[] = {
	NULL,
#define SREG(id, text, type, vector, ptx, sm) text,
#include "isa/sreg.def"
};

static char texts[1 << 18]; /* one after the other, each with its NUL */
static unsigned texts_end;

uint32_t text_place(const char *s)
{
	const size_t n = strlen(s) + 1;
	unsigned at = 0;

	while (at + n <= texts_end && (texts[at] != *s || memcmp(texts + at, s, n) != 0))
		at++;
	if (at + n <= texts_end)
		return at;
	if (n > sizeof texts - texts_end) {
		fprintf(stderr, "isa: more than %zu bytes of texts\n", sizeof texts);
		exit(1);
	}
	at = texts_end;
	memcpy(texts + at, s, n);
	texts_end += (unsigned)n;
	return at;
}

static void write_texts(void)
{
	printf("const char isa_text[] =");
	for (unsigned at = 0; at < texts_end; at += (unsigned)strlen(texts + at) + 1)
		printf("\n\t\"%s\\0\"", texts + at);
	printf(";\n");
}

static void write_names(const char *name, const char *const *text, unsigned n)
{
	static uint16_t slot[1 << 14];
	unsigned slots = 64;

	while (slots < 4 * n)
		slots *= 2;
	if (slots > sizeof slot / sizeof *slot)
		abort();
	memset(slot, 0, slots * sizeof *slot);
	for (unsigned i = 1; i < n; i++) {
		uint32_t at = name_hash(text[i], strlen(text[i]));

		while (slot[at & (slots - 1)])
			at++;
		slot[at & (slots - 1)] = (uint16_t)i;
	}
	printf("const struct name_table %s = {%uu, (const uint16_t[]){", name, slots - 1);
	for (unsigned k = 0; k < slots; k++)
		printf("%s%u", !k ? "\n\t" : k % 32 ? "," : ",\n\t", slot[k]);
	printf("},\n\t(const struct name_text[]){{0, 0}");
	for (unsigned i = 1; i < n; i++)
		printf(",%s{%u, %zu}", i % 12 ? " " : "\n\t", text_place(text[i]), strlen(text[i]));
	printf("}};\n");
}

static void reject_duplicates(const char *what, const char *const *text, unsigned n)
{
	for (unsigned i = 1; i < n; i++)
		for (unsigned j = 1; j < i; j++)
			if (!strcmp(text[i], text[j])) {
				fprintf(stderr, "isa: %s '%s' is listed twice\n", what, text[i]);
				exit(1);
			}
}

int main(void)
{
	unsigned nwords = sizeof words / sizeof *words, nopcodes = sizeof opcodes / sizeof *opcodes,
		 nsregs = sizeof sregs / sizeof *sregs;
	if (nwords != WORD_COUNT || nopcodes != OPCODE_COUNT || nsregs != SREG_COUNT)
		abort();
	reject_duplicates("word", words, nwords);
	reject_duplicates("special register", sregs, nsregs);
	printf("/* Written by isa/make/. */\n#include \"isa/table.h\"\n");
	make_rows(words, opcodes);
	write_names("isa_word_names", words, nwords);
	write_names("isa_opcode_names", opcodes, nopcodes);
	write_names("isa_sreg_names", sregs, nsregs);
	write_texts();
	return 0;
}
