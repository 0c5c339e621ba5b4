/* The sampler, --memory=weak: an operational machine, each run of which is an execution that the
 * PTX memory model allows (docs/SAMPLER.md gives the reasons). One host thread runs such a machine.
 *
 * weak_clock.c: what a view knows of every agent
 * weak_heads.c: release heads, which strong writes carry and acquires use
 * weak_give.c:  what a strong write releases
 * weak_word.c:  a word's messages: the ring of values that threads may still read
 * weak_spot.c:  the position of a write among them
 * weak_view.c:  a thread's view: reading, writing, changing a word; fences
 * weak_late.c:  late operations: loads and atoms until their register is needed
 * weak_copy.c:  asynchronous copies, which read what their proxy knows
 * weak_sync.c:  barriers, mbarriers, clusters, launches, copies: an observer
 * weak_exec.c:  ld, st, atom, red on messages
 * run_weak.c:   the instruction loop
 * sampler.c:    connects these to a machine (interp/state/weak_memory.h) */
#ifndef PTXI_WEAK_WEAK_H
#define PTXI_WEAK_WEAK_H
#include "interp/memory/access.h"
#include "interp/state/weak_memory.h"
#include "weak/weak_clock.h"

/* --- heads: what a strong message releases to those who acquire from it --- */

struct weak_head {
	struct weak_who first;    /* of the release pattern */
	uint8_t scope;            /* enum scope, of its first event */
	uint8_t wide;             /* several heads merged: in scope of every thread */
	struct weak_clock *clock; /* what comes before it, including itself */
};
struct weak_heads { /* immutable, reference counted; NULL: none */
	uint32_t refs, count;
	struct weak_head head[];
};
enum { WEAK_HEADS = 8 };

/* Heads being gathered: at most one per CTA and scope. When there are more than WEAK_HEADS, all are
 * merged into one wide head. */
struct weak_headset {
	uint32_t count;
	struct weak_head head[WEAK_HEADS];
};
void weak_headset_add(struct weak_headset *s, const struct weak_head *h);
void weak_headset_add_all(struct weak_headset *s, const struct weak_heads *h);
/* Returns what was gathered, or NULL, and empties S. */
struct weak_heads *weak_headset_take(struct weak_headset *s);
struct weak_heads *weak_heads_ref(struct weak_heads *h);
void weak_heads_unref(struct weak_heads *h);

/* Whether two strong operations, by A and B, include each other in their scopes. */
bool weak_mutual(
	const struct weak_who *a, unsigned scope_a, const struct weak_who *b, unsigned scope_b);

/* --- words --- */

/* A thread that has read a message: no thread that knows of the read may read an older message. */
struct weak_reader {
	struct weak_who who;
	uint64_t stamp;
};
enum { WEAK_READERS = 8, WEAK_RING = WEAK_READABLE };

struct weak_message {
	uint64_t value[2]; /* not used for the last message, whose value is in memory */
	uint64_t stamp;    /* when it was written; unique in the run */
	uint64_t from;     /* of an atom's write: the stamp of the message that it read */
	struct weak_who who;
	uint8_t strong, scope, rmw;
	uint8_t undefined; /* the value was never written */
	/* known_to_all: it had more readers than there is room for, and counts as known to all
	 * threads */
	uint8_t nreaders, known_to_all;
	/* set of the ring's messages that come before this one in coherence order */
	uint16_t before;
	struct weak_heads *heads;
	struct weak_reader *reader; /* [nreaders], room for WEAK_READERS */
};

/* The messages of one location (address and size), in an order compatible with coherence order.
 * Coherence order is partial: two writes that are neither ordered by causality nor morally strong
 * may stay unordered. */
struct weak_ring {
	struct weak_ring *next; /* in the same 16 bytes */
	uint8_t *host;
	uint8_t bytes, count, cap;
	struct weak_message *message;
};

/* 16 aligned bytes that have rings. */
struct weak_block {
	uintptr_t at;  /* host address / 16 */
	uint32_t next; /* in the free list or the hash chain */
	struct weak_ring *first;
};

