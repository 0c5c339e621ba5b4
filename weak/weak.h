/* The sampler, --memory=weak: an operational machine whose every run is an execution that the PTX
 * memory model allows (docs/SAMPLER.md says why). Parts: weak_clock.c  what a view knows of every
 * agent weak_heads.c  what releases give away and acquires take weak_word.c   a word's messages:
 * the ring of values that threads may still read weak_spot.c   where a write goes among them
 *   weak_view.c   a thread's view: reading, writing, changing a word; fences
 *   weak_late.c   operations that wait: loads and atoms until their register is needed (load
 * buffering), and what needs it weak_copy.c   asynchronous copies, which may read what their proxy
 * has not been told of weak_sync.c   barriers, mbarriers, clusters, launches, copies: an observer
 * of the machine weak_exec.c   ld, st, atom, red on messages run_weak.c    the loop sampler.c     a
 * machine gets all that, by interp/weak_memory.h One host thread runs such a machine. */
#ifndef PTXI_WEAK_WEAK_H
#define PTXI_WEAK_WEAK_H
#include "interp/memory/access.h"
#include "weak/weak_clock.h"

/* --- heads: what a strong message gives to those who acquire from it --- */

struct weak_head {
	struct weak_who first;    /* of the release pattern */
	uint8_t scope;            /* enum scope, of its first event */
	uint8_t wide;             /* stands for several: suits everybody */
	struct weak_clock *clock; /* what comes before it, and itself */
};
struct weak_heads { /* immutable, counted; NULL: none */
	uint32_t refs, count;
	struct weak_head head[];
};
enum { WEAK_HEADS = 8 };

/* Heads being gathered. Of one CTA and scope there is one; more than WEAK_HEADS become one wide
 * head. */
struct weak_headset {
	uint32_t count;
	struct weak_head head[WEAK_HEADS];
};
void weak_headset_add(struct weak_headset *s, const struct weak_head *h);
void weak_headset_add_all(struct weak_headset *s, const struct weak_heads *h);
/* What was gathered, or NULL. Empties S. */
struct weak_heads *weak_headset_take(struct weak_headset *s);
struct weak_heads *weak_heads_ref(struct weak_heads *h);
void weak_heads_unref(struct weak_heads *h);

/* Whether two strong operations at A and B include each other in their scopes. */
bool weak_mutual(
	const struct weak_who *a, unsigned scope_a, const struct weak_who *b, unsigned scope_b);

/* --- words --- */

/* Who read a message, so that whoever knows of the read reads nothing older. */
struct weak_reader {
	struct weak_who who;
	uint64_t stamp;
};
enum { WEAK_READERS = 8, WEAK_RING = 8 };

struct weak_message {
	uint64_t value[2]; /* not of the last message: that is in memory */
	uint64_t stamp;    /* when it was written; unique in the run */
	uint64_t from;     /* of an atom's: the stamp of the message that it read */
	struct weak_who who;
	uint8_t strong, scope, rmw;
	uint8_t undefined; /* the value was never written */
	/* everybody: it had more readers than there is room for, and counts as known to all
	 * threads */
	uint8_t nreaders, everybody;
	/* set of the ring's messages that come before this one in coherence order */
	uint16_t before;
	struct weak_heads *heads;
	struct weak_reader *reader; /* [nreaders], room for WEAK_READERS */
};

/* The messages of one location (address and size): coherence order only goes upwards among them. It
 * is partial: two writes of which neither causes the other, and that are not morally strong, may
 * stay unordered. */
struct weak_ring {
	struct weak_ring *next; /* of the same 16 bytes */
	uint8_t *host;
	uint8_t bytes, count, cap;
	struct weak_message *message;
};

/* 16 aligned bytes of this machine that have rings. */
struct weak_block {
	uintptr_t at;  /* host address / 16 */
	uint32_t next; /* free list, or hash chain */
	struct weak_ring *first;
};

enum { WEAK_PAGES = 4096, WEAK_PAGE_SHIFT = 12 };

/* A run is in some mood, so that outcomes that need the same luck many times do come. */
enum weak_mood { MOOD_FRESH = 1, MOOD_IN_ORDER = 2, MOOD_PROMPT = 4, MOODS = 8 };

