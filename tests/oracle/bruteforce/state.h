/* The state of the brute-force search: what it has guessed and derived so far. */
#ifndef PTXI_TESTS_BRUTEFORCE_STATE_H
#define PTXI_TESTS_BRUTEFORCE_STATE_H
#include "model/axioms.h"
#include "tests/oracle/bruteforce.h"

enum {
	MOST_EVENTS = 48,
	MOST_THREADS = 8,
	MOST_PATHS = 64,
	MOST_EXPRS = 512,
	MOST_CONSTRAINTS = 64
};
typedef uint64_t bits; /* a set of events */

enum { K_READ, K_WRITE, K_FENCE, K_PROXY_FENCE, K_BARRIER };

struct bf_event {
	int kind, thread, sem, scope, proxy, insn;
	int virt, phys; /* accesses */
	int expr;       /* of a write */
	int partner;    /* the other half of an atom, or -1 */
	/* of an access: its number, the index of this word, the number of words */
	int access, part, whole;
	/* 0, or the number of the element of its instruction: elements have no order */
	int element;
	int nconstraints; /* number of branch conditions before it in its thread */
	bool initial, red;
	int site, number, occurrence;
	bool arrive_only;
};

/* words of a value, and the join of two words; whether an mbarrier has left a phase */
enum { E_LOW = 100, E_HIGH, E_JOIN, E_PASSED };

/* Values as expressions over reads. */
struct bf_expr {
	int op; /* -1 constant, -2 read, E_LOW etc., otherwise enum litmus_alu */
	int64_t constant;
	int event, a, b, c;
};

/* cond: expr A REL expr B must be TRUTH. */
struct bf_constraint {
	int relation, a, b;
	bool truth;
};

/* What a cas on the chosen paths requires: A and B are equal, or not. */
struct bf_cas {
	int a, b;
	bool success;
};

struct bf_path {
	uint8_t choice[32];
	int nchoices;
};

struct bf {
	const struct litmus_test *test;
	const struct bruteforce_place *place;
	struct bruteforce *out;
	uint64_t most;
	unsigned change;
	bool guessed[MOST_EXPRS];
	int64_t guess; /* BRUTEFORCE_THIN_AIR: what a read in a cycle returns; 0: nothing */
	struct bf_path path[MOST_THREADS][MOST_PATHS];
	int npaths[MOST_THREADS], chosen[MOST_THREADS];
	struct bf_event event[MOST_EVENTS];
	int n;
	struct bf_expr expr[MOST_EXPRS];
	int nexprs;
	struct bf_constraint constraint[MOST_THREADS][MOST_CONSTRAINTS];
	int nconstraints[MOST_THREADS];
	int reg[MOST_THREADS][64]; /* register -> expr at the end */
	struct bf_cas cas[MOST_EVENTS];
	int ncas;
	int rf[MOST_EVENTS]; /* read -> write */
	int reads[MOST_EVENTS], nreads;
	int64_t value[MOST_EXPRS];
	uint8_t state[MOST_EXPRS]; /* 0 new, 1 in progress, 2 done */
	bits syncbar[MOST_EVENTS]; /* barriers: event that arrives -> events that leave */
	/* the same events for model/axioms.c */
	struct event seen[MOST_EVENTS];
	struct placement where[MOST_THREADS];
	uint32_t issue[MOST_THREADS]; /* the event that starts this thread, or MODEL_NONE */
	struct axioms axioms;
	bool any;
};

static inline unsigned bf_bits(const struct bf *f)
{
	return f->place ? (unsigned)f->place->bits : 32;
}
static inline bool bf_access(const struct bf_event *e)
{
	return e->kind == K_READ || e->kind == K_WRITE;
}
/* Whether threads S and T are in the same CTA. */
bool bf_share_cta(const struct bf *f, int s, int t);
/* Whether thread T contains the barrier with this location in the text. */
bool bf_contains_site(const struct bf *f, int t, int site);

/* events.c: finds all paths of thread T, with a choice at every branch and cas. */
void bf_find_paths(struct bf *f, int t);
/* Builds the events of the chosen paths. */
void bf_build_events(struct bf *f);
/* barriers.c: runs the barriers of the chosen paths; false if some thread waits forever. */
bool bf_run_barriers(struct bf *f);
/* values.c: whether all values follow from what is read, without a cycle, and make the threads take
 * the chosen paths. */
bool bf_values_fit(struct bf *f);
/* orders.c: tries all orders of fences and writes; records the outcomes of those that satisfy the
 * axioms. */
void bf_begin_orders(struct bf *f);
void bf_try_orders(struct bf *f);
void bf_end_orders(struct bf *f);
/* outcomes.c: records every possible final memory for coherence order CO. */
void bf_final_memory(struct bf *f, const bits *co);
/* Whether writes V and W of neighbouring words belong to two accesses that both write both
 * words. */
bool bf_words_of_two(const struct bf *f, int v, int w);

#endif
