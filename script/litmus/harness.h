/* The litmus harness: thousands of instances of a small test in one launch, placed and disturbed in
 * many ways, and how often each outcome came.
 *
 * An instance has fresh locations, written by an earlier kernel. CTAs form teams that change from
 * round to round by a seeded permutation; in a team every CTA plays one CTA of the test, every warp
 * one thread of it, every lane another instance. The threads of an instance meet at a counter of
 * their own (they give up after a bounded number of looks), in some launches agree on a time to
 * start at, wait a few cycles by chance, and run the test. Lines are warmed or evicted before, and
 * warps without a role disturb the caches meanwhile. */
#ifndef PTXI_SCRIPT_HARNESS_H
#define PTXI_SCRIPT_HARNESS_H
#include "base/text.h"
#include "explore/search/outcomes.h"
#include "backend/backend.h"

/* A thread of the test. BODY: statements in a block, which find the address of location K in
 * %loc<K> and store what is observed to [%out + 4 * K], 32 bits each. */
struct harness_role {
	uint32_t cluster, rank, warp; /* CTA RANK of cluster CLUSTER */
	const char *body;
};

struct harness {
	const struct harness_role *role;
	uint32_t nroles;
	uint32_t clusters, ranks, warps; /* clusters of a team, CTAs of a cluster, warps of a CTA */
	const int32_t *init;             /* [nlocations] */
	uint32_t nlocations;
	/* [nobserved] the location whose final value this is, or -1: a body stores it */
	const int32_t *final;
	uint32_t nobserved;
	/* PTX barriers that bodies use, from 0 on; a whole warp must come to each */
	uint32_t barriers;
	/* a body may spin: lanes of one warp must not wait for each other, so that only one
	 * plays */
	bool loops;
	unsigned version, target; /* 70, 75 */
};

struct harness_request {
	const struct harness *harness;
	const struct run_options *options; /* seed, timeout, on_gpu */
	uint64_t runs;                     /* at least so many instances */
};

struct harness_result {
	/* rows of nobserved words, sign-extended; call outcomes_free */
	struct explore_outcomes outcomes;
	/* instances; threads that gave up waiting for their instance's others */
	uint64_t runs, alone;
	uint32_t launches;
	double seconds;
	enum machine_status ended;
};

/* A line about how it went, for people. */
void harness_describe(const struct harness_result *r, struct text *out);
/* The module's text: kernels prepare, test and collect. */
void harness_ptx(const struct harness *h, struct text *out);
/* Runs the harness on a GPU or, for testing it, on the interpreter. False with records in FINDINGS
 * when it could not run to its end; OUT is valid in any case. */
bool harness_run(
	const struct harness_request *r, struct diags *findings, struct harness_result *out);

/* Memory of the kernels beside the locations: the counter of an instance, and lines that no test
 * uses (a power of two). */
enum { HARNESS_MEET_BYTES = 32, HARNESS_SCRATCH_BYTES = 4 << 20 };

/* The parameters of all three kernels, as their .param lists have them. */
struct harness_params {
	uint64_t memory, out, meet, scratch, count;
	uint32_t groups; /* clusters of CTAs that play: teams * harness.clusters */
	/* of the permutation of groups; has no divisor in common with groups */
	uint32_t multiplier;
	uint32_t rounds, lanes;
	uint32_t instances; /* groups / clusters * lanes * rounds */
	/* where in memory an instance lies: odd; 2^n - 1 */
	uint32_t slot_multiplier, slot_add, slot_mask;
	/* address = memory + slot * slot_bytes + location * location_bytes */
	uint32_t slot_bytes, location_bytes;
	uint32_t looks; /* at the counter before giving up */
	/* 0, or nanoseconds from the last thread's coming to a start of all at one time of the
	 * global timer */
	uint32_t together;
	uint32_t delay_mask; /* most cycles to wait, 2^n - 1 */
	/* of 16 threads so many load their lines before the test; touch other lines */
	uint32_t warm, evict;
	uint32_t stress; /* accesses of a warp without a role, a round */
	uint32_t seed;
	uint32_t zero; /* is 0; the compiler does not know it */
	uint32_t roles;
};

#endif
