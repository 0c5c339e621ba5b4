/* Findings of an exploration as records. */
#ifndef PTXI_SCRIPT_EXPLORER_FINDINGS_H
#define PTXI_SCRIPT_EXPLORER_FINDINGS_H
#include "explore/ptx.h"
#include "parser/litmus.h"
#include "script/host/host.h"

/* Whose threads they are. */
struct explored_threads {
	const struct explore_result *result;
	const struct litmus_test *test; /* NULL: the threads of PTX launches */
	struct source *source;
	struct arena *arena; /* for names */
	uint32_t launches;   /* of PTX: more than one is named */
};

/* "P0", "CTA 0 thread 1", and of which launch when there are several, or "the host". */
const char *explorer_thread(const struct explored_threads *t, uint32_t thread);
/* Threads that may wait (D0150) or spin (D0151) for ever; the first of each execution has the
 * record, the others are notes. */
void explorer_stuck(const struct explored_threads *t, struct diags *findings);
/* Accesses of different sizes that race (B0150). */
void explorer_mixed(const struct explored_threads *t, struct diags *findings);
/* Data races (R0150): how many pairs of instructions. */
uint32_t explorer_races(const struct explored_threads *t, struct diags *findings);
/* Why the exploration is not complete (B0150). */
void explorer_limits(const struct explore_result *x, struct diags *findings);
/* What --verify found in X, listed and for JSON. */
void explorer_verified(
	const struct explore_result *x, const struct explore_names *names, struct report *out);
/* The verdict on X when --verify found that an execution breaks an axiom: a bug in ptxi. */
void explorer_unverified(const struct explore_result *x, struct report *out);
/* What a verdict says of RACES pairs of instructions, or NULL for none. */
const char *explorer_race_remark(uint32_t races, struct arena *arena);

#endif
