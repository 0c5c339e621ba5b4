/* Vector clocks as sorted lists: up to what time the actions of each key are known. Clocks are
 * immutable and shared. Callers that join clocks decide how keys are grouped (a group representing
 * its members) and what is dropped when a list becomes too long. */
#ifndef PTXI_BASE_CLOCK_H
#define PTXI_BASE_CLOCK_H
#include <stdbool.h>
#include <stdint.h>

/* All actions of KEY at times up to STAMP. */
struct known {
	uint64_t key, stamp; /* key < UINT64_MAX */
};

struct clock {
	uint32_t refs, n;
	uint64_t floor;       /* all actions of all keys up to this time */
	struct known known[]; /* [n], ascending keys */
};

/* An empty clock with one reference and space for ROOM entries, which the caller must fill before
 * sharing it. */
struct clock *clock_with_room(uint32_t room);
static inline struct clock *clock_ref(struct clock *c) /* NULL is fine */
{
	if (c)
		c->refs++;
	return c;
}
void clock_unref(struct clock *c); /* NULL is fine */

/* The index of the first entry with a key of at least KEY; n if there is none. */
static inline uint32_t clock_first_from(const struct clock *c, uint64_t key)
{
	uint32_t low = 0, high = c->n;

	while (low < high) {
		uint32_t middle = (low + high) / 2;

		if (c->known[middle].key < key)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* Sorts N entries by key. */
void clock_sort(struct known *known, uint32_t n);

/* Several lists with ascending keys, merged while reading. */
enum { CLOCK_LISTS = 3 };
struct clock_lists {
	const struct known *at[CLOCK_LISTS];
	uint32_t left[CLOCK_LISTS];
};
/* Gets the next entry of the merged lists: the smallest key with its latest stamp. Returns false at
 * the end. */
static inline bool clock_next(struct clock_lists *l, struct known *next)
{
	*next = (struct known){UINT64_MAX, 0};
	for (unsigned k = 0; k < CLOCK_LISTS; k++)
		if (l->left[k] && l->at[k]->key < next->key)
			next->key = l->at[k]->key;
	if (next->key == UINT64_MAX)
		return false;
	for (unsigned k = 0; k < CLOCK_LISTS; k++)
		for (; l->left[k] && l->at[k]->key == next->key; l->at[k]++, l->left[k]--)
			next->stamp = l->at[k]->stamp > next->stamp ? l->at[k]->stamp : next->stamp;
	return true;
}

/* The last joins of long clocks: the lanes of a warp, and a thread that reads a release again, join
 * the same two. It refers to the clocks, so its size bounds what it keeps of those no longer in
 * use. */
enum { CLOCK_JOINS = 64, CLOCK_LONG = 8 /* entries; shorter ones are joined as quickly */ };
struct clock_joins {
	struct {
		struct clock *a, *b, *result;
	} of[CLOCK_JOINS];
};
/* The result kept for A and B, with a reference; NULL: none. */
struct clock *clock_joins_find(
	const struct clock_joins *j, const struct clock *a, const struct clock *b);
/* Keeps RESULT, with references of its own. */
void clock_joins_keep(
	struct clock_joins *j, struct clock *a, struct clock *b, struct clock *result);
void clock_joins_free(struct clock_joins *j);

#endif
