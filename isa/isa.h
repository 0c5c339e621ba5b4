/* The instruction table and its matcher: given the words and the operand shapes of an instruction,
 * finds the row of isa.def, or explains why there is none. */
#ifndef PTXI_ISA_ISA_H
#define PTXI_ISA_ISA_H
#include "base/arena.h"
#include "base/text.h"
#include "isa/vocab.h"
#include <stdbool.h>
#include <stdint.h>

/* The newest .version that the table knows, as major * 10 + minor. */
enum { PTX_NEWEST = 94 };

/* The handler of a row: it selects the decode function of code/. Rows that are not executed have
 * HANDLER_unsupported. isa/handler.def: HANDLER(name). */
enum handler {
#define HANDLER(name) HANDLER_##name,
#include "isa/handler.def"
	HANDLER_COUNT
};

/* Properties of an instruction for checkers, explorer and scheduler (a set). */
enum trait {
	TRAIT_LOAD = 1 << 0,
	TRAIT_STORE = 1 << 1,
	TRAIT_STRONG = 1 << 2, /* strong access or fence by its modifiers */
	TRAIT_ATOMIC = 1 << 3, /* read-modify-write */
	TRAIT_FENCE = 1 << 4,
	TRAIT_BARRIER = 1 << 5,    /* may block the executing thread */
	TRAIT_FLOW = 1 << 6,       /* may change the PC */
	TRAIT_CONVERGENT = 1 << 7, /* depends on other lanes of the warp */
	TRAIT_ASYNC = 1 << 8,
	TRAIT_VOLATILE = 1 << 9, /* reads a value that changes by itself (clocks) */
	/* ptxas accepts it, the manual does not: assembled with a warning */
	TRAIT_LAX = 1 << 10,
};

/* One row of the table, which is one line of the PTX manual. */
struct form {
	uint16_t opcode; /* enum opcode */
	uint16_t ptx;    /* first PTX version: major * 10 + minor */
	uint16_t sm;     /* lowest target */
	uint8_t handler; /* enum handler */
	uint8_t arch;    /* enum arch: 0 any target, otherwise a row of arch.def */
	uint32_t traits;
	uint8_t ndest; /* number of destinations, which are the first operands */
	uint32_t modifiers, operands, rules; /* where each begins in isa_text */
};
extern const struct form isa_form[];
extern const unsigned isa_forms;
extern const char isa_text[];

/* The modifiers of FORM in the manual's notation, its operands in that of isa.def's first comment,
 * and the names of its predicates, or "". */
static inline const char *isa_modifiers(const struct form *form)
{
	return isa_text + form->modifiers;
}
static inline const char *isa_operands(const struct form *form)
{
	return isa_text + form->operands;
}
static inline const char *isa_rules(const struct form *form) { return isa_text + form->rules; }

/* An operand as the matcher needs it; created by the assembler from the syntax tree and the
 * symbols. */
enum operand_kind {
	OPERAND_REG,  /* type = the register's declared type */
	OPERAND_SREG, /* special register; value = enum sreg, type = its type */
	OPERAND_INT,  /* value */
	/* value = bits of a double; type = TYPE_f32 for 0f..., TYPE_f64 for 0d... and decimals */
	OPERAND_FLOAT,
	/* a variable's address as a value (mov); space = enum word, type = its type */
	OPERAND_VAR,
	OPERAND_FUNC, /* a function's name */
	OPERAND_LABEL,
	OPERAND_TABLE, /* .branchtargets, .calltargets or .callprototype name */
	/* [..]: sub[0] = base (REG, VAR, INT); space = that of the variable; further sub = tensor
	 * coordinates and similar */
	OPERAND_ADDRESS,
	OPERAND_VECTOR, /* {a, b, ..}: sub */
	OPERAND_PAIR,   /* d|p: sub[0], sub[1] */
	OPERAND_LIST,   /* (a, b): call arguments or results: sub */
	OPERAND_SINK,   /* _ */
};
struct isa_operand {
	uint8_t kind;
	uint8_t type;      /* enum type, or TYPE_NONE */
	uint8_t negated;   /* !p, or a minus sign before a register */
	uint8_t component; /* REG or SREG: 0, or 1 + x y z w of a vector register */
	uint8_t vector;    /* REG declared .v2 .v4: 2, 4; otherwise 0 */
	uint8_t sum;       /* a constant is added to the register or to the base of the address */
	uint16_t space;    /* enum word of the state space, W_NONE if unknown or generic */
	uint64_t value;    /* INT, FLOAT, SREG */
	bool value_signed; /* INT: written with a minus sign */
	const struct isa_operand *sub;
	uint32_t nsub;
};

