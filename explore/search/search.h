/* The search over nodes, for callers that need more than its result. */
#ifndef PTXI_EXPLORE_SEARCH_H
#define PTXI_EXPLORE_SEARCH_H
#include "explore/search/edge.h"
#include "explore/search/explore.h"
#include "explore/search/graph.h"
#include "explore/search/stage.h"

/* A decision about one read (MODEL_NONE: about a barrier). */
struct decision {
	uint32_t read, noptions;
	bool defer; /* deferring it is the last option */
	/* the last of FROM completes the phase that a wait waits for; later writes need not be
	 * considered */
	bool over;
	bool commutes;           /* the only option, by the canonical order of commuting atoms */
	bool plans;              /* the options are orders of all atoms of a location */
	bool planned;            /* the only option, by the order that was taken */
	uint32_t later;          /* DEFER: how many writes it is deferred for, a guess */
	bool hopeless;           /* without deferring, since that leads nowhere */
	bool stage;              /* not a choice: a stage has ended, with no read pending */
	bool forever;            /* the options are the writes that its thread reads forever */
	uint32_t nfrom, from[2]; /* nfrom not 0: the options except deferring */
};

/* A node that was kept while its options are searched: the choices before it, its share, and the
 * effort of reaching it from the beginning. */
struct kept {
	uint32_t length;
	double share;
	uint64_t effort;
	uint32_t option, end; /* searched at present; those from END on are not searched here */
	bool early;           /* other stages follow */
};

/* A thread that has not ended, and its last event or ROW_END. */
struct going {
	uint32_t thread, last;
};

/* A pending read, while a node is decided. */
struct hope {
	uint32_t read;
	bool open;    /* it has a write to read from */
	bool forever; /* its thread may repeat it forever */
};

/* What is known of the writes that a pending read may read from. */
struct options {
	bool again;    /* it is a poll that fails with all of them */
	bool narrowed; /* the model allows more of them: others are explored for those */
};

/* What happens at the end of a branch. */
enum leaf_kind { LEAF_EXECUTION, LEAF_STUCK };

struct worker {
	struct grower grower;
	struct node **node; /* by depth, created when needed */
	uint32_t nnodes;
	VEC(struct kept) kept; /* for each node above the current one */
	VEC(uint16_t) trail;
	VEC(struct explore_choice) chosen; /* for each element of trail */
	const uint16_t *prefix;            /* choices to make first */
	uint32_t nprefix;
	const struct stretch *stretch; /* what to search */
	void *leaf_arg;
	/* called at the end of a branch; X of the node is saturated */
	void (*leaf)(void *arg, struct worker *w, struct node *n, enum leaf_kind kind);
	/* or NULL: called at the end of a branch in which a read waits for a write that never comes
	 */
	void (*dead)(void *arg, struct worker *w, struct node *n);
	/* or NULL: called at each node with a choice. True: what follows is not searched. */
	bool (*choice)(void *arg, struct worker *w);
	/* or NULL: called when a stage of N has ended and nothing of it is open (stage.c). True:
	 * what follows is searched, and then leave_stage() is called. WHOLE: all of it. */
	bool (*enter_stage)(void *arg, struct worker *w, struct node *n, bool whole);
	void (*leave_stage)(void *arg, struct worker *w);
	/* of the whole tree, the shares of the current branch and of what has been searched
	 * (decision_share) */
	double share, done;
	uint64_t seen_words; /* of the relations of all nodes, each time that they were settled */
	uint64_t origin;     /* worker_effort() less the effort of reaching the current node */
	bool (*stopped)(void *arg); /* whether to give up; HALTED: it has returned true */
	bool halted;
	VEC(struct going) going; /* of the node being decided */
	/* its writes with unknown values, and events that may become writes */
	VEC(uint32_t) open;
	VEC(struct decision) forced;
	VEC(struct hope) hope;
	struct stage_end end; /* of the stage that ended last */
	uint64_t *moving;     /* bit row of threads that may still go on */
	struct node *ordered; /* commute_rest() of the node being decided; REST: it is one */
	bool rest;
	uint32_t settled;        /* number of events when the node was last settled */
	size_t bytes, max_bytes; /* of the nodes of the current branch; their limit */
	size_t max_node;         /* the limit of each node */
	size_t max_branching;    /* the same, if it has branches */
	/* nodes are larger than that: the search must start again with one worker, which may have
	 * them */
	bool crowded;
	bool bound_reached, unsupported, out_of_memory;
	const char *fault;
	uint32_t fault_thread, fault_place;
};

void worker_init(
	struct worker *w, const struct explore_program *p, const struct explore_options *o);
void worker_free(struct worker *w);
/* Memory of its nodes in bytes, including those kept for the next branch. */
size_t worker_bytes(const struct worker *w);
/* What W has done so far, about in proportion to the time: steps of threads, and words of relations
 * between events. */
uint64_t worker_effort(const struct worker *w);
/* The effort of reaching the current node from the beginning. */
uint64_t worker_path(const struct worker *w);
/* Explores everything below PREFIX. */
void worker_search(struct worker *w, const uint16_t *prefix, uint32_t nprefix);
void worker_search_stretch(struct worker *w, const struct stretch *s);
/* Of the nodes of the current branch that have less than LIMIT choices before them, the one nearest
 * the beginning that has options left which were not begun; or NULL. May be called while the search
 * calls stopped(). */
struct kept *worker_spare(struct worker *w, uint32_t limit);
/* Takes from the search half of the options that are left at K, the last ones. */
struct stretch worker_give(struct worker *w, struct kept *k);
/* What is left to search when the current node has been reached. */
struct stretch worker_rest(const struct worker *w);

#endif
