/* Words, opcodes and special registers: from text to number by a hash table generated at build
 * time, from number to text by a table. */
#include "isa/table.h"
#include <string.h>

const struct type_info type_info[TYPE_COUNT] = {
	{"none", CLASS_NONE, 0},
#define TYPE(name, class, bits) {#name, CLASS_##class, bits},
#include "isa/type.def"
};

const struct word_info isa_word_info[WORD_COUNT] = {
	{TOKEN_MODIFIER, CAT_mod},
#define TYPE(name, class, bits) {TOKEN_TYPE, CAT_type},
#include "isa/type.def"
#define WORD(id, text, token, category) {TOKEN_##token, CAT_##category},
#include "isa/word.def"
};

static unsigned find_name(const struct name_table *t, const char *text, size_t len)
{
	unsigned i;

	for (uint32_t h = name_hash(text, len); (i = t->slot[h & t->mask]); h++)
		if (t->text[i].len == len && !memcmp(isa_text + t->text[i].at, text, len))
			return i;
	return 0;
}

static const char *name_at(const struct name_table *t, unsigned i)
{
	return i ? isa_text + t->text[i].at : "";
}

static bool octal(char c) { return c >= '0' && c <= '7'; }

enum word word_find(const char *text, size_t len)
{
	unsigned w = find_name(&isa_word_names, text, len);
	if (!w && len == 5 && text[0] == 'b' && octal(text[1]) && octal(text[2]) &&
		octal(text[3]) && octal(text[4]))
		w = W_SELECT +
			(unsigned)((text[1] - '0') << 9 | (text[2] - '0') << 6 |
				(text[3] - '0') << 3 | (text[4] - '0'));
	return (enum word)w;
}

/* "b0000" to "b7777" */
#define S1(p) p "0\0" p "1\0" p "2\0" p "3\0" p "4\0" p "5\0" p "6\0" p "7\0"
#define S2(p) S1(p "0") S1(p "1") S1(p "2") S1(p "3") S1(p "4") S1(p "5") S1(p "6") S1(p "7")
#define S3(p) S2(p "0") S2(p "1") S2(p "2") S2(p "3") S2(p "4") S2(p "5") S2(p "6") S2(p "7")
static const char *const select_text[8] = {
	S3("b0"), S3("b1"), S3("b2"), S3("b3"), S3("b4"), S3("b5"), S3("b6"), S3("b7")};

const char *word_text(enum word w)
{
	unsigned n = (unsigned)w;
	if (n >= W_SELECT && n < W_SELECT_END)
		return &select_text[(n - W_SELECT) >> 9][((n - W_SELECT) & 511) * 6];
	return name_at(&isa_word_names, n < WORD_COUNT ? n : 0);
}

enum word_token word_token(enum word w)
{
	return (unsigned)w < WORD_COUNT ? (enum word_token)isa_word_info[w].token : TOKEN_MODIFIER;
}

const char *opcode_text(enum opcode op)
{
	return name_at(&isa_opcode_names, op < OPCODE_COUNT ? op : 0);
}

enum opcode opcode_find(const char *text, size_t len)
{
	return (enum opcode)find_name(&isa_opcode_names, text, len);
}

const struct sreg_info sreg_info[SREG_COUNT] = {
	{TYPE_NONE, 0, 0, 0},
#define SREG(id, text, type, vector, ptx, sm) {TYPE_##type, vector, ptx, sm},
#include "isa/sreg.def"
};

const char *sreg_text(enum sreg s) { return name_at(&isa_sreg_names, s); }

enum sreg sreg_find(const char *text, size_t len)
{
	return (enum sreg)find_name(&isa_sreg_names, text, len);
}
