/* Branches at which a warp parts and, a few instructions further down, has met again: what lies
 * between is written a second time, for those lanes that run (parting.c). */
#ifndef PTXI_NATIVE_PARTING_H
#define PTXI_NATIVE_PARTING_H
#include "native/writer.h"

/* Finds u->meeting, and the registers that are parted for that reason. Needs u->useful. */
void parting_find(struct writer *u);
/* Whether branch AT parts so in this copy. */
bool parting_fits(const struct writer *u, uint32_t at);
/* After everything else: label T<at>, where the lanes of m have taken branch AT, and the others
 * have not; it goes on where all have met. PUT writes an op. */
void put_parting(struct writer *u, uint32_t at, void (*put)(struct writer *u, uint32_t at));
/* Meanwhile: branch OP, which the lanes of m take, those that run or some of them. */
void put_branch_inside(struct writer *u, const struct op *op, uint32_t at);

#endif
