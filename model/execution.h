/* An execution graph, complete or in the making: events, and the relations of the PTX memory model
 * over them as bit rows. It only grows; who wants to try something copies it first. The relations
 * that the axioms speak of are derived in derive.c, the axioms are applied in saturate.c (what must
 * be) and orient.c (what is left to choose); axioms.c states them as they are, and verify.c judges
 * executions by that. */
#ifndef PTXI_MODEL_EXECUTION_H
#define PTXI_MODEL_EXECUTION_H
#include "model/axioms.h"
#include "model/event.h"
#include "model/relation.h"

/* Axioms and decisions that tests take away, one at a time, to see that some test notices;
 * explore --why asks without some of them. */
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
	/* an atom is one event: what its write causes, its read causes */
	OFF_ATOM_HALVES = 65536,
	/* no single-copy atomicity: what is wider than 4 bytes is accessed in words that nothing
	   holds together (explore --why asks with it) */
	OFF_WHOLE = 131072,
	/* Matters of the program, not of the axioms: */
	OFF_RMW_DEPENDENCY = 8192, /* an exch's value does not wait for its read */
	OFF_FAILED_CAS = 16384,    /* a failed cas writes back what it read */
	OFF_MBARRIER = 32768       /* a wait on an mbarrier acquires nothing */
};

struct model {
	const struct placement *place; /* [nthreads] */
	uint32_t nthreads;
	uint32_t helpers; /* of these, the last so many are asynchronous operations */
	uint32_t off;     /* set of enum model_off; 0 but in tests and explore --why */
	/* Asked in every loop that can take long. True: the result is no longer wanted, so
	 * saturation and searches return false at once. NULL: never. */
	bool (*stopped)(void *arg);
	void *stopped_arg;
};

static inline bool model_stopped(const struct model *m)
{
	return m->stopped && m->stopped(m->stopped_arg);
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
	SET_OTHER, /* accesses that are not generic */
	SET_RMW,   /* reads that are half of an atom whose write is active */
	/* events of which what comes before them, or what they read, changed since causality was
	   last found */
	SET_CHANGED,
	/* reads of atoms whose order is one of many that give the same: the client's */
	SET_COMMUTED,
	SET_SEEN,
	SET_WAITED, /* the client's; not touched here */
	SET_PROXY_FENCE,
	SET_COUNT = SET_PROXY_FENCE + PROXY_COUNT /* one set a proxy */
};

/* Scratch rows, told apart where a function holds one while it calls another that needs one. */
enum scratch {
	SCRATCH_AFTER, /* execution_order */
	SCRATCH_BEFORE,
	SCRATCH_LASTS, /* ends and beginnings of patterns */
	SCRATCH_FIRSTS,
	SCRATCH_ENTERS, /* proxy fences of one side, of the other */
	SCRATCH_LEAVES,
	SCRATCH_ARRIVE,
	SCRATCH_ALIAS,
	SCRATCH_PRESERVED,
	SCRATCH_OUTER, /* of a loop over events, which calls what uses the others */
	SCRATCH_ALL_BEFORE,
	SCRATCH_COUNT,
	/* the same rows, where none of these is held */
	SCRATCH_POLOC = SCRATCH_LASTS,
	SCRATCH_FROM = SCRATCH_LASTS,
	SCRATCH_TO = SCRATCH_FIRSTS,
	SCRATCH_EDGES = SCRATCH_ARRIVE,
	SCRATCH_EDGE = SCRATCH_ALIAS,
	SCRATCH_LOOK = SCRATCH_PRESERVED,
	SCRATCH_CAUSES = SCRATCH_ARRIVE,
	SCRATCH_CANDIDATES = SCRATCH_ARRIVE
};

/* What a failed saturation found: the axiom, and the events that it is about.
 *   COHERENCE        a must come before b, and b before a, in coherence
 *   FENCE_SC         fences a and b, neither of which can come first
 *   ATOMICITY        write c falls between read a and write b of an atom
 *   SC_PER_LOCATION  a cycle through access a
 *   CAUSALITY        write a causes read b, which reads from c, older than a (or: read b causes the
 * write c = a that it reads from) */
