/* What the files of the matcher share: one instruction held against one row, and what does not
 * fit. */
#ifndef PTXI_ISA_CHECK_H
#define PTXI_ISA_CHECK_H
#include "isa/table.h"

/* In the order of how far the row got; see score() in match.c. */
enum miss_kind {
	MISS_NONE,
	MISS_UNKNOWN,  /* the row has no such word */
	MISS_REPEATED, /* its place is taken by another word (slot) */
	MISS_ORDER,
	MISS_MISSING, /* a word of the slot is missing */
	MISS_ALONE,   /* {.A.B}: one without the other (slot is the one missing) */
	MISS_COUNT,
	MISS_POLICY,
	MISS_KIND,
	MISS_SINK,
	MISS_NEGATED,
	MISS_SREG,
	MISS_PAIR,
	MISS_SELECT, /* a selector that does not belong here */
	MISS_VECTOR,
	MISS_ADDRESS,
	MISS_SPACE,
	MISS_CONST,
	MISS_TYPE,
	MISS_RANGE,
	MISS_RULE, /* text */
	MISS_PTX,
	MISS_SM,
	MISS_ARCH, /* need */
};
struct miss {
	uint8_t kind;
	uint8_t type;     /* MISS_TYPE, MISS_CONST: the type wanted */
	uint8_t expected; /* MISS_VECTOR: elements wanted, 0 = none */
	bool lax;         /* it fits, though the manual does not list it */
	bool single;      /* the operand is a vector of one element that stands for a scalar */
	uint32_t singles; /* the operands that are */
	uint8_t code;     /* MISS_RULE: 0, or another code: enum rule_code */
	int word, operand, sub, slot;
	uint16_t ptx, sm;
	unsigned count; /* how many things do not fit; of words, weighed */
	/* MISS_MISSING: what the rows that miss the same slot would take, together */
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
/* The Nth type word of the instruction (0 = first). */
static inline enum type view_type(const struct view *v, unsigned n)
{
	return word_type((enum word)view_slot(v, v->row->type[n]));
}
static inline enum word view_space(const struct view *v, unsigned n)
{
	return (enum word)view_slot(v, v->row->space[n]);
}
/* Elements that the vector word says; 0 = no vector. */
static inline unsigned view_vector(const struct view *v)
{
	enum word w = (enum word)view_slot(v, v->row->vec);
	return w == W_v2 ? 2 : w == W_v4 ? 4 : w == W_v8 ? 8 : 0;
}
/* Whether word W stands in the instruction, and where (-1: nowhere). */
static inline int view_find(const struct view *v, enum word w)
{
	for (unsigned i = 0; i < v->nwords; i++)
		if (v->words[i] == w)
			return (int)i;
	return -1;
}
static inline bool view_has(const struct view *v, enum word w) { return view_find(v, w) >= 0; }

/* Whether constant O fits instruction type T. */
bool constant_agrees(enum type t, const struct isa_operand *o);

/* Elements of a vector next to each other have one size and compatible types (sub of *m: the one
 * that has not). */
bool elements_agree(const struct isa_operand *vector, struct miss *m);

/* All operands against the row's specs; false: *m says what does not fit (m->count: how many
 * operands). */
bool operands_fit(const struct view *v, struct miss *m);
/* One scalar, for rules: DEST, REG, SOURCE or CONST of type T. */
bool scalar_fits(const struct view *v, const struct spec *s, enum type t,
	const struct isa_operand *o, struct miss *m);
/* Rules of the row. */
bool rules_fit(const struct view *v, struct miss *m);
/* Version and target. */
bool needs_fit(const struct view *v, struct miss *m);
/* The row as the manual would write it, groups spelled out when they are short. */
void form_short(struct text *t, const struct row *r, enum opcode op);
/* Why no row fits, in words. */
void miss_explain(struct arena *a, const struct view *v, const struct miss *m, struct isa_error *e);
void miss_unknown_word(struct arena *a, enum opcode op, int word, enum word w, struct isa_error *e);

#endif
