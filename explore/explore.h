/* Every outcome that the PTX memory model allows for a program of a fixed number of threads. */
#ifndef PTXI_EXPLORE_EXPLORE_H
#define PTXI_EXPLORE_EXPLORE_H
#include "base/text.h"
#include "base/time.h"
#include "explore/outcomes.h"
#include "explore/program.h"
#include "model/axioms.h"
#include "parser/litmus.h"

enum {
	EXPLORE_LOOP_BOUND = 4,
	EXPLORE_FORCED_ROUNDS = 1024 /* where no read has a choice */,
	EXPLORE_MOST_ROUNDS = 10000,
	EXPLORE_EVENTS = 16384
};
#define EXPLORE_ANYHOW 2.0
/* Of one branch of the search; at most EXPLORE_WORKERS are searched at a time, so that all of it
 * stays under 1 GB. */
enum { EXPLORE_BYTES = 96 << 20, EXPLORE_WORKERS = 10 };

struct explore_options {
	unsigned jobs;  /* host threads, 0 = all processors */
	double timeout; /* seconds of wall time, 0 = none */
	/* explore_run's own, by time_now(), 0 = none: explanations of its result keep it, too */
	double deadline;
	uint64_t max_executions; /* 0 = no bound */
	/* bytes for nodes and outcomes of all workers together, 0 = no bound but EXPLORE_BYTES a
	 * branch */
	uint64_t max_memory;
	uint32_t loop_bound; /* 0 = EXPLORE_LOOP_BOUND */
	uint32_t max_events; /* of one execution, 0 = EXPLORE_EVENTS */
	/* of atoms that commute; otherwise one of them where nobody can tell */
	bool all_orders;
	bool semantic_deps;
	bool verify;                   /* judge every execution by model/axioms.c, too */
	uint8_t fences;                /* enum explore_fences */
	uint32_t off;                  /* set of enum model_off: tests only */
	const struct explore_cut *cut; /* explore_run's own, [ncuts] */
	uint32_t ncuts;
	/* Told of every outcome that is new to a worker, one call at a time; true: nothing that is
	 * asked is open any more. Then exploration ends, but not before EXPLORE_ANYHOW seconds, so
	 * that what is small is explored completely. NULL: it goes on to the end. */
	bool (*enough)(void *arg, const uint64_t *value);
	void *enough_arg;
	/* or NULL; called from the calling thread */
	void (*progress)(void *arg, uint64_t executions);
	void *progress_arg;
};

/* A data race of two instructions: conflicting accesses, neither ordered by causality nor morally
 * strong, in some allowed execution. */
struct explore_race {
	uint32_t thread[2], place[2];
	bool write[2];
	/* what is missing: "both are weak", "scope .cta does not reach the other CTA"... */
	const char *why;
	const uint16_t *trail; /* an execution that has it */
	uint32_t ntrail;
};

enum explore_stuck_kind { STUCK_DEADLOCK, STUCK_LIVELOCK };
/* How a thread of a stuck execution stands. */
enum explore_status { EXPLORE_ENDED, EXPLORE_BLOCKED, EXPLORE_SPINS };
/* A row of struct explore_result's stuck executions: which kind, how each thread stands, and
 * where. */
enum { STUCK_KIND };
#define STUCK_WORDS(nthreads) (1 + 2 * (nthreads))
#define STUCK_STATUS(t) (1 + 2 * (t))
#define STUCK_PLACE(t) (2 + 2 * (t))

/* What options.verify found. */
struct explore_verified {
	uint64_t executions, unverified; /* that were judged; too large for that */
	bool broken;                     /* some execution breaks an axiom: the explorer is wrong */
	bool stuck;                      /* it is one in which threads wait for ever */
	/* which; AXIOM_NONE: no order of its writes and fences ends in its outcome */
	enum axiom axiom;
	const uint32_t *event; /* the events of the cycle */
	uint32_t nevents;
	struct explore_outcome first; /* the execution, of the least trail */
};

struct explore_result {
	const struct explore_program *program;
	struct explore_options options;
	struct arena arena;
	uint64_t executions; /* consistent, complete; each counted once */
	/* sorted; a row holds the program's observables; count: executions that show it */
	struct explore_outcomes outcomes;
	/* rows of STUCK_WORDS words */
	struct explore_outcomes stuck;
	struct explore_race *race;
	uint32_t nraces;
	struct explore_verified verified;
	/* some loop went round loop_bound times: nothing is said about longer runs */
	bool bound_reached;
	/* a thread may spin for ever in an execution that was not come to */
	bool lost_spin;
	bool too_large; /* an execution had more than max_events events */
	/* a branch took more than EXPLORE_BYTES, or all more than max_memory */
	bool out_of_memory;
	bool timed_out; /* timeout or max_executions */
	bool enough;    /* ended because options.enough said so */
	bool regret;    /* explore_run's own: it must begin again with all_orders */
	/* accesses of different sizes race: the model says nothing, outcomes are no verdict */
	struct explore_mixed mixed;
	VEC(struct explore_cut) cut; /* explore_run's own: it must begin again with these */
	const char *fault;           /* the program did something without meaning, or NULL */
	uint32_t fault_thread, fault_place;
	bool unsupported; /* the fault is an instruction that the explorer does not know */
	uint64_t work[WORK_COUNT];
};

