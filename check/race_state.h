/* The race checker's state. Internal to check/race*.c.
 *
 * Memory has a shadow of one cell for each aligned 4 bytes (for each byte in pages where smaller
 * accesses were made): the last write and two reads since, each in a plane of its own that a page
 * gets when it needs it. An access is a code: the number of a record (instruction, warp, stamp,
 * how) and a lane. A warp's stamp changes whenever one of its threads publishes what it did, so
 * "everything of this thread up to stamp s" is what a release stands for; a thread's clock holds
 * all that it has acquired. */
#ifndef PTXI_CHECK_RACE_STATE_H
#define PTXI_CHECK_RACE_STATE_H
#include "base/map.h"
#include "check/race_clock.h"
#include "interp/memory/memory.h"
#include "interp/state/cluster.h"
#include "interp/state/state.h"
#include "model/event.h"

enum { SCOPES = SCOPE_ANY }; /* SCOPE_ANY suits everybody: the complete-tx of a copy */

/* How a record's access was made. */
enum {
	HOW_WRITE = 1,
	HOW_READ = 2,
	HOW_STRONG = 4,
	HOW_ATOMIC = 8,
	HOW_SHARED = 16,
	HOW_NC = 32 /* ld.global.nc */,
	HOW_COPY = 64 /* an asynchronous copy */,
	HOW_ASYNC = 128 /* another asynchronous operation; both: a bulk reduction */
};
struct record {
	uint32_t stamp, warp, insn;
	uint8_t how, scope, bytes; /* bytes of one element */
	uint8_t marked;            /* collection */
};
enum { PAGE_SHIFT = 12, RECORD_BITS = 27, OLDER = 4 };
struct page {
	uint8_t shift;             /* bytes of a cell = 1 << shift: 2 or 0 */
	bool weak;                 /* some read[0] holds a weak write */
	uint32_t *write, *read[2]; /* [cells] codes: record << 5 | lane, 0 none; or NULL */
	/* the same, of different instructions: earlier accesses with which later ones may race that
	 * do not race with what took their place */
	uint32_t *older[OLDER];
};
struct shadow {
	uint64_t base, pages;
	struct page **page; /* [pages] */
};