struct weak_floating;
struct weak_late;
struct weak {
	struct machine *machine;
	void (*execute)(struct warp *w, struct weak_late *l); /* does a late operation */
	struct observer observer;
	uint64_t now; /* events so far */
	uint8_t mood; /* of the run, set of enum weak_mood */
	uint32_t ctas, clusters;
	/* words */
	uint32_t *slot; /* [slots] index + 1 in block */
	uint32_t slots;
	struct weak_block *block;
	uint32_t nblocks, used, free, hand;
	/* blocks in 4096 bytes at host address a: [a / 4096 % WEAK_PAGES], and perhaps others */
	uint32_t page[WEAK_PAGES];
	struct weak_ring *spare; /* rings of nothing, to be used again */
	uint32_t nfloating;
	bool due;                       /* some floating is */
	struct weak_floating *floating; /* [nfloating], room for WEAK_FLOATING */
	struct weak_clock *lost; /* what the heads of forgotten messages give; NULL: none was */
	/* what fence.sc of that scope or wider left there */
	struct weak_clock *fence_device[256], *fence_system;
	VEC(struct weak_clock *) base; /* by launch: what its threads know when they begin */
	uint32_t settled;              /* launches before this number were waited for by the host */
	uint64_t settled_at;
	struct weak_cta *first_cta;
	struct weak_cluster *first_cluster;
};

/* EXECUTE does late operations. */
struct weak *weak_new(struct machine *m, void (*execute)(struct warp *w, struct weak_late *l));
void weak_free(struct weak *k);
/* The host has waited for all that ran. */
void weak_settle(struct weak *k);
/* What the threads of W's launch knew when they began. */
static inline struct weak_clock *weak_launch_base(const struct weak *k, const struct warp *w)
{
	return k->base.data[w->cta->launch->number];
}

/* The ring of exactly N bytes at HOST (N a power of two, aligned, within 16 bytes), or NULL where
 * memory holds the only message. MAKE: makes one, from what memory holds. OVERWRITE: rings of
 * overlapping locations are forgotten, as for a write. */
struct weak_ring *weak_ring_at(
	struct weak *k, uint8_t *host, unsigned n, bool make, bool overwrite);
/* Whether there can be a ring in the 16 bytes at HOST: a fast no. */
static inline bool weak_may_have_ring(const struct weak *k, const uint8_t *host)
{
	return k->page[(uintptr_t)host >> WEAK_PAGE_SHIFT & (WEAK_PAGES - 1)] != 0;
}
/* Something that keeps no messages has written N bytes at HOST: older values can no longer be read
 * there; what releases left is kept. */
void weak_overwritten(struct weak *k, uint8_t *host, uint64_t n);
/* Everybody who can read the N bytes at HOST knows all that was written there: where that leaves
 * one value, memory is enough. */
void weak_agreed(struct weak *k, uint8_t *host, uint64_t n);
/* N bytes at HOST begin anew. */
void weak_forget(struct weak *k, uint8_t *host, uint64_t n);
void weak_forget_all(struct weak *k);
void weak_word_free(struct weak *k);
/* Reads the rings that lie inside N bytes at HOST, of which TO has the newest bytes: each by chance
 * an older value that who knows CLOCK, and what WHO did up to OWN, may still read. */
void weak_read_range(struct weak *k, const uint8_t *host, uint64_t n, const struct weak_who *who,
	struct weak_clock *clock, uint64_t own, uint8_t *to);
/* Calls VISIT for each ring that lies inside N bytes at HOST. */
void weak_rings_in(struct weak *k, const uint8_t *host, uint64_t n,
	void (*visit)(void *arg, struct weak_ring *r), void *arg);
/* Memory gets one of the messages that nothing follows, for every location. */
void weak_finish(struct weak *k);
/* The value of message I. */
void weak_value(const struct weak_ring *r, unsigned i, uint64_t value[2]);
/* A new message as number AT of the ring (0 .. count, not 0 of a full one), value VALUE, behind the
 * messages BEFORE and in front of AFTER in coherence order; the oldest one goes when there are too
 * many. The others of it the caller fills in. */
struct weak_message *weak_insert(
	struct weak_ring *r, unsigned at, uint32_t before, uint32_t after, const uint64_t value[2]);
