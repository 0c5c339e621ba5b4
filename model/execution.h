/* An execution graph, complete or under construction: events, and the relations of the PTX memory
 * model over them as bit rows. It is append-only: copy it before speculating. The relations that
 * the axioms use are derived in derive.c. The axioms are applied in saturate.c (everything that is
 * forced) and orient.c (what is left to choose); axioms.c states them directly, and verify.c judges
 * executions by that statement. */
#ifndef PTXI_MODEL_EXECUTION_H
#define PTXI_MODEL_EXECUTION_H
#include "model/axioms.h"
#include "model/event.h"
#include "model/relation.h"

/* Axioms and decisions that tests disable, one at a time, to prove that some test notices;
 * explore --why disables some of them. */
enum model_off {
	OFF_COHERENCE = 1,
	OFF_FENCE_SC = 2,
	OFF_ATOMICITY = 4,
	OFF_SC_PER_LOCATION = 8,
	OFF_CAUSALITY = 16,
	OFF_FENCE_SC_SYNC = 32, /* fence.sc neither releases nor acquires */
	OFF_RED_DECISION = 64,  /* the read of a red may acquire */
	OFF_RMW_CHAIN = 128,    /* obs = ms ∩ rf only */
	OFF_BARRIER = 256,      /* barriers do not order */
	OFF_SCOPE = 512,        /* moral strength without scope inclusion */
	OFF_OBS_CAUSE = 1024,   /* cause = ppcb */
	/* patterns are a single access or a fence: no poloc before or after it */
	OFF_PATTERN_LOCATION = 2048,
	OFF_PROXY = 4096, /* all accesses as if generic */
	OFF_AXIOMS = OFF_COHERENCE | OFF_FENCE_SC | OFF_ATOMICITY | OFF_SC_PER_LOCATION |
		OFF_CAUSALITY,
	/* an atom is one event: whatever its write causes, its read causes, too */
	OFF_ATOM_HALVES = 65536,
	/* no single-copy atomicity: accesses wider than 4 bytes are made of independent words
	   (explore --why uses it) */
	OFF_WHOLE = 131072,
	/* These change the program, not the axioms: */
	OFF_RMW_DEPENDENCY = 8192, /* an exch's value does not wait for its read */
	OFF_FAILED_CAS = 16384,    /* a failed cas writes back what it read */
	OFF_MBARRIER = 32768       /* a wait on an mbarrier acquires nothing */
};

struct model {
	const struct placement *place; /* [nthreads] */
	uint32_t nthreads;
	uint32_t helpers; /* number of asynchronous operations, the last of the threads */
	uint32_t off;     /* set of enum model_off; 0 except in tests and for --why */
	/* Called in every loop that can take long. True: the result is no longer wanted, so
	 * saturation and searches return false at once. NULL: never stop. */
	bool (*stopped)(void *arg);
	void *stopped_arg;
};

static inline bool model_stopped(const struct model *m)
{
	return m->stopped && m->stopped(m->stopped_arg);
}

/* The same in a loop over events, in its Ith round: asks the client in every 32nd only. */
static inline bool model_stopped_at(const struct model *m, uint32_t i)
{
	return (i & 31) == 31 && model_stopped(m);
}

enum event_set {
	SET_READ,    /* active reads */
	SET_WRITE,   /* active writes, initial ones too */
	SET_KNOWN,   /* writes whose value is known */
	SET_PENDING, /* active reads without rf */
	SET_RELEASE, /* writes and fences that release */
	SET_ACQUIRE, /* reads and fences that acquire */
	SET_STRONG,
	SET_FENCE_SC,
	SET_OTHER, /* accesses not performed via the generic proxy */
	SET_RMW,   /* reads that are half of an atom whose write is active */
	/* events whose predecessors or observed write changed since causality was last computed */
	SET_CHANGED,
	/* reads of atoms whose order is one of many equivalent ones: set by the client */
	SET_COMMUTED,
	SET_SEEN,
	SET_WAITED, /* the client's; not used here */
	SET_EXCHANGED,
	SET_LAST, /* writes that nothing may follow in coherence (execution_orient) */
	SET_PROXY_FENCE,
	SET_COUNT = SET_PROXY_FENCE + PROXY_COUNT /* one set per proxy */
};

/* Scratch rows. Functions that call each other use different ones. */
enum scratch {
	SCRATCH_AFTER, /* execution_order */
	SCRATCH_BEFORE,
	SCRATCH_LASTS, /* ends and beginnings of patterns */
	SCRATCH_FIRSTS,
	SCRATCH_ENTERS, /* proxy fences of either side */
	SCRATCH_LEAVES,
	SCRATCH_ARRIVE,
	SCRATCH_ALIAS,
	SCRATCH_PRESERVED,
	SCRATCH_OUTER, /* of a loop over events that calls users of the others */
	SCRATCH_ALL_BEFORE,
	SCRATCH_COUNT,
	/* aliases, for use where the row of the same number is not in use */
	SCRATCH_POLOC = SCRATCH_LASTS,
	SCRATCH_FROM = SCRATCH_LASTS,
	SCRATCH_TO = SCRATCH_FIRSTS,
	SCRATCH_EDGES = SCRATCH_ARRIVE,
	SCRATCH_EDGE = SCRATCH_ALIAS,
	SCRATCH_LOOK = SCRATCH_PRESERVED,
	SCRATCH_CAUSES = SCRATCH_ARRIVE,
	SCRATCH_CANDIDATES = SCRATCH_ARRIVE
};