/* A release: who, up to where, at which scope. */
struct head {
	struct clock *clock;
	uint32_t warp, stamp, insn;
	uint8_t lane, scope, merged; /* merged: clock holds several threads' releases */
	/* of a lane's lists: the location that was read or written; NULL: several */
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
/* Who was the first of a thread's strong reads to observe a strong write: what comes after it in
 * causality, at the same location, comes after the write, too. (PTX ISA 8.9.3, 8.9.5) ANYBODY: more
 * than are kept. */
#define ANYBODY UINT32_MAX
struct observation {
	/* next: of the same location, 0 none */
	uint32_t write_warp, write_stamp, write_insn, warp, stamp, next;
	uint8_t write_lane, lane;
};
struct places {
	struct map at;
	VEC(struct place) list;
	struct map observed;                 /* location -> index in observation */
	VEC(struct observation) observation; /* [0] is none */
};

/* What fences, reads and releases of a lane left for later. */
struct lane_sync {
	struct head fence[SCOPES]; /* clock NULL: none */
	/* releases that were read, but not acquired: a fence will, or an acquiring read of the same
	 * location */
	struct heads pending;
	/* its own, which a later strong write of the same location stands for too */
	struct heads released;
};
/* What executes the asynchronous operations of a warp's threads that complete in one way: a warp of
 * its own in the eyes of clocks, which its threads know of only when they have waited. Lane k's
 * operations are lane k's. */
enum agent_kind { AGENT_CP, AGENT_BULK, AGENT_BULK_READ /* the reading half */, AGENTS };
enum { OPEN_GROUPS = 8, OPEN_ARRIVALS = 16 };
struct agent {
	uint32_t uid;
	uint8_t nopen[LANES], narrived;
	struct {
		uint32_t group, stamp;
		/* groups not waited for, the oldest first, and their last operation */
	} open[LANES][OPEN_GROUPS];
	struct {
		uint64_t copy;
		uint32_t stamp;
		/* cp.async.mbarrier.arrive: up to where it stands for the copies before it */
	} arrival[OPEN_ARRIVALS];
	uint32_t known[LANES]; /* up to where lane k has waited */
};
struct cache {
	uint32_t insn, id;
};
enum { CACHE = 16, MISSED = 4 };
struct race_warp {
	uint32_t uid, stamp;
	struct clock *clock[LANES];
	struct lane_sync *sync; /* [LANES]; NULL until needed */
	struct agent *agent[AGENTS];
	struct cache cache[CACHE];
};
/* Threads that have arrived and not been let go. */
struct meeting {
	struct clock *clock;
	/* themselves; the asynchronous operations that they have waited for */
	VEC(struct known) more, waited;
	uint32_t came[MAX_WARPS], waits[MAX_WARPS];
};
/* A release that was read at too narrow a scope. */
struct missed {
	struct head head;
	uint32_t insn;
	uint8_t scope; /* of the acquiring side; the head's own otherwise */
};
struct race_cta {
	const struct cta *cta;
	uint32_t uid, nwarps;
	struct race_warp *warp;
	struct meeting *barrier[MAX_BARRIERS];
	struct meeting *cluster; /* of rank 0 */
	struct clock *cluster_done;
	struct places places; /* in its shared memory */
	uint32_t async;       /* the CTA that its agents belong to, of no thread; 0: not yet */
	/* of its operations that complete transactions of an mbarrier: rank << 32 | offset of that
	 * -> warp */
	struct map agents;
	struct shadow shared;
	struct missed missed[MISSED];
	unsigned nmissed;
};
/* What is remembered of CTAs that have ended. */
struct past_cta {
	struct launch *launch;
	uint64_t linear, cluster;
	uint32_t first_warp, real; /* real: itself, or whose asynchronous operations it executes */
};

/* A launch, with its first and last stamp (of one that runs: UINT32_MAX). */
struct begun {
	const struct launch *launch;
	uint32_t at, end;
};

struct race {
	struct observer observer;
	struct machine *machine;
	uint32_t now;
	struct family family;
	struct clock *nothing; /* that knows nothing */
	VEC(struct past_cta) past;
	struct map live; /* CTA pointer -> index in ctas */
	VEC(struct race_cta *) ctas;
	const struct cta *last_cta;
	struct race_cta *last;
	VEC(struct record) record;
	VEC(uint32_t) free_record;
	uint32_t collect_at;
	uint64_t cells; /* of all planes */
	struct shadow *global[MEMORY_SLOTS];
	VEC(uint32_t) slots;
	struct places places;
	VEC(struct begun) begun;
	VEC(struct clock *) bases; /* by launch: what its threads know at their beginning */
	struct map seen;           /* pair of instructions -> index in report */
	VEC(struct diag *) report;
	bool *nc; /* [instructions] ld.global.nc; NULL: there is none */
	bool off;
};

static inline uint32_t race_tick(struct race *r)
{
	return r->now < UINT32_MAX - 1 ? ++r->now : (r->off = true, r->now);
}
struct sync_place;
struct race_cta *race_find(struct race *r, const struct cta *c); /* race_cta.c */

/* One element's access by a lane, for all steps. The memo lives as long as one instruction's
 * execution, and is emptied when records change. */
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
	/* weak, where no load goes through .nc: it stands for all that comes before it */
	bool plain;
	bool raced; /* a race was found */
	const struct clock *memo_clock;
	struct {
		uint32_t id;
		uint8_t answer; /* enum coverage of that record by memo_clock */
	} memo[MEMO];
};

/* race_shadow.c */
uint32_t record_get(struct race *r, struct race_warp *w, const struct record *want);
struct shadow *shadow_global(struct race *r, uint64_t address);
void shadow_touch(struct touch *t, struct shadow *s, uint64_t offset, unsigned bytes);
/* the same when it does not write */
void shadow_load(struct touch *t, struct shadow *s, uint64_t offset, unsigned bytes);
/* The same for BYTES from OFFSET on, in elements of UNIT bytes. */
void shadow_range(
	struct touch *t, struct shadow *s, uint64_t offset, uint64_t bytes, unsigned unit);
