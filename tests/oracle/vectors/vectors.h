/* Hardware vectors: every lane-wise form of the instruction table on edge values and random ones,
 * recorded on a GPU and replayed on the interpreter. A form is an instruction with all its
 * modifiers (add.rz.ftz.f32); a vector is one lane's inputs and results. Inputs are generated from
 * a seed, so that only results are stored: 32-bit digests of 2048 vectors each; for approximate
 * functions the distance in ulp of every result from the exact one. */
#ifndef VECTORS_H
#define VECTORS_H
#include "base/arena.h"
#include "base/text.h"
#include "isa/isa.h"

enum {
	VECTORS = 1 << 17,
	CHUNK = 2048,
	CHUNKS = VECTORS / CHUNK,
	MAX_SOURCES = 6,
	FORMS_A_MODULE = 64
};

/* The kind of values that an operand needs. */
enum pool { POOL_INT, POOL_F32, POOL_F64, POOL_F16, POOL_BF16, POOL_COUNT };

struct vector_operand {
	uint8_t type; /* enum type of its register */
	uint8_t pool;
	uint8_t constant; /* written as a number */
	uint32_t value;
};
struct vector_form {
	const char *name; /* "add.rz.f32" */
	uint16_t opcode;
	uint16_t word[ISA_MAX_WORDS];
	uint8_t nwords, nsources;
	uint8_t dest;    /* enum type of the first destination; TYPE_NONE: none (red) */
	uint8_t second;  /* TYPE_NONE, or type of the second destination */
	uint8_t carries; /* uses the condition code */
	uint8_t atomic;  /* [address] is the first source */
	uint8_t approximate;
	struct vector_operand source[MAX_SOURCES];
	const struct vector_form *next;
};

/* All forms that sm_90 has, in the table's order. Sets *N to their number. */
struct vector_form *vector_forms(struct arena *a, unsigned *n);
/* PTX with a kernel "f<k>" for each form; parameters p0..p5: inputs, out: two u64 per vector. */
void vector_module(const struct vector_form *f, unsigned n, struct text *out);
/* Input vector I of operand K. */
uint64_t vector_input(enum pool pool, unsigned k, uint32_t i);
/* Distance in ulp of RESULT from the exact value, clamped to -126..126; 127: one of them is NaN.
 * (f32, f64, f16 and bf16; of packed values the worse half) */
int vector_distance(const struct vector_form *f, const uint64_t *input, uint64_t result);

#endif