/* Why saturation failed: the broken axiom, and the events involved.
 *   COHERENCE        coherence must order a before b, and b before a
 *   FENCE_SC         fences a and b: neither can come first
 *   ATOMICITY        write c falls between read a and write b of an atom
 *   SC_PER_LOCATION  a cycle through access a; or a read or write a that would be torn
 *   CAUSALITY        write a causes read b, which reads from c, older than a (or: read b causes
 *                    the write c = a that it reads from) */
struct conflict {
	enum axiom axiom;
	uint32_t a, b, c;
};

struct execution {
	const struct model *model;
	uint32_t n, words, nvirt, nphys, tables; /* tables: capacity of virt and phys rows */
	struct event *event;
	uint64_t *cb, *cbp;    /* [n][words] base causality, closed: successors and predecessors */
	struct rare ms;        /* moral strength */
	struct rare co;        /* coherence, closed: successors */
	struct rare obs;       /* of a read: the writes that it observes */
	struct rare cause;     /* predecessors; valid after execution_saturate */
	uint64_t *hidden;      /* [words * 64][words] used by saturate.c alone, or NULL */
	uint64_t *virt, *phys; /* [nvirt][words], [nphys][words]: accesses of a location */
	uint64_t *thread;      /* [nthreads][words] */
	uint64_t *set;         /* [SET_COUNT][words] */
	uint64_t *tmp;         /* [SCRATCH_COUNT][words] */
	/* [nthreads] the event that issued an asynchronous operation, or MODEL_NONE; NULL without
	 * helpers */
	uint32_t *issue;
	/* meetings at barriers, one after another: the number of events FROM, these events, the
	 * number of events TO, these events. Only verify.c reads them: cb already contains the
	 * order that follows from them. */
	VEC(uint32_t) meeting;
	void *block;
	uint32_t initial_count;   /* initial writes among the events */
	bool pieces;              /* some access consists of several events */
	struct conflict conflict; /* valid after execution_saturate returned false */
};

void execution_init(struct execution *x, const struct model *model);
void execution_free(struct execution *x);
/* Memory that it takes, in bytes. */
size_t execution_bytes(const struct execution *x);
/* Empties it and keeps its memory. */
void execution_reset(struct execution *x);
void execution_copy(struct execution *to, const struct execution *from);
/* A copy of an execution that takes a tenth of its memory: rows as differences from the row before
 * them. */
struct packed_execution {
	struct execution head; /* without its rows */
	VEC(uint64_t) word;
};
/* P becomes a copy of X; it is empty, or was freed. */
void execution_pack(const struct execution *x, struct packed_execution *p);
void execution_unpack(struct execution *to, const struct packed_execution *p);
void packed_free(struct packed_execution *p);

/* Appends an event after all events of its thread and returns its number. Accesses name locations
 * by dense numbers that the caller assigns. The initial write of a physical location (flag
 * EVENT_INITIAL, thread UINT16_MAX) is added before the first access to it. */
uint32_t execution_add(struct execution *x, const struct event *e);
/* THREAD, an asynchronous operation, was issued by event ISSUE: its accesses come after that event
 * and everything before it, but an event that synchronises with the operation does not thereby come
 * after ISSUE. */
void execution_issue(struct execution *x, uint32_t thread, uint32_t issue);
/* A VOID event becomes E, but keeps its thread and its position in program order. */
void execution_activate(struct execution *x, uint32_t id, const struct event *e);
/* A write's value becomes known. */
void execution_know(struct execution *x, uint32_t id, const uint64_t value[2]);
/* Write ID, from which no event reads, turns out not to happen. It keeps its position in program
 * order; if it is half of an atom, the read becomes an ordinary read. */
void execution_retract(struct execution *x, uint32_t id);
/* Relaxed read R turns out to acquire. */
void execution_acquire(struct execution *x, uint32_t r);
/* Makes R read from W. */
void execution_read_from(struct execution *x, uint32_t w, uint32_t r);
/* A meeting at a barrier, which the client adds to base causality: every event of FROM (arrivals)
 * comes before every event of TO (departures). */
void execution_meet(struct execution *x, const uint64_t *from, const uint64_t *to);
void execution_meet_one(struct execution *x, uint32_t a, uint32_t b);
/* The same for what release fence A releases. */
void execution_meet_released(struct execution *x, uint32_t a, uint32_t b);
/* Orders A before B in base causality. */
void execution_order(struct execution *x, uint32_t a, uint32_t b);
/* The same for what release fence A releases: A and everything before it or, if the fence is
 * restricted, only the accesses of its thread that it covers. */
