/* The constant tables that the build generates from the .def files; private to isa/ and
 * isa/make/. */
#ifndef PTXI_ISA_TABLE_H
#define PTXI_ISA_TABLE_H
#include "isa/isa.h"

/* A hash table of names: text[slot[hash & mask]], or one of the slots that follow, until a slot is
 * 0. The texts of all tables are in one, isa_text: tables without pointers are not relocated when
 * ptxi starts. */
struct name_text {
	uint32_t at, len; /* in isa_text */
};
struct name_table {
	uint32_t mask;
	const uint16_t *slot;
	const struct name_text *text;
};
static inline uint32_t name_hash(const char *text, size_t len)
{
	uint32_t h = 2166136261u;
	for (size_t i = 0; i < len; i++)
		h = (h ^ (unsigned char)text[i]) * 16777619u;
	return h ^ h >> 15;
}
extern const struct name_table isa_word_names, isa_opcode_names, isa_sreg_names;

/* Word categories: word.def's last column. */
enum word_category {
	CAT_mod, /* no restriction */
	CAT_type,
	CAT_space,
	CAT_vec,
	CAT_linkage,
	CAT_directive,
	CAT_sem,
	CAT_scope,
	CAT_cop,
	CAT_l1,
	CAT_l2,
	CAT_hint,
	CAT_l2fetch,
	CAT_level,
	CAT_round,
	CAT_iround,
	CAT_cmp,
	CAT_op,
	CAT_component,
	CAT_geom,
	CAT_num_,
	CAT_shape,
	CAT_layout,
	CAT_COUNT
};
struct word_info {
	uint8_t token, category;
};
extern const struct word_info isa_word_info[WORD_COUNT];

/* A set of words. */
#define SET_LONGS ((WORD_COUNT + 63) / 64)
struct word_set {
	uint64_t bits[SET_LONGS];
};
static inline bool set_has(const struct word_set *s, unsigned w)
{
	return s->bits[w >> 6] >> (w & 63) & 1;
}

/* One element of a modifier pattern. */
enum { SLOT_OPTIONAL = 1, SLOT_HEAD = 2 };
struct slot {
	uint16_t set;  /* index into isa_set */
	uint16_t word; /* the only word of the set, or W_NONE */
	uint8_t flags;
	/* slots of one group {.A.B} are either all filled or all empty; 0 = no group */
	uint8_t group;
	uint8_t category; /* enum word_category of its words */
	uint8_t unused;
};

/* One operand of a row. */
enum spec_kind {
	SPEC_DEST,
	SPEC_SOURCE,
	SPEC_REG,
	SPEC_CONST,
	SPEC_ADDRESS,
	SPEC_LABEL,
	SPEC_TABLE,
	SPEC_ANY,
	SPEC_ONLY_SINK
};
enum {
	SPEC_NEG = 1,          /* ! allowed */
	SPEC_WIDER = 2,        /* + */
	SPEC_SINK = 4,         /* _ */
	SPEC_PAIR = 8,         /* a|b required */
	SPEC_PAIR_OK = 16,     /* a{|b}: pair allowed */
	SPEC_OPTIONAL = 32,    /* filled from the left */
	SPEC_RANGE = 64,       /* a constant must be in lo..hi / multiple */
	SPEC_TENSOR = 128,     /* [a, t]: further elements in the brackets */
	SPEC_SELECT = 256,     /* ^: a byte or half-word selector may follow */
	SPEC_MINUS = 512,      /* - allowed before a register */
	SPEC_MAYBE = SPEC_NEG, /* [a/shared?]: generic when the row's space word is absent */
};
/* Types that an operand may name in addition to enum type. */
enum { REF_T1 = 200, REF_T2, REF_T3, REF_T4, REF_WIDE, REF_ANY };
enum { VEC_NONE = 0, VEC_WORD = 255 };                  /* otherwise the number of elements */
enum { SPACE_FIRST = 0x8000, SPACE_SECOND, SPACE_ANY }; /* otherwise a word */
struct spec {
	uint16_t flags;
	uint8_t kind, type, vector;
	uint8_t vector_hi; /* maximum of a*2..4 */
	char name[7];
	/* the operand is present exactly if this word is; W_NONE: always, or SPEC_OPTIONAL */
	uint16_t when;
	uint16_t space; /* SPEC_ADDRESS */
	uint32_t multiple;
	int64_t lo, hi;
};

/* A word requires a version and a target; an sm above NEED_ARCH is a row of arch.def, which names
 * the versions too. */
enum { NEED_ARCH = 1000 };
struct need {
	uint16_t word, ptx, sm;
};

/* A compiled row of isa.def; parallel to isa_form. */
#define ROW_TYPES 4
struct row {
	uint16_t slot, spec, need; /* index of the first of each */
	uint8_t nslots, nheads, nspecs, nneeds;
	uint8_t nrequired;       /* number of operands that are not optional */
	uint8_t type[ROW_TYPES]; /* 1 + slot of the N-th type word, 0 = none */
	uint8_t space[2];        /* 1 + slot of the N-th state space */
	uint8_t vec;             /* 1 + slot of the vector width */
	bool selects;            /* an operand may have a selector: a video instruction */
	uint8_t nrules;
	uint16_t rule;    /* first in isa_row_rule */
	uint16_t allowed; /* set of all words that the row accepts: index into isa_set */
};
extern const struct row isa_row[];
extern const struct slot isa_slot[];
extern const struct word_set isa_set[];
extern const struct spec isa_spec[];
extern const struct need isa_need[];
extern const uint8_t isa_row_rule[];
/* The rows of an opcode: isa_op_row[op] to isa_op_row[op + 1]. */
extern const uint16_t isa_op_row[OPCODE_COUNT + 1];
/* By opcode: whether validity can depend on the value of a constant. */
extern const bool isa_op_values[OPCODE_COUNT];

/* What a word requires in any instruction (need.def); ptx 0 = nothing. */
extern const struct need isa_word_need[WORD_COUNT];

enum rule {
#define RULE(name, values) RULE_##name,
#include "isa/rule.def"
	RULE_COUNT
};
enum arch {
	ARCH_any,
#define ARCH(name, text, list) ARCH_##name,
#include "isa/arch.def"
	ARCH_COUNT
};

#endif
