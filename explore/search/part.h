/* Parts of a search: each of N runs searches its share of the tree and writes down what it found;
 * the results of all are joined to what one run finds. */
#ifndef PTXI_EXPLORE_PART_H
#define PTXI_EXPLORE_PART_H
#include "explore/search/explore.h"

/* What explore_options.parts is: the results of all parts, as part_write() wrote them. */
struct explore_parts {
	const char *const *text; /* [n] */
	uint32_t n;
	bool bad; /* set by explore_run(): a text is not a result of this program */
};

/* Appends R as text. */
void part_write(const struct explore_result *r, struct text *out);
/* Reads TEXT into R, which is empty; its options then say how the part was searched. False: it is
 * not a result of R's program. */
bool part_read(const char *text, struct explore_result *r);
/* Adds FROM to TO, except for its races; copies what it refers to. */
void part_add(struct explore_result *to, const struct explore_result *from);
/* Keeps in R the fault at the first place in the text, with its first thread. */
void part_add_fault(struct explore_result *r, const char *fault, uint32_t thread, uint32_t place,
	bool unsupported);

#endif