void execution_order_released(struct execution *x, uint32_t a, uint32_t b);
/* Orders every event of set FROM before every event of set TO. */
void execution_order_sets(struct execution *x, const uint64_t *from, const uint64_t *to);
/* Orders W before V in coherence and closes it; false when that would be a cycle. */
bool execution_cohere(struct execution *x, uint32_t w, uint32_t v);
/* The same for every write of V's location in set BEFORE, none of which is after V. */
void execution_cohere_set(struct execution *x, const uint64_t *before, uint32_t v);

/* Adds everything that is forced (docs/MEMORY-MODEL.md, rules S1 to S6); false when an axiom is
 * broken, which then stays broken whatever is added. */
bool execution_saturate(struct execution *x);
/* The same in two steps: while the execution still grows, without SC-per-location (S4), which is
 * expensive and rarely adds anything; and the rest once it is complete. */
bool execution_grown(struct execution *x);
bool execution_finished(struct execution *x);
/* Marks all events as changed, so that the next saturation judges everything anew: after the axioms
 * in force (model.off) changed. */
void execution_recheck(struct execution *x);
/* For a pending read after execution_saturate: the known writes that it may read from without an
 * immediate contradiction. */
void execution_candidates(const struct execution *x, uint32_t r, uint64_t *out);

/* Whether another atom reads from W, so R, the read of an atom that writes, cannot: one of the two
 * writes would come between W and the other. */
bool execution_taken(const struct execution *x, uint32_t w, uint32_t r);

/* Accesses in pieces (pieces.c). The piece of E's access at location PHYS that is of E's kind (read
 * or write), or MODEL_NONE. */
uint32_t execution_piece(const struct execution *x, uint32_t e, uint32_t phys);
/* Single-copy atomicity: all pieces of a read show one state of memory, and complete overlaps have
 * the same coherence order in all pieces. */
bool execution_pieces_agree(struct execution *x, bool *changed);
/* Drops from OUT the writes that read R, a piece, cannot read from, given what the other pieces of
 * its access have read. */
void execution_pieces_allow(const struct execution *x, uint32_t r, uint64_t *out);

/* Whether a complete, saturated execution has a completion: an order for all morally strong pairs
 * of fence.sc and of writes in which nothing follows the writes of row LAST (NULL: none) in
 * coherence. If so, X becomes such a completion. */
bool execution_orient(struct execution *x, const uint64_t *last);
/* Whether some morally strong pair of fence.sc is still unordered. */
bool execution_fences_open(const struct execution *x);
/* Whether some completion of X, saturated, leaves accesses A and B unordered by causality. */
bool execution_unordered(const struct execution *x, uint32_t a, uint32_t b);
/* Whether W can be the last write of its location in coherence. X: saturated, with a completion and
 * a chosen sc order. */
bool execution_last(const struct execution *x, uint32_t w);
/* Orders all writes of W's location that are morally strong with W before it, and saturates; false
 * when W cannot be last. */
bool execution_make_last(struct execution *x, uint32_t w);

/* Derived relations, for one event. */
void execution_preserved_before(const struct execution *x, uint32_t b, uint64_t *out);
void execution_cause_before(const struct execution *x, uint32_t b, uint64_t *out);
/* What comes before access B: its predecessors in base causality and, in an asynchronous operation,
 * the issuing event with its predecessors. Valid until the next call of these functions. */
const uint64_t *execution_all_before(const struct execution *x, uint32_t b);
/* Release events that begin a release pattern through W; acquire events that end an acquire pattern
 * through R. */
void execution_release_firsts(const struct execution *x, uint32_t w, uint64_t *out);
void execution_acquire_lasts(const struct execution *x, uint32_t r, uint64_t *out);
bool execution_po(const struct execution *x, uint32_t a, uint32_t b);
/* OUT: the events of A's thread before (after) A. */
void execution_po_before(const struct execution *x, uint32_t a, uint64_t *out);
void execution_po_after(const struct execution *x, uint32_t a, uint64_t *out);

static inline uint64_t *execution_row(const struct execution *x, uint64_t *relation, uint32_t i)
{
	return relation + (uint64_t)i * x->words;
}
/* Rows of ms, co, obs and cause. A row moves when another event gets its own. */
#define RARE(x, relation, i) \
	((const uint64_t *)(x)->relation.row + (uint64_t)(x)->relation.at[i] * (x)->words)
/* Event I's own row of R, made if necessary, for writing. */
uint64_t *execution_own(struct execution *x, struct rare *r, uint32_t i);
#define ROW(x, relation, i) ((x)->relation + (uint64_t)(i) * (x)->words)

/* verify.c: the axiom, as axioms.c states it, that X breaks, or AXIOM_NONE. X: complete, with
 * coherence and fence.sc order chosen (after execution_orient). DEP: for each read, the events of
 * its thread that depend on it, [n][words]; NULL: unknown, and No-thin-air is not judged. BREACH,
 * or NULL: the events, to be freed by the caller. */
enum axiom execution_violates(
	const struct execution *x, const uint64_t *dep, struct breach *breach);

#endif
