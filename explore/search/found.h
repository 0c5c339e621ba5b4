/* What a search, or the part of it below one node, has found. */
#ifndef PTXI_EXPLORE_FOUND_H
#define PTXI_EXPLORE_FOUND_H
#include "base/map.h"
#include "explore/search/race.h"

struct found {
	struct explore_outcomes outcomes, stuck;
	struct races races;
	uint64_t executions; /* at most UINT64_MAX */
	VEC(uint16_t) least; /* the least trail of an execution */
	bool some;           /* there is one */
};

void found_init(struct found *f, const struct explore_program *p);
void found_free(struct found *f);
size_t found_bytes(const struct found *f);
/* Adds an execution at the end of TRAIL. */
void found_execution(struct found *f, const uint16_t *trail, uint32_t ntrail);
/* Adds FROM, whose trails begin with SKIP choices for which PREFIX stands here; and BEFORE, the
 * races at the end of PREFIX, if some execution follows. */
void found_add(struct found *to, const struct found *from, uint32_t skip, const uint16_t *prefix,
	uint32_t nprefix, const struct races *before);

/* What was found below nodes in which a stage begins, by what the stages before it left. */
struct found_stage {
	uint64_t *word; /* [nwords] struct stage_end */
	uint32_t nwords, skip, next;
	struct found found;
};

struct found_stages {
	struct map map; /* of hashes to the first in LIST, which leads to the next */
	VEC(struct found_stage) list;
	size_t bytes;
};

/* The one of WORD, or NULL; valid until the next is kept. */
const struct found_stage *found_stages_find(
	const struct found_stages *s, const uint64_t *word, uint32_t nwords);
/* Keeps FOUND, whose trails begin with SKIP choices before the stage, and WORD, both of which it
 * takes over. */
void found_stages_keep(struct found_stages *s, uint64_t *word, uint32_t nwords, uint32_t skip,
	const struct found *found);
void found_stages_free(struct found_stages *s);

#endif
