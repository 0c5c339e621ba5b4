/* The race checker's state. Internal to check/race*.c.
 *
 * Shadow memory has one cell for each aligned 4 bytes (for each byte in pages with smaller
 * accesses). A cell holds the last write and two reads since then, each in a plane of its own that
 * a page allocates when it is first needed. An access is a code: the index of a record
 * (instruction, warp, stamp, kind of access) and a lane. A warp's stamp changes whenever one of its
 * threads publishes its accesses, so that a release means "everything of this thread up to stamp
 * s"; a thread's clock holds everything that it has acquired. */
#ifndef PTXI_CHECK_RACE_STATE_H
#define PTXI_CHECK_RACE_STATE_H
#include "base/map.h"
#include "check/race_clock.h"
#include "interp/memory/memory.h"
#include "interp/state/cluster.h"
#include "interp/state/state.h"
#include "model/event.h"
#include <string.h>

enum { SCOPES = SCOPE_ANY }; /* without SCOPE_ANY, the scope of a copy's complete-tx */

/* The kind of a record's access. */
enum {
	HOW_WRITE = 1,
	HOW_READ = 2,
	HOW_STRONG = 4,
	HOW_ATOMIC = 8,
	HOW_SHARED = 16,
	HOW_NC = 32 /* ld.global.nc */,
	HOW_COPY = 64 /* an asynchronous copy */,
	HOW_ASYNC = 128 /* another asynchronous operation; both bits: a bulk reduction */
};
struct record {
	uint32_t stamp, warp, insn;
	uint8_t how, scope, bytes; /* bytes of one element */
	uint8_t marked;            /* in use, during collection */
	uint32_t user_call;        /* of the frame */
};
/* COLLECT_FIRST: number of records that starts the first collection */
enum { PAGE_SHIFT = 12, RECORD_BITS = 27, OLDER = 4, COLLECT_FIRST = 1 << 16 };
struct page {
	uint8_t shift;             /* bytes of a cell = 1 << shift: 2 or 0 */
	bool weak;                 /* some read[0] holds a weak write */
	uint32_t *write, *read[2]; /* [cells] codes: record << 5 | lane, 0: none; or NULL */
	/* [cells] replaced accesses of different instructions, which a later access may race with
	 * although it does not race with what replaced them */
	uint32_t *older[OLDER];
	uint32_t *observed; /* [cells] indices in observation: of what is at the location */
};
struct shadow {
	uint64_t base, pages;
	struct page **page; /* [pages] */
};

/* A release: a thread, the stamp up to which its accesses are released, the scope, and in `clock`
 * what the thread knew. */
struct head {
	struct clock *clock;
	uint32_t warp, stamp, insn;
	uint8_t lane, scope, merged; /* merged: clock holds the releases of several threads */
	bool whole;                  /* clock holds the thread's accesses up to stamp, too */
	/* in a lane's lists: the location that was read or written; NULL: several */
	const struct places *in;
	uint64_t at;
};
struct heads {
	struct head *data;
	uint32_t count, cap;
};
/* A location whose last write carries releases. */
struct place {
	uint32_t warp;
	uint8_t lane, scope, strong;
	struct heads heads;
};
/* A thread's first strong read that observed a strong write: a read of the same location that comes
 * after it in causality order comes after the write, too. (PTX ISA 8.9.3, 8.9.5) OBSERVED_BY_ANY:
 * more observers than are kept. */
#define OBSERVED_BY_ANY UINT32_MAX
struct observation {
	/* next: of the same location, 0: none */
	uint32_t write_warp, write_stamp, write_insn, warp, stamp, next;
	uint8_t write_lane, lane;
};
struct places {
	struct map at;
	VEC(struct place) list;
	VEC(struct observation) observation; /* [0] is unused */
};

/* What fences, reads and releases of a lane leave to its later instructions. */
struct lane_sync {
	struct head fence[SCOPES]; /* the last releasing fence per scope; clock NULL: none */
	/* releases that were read but not acquired: a later fence, or an acquiring read of the same
	 * location, acquires them */
	struct heads pending;
	/* the lane's own releases, which its later strong writes to the same location also carry */
	struct heads released;
};
/* The executor of those asynchronous operations of a warp's threads that complete in the same way.
 * To clocks it is a separate warp, whose operations the threads know only after they have waited
 * for them. Operations of lane k are attributed to the agent's lane k. */
