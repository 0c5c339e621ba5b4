/* Functions as machine code, put together from pieces when they are loaded. Registers stay in the
 * frame of the interpreter, which can go on at any op. */
#ifndef PTXI_STENCIL_UNIT_H
#define PTXI_STENCIL_UNIT_H
#include "code/code.h"
#include "interp/native.h"
#include <stdbool.h>
#include <stddef.h>

/* The code of a function has two copies: for groups of 32 lanes, or, of a loose function, of all
 * that have not exited, which is made first; and for others, which is made when such a group comes.
 */
enum { STENCIL_WHOLE, STENCIL_SOME, STENCIL_COPIES };
struct stencil_code {
	const uint8_t *at; /* its bytes, which become executable where they are */
	size_t size;
	uint32_t enter; /* offset of a native_unit; only of the first copy */
	/* of each op: where it begins, and the op before which the straight run is looked at next
	 */
	uint32_t *place, *end;
	/* of the first copy: the other one, NULL before it is made; and what makes it, in any host
	 * thread (NULL: it cannot be made) */
	struct stencil_code *some;
	struct stencil_code *(*make_some)(struct stencil_code *self);
	bool loose; /* code_func.loose */
	uint32_t inlined,
		called; /* ops that are pieces, and those that pieces call functions for */
};

/* Functions of more ops stay with the interpreter. */
enum { STENCIL_MOST_OPS = 50000 };

/* Why this processor or this build of ptxi has no pieces, or NULL. */
const char *stencil_missing(void);

/* From kernels to pieces: the same for all functions. */
enum { STENCIL_SLOTS = 1 << 10 };
struct stencil_map {
	struct stencil_entry {
		uint16_t kernel; /* file << 12 | row (arith_kernel_of) */
		uint16_t piece;  /* 0: free */
	} slot[STENCIL_SLOTS];
	arith_kernel *lop3;
};
void stencil_map_fill(struct stencil_map *m);

/* How many bytes a copy of C takes at most. */
size_t stencil_room(const struct code_func *c);
/* Makes the bytes of copy WHICH of C, which is a kernel if ENTRY, at AT, where there is room for
 * ROOM. False: C is left to the interpreter. */
bool stencil_build(const struct stencil_map *m, const struct code_func *c, bool entry,
	unsigned which, uint8_t *at, size_t room, struct stencil_code *out);
void stencil_free(struct stencil_code *x);

#endif
