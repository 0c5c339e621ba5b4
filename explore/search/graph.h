/* A node of the search: an execution graph with the threads that grow it. */
#ifndef PTXI_EXPLORE_GRAPH_H
#define PTXI_EXPLORE_GRAPH_H
#include "base/map.h"
#include "base/vec.h"
#include "explore/search/program.h"
#include "model/execution.h"

enum run_status { RUN_READY, RUN_STALLED, RUN_BLOCKED, RUN_ENDED, RUN_SPINS, RUN_BOUND, RUN_FAULT };

struct run {
	/* before the first action that is not settled; lives in this node or in one it was copied
	 * from */
	const void *state;
	uint32_t last;  /* the last event before that, or MODEL_NONE */
	uint32_t place; /* where the thread stopped */
	uint32_t spin_events;
	uint32_t reach; /* its number in grower.reach, or MODEL_NONE */
	const char *fault;
	uint8_t status;
	bool unsupported; /* the fault is an instruction that nobody follows */
	bool stale;       /* something it waited for has come: run it again */
};

/* A read put off until other writes are there; SEEN are those it could have read then. */
struct deferral {
	uint32_t read, words;
	const uint64_t *seen;
};

/* An arrival at a barrier (or a wait for one). */
struct arrival {
	uint64_t object;
	uint32_t event, thread, number, count;
	uint32_t occurrence; /* of this thread at this object */
	/* BARRIER_NUMBER: arrivals of this thread there that came before and have not passed (who
	 * only arrives may arrive again) */
	uint32_t before;
	uint8_t rule;
	bool arrive_only, wait_only, unordered;
	bool released;  /* has passed; kept where later ones come after it */
	bool seen;      /* was here when the choice who passes first was put off */
	uint32_t since; /* SEEN, BARRIER_TOGETHER: events from this one on were not there then */
};

struct store_block;

/* Locations by number, one table a worker. */
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
	bool overlap; /* some overlap */
};

struct node {
	struct execution x;
	struct run *run; /* [nthreads] */
	VEC(struct deferral) deferral;
	VEC(struct arrival) arrival;
	struct store_block *store, *store_first; /* states and snapshots made in this node */
	size_t store_used;
};

/* What one worker owns beside its nodes. */
struct grower {
	const struct explore_program *program;
	struct model model;
	struct locations locations;
	void *state, *before;          /* [state_size] */
	void *scratch, *scratch_block; /* the program's, 64-byte aligned */
	struct map reach_map;          /* the program's keys -> where threads may still write */
	VEC(struct reach) reach;
	uint32_t max_events;
	uint64_t *come; /* [nthreads] barrier.c's */
	uint8_t fences; /* enum explore_fences */
	bool commute;   /* atoms that commute count in one order */
	bool too_large;
	/* place and size -> bytes of the pieces that such an access is made in */
	struct map cut_map;
	/* wanted: found while growing, so this search is to begin again */
	VEC(struct explore_cut) cut;
	struct explore_mixed mixed;
	bool regret;    /* commute was wrong */
	bool lost_spin; /* a thread may spin for ever in an execution that is not come to */
	uint64_t work[WORK_COUNT];
};

void grower_init(struct grower *g, const struct explore_program *p, uint32_t off);
void grower_free(struct grower *g);
/* The number of a physical location: made when new, or only looked up (MODEL_NONE). */
uint32_t grower_phys(struct grower *g, uint64_t address, uint32_t size);
uint32_t grower_find_phys(const struct grower *g, uint64_t address, uint32_t size);
void node_init(struct node *n, struct grower *g);
void node_free(struct node *n);
/* The beginning: no events, all threads ready. */
void node_begin(struct node *n, struct grower *g);
void node_copy(struct node *to, const struct node *from, struct grower *g);
/* About what N takes. */
size_t node_bytes(const struct node *n);
/* Memory that lives as long as the node's contents. */
void *node_alloc(struct node *n, size_t size);
/* Runs all stale threads. False: the branch is redundant (a shorter spin gives the same), the graph
 * grew past max_events (too_large), or an access must be made in smaller pieces (cut). */
bool node_run(struct node *n, struct grower *g);
/* Accesses are made in pieces as CUT says. */
void grower_cut(struct grower *g, const struct explore_cut *cut);
/* Whether THREAD, which has stopped, may still write to SIZE bytes at PHYS. */
bool node_may_write(const struct node *n, const struct grower *g, uint32_t thread, uint64_t phys,
	uint32_t size);
/* Resolves read R by write W and marks its thread stale. */
void node_read_from(struct node *n, uint32_t w, uint32_t r);

/* barrier.c: completes barriers that have no choice; true when some did. */
bool node_complete_barriers(struct node *n, struct grower *g);
/* The first barrier with a choice of who comes first: *NOPTIONS ways; false when there is none. */
bool node_barrier_choice(struct node *n, struct grower *g, uint32_t *noptions);
/* At the end: whether somebody waits for others, who never came, though without them it could go on
 * (a lane; a group at a counted barrier): there is an execution in which it did. */
bool node_waits_for_nobody(const struct node *n, const struct grower *g);
/* Takes way OPTION of the choice that node_barrier_choice found. */
void node_barrier_take(struct node *n, struct grower *g, uint32_t option);

#endif
