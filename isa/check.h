/* State shared by the files of the matcher: one instruction compared with one row, and the first
 * mismatch. */
#ifndef PTXI_ISA_CHECK_H
#define PTXI_ISA_CHECK_H
#include "isa/table.h"

/* Kinds of mismatch, in the order of the checks; see miss_score() in match.c. */
enum miss_kind {
	MISS_NONE,
	MISS_UNKNOWN,  /* the row has no such word */
	MISS_REPEATED, /* its slot is already taken by another word (slot) */
	MISS_ORDER,
	MISS_MISSING, /* the slot has no word */
	MISS_ALONE,   /* {.A.B}: one without the other (slot is the missing one) */
	MISS_COUNT,
	MISS_POLICY,
	MISS_KIND,
	MISS_SINK,
	MISS_NEGATED,
	MISS_SREG,
	MISS_PAIR,
	MISS_SELECT, /* a selector that is not allowed here */
	MISS_VECTOR,
	MISS_ADDRESS,
	MISS_SPACE,
	MISS_CONST,
	MISS_TYPE,
	MISS_RANGE,
	MISS_RULE, /* text */
	MISS_PTX,
	MISS_SM,
	MISS_ARCH, /* arch */
};
struct miss {
	uint8_t kind;
	uint8_t type;     /* MISS_TYPE, MISS_CONST: the required type */
	uint8_t expected; /* MISS_VECTOR: required number of elements, 0 = none */
	bool lax;         /* it fits although the manual does not list it */
	bool single;      /* the operand is a vector of one element used as a scalar */
	uint32_t singles; /* set of the operands that are */
	uint8_t code;     /* MISS_RULE: 0, or another code: enum rule_code */
	uint8_t arch;     /* MISS_ARCH: enum arch */
	int word, operand, sub, slot;
	uint16_t ptx, sm;
	unsigned count; /* number of mismatches; for words, weighted */
	/* MISS_MISSING: the words that any of the nearest rows accepts in this slot */
	const struct word_set *others;
	const struct spec *spec;
	const char *text, *help;
};

/* One instruction against one row. */
struct view {
	enum opcode op;
	const uint16_t *words;
	unsigned nwords;
	const struct isa_operand *operands;
	unsigned noperands;
	const struct isa_target *target;
	const struct row *row;
	const struct form *form;
	uint16_t slot_word[ISA_MAX_WORDS + 8]; /* by slot of the row, W_NONE = empty */
	uint8_t slot_from[ISA_MAX_WORDS + 8];  /* index of that word in words */
};

static inline uint16_t view_slot(const struct view *v, unsigned slot1)
{
	return slot1 ? v->slot_word[slot1 - 1] : (uint16_t)W_NONE;
}
/* The N-th type word of the instruction, counted from 0. */
static inline enum type view_type(const struct view *v, unsigned n)
{
	return word_type((enum word)view_slot(v, v->row->type[n]));
}
static inline enum word view_space(const struct view *v, unsigned n)
{
	return (enum word)view_slot(v, v->row->space[n]);
}
/* The number of elements given by the vector word; 0 = not a vector. */
static inline unsigned view_vector(const struct view *v)
{
	enum word w = (enum word)view_slot(v, v->row->vec);
	return w == W_v2 ? 2 : w == W_v4 ? 4 : w == W_v8 ? 8 : 0;
}
/* The index of word W in the instruction, or -1. */
static inline int view_find(const struct view *v, enum word w)
{
	for (unsigned i = 0; i < v->nwords; i++)
		if (v->words[i] == w)
			return (int)i;
	return -1;
}
static inline bool view_has(const struct view *v, enum word w) { return view_find(v, w) >= 0; }

/* Whether constant O is compatible with instruction type T. */
bool constant_agrees(enum type t, const struct isa_operand *o);

/* Whether neighbouring elements of a vector have the same size and compatible types; otherwise
 * m->sub is the offending one. */
bool elements_agree(const struct isa_operand *vector, struct miss *m);

/* Checks all operands against the row's specs. Returns false with the first mismatch in *M;
 * m->count is the number of operands that do not fit. */
bool operands_fit(const struct view *v, struct miss *m);
/* Checks one scalar of type T, for rules: S is a DEST, REG, SOURCE or CONST. */
bool scalar_fits(const struct view *v, const struct spec *s, enum type t,
	const struct isa_operand *o, struct miss *m);
/* Checks the rules of the row. */
bool rules_fit(const struct view *v, struct miss *m);
/* Checks version and target. */
bool needs_fit(const struct view *v, struct miss *m);
/* Appends the row in the manual's notation, with small groups written out. */
void form_short(struct text *t, const struct row *r, enum opcode op);
/* Describes in words why no row fits. */
void miss_explain(struct arena *a, const struct view *v, const struct miss *m, struct isa_error *e);
void miss_unknown_word(struct arena *a, enum opcode op, int word, enum word w, struct isa_error *e);

#endif