void weak_read_by(struct weak_ring *r, unsigned i, const struct weak_who *who, uint64_t stamp);
void weak_host_load(const uint8_t *host, unsigned n, uint64_t value[2]);
void weak_host_store(uint8_t *host, unsigned n, const uint64_t value[2]);

/* --- coherence order (weak_spot.c) --- */

struct weak_access;
/* A place among the messages: as number AT of the ring, behind those of BEFORE and in front of
 * those of AFTER in coherence order. */
struct weak_spot {
	unsigned at;
	uint32_t before, after;
};
/* What a write of A as number AT is ordered with: behind those of KNOWN, and with all that are
 * morally strong with it. */
struct weak_spot weak_spot_at(const struct weak_access *a, const struct weak_ring *r, unsigned at,
	uint32_t known, const struct weak_who *who);
/* Where a write goes of a thread that knows of KNOWN: to the end, or by chance to a place
 * before. */
struct weak_spot weak_choose_spot(const struct weak_access *a, const struct weak_ring *r,
	uint32_t known, const struct weak_who *who);
/* Where the write of an atom goes that has read message I, LINK: through a morally strong link:
 * behind that, and, of what it is morally strong with, next to it. False: nowhere. */
bool weak_atom_spot(const struct weak_access *a, const struct weak_ring *r, unsigned i,
	uint32_t known, bool link, const struct weak_who *who, struct weak_spot *s);

/* --- threads --- */

enum { WEAK_SEEN = 12, WEAK_OWN = 8, WEAK_SCOPES = 4 };
/* Heads that a strong read met and its own order did not take: a fence may, or an acquiring read of
 * the same location. */
struct weak_seen {
	struct weak_heads *heads;
	uint8_t *host;
};
/* A releasing write of the thread's own: later strong writes to the same location carry it on. */
struct weak_own {
	uint8_t *host;
	uint8_t scope;
	struct weak_clock *clock;
};
struct weak_thread {
	struct weak_clock *clock;              /* of others; itself it knows */
	struct weak_clock *fence[WEAK_SCOPES]; /* of its last releasing fence of each scope */
	uint8_t nseen, nown;
	struct weak_seen seen[WEAK_SEEN];
	struct weak_own own[WEAK_OWN];
};

struct weak_warp {
	struct weak_cta *cta;
	struct weak_who who;        /* of lane 0 */
	uint32_t nlate, late_lanes; /* late_lanes: whose they are */
	/* [nlate] in program order, room for WEAK_LATE; NULL until there is one */
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
	bool reduction; /* a red: its read never acquires */
	bool unwritten; /* what a write finds was never written */
	bool changed;   /* out: memory changed */
	bool undefined; /* out: the value read was never written */
	/* What comes before it: all that CLOCK knows, and what its thread did up to time OWN.
	 * STAMP: its own time. weak_issue() sets them; a late one keeps them. */
	struct weak_clock *clock;
	uint64_t own, stamp;
	struct weak_heads *heads; /* of a late write: what it gives */
	bool late;
};
/* The access comes now in its thread's order; the thread's clock is not counted for it. */
void weak_issue(struct weak_access *a);
/* weak_give.c: what a strong write at time STAMP gives, into S; and one that is issued now. */
void weak_give(
	struct weak_access *a, const struct weak_who *who, uint64_t stamp, struct weak_headset *s);
struct weak_heads *weak_given(struct weak_access *a);
/* What T knows, and itself up to STAMP. */
struct weak_clock *weak_self_clock(
	const struct weak_thread *t, const struct weak_who *who, uint64_t stamp);
/* Forgets the Ith of T's own releases. */
void weak_own_remove(struct weak_thread *t, unsigned i);

void weak_read(struct weak_access *a, uint64_t value[2]);
/* A read that has chosen once, and whose thread has gone on behind acquires up to scope ACQUIRES:
 * by chance it reads something else, of which nothing is acquired. */
bool weak_read_again(struct weak_access *a, uint8_t acquires, uint64_t value[2]);
void weak_write(struct weak_access *a, const uint64_t value[2]);
/* VALUE becomes what COMPUTE makes of the message read, OLD; false: nothing is written (a failed
 * cas). */
