/* Every outcome that the PTX memory model allows for a program of a fixed number of threads. */
#ifndef PTXI_EXPLORE_EXPLORE_H
#define PTXI_EXPLORE_EXPLORE_H
#include "base/text.h"
#include "base/time.h"
#include "explore/search/outcomes.h"
#include "explore/search/program.h"
#include "model/axioms.h"

enum {
	EXPLORE_LOOP_BOUND = 4,
	EXPLORE_FORCED_ROUNDS = 1024 /* in a loop whose reads have no choice */,
	EXPLORE_MAX_ROUNDS = 10000,
	EXPLORE_EVENTS = 32768,
	EXPLORE_LISTED_EVENTS = 10000 /* of an execution that is printed */
};
#define EXPLORE_ANYHOW 2.0
/* Bytes for the nodes kept along one branch of the search; nodes for which there is no room are
 * made again. At most EXPLORE_WORKERS branches are searched at a time, so the total stays below 1
 * GB. */
enum { EXPLORE_BYTES = 96 << 20, EXPLORE_WORKERS = 10 };
/* Bytes for a single node. One with branches may be so large only if there is one worker. */
enum { EXPLORE_NODE_BYTES = 1 << 30 };

struct explore_options {
	unsigned jobs;  /* host threads, 0 = all processors */
	double timeout; /* seconds of wall time, 0 = none */
	/* set by explore_run, in the time of time_now(), 0 = none; explanations of the result
	 * observe it, too */
	double deadline;
	/* NULL, or a flag that is set when the user interrupts the search */
	const _Atomic int *interrupted;
	uint64_t max_executions; /* 0 = no bound */
	/* bytes for nodes and outcomes of all workers together, 0 = only EXPLORE_NODE_BYTES for
	 * each node */
	uint64_t max_memory;
	uint64_t max_branch; /* for tests: instead of EXPLORE_BYTES, if not 0 */
	bool divide; /* for tests: branches are given from worker to worker as often as possible */
	uint32_t loop_bound; /* 0 = EXPLORE_LOOP_BOUND */
	uint32_t max_events; /* per execution, 0 = EXPLORE_EVENTS */
	/* explore all orders of commuting atoms, not just one of equivalent orders */
	bool all_orders;
	/* also search the branches of reads that are only repeated, or without hope: for tests, and
	 * for explanations of dead ends */
	bool all_branches;
	bool semantic_deps;
	bool verify;                   /* also judge every execution by model/axioms.c */
	uint8_t fences;                /* enum explore_fences */
	uint32_t off;                  /* set of enum model_off: tests and explanations */
	const struct explore_cut *cut; /* set by explore_run, [ncuts] */
	uint32_t ncuts;
	/* Called for every outcome that is new to a worker, one call at a time. True: every
	 * question is decided, and exploration ends, but not before EXPLORE_ANYHOW seconds, so that
	 * small programs are explored completely. NULL: it never ends early. */
	bool (*enough)(void *arg, const uint64_t *value);
	void *enough_arg;
	bool at_once; /* ends as soon as `enough` says so */
	/* only part SHARD of SHARDS, from 1; 0: everything */
	uint32_t shard, shards;
	struct text *part;           /* or NULL: the result is also appended as text (part.h) */
	struct explore_parts *parts; /* or NULL: results to join instead of searching (part.h) */
	/* or NULL; called from any host thread, one call at a time. OUTCOMES: a lower bound of
	 * their number so far. PART: how much of the search is done, from 0 to 1, if the writes
	 * that a read may read from all lead to as much: an estimate */
	void (*progress)(void *arg, uint64_t executions, uint64_t outcomes, double part);
	void *progress_arg;
};

/* A data race of two instructions: conflicting accesses that, in some allowed execution, are
 * neither ordered by causality nor morally strong. */
struct explore_race {
	uint32_t thread[2], place[2];
	bool write[2];
	/* what is missing: "both are weak", "the scope of one does not include the other's
	 * thread"... */
	const char *why;
	const uint16_t *trail; /* of an execution with this race */
	uint32_t ntrail;
};

enum explore_stuck_kind { STUCK_DEADLOCK, STUCK_LIVELOCK };
/* Status of a thread in a stuck execution. */
enum explore_status { EXPLORE_ENDED, EXPLORE_BLOCKED, EXPLORE_SPINS };
/* Words of a row of explore_result.stuck: the kind (explore_stuck_kind), and the status and place
 * of each thread. */
enum { STUCK_KIND };
#define STUCK_WORDS(nthreads) (1 + 2 * (nthreads))
#define STUCK_STATUS(t) (1 + 2 * (t))
#define STUCK_PLACE(t) (2 + 2 * (t))

/* Result of options.verify. */
struct explore_verified {
	uint64_t executions, unverified; /* judged; too large to judge */
	bool broken; /* some execution violates an axiom: the explorer is wrong */
	bool stuck;  /* it is an execution in which threads wait forever */
	/* the axiom violated; AXIOM_NONE: no order of its writes and fences ends in its outcome */
	enum axiom axiom;
	const uint32_t *event; /* the events of the cycle */
	uint32_t nevents;
	struct explore_outcome first; /* the execution with the least trail */
};