enum agent_kind {
	AGENT_CP,
	AGENT_BULK,
	AGENT_BULK_READ, /* the reading half */
	/* wgmma: what the warp reads, attributed to lane 0; all lanes wait for it together */
	AGENT_WGMMA,
	AGENT_TENSOR, /* tcgen05: known only through the mbarriers of commits */
	AGENTS
};
enum { OPEN_GROUPS = 8, OPEN_ARRIVALS = 16 };
struct agent {
	uint32_t uid;
	uint8_t nopen[LANES], narrived;
	struct {
		uint32_t group, stamp;
		/* groups not yet waited for, oldest first, with the stamp of their last
		 * operation */
	} open[LANES][OPEN_GROUPS];
	struct {
		uint64_t copy;
		uint32_t stamp;
		/* cp.async.mbarrier.arrive: it covers the copies up to this stamp */
	} arrival[OPEN_ARRIVALS];
	uint32_t known[LANES]; /* the stamp up to which lane k has waited */
};
struct cache {
	uint32_t insn, id;
};
enum { CACHE = 16, MISSED = 4 };
struct race_warp {
	uint32_t uid, stamp;
	struct clock *clock[LANES];
	const struct clock *one; /* the clock of all lanes; NULL: they may differ */
	struct lane_sync *sync;  /* [LANES]; NULL until needed */
	struct agent *agent[AGENTS];
	struct cache cache[CACHE];
};
/* The threads that have arrived at a barrier since it last completed. */
struct meeting {
	struct clock *clock;
	/* the threads themselves; the asynchronous operations that they have waited for */
	VEC(struct known) more, waited;
	uint32_t arrived[MAX_WARPS], waits[MAX_WARPS];
};
/* A release that was read at too narrow a scope. */
struct missed {
	struct head head;
	uint32_t insn;
	uint8_t scope; /* of the acquiring side; the releasing side's is in head */
};
struct race_cta {
	const struct cta *cta;
	uint32_t uid, nwarps;
	struct race_warp *warp;
	struct meeting *barrier[MAX_BARRIERS];
	struct meeting *cluster; /* of rank 0 */
	struct clock *cluster_done;
	struct places places; /* in its shared memory */
	uint32_t async;       /* the number of the CTA that its agents belong to; 0: none yet */
	/* agents of operations that complete transactions of an mbarrier: rank << 32 | its offset
	 * -> the agent's warp */
	struct map agents;
	struct shadow shared;
	/* records with smaller numbers come before all its threads; its own, before its last
	 * barrier of all threads, at stamp `met_at` */
	uint32_t before, met, met_at;
	struct missed missed[MISSED];
	unsigned nmissed;
};
/* What is kept of every CTA, also after it has ended. */
struct past_cta {
	/* NULL: work of the host. It no longer exists once the host has waited for it; then nothing
	 * races with it either */
	struct launch *launch;
	uint32_t order, device; /* of the launch */
	uint64_t linear, cluster;
	/* real: the CTA itself, or the CTA whose asynchronous operations it executes */
	uint32_t first_warp, real;
};

/* A launch, or work of the host, with its first and last stamp (UINT32_MAX while it runs), and the
 * first record that it could make. */
struct begun {
	uint32_t order, at, end, record;
};
/* What the threads of a launch know when they begin; records with numbers smaller than `before` are
 * a part of it. */
struct base {
	struct clock *clock;
	uint32_t before;
};

struct race {
	struct observer observer;
	struct machine *machine;
	uint32_t now;
	struct family family;
	struct clock *nothing; /* a clock that knows nothing */
	struct clock_joins joined;
	VEC(struct past_cta) past;
	struct map live; /* CTA pointer -> index in ctas */
	VEC(struct race_cta *) ctas;
	const struct cta *last_cta;
	struct race_cta *last;
	uint32_t *empty;           /* [1 << PAGE_SHIFT] a plane that holds nothing */
	VEC(struct record) record; /* by number, in the order in which they were made */
	uint32_t collect_at;
	uint64_t cells; /* in all planes */
	struct shadow *global[MEMORY_SLOTS];
	VEC(uint32_t) slots;
	struct places places;
	VEC(struct begun) begun;
	VEC(struct base) bases; /* by order, from machine->settled_order on */
	struct map seen;        /* pair of instructions -> index in report */
	VEC(struct diag *) report;
	/* the work of the host that is being done, as a warp with one thread; what work has been
	 * called, in the order of its numbers as instructions */
	struct race_cta host;
	struct race_warp host_warp;
	uint32_t host_order; /* 1 + its order; 0: none yet */
	VEC(char *) host_what;
	bool *nc;        /* [looked] by instruction: whether it is ld.global.nc; NULL: none is */
	uint32_t looked; /* instructions of the module, when it was last looked at */
	bool off;
};