void shadow_free(struct shadow *s);

/* race_head.c */
bool scopes_include(
	const struct race *r, uint32_t warp_a, unsigned scope_a, uint32_t warp_b, unsigned scope_b);
void head_free(struct head *h);
void heads_clear(struct heads *h);
void head_remove(struct heads *h, uint32_t k);
/* Clock C, whose reference is taken, with what H releases. */
struct clock *head_join(struct race *r, struct clock *c, const struct head *h);
bool head_known(const struct race *r, const struct clock *c, const struct head *h);
bool head_same_location(const struct head *a, const struct head *b);
/* Adds NEW, whose clock reference moves into the list; what it knows already goes. No more than
 * MOST, and a few that reach the same threads: further ones are united with one of these, which
 * loses nothing, or with any where there is none. */
void head_add(struct race *r, struct heads *h, struct head new, uint32_t most);
/* Lane LANE of W acquires H; C has read H at too narrow a scope, which INSN had. */
void head_acquire(struct race *r, struct race_warp *w, unsigned lane, const struct head *h);
void head_miss(struct race_cta *c, const struct head *h, uint32_t insn, unsigned scope);
struct lane_sync *race_lane_sync(struct race_warp *w, unsigned lane);
void warp_sync_free(struct race_warp *w);

/* race_place.c */
/* A strong access of the place KEY, or (STRONG false) a weak write over a strong one. */
void place_access(struct touch *t, struct places *p, uint64_t key, bool reads, bool writes,
	bool rmw, bool strong, bool acquires, bool releases, unsigned scope, bool linked);
/* What location KEY is left with H, whose clock reference moves, beside what others left there. */
void place_give(struct race *r, struct places *p, uint64_t key, struct head h);
void places_free(struct places *p);

/* race_sync.c */
void race_sync(struct observer *o, const struct sync_event *e);

/* race_observe.c */
/* T, a strong read of cell K, sees the write CODE, with which it is morally strong. And whether T
 * comes after a read that did. */
void observe_write(struct touch *t, const struct page *p, uint32_t k, uint32_t code);
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
/* The operation that lands completes transactions of, or arrives at, the mbarrier that E names. */
void race_copy_completes(
	struct race *r, struct race_cta *c, struct race_warp *w, const struct sync_event *e);

/* race_agent.c */
struct agent *agent_of(
	struct race *r, struct race_cta *c, struct race_warp *w, enum agent_kind kind);
/* Who executes what completes at the mbarrier BAR; or, without one, when the CTA ends. */
uint32_t agent_at(struct race *r, struct race_cta *c, const struct sync_place *bar);
/* Lane LANE issues an operation of GROUP at STAMP. When too many groups are open the oldest two
 * become one: it may then seem known too early. */
void agent_open_group(struct agent *a, unsigned lane, uint32_t group, uint32_t stamp);
/* Lanes of E waited for groups. */
void race_copy_waited(struct race_warp *w, const struct sync_event *e);
/* Whether lane LANE of W has waited for what WARP, an agent of W, did in that lane up to STAMP. */
bool agent_knows(const struct race_warp *w, unsigned lane, uint32_t warp, uint32_t stamp);
/* Puts into the lane's clock what it has waited for: before others get to know the clock. */
void agent_tell(struct race *r, struct race_warp *w, unsigned lane);
/* The same for all lanes of MASK, as entries for all of them where they have waited for the
 * same. */
void agent_tell_all(struct race *r, struct race_warp *w, const struct warp *of, uint32_t mask,
	struct meeting *g);

/* race_told.c */
/* Whether X is an operation still under way where T accesses, and --check=sync says so (S0301 to
 * S0304). */
bool race_told_by_sync(const struct touch *t, const struct record *x);

/* race_report.c */
void race_report(struct touch *t, const struct record *other, unsigned lane);

#endif