enum { WEAK_PAGES = 4096, WEAK_PAGE_SHIFT = 12 };

/* Per-run biases, so that outcomes that need many choices in one direction occur. */
enum weak_bias { BIAS_FRESH = 1, BIAS_IN_ORDER = 2, BIAS_PROMPT = 4, BIASES = 8 };

struct weak_floating;
struct weak_late;
struct weak {
	struct machine *machine;
	void (*execute)(struct warp *w, struct weak_late *l); /* executes a late operation */
	struct observer observer;
	uint64_t now; /* number of events so far */
	uint8_t bias; /* set of enum weak_bias */
	uint32_t ctas, clusters;
	/* words */
	uint32_t *slot; /* [slots] index + 1 in block */
	uint32_t slots;
	struct weak_block *block;
	uint32_t nblocks, used, free, hand;
	/* number of blocks in the 4096 bytes at host address a: [a / 4096 % WEAK_PAGES], which
	 * other pages may share */
	uint32_t page[WEAK_PAGES];
	struct weak_ring *spare; /* unused rings, for reuse */
	uint32_t nfloating;
	bool due;                       /* some floating operation is due */
	struct weak_floating *floating; /* [nfloating], room for WEAK_FLOATING */
	/* joined clocks of the heads of dropped messages; NULL: none was dropped */
	struct weak_clock *lost;
	struct clock_joins joins; /* of views and what they acquire */
	/* joined clocks of the fence.sc of that scope or wider */
	struct weak_clock *fence_device[256], *fence_system;
	/* by launch from order `settled` on: what its threads know when they begin */
	VEC(struct weak_clock *) base;
	uint32_t settled; /* the host has waited for the launches before this order */
	uint64_t settled_at;
	struct weak_cta *first_cta;
	struct weak_cluster *first_cluster;
};

/* Creates the sampler's state for M. EXECUTE executes a late operation. */
struct weak *weak_new(struct machine *m, void (*execute)(struct warp *w, struct weak_late *l));
void weak_free(struct weak *k);
/* The host has waited for everything that ran. */
void weak_settle(struct weak *k);
/* What the threads of W's launch knew when they began. */
static inline struct weak_clock *weak_launch_base(const struct weak *k, const struct warp *w)
{
	return k->base.data[w->cta->launch->order - k->settled];
}

/* The ring of exactly N bytes at HOST (N a power of two, aligned, within 16 bytes), or NULL where
 * memory holds the only message. MAKE: creates one with what memory holds. OVERWRITE: drops rings
 * of overlapping locations, as a write does. */
struct weak_ring *weak_ring_at(
	struct weak *k, uint8_t *host, unsigned n, bool make, bool overwrite);
/* Whether the 16 bytes at HOST may have a ring; a quick test that is never wrong when it says
 * no. */
static inline bool weak_may_have_ring(const struct weak *k, const uint8_t *host)
{
	return k->page[(uintptr_t)host >> WEAK_PAGE_SHIFT & (WEAK_PAGES - 1)] != 0;
}
/* An operation that keeps no messages has written N bytes at HOST: older values can no longer be
 * read there, but what was released there is kept. */
void weak_overwritten(struct weak *k, uint8_t *host, uint64_t n);
/* All threads that can read the N bytes at HOST know everything that was written there: drops the
 * rings that have one readable value left, which memory holds. */
void weak_agreed(struct weak *k, uint8_t *host, uint64_t n);
/* The N bytes at HOST get new contents or a new owner: drops their rings. */
void weak_forget(struct weak *k, uint8_t *host, uint64_t n);
void weak_forget_all(struct weak *k);
void weak_word_free(struct weak *k);
/* For each ring inside the N bytes at HOST: stores a random value that may still be read, by a
 * thread that knows CLOCK and what WHO did up to time OWN, to TO, which holds the newest bytes. */
void weak_read_range(struct weak *k, const uint8_t *host, uint64_t n, const struct weak_who *who,
	struct weak_clock *clock, uint64_t own, uint8_t *to);
/* Calls VISIT for each ring inside the N bytes at HOST. */
void weak_rings_in(struct weak *k, const uint8_t *host, uint64_t n,
	void (*visit)(void *arg, struct weak_ring *r), void *arg);