struct conflict {
	enum axiom axiom;
	uint32_t a, b, c;
};

struct execution {
	const struct model *model;
	uint32_t n, words, nvirt, nphys, tables; /* tables: capacity of virt and phys rows */
	struct event *event;
	uint64_t *cb, *cbp;    /* [n][words] base causality, closed: after and before */
	struct rare ms;        /* moral strength */
	struct rare co;        /* coherence, closed: after */
	struct rare obs;       /* of a read: the writes it observes */
	struct rare cause;     /* before; valid after execution_saturate */
	uint64_t *hidden;      /* [words * 64][words] saturate.c's, or NULL */
	uint64_t *virt, *phys; /* [nvirt][words], [nphys][words]: accesses of a location */
	uint64_t *thread;      /* [nthreads][words] */
	uint64_t *set;         /* [SET_COUNT][words] */
	uint64_t *tmp;         /* [SCRATCH_COUNT][words] */
	/* [nthreads] what began an asynchronous operation, or MODEL_NONE; NULL without helpers */
	uint32_t *issue;
	/* meetings, one after the other: how many events FROM, these, how many TO, these. Kept as
	 * data for verify.c; what follows from them is in cb at once. */
	VEC(uint32_t) meeting;
	void *block;
	uint32_t initial_count;   /* initial writes among the events */
	bool pieces;              /* some access is several events */
	struct conflict conflict; /* after execution_saturate was false */
};

void execution_init(struct execution *x, const struct model *model);
void execution_free(struct execution *x);
/* What it takes. */
size_t execution_bytes(const struct execution *x);
/* Empties it, keeping memory. */
void execution_reset(struct execution *x);
void execution_copy(struct execution *to, const struct execution *from);

/* Appends an event after all events of its thread, and returns its number. Accesses name locations
 * by dense numbers that the caller gives; before the first access of a physical location comes its
 * initial write (flag EVENT_INITIAL, thread UINT16_MAX). */
uint32_t execution_add(struct execution *x, const struct event *e);
/* THREAD, an asynchronous operation, was begun by event ISSUE: its accesses come after that and all
 * before it, but whoever synchronises with it does not. */
void execution_issue(struct execution *x, uint32_t thread, uint32_t issue);
/* A VOID event becomes what E says; thread and place in program order stay. */
void execution_activate(struct execution *x, uint32_t id, const struct event *e);
/* A write's value becomes known. */
void execution_know(struct execution *x, uint32_t id, const uint64_t value[2]);
/* Write ID, that nobody reads from, turns out not to happen: its place in program order stays;
 * where it is half of an atom, the read becomes a read alone. */
void execution_retract(struct execution *x, uint32_t id);
/* Read R turns out not to acquire: before execution_saturate sees what it reads from. */
void execution_relax(struct execution *x, uint32_t r);
/* R reads from W. */
void execution_read_from(struct execution *x, uint32_t w, uint32_t r);
/* What the client says of base causality, and neither program order nor reads do: every event of
 * FROM, which arrives, comes before every one of TO, which leaves. */
void execution_meet(struct execution *x, const uint64_t *from, const uint64_t *to);
void execution_meet_one(struct execution *x, uint32_t a, uint32_t b);
/* The same of what release fence A releases. */
void execution_meet_released(struct execution *x, uint32_t a, uint32_t b);
/* A comes before B in base causality. */
void execution_order(struct execution *x, uint32_t a, uint32_t b);
/* The same for what release fence A releases: A and all before it, or, of a fence that is
 * restricted, only the accesses of its thread that it covers. */
void execution_order_released(struct execution *x, uint32_t a, uint32_t b);
/* Every event of set FROM comes before every one of TO. */
void execution_order_sets(struct execution *x, const uint64_t *from, const uint64_t *to);
/* W before V in coherence, closed; false when that is a cycle. */
bool execution_cohere(struct execution *x, uint32_t w, uint32_t v);
/* The same for every write of V's location in set BEFORE, none of which comes after V. */
void execution_cohere_set(struct execution *x, const uint64_t *before, uint32_t v);

