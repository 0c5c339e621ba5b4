/* The instruction table and its matcher: a bag of words and operand shapes in, the row of isa.def
 * out, or why there is none. */
#ifndef PTXI_ISA_ISA_H
#define PTXI_ISA_ISA_H
#include "base/arena.h"
#include "base/text.h"
#include "isa/vocab.h"
#include <stdbool.h>
#include <stdint.h>

/* Who executes a row; a row not executed yet names HANDLER_unsupported. isa/handler.def:
 * HANDLER(name). */
enum handler {
#define HANDLER(name) HANDLER_##name,
#include "isa/handler.def"
	HANDLER_COUNT
};

/* Facts that checkers, the explorer and the scheduler need (a set). */
enum trait {
	TRAIT_LOAD = 1 << 0,
	TRAIT_STORE = 1 << 1,
	TRAIT_STRONG = 1 << 2, /* strong access or fence by its modifiers */
	TRAIT_ATOMIC = 1 << 3, /* read-modify-write */
	TRAIT_FENCE = 1 << 4,
	TRAIT_BARRIER = 1 << 5,    /* may block the executing thread */
	TRAIT_FLOW = 1 << 6,       /* may change the PC */
	TRAIT_CONVERGENT = 1 << 7, /* looks at other lanes of the warp */
	TRAIT_ASYNC = 1 << 8,
	TRAIT_VOLATILE = 1 << 9, /* reads something that changes by itself (clocks) */
	TRAIT_LAX = 1 << 10,     /* ptxas takes it, the manual does not: a warning is in order */
};

/* One row: a line of the PTX manual. */
struct form {
	uint16_t opcode; /* enum opcode */
	uint16_t ptx;    /* first PTX version: major * 10 + minor */
	uint16_t sm;     /* lowest target */
	uint8_t handler; /* enum handler */
	uint8_t arch;    /* 0 any; otherwise index of an arch-specific rule (sm_90a...) */
	uint32_t traits;
	uint8_t ndest;         /* the first operands, of the kind that is written */
	const char *modifiers; /* the manual's notation */
	const char *operands;  /* see isa.def's first comment */
	const char *rules;     /* names of predicates, or "" */
};
extern const struct form isa_form[];
extern const unsigned isa_forms;

/* What the matcher must know of an operand; made by the assembler from the AST and the symbols. */
enum operand_kind {
	OPERAND_REG,  /* type = the register's declared type */
	OPERAND_SREG, /* special register; value = enum sreg, type = its type */
	OPERAND_INT,  /* value */
	/* value = bits of a double; type = TYPE_f32 for 0f..., TYPE_f64 for 0d... and decimals */
	OPERAND_FLOAT,
	/* a variable's address as a value (mov); space = its space word, type = its type */
	OPERAND_VAR,
	OPERAND_FUNC, /* a function's name */
	OPERAND_LABEL,
	OPERAND_TABLE, /* .branchtargets, .calltargets or .callprototype name */
	/* [..]: sub[0] = base (REG, VAR, INT), space of the variable in space; further sub = tensor
	   coordinates and the like */
	OPERAND_ADDRESS,
	OPERAND_VECTOR, /* {a, b, ..}: sub */
	OPERAND_PAIR,   /* d|p: sub[0], sub[1] */
	OPERAND_LIST,   /* (a, b): call arguments: sub */
	OPERAND_SINK,   /* _ */
};
struct isa_operand {
	uint8_t kind;
	uint8_t type;      /* enum type, TYPE_NONE when it has none */
	uint8_t negated;   /* !p, or a minus sign in front of a register */
	uint8_t component; /* REG or SREG: 0, or 1 + x y z w of a vector register */
	uint8_t vector;    /* REG declared .v2 .v4: 2, 4; otherwise 0 */
	uint8_t sum;       /* a constant is added: to the register, or to the base of the address */
	uint16_t space;    /* enum word of the state space, W_NONE when unknown or generic */
	uint64_t value;    /* INT, FLOAT, SREG */
	bool value_signed; /* INT: it was written with a minus sign */
	const struct isa_operand *sub;
	uint32_t nsub;
};