/* Stores to memory, for each location, a random one of the messages that none follows in coherence
 * order. */
void weak_finish(struct weak *k);
/* The value of message I. */
void weak_value(const struct weak_ring *r, unsigned i, uint64_t value[2]);
/* Inserts a message with VALUE as number AT of the ring (0 .. count, not 0 if it is full), after
 * the messages BEFORE and before the messages AFTER in coherence order; drops the oldest of a full
 * ring. The caller fills in the other fields. */
struct weak_message *weak_insert(
	struct weak_ring *r, unsigned at, uint32_t before, uint32_t after, const uint64_t value[2]);
void weak_read_by(struct weak_ring *r, unsigned i, const struct weak_who *who, uint64_t stamp);
void weak_host_load(const uint8_t *host, unsigned n, uint64_t value[2]);
void weak_host_store(uint8_t *host, unsigned n, const uint64_t value[2]);

/* --- coherence order (weak_spot.c) --- */

struct weak_access;
/* A position among the messages: as number AT of the ring, after the messages BEFORE and before the
 * messages AFTER in coherence order. */
struct weak_spot {
	unsigned at;
	uint32_t before, after;
};
/* The order of a write of A as number AT: after the messages KNOWN, and ordered with all that are
 * morally strong with it. */
struct weak_spot weak_spot_at(const struct weak_access *a, const struct weak_ring *r, unsigned at,
	uint32_t known, const struct weak_who *who);
/* The position of a write by a thread that knows of the messages KNOWN: the end or, at random, an
 * earlier one. */
struct weak_spot weak_choose_spot(const struct weak_access *a, const struct weak_ring *r,
	uint32_t known, const struct weak_who *who);
/* The position of the write of an atom that has read message I (LINK: through a morally strong
 * link): after I, and with nothing in between that is morally strong with it. False: there is
 * none. */
bool weak_atom_spot(const struct weak_access *a, const struct weak_ring *r, unsigned i,
	uint32_t known, bool link, const struct weak_who *who, struct weak_spot *s);

/* --- threads --- */

enum { WEAK_SEEN = 12, WEAK_OWN = 8, WEAK_SCOPES = 4 };
/* Heads that a strong read observed and did not acquire: a fence may, or an acquiring read of the
 * same location. */
struct weak_seen {
	struct weak_heads *heads;
	uint8_t *host;
};
/* A releasing write of the thread, whose release later strong writes to the same location carry,
 * too. */
struct weak_own {
	uint8_t *host;
	uint8_t scope;
	struct weak_clock *clock;
};
struct weak_thread {
	struct weak_clock *clock;              /* of other agents; it always knows itself */
	struct weak_clock *fence[WEAK_SCOPES]; /* of its last releasing fence of each scope */
	uint8_t nseen, nown;
	struct weak_seen seen[WEAK_SEEN];
	struct weak_own own[WEAK_OWN];
};

struct weak_warp {
	struct weak_cta *cta;
	struct weak_who who;        /* of lane 0 */
	uint32_t nlate, late_lanes; /* late_lanes: set of lanes that have late operations */
	/* [nlate] in program order, room for WEAK_LATE; NULL until first used */
	struct weak_late *late;
	struct weak_thread *lane; /* [LANES] */
};
static inline struct weak_who weak_who(const struct weak_warp *w, unsigned lane)
{
	struct weak_who who = w->who;

	who.thread = (uint16_t)(who.thread + lane);
	return who;
}

/* One scalar access of lane LANE: N bytes at HOST. SEM and SCOPE: enum sem, enum scope. */
struct weak_access {
	struct weak *k;
	struct weak_warp *w;
	unsigned lane, n;
	uint8_t *host;
	uint8_t sem, scope;
	bool reduction; /* a red, whose read never acquires */
	bool unwritten; /* the bytes that a write replaces were never written */
	bool changed;   /* out: memory changed */
	bool undefined; /* out: the value read was never written */
	/* What comes before it: what CLOCK knows, and its thread's accesses up to time OWN. STAMP:
	 * its own time. weak_issue() sets them; a late access keeps them. */
	struct weak_clock *clock;
	uint64_t own, stamp;
	struct weak_heads *heads; /* of a late write: what it releases */
	bool late;
};
/* Places the access in program order, now. It has no reference of its own to the thread's clock. */
void weak_issue(struct weak_access *a);
/* weak_give.c: adds to S what a strong write at time STAMP releases. weak_given: the same for one
 * that is issued now. */
