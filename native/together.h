/* Accesses of shared memory whose places are checked together (together.c). */
#ifndef PTXI_NATIVE_TOGETHER_H
#define PTXI_NATIVE_TOGETHER_H
#include "native/places.h"

/* Whether OP accesses only the CTA's shared memory, and orders nothing: then its place is where
 * variables of the function say, and reductions that wait may do so longer. */
bool is_near(const struct op *op);
/* Whether the address of access OP is a line in this copy, and the access a row or, for loads, a
 * single address. */
bool is_lined(const struct writer *u, const struct op *op);
/* The bytes of all elements of a lane, and how many there are for the lanes of one part. */
unsigned lane_bytes(const struct op *op);
unsigned line_bytes(const struct writer *u, const struct op *op);

/* Finds which accesses of this copy belong together. */
void together_find(struct writer *u);
/* Whether those that begin with op AT are checked there. */
static inline bool together_begins(const struct writer *u, uint32_t at)
{
	return u->together[at].first == at && u->together[at].last != at;
}
/* Whether op AT is among such ones, not as one of the lanes that part. */
static inline bool together_has(const struct writer *u, uint32_t at)
{
	return u->together[u->together[at].first].last != u->together[at].first && !u->parting;
}
/* Declares "bool fit<first>" for all that are checked together. */
void put_together_flags(struct writer *u);
/* "s->loaded[1] CHANGE (u64)LANES * 64;" for those that begin at FIRST, from op AT on. */
void put_together_bytes(struct writer *u, uint32_t first, uint32_t at, const char *change);
/* Where the unit is left at op AT: bytes of later accesses have not been accessed. */
void put_together_undo(struct writer *u, uint32_t at);

#endif
