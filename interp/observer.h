/* Observers: checkers, tracers, coverage. Each names the events it wants; a machine without
 * observers runs a loop and memory handlers that know nothing of them. Calls come from the worker
 * that runs the CTA; an observer that says `serial` makes the machine use one worker, otherwise it
 * locks what it shares. */
#ifndef PTXI_INTERP_OBSERVER_H
#define PTXI_INTERP_OBSERVER_H
#include "code/op.h"

struct machine;
struct launch;
struct cta;
struct warp;
struct op;
struct observer;

enum interest {
	INTEREST_INSN = 1 << 0,   /* every warp instruction, before it executes */
	INTEREST_ACCESS = 1 << 1, /* memory reads, writes, atomics, with lane addresses */
	INTEREST_SYNC = 1 << 2,   /* barriers, warp convergence, fences */
	INTEREST_LIFE = 1 << 3,   /* launches, CTAs, threads: begin and end */
	INTEREST_MEMORY = 1 << 4, /* allocation and release of global memory, host writes */
};

/* One warp-wide memory access, reported before it takes effect. Vector accesses are one event of
 * bytes = all elements together. */
struct access_event {
	struct warp *warp;
	const struct op *op;
	uint32_t mask; /* lanes that access */
	/* [32]: within the space for shared (offset in the CTA's window), local and param; a global
	 * address otherwise */
	const uint64_t *address;
	/* enum word after generic resolution: W_global, W_shared, W_local, W_param, W_const */
	uint16_t space;
	uint16_t bytes; /* a lane */
	uint8_t reads, writes, atomic;
	enum sem sem;
	enum scope scope; /* of strong ones */
};

enum sync_kind {
	SYNC_ARRIVE, /* lanes of a warp arrived at barrier `number` */
	/* barrier `number` completed its phase: everybody in warps[] who waits or arrived is
	   ordered (warp is the last to come) */
	SYNC_COMPLETE,
	SYNC_WARP,  /* the lanes of `mask` met at a .sync instruction of their warp */
	SYNC_FENCE, /* lanes of `mask` executed a fence or membar: sem, scope */
	/* mbarriers: `object` is the CTA in whose shared memory the object lies, `offset` where,
	 * `phase` the number of its phase, `value` a count or bytes, `word` its 64 bits afterwards
	 * (mbarrier.h); warp, op, mask: who did it (mask: one lane) */
	SYNC_MBARRIER_INIT,
	SYNC_MBARRIER_INVAL,
	SYNC_MBARRIER_ARRIVE,
	SYNC_MBARRIER_EXPECT,   /* expect_tx of `value` bytes */
	SYNC_MBARRIER_COMPLETE, /* complete_tx of `value` bytes */
	/* phase `phase` is over: told after the arrival or transaction that ended it */
	SYNC_MBARRIER_PHASE,
	SYNC_MBARRIER_WAIT,    /* a wait found phase `phase` complete (sem, scope: of the wait) */
	SYNC_MBARRIER_WAITING, /* a wait for phase `phase` said no */
	/* lanes of `mask` arrived at the cluster's barrier in its phase `phase` */
	SYNC_CLUSTER_ARRIVE,
	SYNC_CLUSTER_COMPLETE,
	SYNC_CLUSTER_WAIT, /* lanes of `mask` waited for it and go on */
	SYNC_COPY_ISSUED,  /* asynchronous operation `copy` (async.h) was issued */
	SYNC_COPY_LANDED,  /* its effects are in memory, for the lanes of `mask` */
	SYNC_COPY_WAITED,  /* lanes of `mask` waited for groups of asynchronous copies */
	/* lanes of `mask` executed fence.proxy.async; `number`: set of enum proxy_space */
	SYNC_PROXY_FENCE,
	/* Lanes of `mask` stop: until barrier `number` completes (they arrive when no other lanes
	 * of the warp can run), until others of their warp come to the .sync instruction (told
	 * again whenever they look again), until the cluster's barrier completes. */
	SYNC_WAITING,
	SYNC_WARP_WAITING,
	SYNC_CLUSTER_WAITING,
};
struct copy;
struct sync_event {
	enum sync_kind kind;
	struct cta *cta;
	struct warp *warp;
	const struct op *op;
	uint32_t mask;
	uint32_t number; /* barrier */
	enum sem sem;    /* SEM_WEAK: of no order */
	enum scope scope;
	struct cta *object;
	uint32_t offset;
	uint64_t phase, value, word;
	const struct copy *copy;
};

enum life_kind {
	LIFE_LAUNCH_BEGIN,
	LIFE_LAUNCH_END,
	LIFE_CTA_BEGIN,
	LIFE_CTA_END,
	LIFE_LANES_EXIT
};
struct life_event {
	enum life_kind kind;
	struct launch *launch;
	struct cta *cta;   /* NULL for launches */
	struct warp *warp; /* LANES_EXIT: of mask */
	uint32_t mask;
};

struct memory_event {
	uint64_t address, size;
	bool allocated, released, host_write, initialised;
	const char *name;
};

struct observer {
	uint32_t interest; /* set of enum interest */
	bool serial;
	void *self; /* the observer's own */
	/* Only the ones that interest names may be NULL-free; the others are never called. */
	void (*insn)(struct observer *o, struct warp *w, const struct op *op, uint32_t mask);
	void (*access)(struct observer *o, const struct access_event *e);
	void (*sync)(struct observer *o, const struct sync_event *e);
	void (*life)(struct observer *o, const struct life_event *e);
	void (*memory)(struct observer *o, const struct memory_event *e);
	struct observer *next; /* the machine's list */
};

/* Adds O, which the caller keeps alive; before the first launch. */
void machine_observe(struct machine *m, struct observer *o);
/* Tells all who are interested. */
void observers_access(const struct machine *m, const struct access_event *e);
void observers_sync(const struct machine *m, const struct sync_event *e);
void observers_life(const struct machine *m, const struct life_event *e);
void observers_memory(const struct machine *m, const struct memory_event *e);

#endif
