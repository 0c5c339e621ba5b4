/* Copies pieces one after the other and fills their holes. */
#ifndef PTXI_STENCIL_COPY_H
#define PTXI_STENCIL_COPY_H
#include "stencil/piece.h"
#include <stdbool.h>
#include <stddef.h>

/* The bank of a place of an operand: as in an op, and scratch memory. */
enum { BANK_FRAME, BANK_CONSTANTS, BANK_SCRATCH };
struct spot {
	uint8_t bank;
	uint32_t at, step; /* bytes from one step to the next */
};

/* What the holes of a piece get. */
struct fill {
	struct spot place[5];
	uint32_t number[2];
	uint64_t pointer[2];
	uint32_t other; /* the label that HOLE_other jumps to */
};

struct copier {
	uint8_t *bytes; /* [room] */
	size_t size, room;
	/* jumps to labels that are not yet known */
	struct jump {
		uint32_t at, label;
	} * jump;
	uint32_t njumps, jump_room;
	bool failed; /* something does not fit: the bytes are not to be used */
};

/* No unit is larger than what displacements reach. */
enum { COPIER_MOST = 1 << 30 };
/* Begins with the constants that pieces refer to. */
void copier_begin(struct copier *c, uint8_t *bytes, size_t room);
/* Copies piece NUMBER STEPS times. */
void copier_put(struct copier *c, unsigned number, unsigned steps, const struct fill *f);
/* All labels are known: LABEL[k] is the offset of label k. */
void copier_end(struct copier *c, const uint32_t *label);
void copier_free(struct copier *c); /* not the bytes */

#endif
