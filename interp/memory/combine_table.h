/* The table of reductions that wait (combine.h), as the interpreter and translated code (native/)
 * both add to it. The text of this file is part of every translated unit: it uses nothing but the
 * fixed-width types. Before it comes INLINE. */
#ifndef PTXI_INTERP_COMBINE_TABLE_H
#define PTXI_INTERP_COMBINE_TABLE_H

enum {
	COMBINE_SLOTS = 512,
	COMBINE_PERIOD = 1 << 12, /* lanes after which the benefit of the table is judged */
};

struct combine {
	uint8_t atomic, type; /* enum atomic, enum type */
	uint8_t bytes;
	uint64_t sign; /* the highest bit of a signed type, else 0 */
	uint32_t used; /* slots in use */
	/* lanes in this period, and those that found their sum begun; lanes still to bypass the
	 * table */
	uint32_t tried, merged, skip;
	uint16_t order[COMBINE_SLOTS]; /* [used] the slots in use */
	struct combine_slot {
		uint64_t place; /* byte offset in the allocation plus 1; 0: free */
		uint64_t value;
	} slot[COMBINE_SLOTS];
};

/* Where the sum of the N bytes at offset OFF of the allocation is, unless another one is there. */
INLINE struct combine_slot *combine_slot_of(struct combine *c, uint64_t off, unsigned n)
{
	const uint64_t word = off / n;

	return &c->slot[(uint32_t)(word ^ word >> 9) % COMBINE_SLOTS];
}

#endif
