/* The vocabulary of PTX as numbers: types, dotted words, opcodes. Everything here is generated from
 * type.def, word.def and isa.def. */
#ifndef PTXI_ISA_VOCAB_H
#define PTXI_ISA_VOCAB_H
#include <stddef.h>
#include <stdint.h>

enum type {
	TYPE_NONE,
#define TYPE(name, class, bits) TYPE_##name,
#include "isa/type.def"
	TYPE_COUNT
};

enum type_class {
	CLASS_NONE,
	CLASS_PRED,
	CLASS_BITS,
	CLASS_UNSIGNED,
	CLASS_SIGNED,
	CLASS_FLOAT,
	CLASS_PACKED,
	CLASS_ALT,
	CLASS_OPAQUE
};

struct type_info {
	const char *name; /* without the dot */
	uint8_t class;    /* enum type_class */
	uint8_t bits;
};
extern const struct type_info type_info[TYPE_COUNT];
/* Bytes in a register or in memory: bits / 8, at least 1. */
static inline unsigned type_bytes(enum type t)
{
	return type_info[t].bits < 8 ? 1u : type_info[t].bits / 8u;
}

/* Dotted words. word.def has rows WORD(id, "text", TOKEN, CATEGORY): id is a C identifier
 * ("shared::cta" is shared__cta); the types of type.def are words too, first and in the same order,
 * so that (enum word)t == (enum type)t for every type. TOKEN is the grammar's token kind. */
enum word {
	W_NONE,
#define TYPE(name, class, bits) W_##name,
#include "isa/type.def"
#define WORD(id, text, token, category) W_##id,
#include "isa/word.def"
	WORD_COUNT
};
_Static_assert((int)W_b32 == (int)TYPE_b32, "types are the first words");
static inline enum type word_type(enum word w)
{
	return (int)w < (int)TYPE_COUNT ? (enum type)w : TYPE_NONE;
}
/* The packed byte selectors of the four-wide video instructions (.b7654: four octal digits) follow
 * the rows of word.def: W_SELECT + the digits. */
#define W_SELECT 0x4000
#define W_SELECT_END (W_SELECT + 4096)
/* Text without the leading dot. */
const char *word_text(enum word w);
/* The grammar's token kind of a word: TOKEN_TYPE for the types, otherwise word.def's third column.
 * The lexer maps these to its own numbers. */
enum word_token {
	TOKEN_TYPE,
	TOKEN_SPACE,
	TOKEN_VECTOR,
	TOKEN_LINKAGE,
	TOKEN_MODIFIER,
	TOKEN_D_VERSION,
	TOKEN_D_TARGET,
	TOKEN_D_ADDRESS_SIZE,
	TOKEN_D_ENTRY,
	TOKEN_D_FUNC,
	TOKEN_D_ALIGN,
	TOKEN_D_PTR,
	TOKEN_D_FILE,
	TOKEN_D_LOC,
	TOKEN_D_SECTION,
	TOKEN_D_PRAGMA,
	TOKEN_D_ALIAS,
	TOKEN_D_ATTRIBUTE,
	TOKEN_D_BRANCHTARGETS,
	TOKEN_D_CALLTARGETS,
	TOKEN_D_CALLPROTOTYPE,
	TOKEN_D_TUNE,  /* performance directive with arguments */
	TOKEN_D_TUNE0, /* .noreturn and the like: no arguments */
};
enum word_token word_token(enum word w);
/* W_NONE when TEXT (without the dot) is not a word of PTX. */
enum word word_find(const char *text, size_t len);

/* Opcodes: build/gen/isa/opcode.def has a row OPCODE(name) for each distinct first argument of
 * isa.def's FORM rows, made by isa/opcodes.awk. */
enum opcode {
	OP_NONE,
#define OPCODE(name) OP_##name,
#include "isa/opcode.def"
	OPCODE_COUNT
};
const char *opcode_text(enum opcode op);
enum opcode opcode_find(const char *text, size_t len);

#endif