void weak_give(
	struct weak_access *a, const struct weak_who *who, uint64_t stamp, struct weak_headset *s);
struct weak_heads *weak_given(struct weak_access *a);
/* What T knows, including its own accesses up to STAMP. */
struct weak_clock *weak_self_clock(
	const struct weak_thread *t, const struct weak_who *who, uint64_t stamp);
/* Removes T's own release number I. */
void weak_own_remove(struct weak_thread *t, unsigned i);

void weak_read(struct weak_access *a, uint64_t value[2]);
/* A read that has chosen before, and whose thread has since acquired at scopes up to ACQUIRES: at
 * random chooses another message, one that releases nothing to those acquires. False: keeps its
 * choice. */
bool weak_read_again(struct weak_access *a, uint8_t acquires, uint64_t value[2]);
/* What the lane may read next, and the lanes whose register a late operation writes
 * (interp/state/weak_memory.h). */
unsigned weak_readable(struct weak *k, const struct warp *w, unsigned lane, uint8_t *host,
	unsigned n, uint64_t value[WEAK_READABLE][2], uint32_t *undefined);
uint32_t weak_unread(const struct warp *w, unsigned char *reg, unsigned width);
void weak_write(struct weak_access *a, const uint64_t value[2]);
/* Computes the new VALUE from the message read, OLD. False: nothing is written (a failed cas). */
typedef bool weak_compute(void *self, const uint64_t old[2], uint64_t value[2]);
void weak_change(struct weak_access *a, weak_compute *compute, void *self, uint64_t old[2]);
void weak_fence(struct weak *k, struct weak_warp *w, unsigned lane, enum sem sem, enum scope scope);
/* An operation on an 8-byte object (mbarrier), of which memory always holds the only readable
 * state: a releasing atom if WRITES, otherwise an acquiring read. */
void weak_object(struct weak *k, struct weak_warp *w, unsigned lane, uint8_t *host, enum sem sem,
	enum scope scope, bool writes);
void weak_thread_free(struct weak_thread *t);

/* --- late operations --- */

enum { WEAK_LATE = 64, WEAK_FROM = 4, WEAK_FLOATING = 64 };
enum weak_late_kind { LATE_LOAD, LATE_STORE, LATE_ATOM, LATE_ALU };
/* The 32 lanes of a register, of WIDTH bytes each; 0: a predicate word. */
struct weak_place {
	unsigned char *at;
	uint8_t width;
};
/* An operation of one lane that has not been executed yet. */
struct weak_late {
	uint8_t kind; /* enum weak_late_kind */
	/* a load that has chosen, and may choose again: weak_read_again() */
	bool chosen;
	bool floating; /* its thread has released since */
	/* chosen: the widest scope at which its thread has acquired since */
	uint8_t acquires;
	uint8_t nfrom;
	struct weak_place to, from[WEAK_FROM];
	const struct op *op;
	uint64_t offset; /* for observers */
	uint16_t space;
	struct weak_access access; /* ALU: lane and stamp only */
};
/* A late operation whose thread has released since: it is executed before another thread acquires
 * that release. */
struct weak_floating {
	struct warp *warp;
	struct weak_who who;
	uint64_t stamp;
	bool due;
};

/* Whether the access can be late: it does not acquire. */
static inline bool weak_can_wait(const struct weak_access *a)
{
	return a->sem <= SEM_RELAXED || a->sem == SEM_RELEASE;
}
/* The lanes of MASK for which this load or atom becomes late, chosen at random. The caller queues
 * them with weak_late_add(). */
uint32_t weak_late_lanes(struct warp *w, const struct op *op, uint32_t mask);
/* Queues A, which has just been issued. TO and FROM are registers of the current frame; NULL: none.
 * The caller fills in what observers need. */