/* Numbers of instructions from here on are those of work of the host. */
enum { HOST_INSN = 0x40000000, HOST_MOST = 4096 };
static inline bool race_is_host(const struct record *x) { return x->insn >= HOST_INSN; }

static inline uint32_t race_tick(struct race *r)
{
	return r->now < UINT32_MAX - 1 ? ++r->now : (r->off = true, r->now);
}
struct sync_place;
struct race_cta *race_look_up(struct race *r, const struct cta *c); /* race_cta.c */
/* The checker's state of one of the machine's CTAs. */
static inline struct race_cta *race_find(struct race *r, const struct cta *c)
{
	return r->last_cta == c ? r->last : race_look_up(r, c);
}

/* One element's access by a lane, passed through all steps. The memo is valid during one
 * instruction and is emptied when records change. */
enum { MEMO = 4 };
struct touch {
	struct race *r;
	struct race_cta *cta; /* of the thread */
	struct race_warp *warp;
	const struct warp *of;
	uint32_t id; /* record */
	unsigned lane;
	uint64_t address; /* of the element */
	uint16_t space;
	const struct cta *owner; /* shared: whose memory */
	const struct copy *copy; /* the operation that is being issued, or NULL */
	bool writes;
	/* weak, in a module without ld.global.nc: it stands for all accesses before it */
	bool plain;
	bool alone; /* judged by more than clocks: lanes with the same clock may differ */
	const struct clock *memo_clock;
	/* what it covers: all up to `floor`, and up to `met` the WARPS warps from `first` on, those
	 * of T's CTA; barriers: nothing else, as after barriers of the whole CTA */
	uint64_t floor, met;
	uint32_t first, warps;
	bool barriers;
	uint32_t old; /* it covers all accesses with codes up to this one */
	struct {
		uint32_t id;
		uint8_t answer; /* enum coverage of that record by memo_clock */
	} memo[MEMO];
};

/* race_begin.c: the launch, or work of the host, of ORDER begins: sets what its threads know. */
void race_begins(struct race *r, uint32_t order);
/* race_host.c */
void race_host_access(struct race *r, const struct memory_event *e);
void race_host_settle(struct race *r);
void race_host_free(struct race *r);

/* race_record.c */
/* The number of a record WANT of W's. May give other numbers to all records, and so to the codes in
 * cells. */
uint32_t record_get(struct race *r, struct race_warp *w, const struct record *want);
/* The number that the next record gets. */
uint32_t record_next(struct race *r);

/* race_shadow.c */
struct shadow *shadow_global(struct race *r, uint64_t address);
void shadow_touch(struct touch *t, struct shadow *s, uint64_t offset, unsigned bytes);
/* shadow_touch() for an access that does not write. */
void shadow_load(struct touch *t, struct shadow *s, uint64_t offset, unsigned bytes);
/* shadow_touch() for the BYTES from OFFSET on, in elements of UNIT bytes. */
void shadow_range(
	struct touch *t, struct shadow *s, uint64_t offset, uint64_t bytes, unsigned unit);
void shadow_free(struct shadow *s);
/* Makes the page of OFFSET, or makes its cells smaller. */
struct page *shadow_page_make(struct race *r, struct shadow *s, uint64_t offset, unsigned bytes);
/* The page of OFFSET, with cells small enough for accesses of BYTES. */
static inline struct page *shadow_page(
	struct race *r, struct shadow *s, uint64_t offset, unsigned bytes)
{
	struct page *p = s->page[offset >> PAGE_SHIFT];

	return p && (p->shift == 0 || bytes >= 4) ? p : shadow_page_make(r, s, offset, bytes);
}
/* Cell K of a plane, to be written; allocates the plane if necessary. */
uint32_t *shadow_plane(struct race *r, const struct page *p, uint32_t **plane, uint32_t k);
/* Judges T's access to cell K, and keeps it. */
void shadow_cell(struct touch *t, struct page *p, uint32_t k);

/* T's clock is CLOCK. */
void shadow_clock(struct touch *t, const struct clock *clock);
/* shadow_covers() for clocks that are more than those of barriers. */
enum coverage shadow_covers_record(struct touch *t, uint32_t id);

/* Which threads of record ID's warp the clock of T's thread covers. */
static inline enum coverage shadow_covers(struct touch *t, uint32_t id)
{
	const struct clock *clock = t->warp->clock[t->lane];
	const struct record *x = &t->r->record.data[id];

	if (clock != t->memo_clock)
		shadow_clock(t, clock);
	if (x->stamp <= t->floor || (x->stamp <= t->met && x->warp - t->first < t->warps))
		return COVERS_ALL;
	return t->barriers ? COVERS_NONE : shadow_covers_record(t, id);
}