struct isa_target {
	uint16_t ptx;         /* .version as major * 10 + minor */
	uint16_t sm;          /* 90 for sm_90, sm_90a, sm_90f */
	char suffix;          /* 0, 'a' or 'f' */
	uint8_t address_size; /* 32 or 64 */
};

/* Why no row fits; the assembler turns this into a diagnostic. */
struct isa_error {
	uint16_t code; /* enum diag_code */
	int word;      /* index into the words as written, or -1 */
	int operand;   /* index of the operand, or -1 */
	int sub;       /* index inside a vector, pair or address, or -1 */
	/* in the arena or constant; every byte \1 in it is replaced by the source text of the
	 * operand or sub-operand */
	const char *message;
	const char *help; /* in the arena or constant, or NULL; no \1 */
};

#define ISA_MAX_WORDS 24

struct isa_match {
	const struct form *form; /* NULL: no row fits, see error */
	/* the words in canonical order, as the printer writes them */
	uint16_t word[ISA_MAX_WORDS + 8];
	uint8_t nwords;
	bool lax; /* ptxas accepts it, but the manual does not list it */
	/* set of operands that are scalars written as vectors of one element */
	uint32_t single;
	struct isa_error error;
};

/* Finds the row for opcode OP with the operands and WORDS in the order written; checks version,
 * target, categories, order, types, operand kinds and ranges. Messages are allocated in ARENA.
 * Returns m->form != NULL. Has no other side effects and is thread-safe. */
bool isa_match(struct arena *arena, enum opcode op, const uint16_t *words, unsigned nwords,
	const struct isa_operand *operands, unsigned noperands, const struct isa_target *target,
	struct isa_match *m);

/* The number of operands that FORM writes: its first ones. 0 for mov and call, whose operands are
 * defined by rules. */
static inline unsigned isa_destinations(const struct form *form) { return form->ndest; }

/* The number of leading WORDS (as written) that are part of the instruction's name, so that no
 * blank may precede them. FORM must fit. */
unsigned isa_name_words(const struct form *form, const uint16_t *words, unsigned nwords);

/* Whether matching this opcode depends on the values of constants (ranges); if not, instructions
 * that differ only in them match alike. */
bool isa_values_matter(enum opcode op);

/* Whether a register of type R is compatible with instruction type T (PTX ISA 9.4). WIDER: wider
 * registers are allowed (ld, st, cvt). */
bool type_agrees(enum type t, enum type r, bool wider);

/* Special registers: sreg.def rows SREG(id, "%name", type, vector, ptx, sm). */
enum sreg {
	SREG_NONE,
#define SREG(id, text, type, vector, ptx, sm) SREG_##id,
#include "isa/sreg.def"
	SREG_COUNT
};
struct sreg_info {
	uint8_t type, vector; /* vector: 4 for %tid and similar, with components .x .y .z .w */
	uint16_t ptx, sm;
};
extern const struct sreg_info sreg_info[SREG_COUNT];
const char *sreg_text(enum sreg s); /* "%tid" */
enum sreg sreg_find(const char *text, size_t len);

/* Appends the reference text of WORD: an instruction ("mbarrier.try_wait", "add") with its forms,
 * versions and whether they are executed; a modifier; or a special register. Returns false for an
 * unknown word. */
bool isa_explain(const char *word, struct text *out);
/* Appends a form in readable notation, large groups named by category: "mov{.v2|.v4}.type";
 * isa_form_text with operands: "add.type d, a, b;". */
void isa_form_name(unsigned form, struct text *out);
void isa_form_text(unsigned form, struct text *out);
/* Appends the forms that are not executed, one per line, and a count. */
void isa_coverage(struct text *out, unsigned since);
/* Appends docs/ISA.md: every form with version, target, and whether it is executed. */
void isa_reference(struct text *out);

#endif