struct weak_late *weak_late_add(struct warp *w, const struct op *op, enum weak_late_kind kind,
	const struct weak_access *a, const struct weak_place *to, const struct weak_place *from,
	unsigned nfrom);
/* Whether the caller must queue A: because it is LATE, or, at random, because late operations of
 * its lane on the same location are queued. If it does not follow those in the queue, they are
 * executed here. */
bool weak_late_behind(struct warp *w, const struct weak_access *a, bool late);
/* Queues an acquiring load that has just been executed, so that it may choose again. */
void weak_late_chosen(struct warp *w, const struct op *op, const struct weak_access *a,
	const struct weak_place *to);
/* Whether a late operation of the lane writes PLACE. */
bool weak_late_writes(const struct warp *w, unsigned lane, const struct weak_place *place);
/* Execute late operations: all of the lanes of MASK; those of a lane that access the N bytes at
 * HOST; those of a lane that write PLACE. */
void weak_late_all(struct warp *w, uint32_t mask);
void weak_late_at(struct warp *w, unsigned lane, const uint8_t *host, unsigned n);
void weak_late_place(struct warp *w, unsigned lane, const struct weak_place *place);
/* Before OP: executes the late operations that OP needs or must not precede. Returns the lanes that
 * execute OP now; for the others it is queued. */
uint32_t weak_before(struct warp *w, const struct op *op, uint32_t mask);
/* A thread learns CLOCK: marks the floating operations that CLOCK covers as due. weak_late_due()
 * executes them. */
void weak_late_known(struct weak *k, const struct weak_clock *clock);
void weak_late_due(struct weak *k);
void weak_late_free(struct weak *k, struct weak_warp *w);
/* Executes L, which may make other late operations due. weak_late.c calls it as weak.execute.
 * (weak_exec.c) */
void weak_execute(struct warp *w, struct weak_late *l);

/* --- synchronisation --- */

struct weak_barrier {
	struct weak_clock *clock;
	uint32_t arrived[MAX_WARPS]; /* lanes, by warp */
};
struct weak_cluster {
	struct weak_cluster *next, **link;
	struct cluster *cluster;
	uint32_t number, ctas;
	struct weak_clock *arrived, *completed; /* of barrier.cluster */
	struct weak_clock *fence;
};
/* A fence.proxy.async of one or more lanes of a warp, and what they knew: the async proxy sees this
 * on behalf of every thread that comes after the fence. */
struct weak_proxy_fence {
	uint16_t warp;
	uint32_t mask;
	uint64_t stamp;
	struct weak_clock *clock;
};
enum { WEAK_PROXY_FENCES = 64 };
struct weak_cta {
	struct weak_cta *next, **link;
	struct cta *cta;
	uint32_t number, nwarps;
	struct weak_cluster *cluster;
	struct weak_clock *fence;
	uint32_t nproxy;
	/* [nproxy] in execution order, room for WEAK_PROXY_FENCES; NULL until first used */
	struct weak_proxy_fence *proxy;
	/* joined clocks of the fences that are no longer in `proxy`: they count for all threads */
	struct weak_clock *proxied;
	struct weak_barrier barrier[MAX_BARRIERS];
	struct weak_thread *thread; /* [nwarps * LANES] */
	struct weak_warp warp[];
};
void weak_cta_free(struct weak *k, struct weak_cta *c);

/* --- copies and the async proxy (weak_copy.c) --- */

struct sync_event;
struct copy_part;
void weak_proxy_fence(struct weak *k, const struct sync_event *e);
void weak_copy_issued(struct weak *k, const struct sync_event *e);
void weak_copy_fetched(struct weak *k, struct copy_part *p);
void weak_copy_dropped(struct copy_part *p);
void weak_proxy_free(struct weak_cta *c);

/* --- handlers (weak_exec.c), the loop (run_weak.c) --- */
exec_fn exec_weak_ld, exec_weak_st, exec_weak_atom;
enum flow run_weak(struct warp *w, uint32_t *left);

#endif