/* Whether T's clock does not cover the access CODE, if there is one. */
static inline bool is_open(struct touch *t, uint32_t code)
{
	if (t->warp->clock[t->lane] != t->memo_clock)
		shadow_clock(t, t->warp->clock[t->lane]);
	return code > t->old && shadow_covers(t, code >> 5) != COVERS_ALL;
}

/* Which of the two reads of a cell T's replaces, neither of which comes before it: the first is
 * CODE. They stay of different CTAs where possible. */
static inline unsigned shadow_replaces(const struct touch *t, uint32_t code)
{
	uint32_t warp = t->r->record.data[code >> 5].warp;

	return t->r->family.warp_cta.data[warp] == t->cta->uid ? 0 : 1;
}

/* Whether every access that is morally strong with T's is morally strong with X, too, and X is not
 * an .nc load unless T's is one. T's may then replace X, if X comes before it or is no weaker. */
static inline bool stands_for(const struct touch *t, const struct record *x)
{
	const struct record *me = &t->r->record.data[t->id];

	if (t->plain)
		return true;
	if (x->how & ~me->how & HOW_NC)
		return false;
	return !(me->how & HOW_STRONG) ||
		(x->how & HOW_STRONG && x->bytes == me->bytes && x->scope >= me->scope &&
			!((x->how ^ me->how) & HOW_COPY));
}

/* race_row.c */
/* shadow_touch(), quickly where that is simple: one cell, whose accesses clocks order, or writes
 * with which T's is morally strong. */
void shadow_single(struct touch *t, struct shadow *s, uint64_t offset, unsigned bytes);
/* The same for a strong write, and lanes of one access, which have the same PEERS: records whose
 * writes T's may replace. At first there are none. */
enum { PEERS = 8 };
void shadow_strong_write(
	struct touch *t, struct shadow *s, uint64_t offset, unsigned bytes, uint32_t *peers);
/* Weak accesses of E in S, in elements of UNIT bytes, which are in one place and whose lanes have
 * the same clock. T, of the first lane, is plain. */
void shadow_rows(struct touch *t, struct shadow *s, const struct access_event *e, unsigned unit);
/* Whether the lanes of MASK have the same clock. */
bool warp_compare_clocks(const struct race_warp *w, uint32_t mask);
static inline bool warp_one_clock(const struct race_warp *w, uint32_t mask)
{
	return w->one || warp_compare_clocks(w, mask);
}

/* race_head.c */
/* Whether the thread of an access of WARP_A is in its SCOPE_A for WARP_B's, and the reverse. */
static inline bool scopes_include(
	const struct race *r, uint32_t warp_a, unsigned scope_a, uint32_t warp_b, unsigned scope_b)
{
	uint32_t a = r->family.warp_cta.data[warp_a], b = r->family.warp_cta.data[warp_b];
	unsigned narrow = scope_a < scope_b ? scope_a : scope_b;
	const struct past_cta *x = &r->past.data[a], *y = &r->past.data[b];

	if (x->real == y->real || scope_a == SCOPE_ANY || scope_b == SCOPE_ANY)
		return true;
	switch (narrow) {
	case SCOPE_CTA: return false;
	case SCOPE_CLUSTER: return x->order == y->order && x->cluster == y->cluster;
	case SCOPE_GPU: return x->device == y->device;
	default: return true;
	}
}
static inline bool morally_strong(
	const struct race *r, const struct record *a, const struct record *b)
{
	return a->how & b->how & HOW_STRONG && a->bytes == b->bytes &&
		!((a->how ^ b->how) & HOW_COPY) /* bulk reductions: through the async proxy */ &&
		scopes_include(r, a->warp, a->scope, b->warp, b->scope);
}
void head_free(struct head *h);
void heads_clear(struct heads *h);
void head_remove(struct heads *h, uint32_t k);
/* Joins what H releases to C. Takes over the caller's reference to C and returns one. */
struct clock *head_join(struct race *r, struct clock *c, const struct head *h);
bool head_known(const struct race *r, const struct clock *c, const struct head *h);
bool head_same_location(const struct head *a, const struct head *b);
/* Adds NEW, whose clock reference moves into the list, and removes releases that NEW covers. A list
 * has at most MOST entries, and only a few whose scope includes the same threads: a further one is
 * merged with one of these, which loses nothing, or, if there is none, with the first entry. */