struct isa_target {
	uint16_t ptx;         /* .version as major * 10 + minor */
	uint16_t sm;          /* 90 for sm_90, sm_90a, sm_90f */
	char suffix;          /* 0, 'a' or 'f' */
	uint8_t address_size; /* 32 or 64 */
};

/* Why no row fits; the assembler turns it into a diagnostic. */
struct isa_error {
	uint16_t code; /* enum diag_code as a number; isa may name diag codes */
	int word;      /* index into the words given, or -1 */
	int operand;   /* index of the operand, or -1 */
	int sub;       /* index inside a vector, pair or address, or -1 */
	/* in the arena or constant; every byte \1 in it stands for the source text of the operand
	 * (sub-operand) it speaks of */
	const char *message;
	const char *help; /* in the arena or constant, or NULL; no \1 */
};

#define ISA_MAX_WORDS 24

struct isa_match {
	const struct form *form; /* NULL: see error */
	/* the words in canonical order, as the printer writes them */
	uint16_t word[ISA_MAX_WORDS + 8];
	uint8_t nwords;
	bool lax; /* ptxas takes it, and the manual does not list it */
	/* operands (a set) that are scalars written as vectors of one element */
	uint32_t single;
	struct isa_error error;
};

/* Finds the row for opcode OP with WORDS in the order written and the operands; checks version,
 * target, categories, order, types, operand kinds and ranges. Messages go into ARENA. Returns
 * m->form != NULL. Pure and thread-safe. */
bool isa_match(struct arena *arena, enum opcode op, const uint16_t *words, unsigned nwords,
	const struct isa_operand *operands, unsigned noperands, const struct isa_target *target,
	struct isa_match *m);

/* How many operands FORM writes: its first ones. mov and call, whose operands are the rule's
 * affair, have none. */
static inline unsigned isa_destinations(const struct form *form) { return form->ndest; }

/* How many of the WORDS as written belong to the name of the instruction (FORM fits them), so that
 * no blank may stand in front of them. */
unsigned isa_name_words(const struct form *form, const uint16_t *words, unsigned nwords);

/* Whether the values of constants are looked at for this opcode (ranges); otherwise two
 * instructions that differ in them alone match alike. */
bool isa_values_matter(enum opcode op);

/* Whether a register of type R fits instruction type T (PTX ISA 9.4); WIDER: ld, st, cvt. */
bool type_agrees(enum type t, enum type r, bool wider);

/* Special registers: sreg.def rows SREG(id, "%name", type, vector, ptx, sm). */
enum sreg {
	SREG_NONE,
#define SREG(id, text, type, vector, ptx, sm) SREG_##id,
#include "isa/sreg.def"
	SREG_COUNT
};
struct sreg_info {
	const char *text;
	uint8_t type, vector; /* vector: 4 for %tid and the like, read with .x .y .z .w */
	uint16_t ptx, sm;
};
extern const struct sreg_info sreg_info[SREG_COUNT];
enum sreg sreg_find(const char *text, size_t len);

/* Reference text of an instruction ("mbarrier.try_wait", "add", a modifier, a special register):
 * forms, versions, executed or not. False: unknown word. */
bool isa_explain(const char *word, struct text *out);
/* A form as a reader expects it, groups of many words by what they are: "mov{.v2|.v4}.type"; with
 * its operands, "add.type d, a, b;". */
void isa_form_name(unsigned form, struct text *out);
void isa_form_text(unsigned form, struct text *out);
/* The forms not executed, one a line, from the table. */
void isa_coverage(struct text *out);
/* docs/ISA.md: every form, version, target, executed or not. */
void isa_reference(struct text *out);

#endif
