/* Reports the findings of an exploration. */
#ifndef PTXI_SCRIPT_EXPLORER_FINDINGS_H
#define PTXI_SCRIPT_EXPLORER_FINDINGS_H
#include "explore/ptx/ptx.h"
#include "parser/litmus.h"
#include "script/host/host.h"

/* The exploration whose threads are named, and how to name them. */
struct explored_threads {
	const struct explore_result *result;
	const struct litmus_test *test; /* NULL: the threads of PTX launches */
	struct source *source;
	struct arena *arena; /* for names */
	uint32_t launches;   /* of PTX; if there are several, names include the launch */
};

/* The name of a thread: "P0", "CTA 0 thread 1" (with its launch if there are several) or "the
 * host". */
const char *explorer_thread(const struct explored_threads *t, uint32_t thread);
/* Reports threads that may wait (D0150) or spin (D0151) forever: one finding per execution, at its
 * first such thread; the others are notes. */
void explorer_stuck(const struct explored_threads *t, struct diags *findings);
/* Reports racing accesses of different sizes (B0150). */
void explorer_mixed(const struct explored_threads *t, struct diags *findings);
/* Reports data races (R0150). Returns the number of pairs of instructions that race. */
uint32_t explorer_races(const struct explored_threads *t, struct diags *findings);
/* Reports why the exploration is not complete (B0150). */
void explorer_limits(const struct explored_threads *t, struct diags *findings);
/* Puts what --verify found in X into OUT: its listing, and `verified` for JSON. */
void explorer_verified(
	const struct explore_result *x, const struct explore_names *names, struct report *out);
/* Fails the case if --verify found an execution that violates an axiom, which is a bug in ptxi. */
void explorer_unverified(const struct explore_result *x, struct report *out);
/* The remark that a verdict adds about RACES racing pairs of instructions; NULL if there are
 * none. */
const char *explorer_race_remark(uint32_t races, struct arena *arena);

#endif
