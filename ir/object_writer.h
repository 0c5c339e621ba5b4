/* The state of writing an object, shared by the files that write. */
#ifndef PTXI_IR_OBJECT_WRITER_H
#define PTXI_IR_OBJECT_WRITER_H
#include "ir/object_format.h"
#include "base/vec.h"

struct object_writer {
	const struct ir_module *m;
	struct text body, strings;
	uint32_t *number; /* by symbol: 1 + its index among the strings, 0 = not written yet */
	uint32_t nstrings;
	uint32_t last_string;
	/* the next variable in order; a module out of order is a bug in ptxi */
	uint32_t var;
	struct text shapes;
	/* offset of each shape in `shapes`, and of the end */
	VEC(uint32_t) shape_at;
	uint32_t *shape_slot, shape_slots;
};

/* object_put.c */
enum { OBJECT_NUMBER = 10 }; /* bytes of a variable-length number, at most */
/* Writes a variable-length number at P: seven bits per byte, least significant first. Returns its
 * end. */
char *object_number_long(char *p, uint64_t v);
/* The same; nearly all numbers are one byte. */
static inline char *object_number(char *p, uint64_t v)
{
	if (v >= 0x80)
		return object_number_long(p, v);
	*p++ = (char)v;
	return p;
}
/* The end of T, with room for N more numbers, which object_end adds. Objects are bytes: no NUL
 * follows them. */
static inline char *object_room(struct text *t, size_t n)
{
	return t->cap - t->len > n * OBJECT_NUMBER ? t->data + t->len
						   : text_room(t, n * OBJECT_NUMBER);
}
static inline void object_end(struct text *t, const char *p) { t->len = (size_t)(p - t->data); }
/* Appends a variable-length number. */
void object_put(struct text *t, uint64_t v);
/* Appends eight bytes, least significant first. */
void object_put_u64(struct text *t, uint64_t v);
/* Appends N bytes; P may be NULL if N is 0. */
void object_put_bytes(struct text *t, const void *p, size_t n);

/* object_write_code.c: writes the instructions of all bodies to CODE and collects their shapes in
 * W */
void object_put_code(struct object_writer *w, struct text *code);
/* Writes the lines of the source and the locations of functions, variables, tables, labels and
 * instructions. */
void object_put_places(const struct ir_module *m, struct text *t);

#endif
