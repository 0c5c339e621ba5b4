/* The state of reading an object, shared by the files that read. */
#ifndef PTXI_IR_OBJECT_READER_H
#define PTXI_IR_OBJECT_READER_H
#include "ir/object_format.h"
#include "base/vec.h"

struct object_node {
	uint8_t kind, type, aux, negated, vector;
	uint16_t space;
	uint32_t count, index; /* number of elements; special register or selector */
};

struct object_shape {
	uint16_t form;
	uint8_t flags, nwords, noperands;
	/* validity depends on the values of constants: check every instruction, not only the
	 * first */
	uint8_t values;
	uint8_t checked;
	uint32_t word, node; /* the first of its words; of its operands' nodes */
};

struct object_reader {
	const uint8_t *p, *end;
	const char *why; /* the first error, or NULL; after an error p == end */
	struct ir_module *m;
	struct arena scratch;
	uint32_t *name; /* [nnames + 1] symbol of each string number */
	uint32_t nnames;
	uint32_t *order, norder; /* functions with a body, in the order of their bodies */
	VEC(struct object_node) node;
	VEC(struct object_shape) shape;
	VEC(struct isa_operand) operands; /* scratch */
#define ARRAY(array, number, type) VEC(type) array##_v;
#include "ir/array.def"
};

/* Records an error; nothing more is read. (ir/object_get.c) */
void object_fail(struct object_reader *r, const char *why);
/* Reads a number of several bytes, or fails. (ir/object_get.c) */
uint64_t object_get_long(struct object_reader *r);

static inline uint64_t object_get(struct object_reader *r)
{
	return r->p < r->end && *r->p < 0x80 ? *r->p++ : object_get_long(r);
}

/* Reads a number less than LIMIT; otherwise fails with WHY and returns 0. */
static inline uint32_t object_below(struct object_reader *r, uint64_t limit, const char *why)
{
	uint64_t v = object_get(r);

	if (v < limit)
		return (uint32_t)v;
	object_fail(r, why);
	return 0;
}

/* Reads a count of items that take at least one byte each. */
static inline uint32_t object_count(struct object_reader *r)
{
	return object_below(
		r, (uint64_t)(r->end - r->p) + 1, "a count in it is larger than the file");
}

/* object_decl.c: strings, module properties, functions, variables */
void object_read_names(struct object_reader *r);
void object_read_declarations(struct object_reader *r);
/* object_code.c: shapes and instructions */
void object_read_code(struct object_reader *r);
/* object_check.c: validates that the assembler could have produced the instruction */
void object_check_insn(struct object_reader *r, struct object_shape *s, const struct ir_func *f,
	const struct ir_insn *in);

#endif