/* Everything within the bounds was seen. */
static inline bool explore_complete(const struct explore_result *r)
{
	return !r->bound_reached && !r->lost_spin && !r->too_large && !r->out_of_memory &&
		!r->timed_out && !r->enough && !r->mixed.some && !r->fault;
}

/* For how many rounds a loop is followed in which a read has a choice, and one that reads decide,
 * but none with a choice. */
static inline uint32_t explore_rounds(const struct explore_options *o)
{
	return o->loop_bound ? o->loop_bound : EXPLORE_LOOP_BOUND;
}
static inline uint32_t explore_forced_rounds(const struct explore_options *o)
{
	return explore_rounds(o) < EXPLORE_FORCED_ROUNDS ? EXPLORE_FORCED_ROUNDS
							 : explore_rounds(o);
}
/* Whether the time of O is over. */
static inline bool explore_late(const struct explore_options *o)
{
	return o->deadline > 0 && time_now() > o->deadline;
}

struct explore_result *explore_run(
	const struct explore_program *program, const struct explore_options *options);
void explore_free(struct explore_result *r);

/* A litmus test with everything that is asked of it. */
struct explore_litmus {
	const struct litmus_test *test;
	struct explore_result *result;
	/* executions whose outcome satisfies the condition, and does not */
	uint64_t positive, negative;
	/* the quantified condition: exists some, ~exists none, forall all */
	bool condition_holds;
	/* condition_holds is final: exploration was complete, or a witness decides it */
	bool verdict;
	bool terminates; /* no deadlock and no livelock */
};
void explore_litmus(const struct litmus_test *test, const struct explore_options *options,
	struct arena *arena, struct explore_litmus *out);
/* herd7's form: states, witnesses, condition, `Observation NAME Sometimes 1 3`; with VERBOSE each
 * state with one execution. */
void explore_litmus_print(const struct explore_litmus *l, bool verbose, struct text *out);

/* How much the search did, in one line. */
void explore_print_work(const struct explore_result *r, struct text *out);

/* Names the instruction that an event stands for, for graphs and explanations: its text and its
 * line (0: none). */
struct explore_names {
	void *client;
	void (*instruction)(
		void *client, uint32_t thread, uint32_t place, struct text *out, uint32_t *line);
	void (*thread)(void *client, uint32_t thread, struct text *out);
	void (*location)(void *client, uint64_t phys, uint32_t size, struct text *out);
	/* What an arrival at a barrier does to who waits for it: "meets at the barrier"; NULL:
	 * that. */
	const char *(*meets)(void *client, uint64_t object);
};
void explore_litmus_names(
	const struct litmus_test *test, struct arena *arena, struct explore_names *out);

/* The execution that shows outcome INDEX, as lines of text and as a Graphviz graph (po, rf, co, fr,
 * sync, cause). */
void explore_print_execution(const struct explore_result *r, uint32_t index,
	const struct explore_names *names, struct text *out);
void explore_graph(const struct explore_result *r, uint32_t index,
	const struct explore_names *names, const char *title, struct text *out);
/* With options.verify: the events of the cycle that breaks an axiom, in ARENA; NULL after the last.
 */
const char **explore_verified_events(
	const struct explore_result *r, const struct explore_names *names, struct arena *arena);
/* "verified: N executions against the axioms", and before it the axiom that an execution breaks,
 * with the events. */
void explore_verified_print(
	const struct explore_result *r, const char *const *event, struct text *out);
/* A predicate over outcome rows. */
struct explore_condition {
	void *client;
	bool (*holds)(void *client, const uint64_t *value);
};
/* Why outcomes that satisfy CONDITION are possible (which synchronisation is missing) or impossible
 * (which one forbids them), in words with line numbers. GRAPH, or NULL, becomes the graph of the
 * execution, with the cycle that forbids it when it is forbidden. */
void explore_why(const struct explore_result *r, const struct explore_condition *condition,
	const struct explore_names *names, struct text *out, struct text *graph);

#endif
