/* A node of the search: an execution graph and the threads that extend it. */
#ifndef PTXI_EXPLORE_GRAPH_H
#define PTXI_EXPLORE_GRAPH_H
#include "base/map.h"
#include "base/vec.h"
#include "explore/search/program.h"
#include "model/execution.h"

enum run_status { RUN_READY, RUN_STALLED, RUN_BLOCKED, RUN_ENDED, RUN_SPINS, RUN_BOUND, RUN_FAULT };

struct run {
	/* before the first unsettled action; stored in this node or in one that it was copied from
	 */
	const void *state;
	uint32_t last;  /* the last event before that, or MODEL_NONE */
	uint32_t place; /* where the thread stopped */
	uint32_t spin_events;
	uint32_t reach; /* its number in grower.reach, or MODEL_NONE */
	const char *fault;
	uint8_t status;
	bool unsupported; /* the fault is an instruction that the explorer does not support */
	bool stale;       /* something it waited for has happened: run it again */
};

/* A read deferred until there are other writes; SEEN: those that it could have read from when it
 * was deferred. */
struct deferral {
	uint32_t read, words;
	const uint64_t *seen;
};

/* An atom, READ, and the atoms that were pending when it was resolved and with which it could be
 * exchanged if they became neighbours (exchange.c). */
struct exchange {
	uint32_t read, words;
	const uint64_t *with;
};

/* Pending atoms of one location, READ, in the order in which they will be taken, beginning with
 * the write FROM; NEXT of them have been. The last one makes a difference if DIFFERS. */
struct plan {
	const uint32_t *read;
	uint32_t count, next, from;
	bool differs;
};

/* An arrival at a barrier, or a wait for its phase. */
struct arrival {
	uint64_t object;
	uint32_t event, thread, number, count;
	uint32_t occurrence; /* number of earlier arrivals of this thread at this object */
	/* BARRIER_NUMBER: earlier arrivals of this thread there that have not passed (a thread that
	 * only arrives may arrive again) */
	uint32_t before;
	uint8_t rule;
	bool arrive_only, wait_only, unordered;
	bool released; /* has passed; kept where later arrivals must follow it */
	bool seen;     /* was present when the choice of the group that passes first was deferred */
	uint32_t since; /* SEEN, BARRIER_TOGETHER: the first event added since then */
};

struct store_block;

/* Locations by number, one table per worker. */
struct locations {
	struct map virt_map, phys_map;
	VEC(struct {
		uint64_t address;
		uint32_t phys;
		uint8_t size;
	})
	virt;
	VEC(struct {
		uint64_t address;
		uint8_t size;
		bool overlaps;
	})
	phys;
	bool overlap; /* some locations overlap */
};

/* An access of WHOLE bytes at PLACE to location PHYS. */
struct past_access {
	uint32_t phys, place;
	uint8_t whole;
};

struct node {
	struct execution x;
	struct packed_execution packed; /* instead of X, or empty (node_pack) */
	struct run *run;                /* [nthreads] */
	VEC(struct deferral) deferral;
	VEC(struct arrival) arrival;
	VEC(struct exchange) exchange;
	struct plan plan;
	uint32_t stage; /* threads of later stages have not begun (stage.c) */
	struct store_block *store, *store_first; /* states and snapshots created in this node */
	size_t store_used;
	/* the same node in which its last commuting atoms have no order yet (commute_rest), or NULL
	 */
	const struct node *unordered;
};

/* What one worker owns besides its nodes. */
struct grower {
	const struct explore_program *program;
	struct model model;
	struct locations locations;
	void *state, *before;          /* [state_size] */
	void *scratch, *scratch_block; /* the program's, 64-byte aligned */
	struct map reach_map; /* reach_key() -> index in REACH: what threads may still write */
	VEC(struct reach) reach;
	uint32_t max_events;
	uint64_t *arrived; /* bit row of threads, used by barrier.c */
	uint8_t fences;    /* enum explore_fences */
	bool commute;      /* only one order of commuting atoms is explored */
	bool waits;        /* reads that would be repeated are put off (retry.c) */
	bool stages;       /* a stage is decided before the next begins (stage.c) */
	bool one_gpu;      /* all threads run on one device */
	bool too_large;
	/* place and size -> bytes of the pieces into which such an access is split */
	struct map cut_map;
	/* the accesses of stages that have ended: place and size, by location (stage.c) */
	struct map past_map;
	VEC(struct past_access) past;
	/* splits found necessary during this search, which must then start again */
	VEC(struct explore_cut) cut;
	struct explore_mixed mixed;
	bool regret; /* commuting was not justified: the search must start again without it */
	/* a thread may spin forever in an execution that the search does not reach */
	bool lost_spin;
	uint64_t work[WORK_COUNT];
};

void grower_init(struct grower *g, const struct explore_program *p, uint32_t off);
void grower_free(struct grower *g);
/* The number of a physical location: assigned if it is new; or only looked up (MODEL_NONE). */
uint32_t grower_phys(struct grower *g, uint64_t address, uint32_t size);
uint32_t grower_find_phys(const struct grower *g, uint64_t address, uint32_t size);
void node_init(struct node *n, struct grower *g);
void node_free(struct node *n);
/* Makes N the root: no events, all threads ready. */
void node_begin(struct node *n, struct grower *g);
/* Adds the initial write of location PHYS of SIZE bytes. MORE: flags besides. */
void node_initial(
	struct node *n, uint32_t phys, uint32_t size, const uint64_t value[2], uint16_t more);
void node_copy(struct node *to, const struct node *from, struct grower *g);
/* TO becomes a copy of N that takes over its memory; N needs little until node_unpack(), which
 * takes that memory back. */
void node_pack(struct node *n, struct node *to, struct grower *g);
void node_unpack(struct node *n, struct node *from);
/* Approximate memory of N in bytes. */
size_t node_bytes(const struct node *n);
/* Allocates memory that lives as long as the node's contents. */
void *node_alloc(struct node *n, size_t size);
/* Runs all stale threads. False: the branch is redundant (a shorter spin gives the same), the graph
 * exceeded max_events (too_large), or an access must be split into smaller pieces (cut). */
bool node_run(struct node *n, struct grower *g);
/* Splits accesses into pieces as CUT says. */
void grower_cut(struct grower *g, const struct explore_cut *cut);
/* Whether THREAD, which has stopped, may still write to SIZE bytes at PHYS. */
bool node_may_write(const struct node *n, const struct grower *g, uint32_t thread, uint64_t phys,
	uint32_t size);
/* Resolves read R by write W and marks its thread stale. */
void node_read_from(struct node *n, uint32_t w, uint32_t r);

/* barrier.c: completes barriers that leave no choice; true if any was completed. */
bool node_complete_barriers(struct node *n, struct grower *g);
/* Finds the first barrier with a choice of the group that passes first, and its *NOPTIONS; false
 * when there is none. */
bool node_barrier_choice(struct node *n, struct grower *g, uint32_t *noptions);
/* At a leaf: whether an arrival waits for others that never came, although it could have passed
 * without them (a lane; a group at a counted barrier). The execution in which it passed is
 * explored, too. */
bool node_waits_in_vain(const struct node *n, const struct grower *g);
/* Takes option OPTION of the choice that node_barrier_choice found. */
void node_barrier_take(struct node *n, struct grower *g, uint32_t option);

#endif
