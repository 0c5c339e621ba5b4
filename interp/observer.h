/* Observers: checkers, tracers, coverage. Each declares the events it wants; a machine without
 * observers runs a loop and memory handlers without any calls to them. Events are reported by
 * the worker that runs the CTA. An observer with `serial` restricts the machine to one worker;
 * any other must lock its shared state. */
#ifndef PTXI_INTERP_OBSERVER_H
#define PTXI_INTERP_OBSERVER_H
#include "code/op.h"

struct machine;
struct launch;
struct cta;
struct warp;
struct op;
struct observer;
struct host_work;

enum interest {
	INTEREST_INSN = 1 << 0,   /* every warp instruction, before it executes */
	INTEREST_ACCESS = 1 << 1, /* memory reads, writes, atomics, with lane addresses */
	INTEREST_SYNC = 1 << 2,   /* barriers, warp convergence, fences */
	INTEREST_LIFE = 1 << 3,   /* begin and end of launches and CTAs; exits of threads */
	INTEREST_MEMORY = 1 << 4, /* allocation of global memory, accesses by the host */
};

/* One memory access by a warp, reported before it takes effect. A vector access is one event of
 * all its elements. */
struct access_event {
	struct warp *warp;
	const struct op *op;
	uint32_t mask; /* the accessing lanes */
	/* [32]: offsets for shared (in the window of the CTA), local and param; global addresses
	 * otherwise */
	const uint64_t *address;
	/* enum word after generic resolution: W_global, W_shared, W_local, W_param, W_const */
	uint16_t space;
	uint16_t bytes; /* per lane */
	uint8_t reads, writes, atomic;
	enum sem sem;
	enum scope scope; /* of strong accesses */
	/* with `steps`: bit k of `next` says that the bytes of lane k lie behind those of lane k -
	 * 1, which accesses, too; of `same` that they are those of the accessing lane before; `row`
	 * that the bytes of all lanes lie behind each other, with gaps for those that do not access
	 */
	bool steps, row;
	uint32_t next, same;
};

enum sync_kind {
	SYNC_ARRIVE, /* lanes of `mask` in `warp` arrived at barrier `number` */
	/* barrier `number` completed its phase: all threads that wait or arrived are ordered
	 * (`warp` arrived last, or exited) */
	SYNC_COMPLETE,
	SYNC_WARP,  /* the lanes of `mask` converged at a .sync instruction */
	SYNC_FENCE, /* lanes of `mask` executed a fence or membar: sem, scope */
	/* mbarriers: `object` is the CTA whose shared memory contains the mbarrier, `offset` its
	 * place there, `phase` the number of its phase, `value` a count or bytes, `word` its 64
	 * bits after the operation (mbarrier.h); `warp`, `op` and `mask` (one lane) are the
	 * cause */
	SYNC_MBARRIER_INIT,
	SYNC_MBARRIER_INVAL,
	SYNC_MBARRIER_ARRIVE,
	SYNC_MBARRIER_EXPECT,   /* expect_tx of `value` bytes */
	SYNC_MBARRIER_COMPLETE, /* complete_tx of `value` bytes */
	/* phase `phase` is complete: reported after the arrival or transaction that completed it */
	SYNC_MBARRIER_PHASE,
	SYNC_MBARRIER_WAIT,    /* a wait found phase `phase` complete (sem, scope: of the wait) */
	SYNC_MBARRIER_WAITING, /* a wait for phase `phase` returned false */
	/* lanes of `mask` arrived at the cluster's barrier, in phase `phase` */
	SYNC_CLUSTER_ARRIVE,
	SYNC_CLUSTER_COMPLETE,
	SYNC_CLUSTER_WAIT, /* lanes of `mask` waited for it and continue */
	SYNC_COPY_ISSUED,  /* asynchronous operation `copy` (async.h) was issued */
	SYNC_COPY_LANDED,  /* its effects are in memory, for the lanes of `mask` */
	SYNC_COPY_WAITED,  /* lanes of `mask` waited for groups of asynchronous copies */
	/* lanes of `mask` executed fence.proxy.async; `number`: set of enum proxy_space */
	SYNC_PROXY_FENCE,
	/* lanes of `mask` stop: until barrier `number` completes (they arrive when no other
	 * lanes of the warp can run); until other lanes of their warp reach the .sync
	 * instruction (reported again at every check); until the cluster's barrier completes */
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
	enum sem sem;    /* SEM_WEAK: no ordering */
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
	LIFE_LANES_EXIT,
	/* the host has waited for all launches: what is known of them may be forgotten, and they
	 * no longer exist afterwards (except in a machine with a trace
	 * or director) */
	LIFE_SETTLED,
	LIFE_LOADED, /* the module has grown; nothing runs */
	/* part of the module is not used any more, and the numbers of its instructions may be used
	 * again */
	LIFE_UNLOADED
};
struct life_event {
	enum life_kind kind;
	struct launch *launch; /* NULL: SETTLED, LOADED, UNLOADED */
	struct cta *cta;       /* NULL for launches */
	struct warp *warp;     /* LANES_EXIT: the warp of `mask` */
	uint32_t mask;
};

struct memory_event {
	uint64_t address, size;
	bool allocated, released, host_write, host_read, initialised;
	const struct host_work *work; /* host_write, host_read: in a stream; or NULL */
	const char *name;
};

struct observer {
	uint32_t interest; /* set of enum interest */
	bool serial;
	void *self; /* for the observer */
	/* Only the functions of events in `interest` are called; the others may be NULL. */
	void (*insn)(struct observer *o, struct warp *w, const struct op *op, uint32_t mask);
	void (*access)(struct observer *o, const struct access_event *e);
	void (*sync)(struct observer *o, const struct sync_event *e);
	void (*life)(struct observer *o, const struct life_event *e);
	void (*memory)(struct observer *o, const struct memory_event *e);
	struct observer *next; /* the machine's list */
};

/* Adds O, before the first launch. O must outlive the machine's runs. */
void machine_observe(struct machine *m, struct observer *o);
/* Report an event to all observers that want it. */
void observers_access(const struct machine *m, const struct access_event *e);
void observers_sync(const struct machine *m, const struct sync_event *e);
void observers_life(const struct machine *m, const struct life_event *e);
void observers_memory(const struct machine *m, const struct memory_event *e);

#endif