/* A choice between several writes for a read, in one branch; of a barrier: PLACE is MODEL_NONE. */
struct explore_choice {
	uint32_t thread, place;
};

struct explore_result {
	const struct explore_program *program;
	struct explore_options options;
	struct arena arena;
	uint64_t executions; /* number of consistent, complete executions, each counted once */
	/* sorted; a row holds the values of the program's observables; count: executions that show
	 * it */
	struct explore_outcomes outcomes;
	/* rows of STUCK_WORDS words */
	struct explore_outcomes stuck;
	struct explore_race *race;
	uint32_t nraces;
	struct explore_verified verified;
	/* some loop reached loop_bound rounds: longer runs were not explored */
	bool bound_reached;
	/* a thread may spin forever in an execution that was not reached */
	bool lost_spin;
	bool too_large; /* an execution had more than max_events events */
	/* a node exceeded EXPLORE_NODE_BYTES, or all together max_memory */
	bool out_of_memory;
	bool crowded;   /* nodes were too large for several workers: the search started again */
	bool timed_out; /* timeout or max_executions */
	/* of TIMED_OUT: how much was done, as for progress; and the choices of a branch that was
	 * not */
	double part;
	const struct explore_choice *chosen;
	uint32_t nchosen;
	bool interrupted;
	bool enough; /* ended because options.enough returned true */
	bool regret; /* internal to explore_run: it must start again with all_orders */
	/* accesses of different sizes race: the model does not apply, so outcomes allow no verdict
	 */
	struct explore_mixed mixed;
	VEC(struct explore_cut) cut; /* internal to explore_run: it must start again with these */
	const char *fault;           /* the program did something undefined: what; or NULL */
	uint32_t fault_thread, fault_place;
	bool unsupported; /* the fault is an instruction that the explorer does not support */
	uint64_t work[WORK_COUNT];
};

/* Whether everything was explored, without reaching a bound. */
static inline bool explore_complete(const struct explore_result *r)
{
	return !r->bound_reached && !r->lost_spin && !r->too_large && !r->out_of_memory &&
		!r->timed_out && !r->interrupted && !r->enough && !r->mixed.some && !r->fault;
}

/* Maximum rounds of a loop in which some read has a choice; and of a loop that depends on reads,
 * none of which has a choice. */
static inline uint32_t explore_rounds(const struct explore_options *o)
{
	return o->loop_bound ? o->loop_bound : EXPLORE_LOOP_BOUND;
}
static inline uint32_t explore_forced_rounds(const struct explore_options *o)
{
	return explore_rounds(o) < EXPLORE_FORCED_ROUNDS ? EXPLORE_FORCED_ROUNDS
							 : explore_rounds(o);
}
static inline bool explore_interrupted(const struct explore_options *o)
{
	return o->interrupted && *o->interrupted;
}
/* Whether O's deadline has passed, or the user interrupted. */
static inline bool explore_late(const struct explore_options *o)
{
	return explore_interrupted(o) || (o->deadline > 0 && time_now() > o->deadline);
}

struct explore_result *explore_run(
	const struct explore_program *program, const struct explore_options *options);
void explore_free(struct explore_result *r);

/* Prints the search's work in one line. */
void explore_print_work(const struct explore_result *r, struct text *out);

/* Names for graphs and explanations: of an instruction its text and its line (0: none). */
struct explore_names {
	void *client;
	void (*instruction)(
		void *client, uint32_t thread, uint32_t place, struct text *out, uint32_t *line);
	void (*thread)(void *client, uint32_t thread, struct text *out);
	void (*location)(void *client, uint64_t phys, uint32_t size, struct text *out);
	/* Verb phrase between an arrival at a barrier and a thread that waits there; NULL: "meets
	 * at the barrier". */
	const char *(*meets)(void *client, uint64_t object);
	/* An instruction's place in the user's source and its line, "reduce.cu:12 [line 85]"; NULL:
	 * "line 85". */
	void (*place)(void *client, uint32_t thread, uint32_t place, struct text *out);
};
/* Prints an execution that shows outcome INDEX, as lines of text; one of more than
 * EXPLORE_LISTED_EVENTS is only mentioned. */
void explore_print_execution(const struct explore_result *r, uint32_t index,
	const struct explore_names *names, struct text *out);
/* With options.verify: the name of the axiom that an execution violates, or NULL. */
const char *explore_verified_axiom(const struct explore_result *r);
/* With options.verify: the events of the cycle that violates an axiom, in ARENA; NULL after the
 * last.
 */
const char **explore_verified_events(
	const struct explore_result *r, const struct explore_names *names, struct arena *arena);
/* Prints "verified: N executions against the axioms" and, before it, the axiom that an execution
 * violates, with the events. */
void explore_verified_print(
	const struct explore_result *r, const char *const *event, struct text *out);

#endif
