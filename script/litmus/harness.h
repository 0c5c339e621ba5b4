/* The litmus harness: runs thousands of instances of a small test per launch, with varying
 * placement and stress, and counts each outcome.
 *
 * Every instance has its own locations, initialised by an earlier kernel. CTAs form teams, which a
 * seeded permutation changes from round to round. In a team, each CTA plays one CTA of the test,
 * each warp one of its threads, and each lane belongs to a different instance. The threads of an
 * instance synchronise at a counter (giving up after a bounded number of polls), in some launches
 * agree on a start time, wait a random number of cycles, and run the test. Before that, cache lines
 * are warmed or evicted; meanwhile, warps without a role stress the caches. */
#ifndef PTXI_SCRIPT_HARNESS_H
#define PTXI_SCRIPT_HARNESS_H
#include "base/text.h"
#include "explore/search/outcomes.h"
#include "backend/backend.h"

/* A thread of the test. BODY is a block of statements. The address of location K is in %loc<K>; the
 * body stores observed value K, of 32 bits, to [%out + 4 * K]. */
struct harness_role {
	uint32_t cluster, rank, warp; /* CTA RANK of cluster CLUSTER */
	const char *body;
};

struct harness {
	const struct harness_role *role;
	uint32_t nroles;
	uint32_t clusters, ranks, warps; /* clusters per team, CTAs per cluster, warps per CTA */
	const int32_t *init;             /* [nlocations] */
	uint32_t nlocations;
	/* [nobserved] the location whose final value is observed, or -1 if a body stores the
	 * value */
	const int32_t *final;
	uint32_t nobserved;
	/* number of PTX barriers that bodies use, from 0 on; every lane of a warp must reach each
	 * of them */
	uint32_t barriers;
	/* a body may spin; lanes of one warp must not wait for each other, so only one lane has a
	 * role */
	bool loops;
	unsigned version, target; /* 70 for PTX 7.0, 75 for sm_75 */
};

struct harness_request {
	const struct harness *harness;
	const struct run_options *options; /* seed, timeout, on_gpu */
	uint64_t runs;                     /* minimum number of instances */
};

struct harness_result {
	/* rows of nobserved words, sign-extended; free them with outcomes_free */
	struct explore_outcomes outcomes;
	/* instances; threads that gave up waiting for the others of their instance */
	uint64_t runs, alone;
	uint32_t launches;
	double seconds;
	enum machine_status ended;
};

/* Appends one line that summarises the run. */
void harness_describe(const struct harness_result *r, struct text *out);
/* Appends the text of the module, with the kernels prepare, test and collect. */
void harness_ptx(const struct harness *h, struct text *out);
/* Runs the harness on a GPU or, to test the harness, on the interpreter. If it could not finish,
 * reports why to FINDINGS and returns false; OUT is valid in either case. */
bool harness_run(
	const struct harness_request *r, struct diags *findings, struct harness_result *out);

/* Memory used besides the locations: the counter of an instance, and lines that no test uses (a
 * power of two). */
enum { HARNESS_MEET_BYTES = 32, HARNESS_SCRATCH_BYTES = 4 << 20 };

/* The parameters of all three kernels, in the order of their .param lists. */
struct harness_params {
	uint64_t memory, out, meet, scratch, count;
	uint32_t groups; /* clusters with roles: teams * harness.clusters */
	/* for the permutation of groups; coprime to groups */
	uint32_t multiplier;
	uint32_t rounds, lanes;
	uint32_t instances; /* groups / clusters * lanes * rounds */
	/* which slot of memory an instance uses; multiplier odd, mask 2^n - 1 */
	uint32_t slot_multiplier, slot_add, slot_mask;
	/* address = memory + slot * slot_bytes + location * location_bytes */
	uint32_t slot_bytes, location_bytes;
	uint32_t looks; /* maximum polls of the counter */
	/* 0, or nanoseconds from the last thread's arrival to the common start, measured by
	 * %globaltimer */
	uint32_t together;
	uint32_t delay_mask; /* maximum cycles to wait, 2^n - 1 */
	/* probabilities in sixteenths that a warp, before the test, loads the test's lines; loads
	 * other lines to evict them */
	uint32_t warm, evict;
	uint32_t stress; /* accesses per round by a warp without a role */
	uint32_t seed;
	uint32_t zero; /* always 0, but the compiler does not know that */
	uint32_t roles;
};

#endif