typedef bool weak_compute(void *self, const uint64_t old[2], uint64_t value[2]);
void weak_change(struct weak_access *a, weak_compute *compute, void *self, uint64_t old[2]);
void weak_fence(struct weak *k, struct weak_warp *w, unsigned lane, enum sem sem, enum scope scope);
/* An operation on an object of 8 bytes of which memory always holds the only state that can be read
 * (mbarrier): an atom that releases, or a read that acquires. */
void weak_object(struct weak *k, struct weak_warp *w, unsigned lane, uint8_t *host, enum sem sem,
	enum scope scope, bool writes);
void weak_thread_free(struct weak_thread *t);

/* --- late operations --- */

enum { WEAK_LATE = 64, WEAK_FROM = 4, WEAK_FLOATING = 64 };
enum weak_late_kind { LATE_LOAD, LATE_STORE, LATE_ATOM, LATE_ALU };
/* A register's 32 lanes, of WIDTH bytes each; 0: a predicate word. */
struct weak_place {
	unsigned char *at;
	uint8_t width;
};
/* An operation of one lane that has not been done yet. */
struct weak_late {
	uint8_t kind; /* enum weak_late_kind */
	/* a load that has read already, and may read again: weak_read_again() */
	bool chosen;
	bool floating; /* its thread has released since */
	/* chosen: the widest scope that its thread has acquired with since */
	uint8_t acquires;
	uint8_t nfrom;
	struct weak_place to, from[WEAK_FROM];
	const struct op *op;
	uint64_t offset; /* for observers */
	uint16_t space;
	struct weak_access access; /* ALU: lane and stamp only */
};
/* A late operation that its thread has gone on from to a release: it is done before anybody
 * acquires that. */
struct weak_floating {
	struct warp *warp;
	struct weak_who who;
	uint64_t stamp;
	bool due;
};

/* Whether the access can be late: it acquires nothing. */
static inline bool weak_can_wait(const struct weak_access *a)
{
	return a->sem <= SEM_RELAXED || a->sem == SEM_RELEASE;
}
/* The lanes of MASK for which this load or atom is made late: they are queued with
 * weak_late_add(). */
uint32_t weak_late_lanes(struct warp *w, const struct op *op, uint32_t mask);
/* Queues A, issued now. TO and FROM are places of the running frame; NULL: none. The caller fills
 * in what observers ask for. */
struct weak_late *weak_late_add(struct warp *w, const struct op *op, enum weak_late_kind kind,
	const struct weak_access *a, const struct weak_place *to, const struct weak_place *from,
	unsigned nfrom);
/* Whether A, which can be LATE, is queued: by chance also behind late ones of its thread at its
 * place. When it is not, these are done. */
bool weak_late_behind(struct warp *w, const struct weak_access *a, bool late);
/* Queues an acquiring load that has just been done, so that it may read again. */
void weak_late_chosen(struct warp *w, const struct op *op, const struct weak_access *a,
	const struct weak_place *to);
/* Whether a late operation of the lane writes PLACE. */
bool weak_late_writes(const struct warp *w, unsigned lane, const struct weak_place *place);
/* Late operations of the lanes of MASK are done now: all of them, those that touch N bytes at HOST,
 * those that write PLACE. */
void weak_late_all(struct warp *w, uint32_t mask);
void weak_late_at(struct warp *w, unsigned lane, const uint8_t *host, unsigned n);
void weak_late_place(struct warp *w, unsigned lane, const struct weak_place *place);
/* Before OP: late ones that it needs, or may not come before, are done. The lanes that execute OP
 * now; the others do so late. */
uint32_t weak_before(struct warp *w, const struct op *op, uint32_t mask);
/* Whoever knows CLOCK from now on must find done what it says. weak_late_due(): it is. */
void weak_late_known(struct weak *k, const struct weak_clock *clock);
void weak_late_due(struct weak *k);
void weak_late_free(struct weak *k, struct weak_warp *w);
/* Does L; weak.execute, since what it reads or writes may make other late operations due.
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
/* A fence.proxy.async of one or more lanes of a warp, and what they knew: the async proxy sees that
 * for whoever comes after the fence. */
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
	/* [nproxy] in the order executed, room for WEAK_PROXY_FENCES; NULL until there is one */
	struct weak_proxy_fence *proxy;
	struct weak_clock *proxied; /* what those gave that were forgotten: to everybody */
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