/* All that follows from what is there (docs/MEMORY-MODEL.md, rules S1 to S6); false when an axiom
 * is broken, and then it stays broken whatever is added. */
bool execution_saturate(struct execution *x);
/* The same for one that still grows, without SC-per-location (S4), which is dear and rarely adds
 * anything; and what is left of it at the end. */
bool execution_grown(struct execution *x);
bool execution_finished(struct execution *x);
/* Whatever was judged before, by other axioms, is judged anew. */
void execution_recheck(struct execution *x);
/* For a pending read after execution_saturate: the known writes that it may read without an
 * immediate contradiction. */
void execution_candidates(const struct execution *x, uint32_t r, uint64_t *out);

/* Accesses in pieces (pieces.c). The piece of E's access, a write's or a read's like E, at location
 * PHYS, or MODEL_NONE. */
uint32_t execution_piece(const struct execution *x, uint32_t e, uint32_t phys);
/* What one access is, stays one: pieces of a read take what one state of memory shows, coherence of
 * complete overlaps is the same in all pieces. */
bool execution_pieces_agree(struct execution *x, bool *changed);
/* Drops from OUT what read R, a piece, cannot read beside what other pieces of its access have
 * read. */
void execution_pieces_allow(const struct execution *x, uint32_t r, uint64_t *out);

/* Whether a complete, saturated execution can be completed by a total order of the morally strong
 * fence.sc and write pairs in which nothing follows the writes of row LAST (NULL: none) in
 * coherence. X becomes such a completion. */
bool execution_orient(struct execution *x, const uint64_t *last);
/* Whether some morally strong pair of fence.sc has no order yet. */
bool execution_fences_open(const struct execution *x);
/* Whether a completion of X, saturated, leaves accesses A and B without causality between them;
 * true, too, when that is too long to find out. */
bool execution_unordered(const struct execution *x, uint32_t a, uint32_t b);
/* Whether W can be the last write of its location in coherence. X: sc oriented, saturated, with a
 * completion. */
bool execution_last(const struct execution *x, uint32_t w);
/* Orders all writes that are morally strong with W before it, and saturates; false when W cannot be
 * last. */
bool execution_make_last(struct execution *x, uint32_t w);

/* Derived relations, for one event. */
void execution_preserved_before(const struct execution *x, uint32_t b, uint64_t *out);
void execution_cause_before(const struct execution *x, uint32_t b, uint64_t *out);
/* What comes before access B: base causality, and for an asynchronous operation what began it;
 * valid until the next call of these functions. */
const uint64_t *execution_all_before(const struct execution *x, uint32_t b);
/* Release events that begin, acquire events that end a pattern through W or R. */
void execution_release_firsts(const struct execution *x, uint32_t w, uint64_t *out);
void execution_acquire_lasts(const struct execution *x, uint32_t r, uint64_t *out);
bool execution_po(const struct execution *x, uint32_t a, uint32_t b);
/* Program order neighbours: OUT = events of A's thread in ROW that come before (after) A. */
void execution_po_before(const struct execution *x, uint32_t a, uint64_t *out);
void execution_po_after(const struct execution *x, uint32_t a, uint64_t *out);

static inline uint64_t *execution_row(const struct execution *x, uint64_t *relation, uint32_t i)
{
	return relation + (uint64_t)i * x->words;
}
/* Rows of ms, co, obs, cause; they move when another event gets one. */
#define RARE(x, relation, i) \
	((const uint64_t *)(x)->relation.row + (uint64_t)(x)->relation.at[i] * (x)->words)
/* Event I's own row of R, to change it. */
uint64_t *execution_own(struct execution *x, struct rare *r, uint32_t i);
#define ROW(x, relation, i) ((x)->relation + (uint64_t)(i) * (x)->words)

/* verify.c: which axiom X breaks as axioms.c states them, or AXIOM_NONE. X: complete, coherence and
 * fence.sc order chosen (after execution_orient). DEP: of each read, the events of its thread that
 * depend on it, [n][words], or NULL: unknown, and No-thin-air is not judged. BREACH, or NULL: the
 * events, to be freed. */
enum axiom execution_violates(
	const struct execution *x, const uint64_t *dep, struct breach *breach);

#endif
