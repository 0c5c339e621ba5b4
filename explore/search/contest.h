/* Contests: threads that compete for a word by compare-and-swap. It does not matter which of the
 * writes of the others made a cas fail. */
#ifndef PTXI_EXPLORE_CONTEST_H
#define PTXI_EXPLORE_CONTEST_H
#include "explore/search/graph.h"

enum { CONTEST_VALUES = 16 };

/* What is known of a location's contest in one node. */
struct contest {
	uint32_t phys;  /* MODEL_NONE: nothing is known yet */
	bool closed;    /* only such cas may still write there */
	uint32_t count; /* of the values that the location has now, or may get */
	uint64_t value[CONTEST_VALUES];
};

/* Whether pending read R, with candidates ROW, is of a cas that fails whatever it reads, and with
 * the same consequences: then *FROM is the write that represents all others, also those to come. C
 * keeps what is found out about N for the next read. */
bool contest_lost(const struct node *n, struct grower *g, struct contest *c, uint32_t r,
	const uint64_t *row, uint32_t *from);

#endif