void head_add(struct race *r, struct heads *h, struct head new, uint32_t most);
/* Lane LANE of W acquires H. The first acquire makes H whole, and all that learn nothing else share
 * its clock.
 *
 * head_miss: C has read H at SCOPE, the scope of instruction INSN, which is too narrow. */
void head_acquire(struct race *r, struct race_warp *w, unsigned lane, struct head *h);
void head_miss(struct race_cta *c, const struct head *h, uint32_t insn, unsigned scope);
struct lane_sync *race_lane_sync(struct race_warp *w, unsigned lane);
void warp_sync_free(struct race_warp *w);

/* race_place.c */
/* A strong access to the location KEY, or (STRONG false) a weak write over a strong one. LINKED: it
 * synchronises with the last write without a comparison of scopes. */
void place_access(struct touch *t, struct places *p, uint64_t key, bool reads, bool writes,
	bool rmw, bool strong, bool acquires, bool releases, unsigned scope, bool linked);
/* Adds H, whose clock reference moves, to the releases that location KEY carries. */
void place_add_release(struct race *r, struct places *p, uint64_t key, struct head h);
void places_free(struct places *p);

/* race_sync.c */
void race_sync(struct observer *o, const struct sync_event *e);

/* race_observe.c */
/* T, a strong read of cell K, observes the write CODE, with which it is morally strong.
 *
 * observed_write: whether T comes after a read that did so. */
void observe_write(struct touch *t, struct page *p, uint32_t k, uint32_t code);
bool observed_write(const struct touch *t, const struct page *p, uint32_t k, uint32_t code);

/* race_meet.c */
void race_arrive(
	struct race *r, struct race_cta *c, struct race_warp *w, const struct sync_event *e);
void race_barrier_complete(
	struct race *r, struct race_cta *c, const struct cta *of, uint32_t number);
void race_warp_barrier(struct race *r, struct race_warp *w, const struct warp *of, uint32_t mask);
void race_cluster_barrier(struct race *r, struct race_warp *w, const struct sync_event *e);
void meeting_free(struct meeting *g);

/* race_async.c */
void race_copy(struct race *r, struct race_cta *c, struct race_warp *w, const struct copy *copy);
/* The operation that is landing completes transactions of the mbarrier that E names, or arrives
 * there. */
void race_copy_completes(
	struct race *r, struct race_cta *c, struct race_warp *w, const struct sync_event *e);

/* race_agent.c */
struct agent *agent_of(
	struct race *r, struct race_cta *c, struct race_warp *w, enum agent_kind kind);
/* The warp number of the agent of operations that complete at the mbarrier BAR or, where BAR names
 * none, when the CTA ends. */
uint32_t agent_at(struct race *r, struct race_cta *c, const struct sync_place *bar);
/* Lane LANE issues an operation of GROUP at STAMP. When too many groups are open, the two oldest
 * are merged: the second may then appear complete too early. */
void agent_open_group(struct agent *a, unsigned lane, uint32_t group, uint32_t stamp);
/* The lanes of E have waited for groups. */
void race_copy_waited(struct race_warp *w, const struct sync_event *e);
/* Whether lane LANE of W has waited for what WARP, an agent of W, did for that lane up to STAMP. */
bool agent_knows(const struct race_warp *w, unsigned lane, uint32_t warp, uint32_t stamp);
/* Whether WARP is an agent of W. */
static inline bool warp_has_agent(const struct race_warp *w, uint32_t warp)
{
	for (unsigned k = 0; k < AGENTS; k++)
		if (w->agent[k] && w->agent[k]->uid == warp)
			return true;
	return false;
}
static inline bool warp_has_agents(const struct race_warp *w)
{
	for (unsigned k = 0; k < AGENTS; k++)
		if (w->agent[k])
			return true;
	return false;
}
/* Whether WARP is an agent of T's warp. */
static inline bool has_agent(const struct touch *t, uint32_t warp)
{
	return t->cta->async && warp_has_agent(t->warp, warp);
}
/* Adds to the lane's clock what the lane has waited for; required before the clock is published. */
void agent_tell(struct race *r, struct race_warp *w, unsigned lane);
/* agent_tell() for all lanes of MASK. If all lanes of the warp have waited for the same operations,
 * adds one entry per agent to G instead. */
void agent_tell_all(struct race *r, struct race_warp *w, const struct warp *of, uint32_t mask,
	struct meeting *g);

/* race_reported.c */
/* Whether X is an operation in flight at the address that T accesses, so that --check=sync reports
 * it (S0301 to S0304). */
bool race_reported_by_sync(const struct touch *t, const struct record *x);

/* race_report.c */
void race_report(struct touch *t, const struct record *other, unsigned lane);

#endif
