/* What the files that write objects share. */
#ifndef PTXI_IR_OBJECT_WRITER_H
#define PTXI_IR_OBJECT_WRITER_H
#include "ir/object_format.h"
#include "base/vec.h"

struct object_writer {
	const struct ir_module *m;
	struct text body, strings;
	uint32_t *number; /* of each symbol: 1 + its place among the strings, 0 = not written yet */
	uint32_t nstrings;
	uint32_t last_string;
	/* the next variable in order: a module that is not in order is our own mistake */
	uint32_t var;
	struct text shapes;
	/* where each shape begins in `shapes`; one more entry for the end */
	VEC(uint32_t) shape_at;
	uint32_t *shape_slot, shape_slots;
};

/* object_put.c */
/* A number of variable length: seven bits a byte, the least first. */
void object_put(struct text *t, uint64_t v);
/* Eight bytes, the least first. */
void object_put_u64(struct text *t, uint64_t v);
/* N bytes as they are; P may be NULL when there are none. */
void object_put_bytes(struct text *t, const void *p, size_t n);

/* object_write_code.c: the instructions of all bodies, in CODE; their shapes are gathered in W. */
void object_put_code(struct object_writer *w, struct text *code);
/* The lines of the source, and where in it functions, variables, tables, labels and instructions
 * stand. */
void object_put_places(const struct ir_module *m, struct text *t);

#endif
