/* The state of a running machine that all of interp/ works with: frames, groups of lanes, warps,
 * CTAs, launches, workers. Internal to interp/ (and readable by its observers and by weak/). What
 * one module alone needs, it keeps for itself, behind a pointer (keeper.h).
 *
 * Who fills what: launch.c and cta.c make launches, CTAs, warps; warp.c moves groups; run_loop.h
 * executes. The memory side (memory*.c, exec_mem.c, exec_warp.c, exec_sreg.c, runtime_*.c) owns the
 * contents and layout of warp.local, and the exec functions of its instructions (bind.c). These may
 * read all that is here, and write: registers under their mask, memory, warp.polled, warp.effect,
 * and the statistics of warp.worker.
 *
 * One host thread (the worker of the slice) runs a CTA at a time, so CTA, warp, shared and local
 * memory need no locks. Global memory does: relaxed atomics. */
#ifndef PTXI_INTERP_STATE_H
#define PTXI_INTERP_STATE_H
#include "base/arena.h"
#include "base/lock.h"
#include "base/rng.h"
#include "base/text.h"
#include "base/vec.h"
#include "code/code.h"
#include "interp/state/chooser.h"
#include "interp/machine.h"
#include "interp/observer.h"
#include "ir/ir.h"
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

enum { MAX_GROUPS = 64, MAX_WARPS = 32 };
/* The most .local memory one frame may declare: what CUDA allows a thread. */
enum { LOCAL_BYTES = 512 << 10 };

struct warp;
struct cluster;
struct memory_block;
struct weak_memory;

/* --- lanes --- */

/* One activation of a function by some lanes of a warp. Groups of lanes that diverge inside share
 * it. */
struct frame {
	struct frame *caller; /* NULL: the kernel itself; also the free list's link */
	const struct code_func *code;
	unsigned char *regs; /* bank 0; 64-byte aligned */
	uint32_t lanes;      /* that have not returned from it or exited */
	uint32_t return_pc;  /* op of the caller after the call */
	uint32_t call_pc;
	uint32_t local_base; /* where its local_bytes begin in each thread's local memory */
	uint32_t local_top;  /* the first byte above what any of the lanes has there */
	/* [LANES] bytes that alloca has given each lane above local_bytes, less those that
	 * stackrestore took back; NULL: none */
	uint32_t *taken;
	uint32_t stack_used; /* bytes of the bounded stack up to and with this frame */
	uint32_t depth;
	/* --check=init, else NULL: [frame_bytes / 4], word p / 4 has the lanes in which place p
	 * holds a value made from written values */
	uint32_t *defined;
	/* the same: [frame_bytes], laid out as regs: undefined bits of registers that are undefined
	 * in part (undefined.c says where this is valid) */
	uint8_t *bits;
};

enum group_state {
	GROUP_READY,
	GROUP_BARRIER, /* waits for CTA barrier `wait` */
	GROUP_GATHER,  /* waits at a .sync instruction for the lanes of `wait` */
	GROUP_SLEEP,   /* until machine clock `wake` */
	GROUP_REJOIN,  /* lockstep: waits for the rest at its reconvergence point */
	GROUP_CLUSTER, /* waits for the cluster's barrier */
	GROUP_ALIGNED, /* waits at an .aligned instruction for the rest of the warp */
};

/* Lanes of a warp that are at one place together. */
struct group {
	uint32_t mask;
	uint32_t pc; /* op index in frame->code */
	struct frame *frame;
	uint8_t state; /* enum group_state */
	bool arrived;  /* BARRIER: it was counted */
	bool spun;     /* went round a polling loop without effect in the present round */
	bool passed;   /* had its turn in the present round */
	/* GATHER: at a bar.warp.sync, which lanes may meet at different places */
	bool warp_sync;
	/* for the rest of the warp, at the .aligned instruction that it executes next */
	bool waited;
	uint32_t wait;      /* barrier number; lanes */
	uint32_t rejoin_pc; /* lockstep: its stack entry ends here, in rejoin_frame */
	struct frame *rejoin_frame;
	uint64_t wake;
	uint64_t digest; /* of its registers when it last went round a polling loop */
	uint32_t rounds; /* of it, with other registers each time */
};

struct warp {
	/* the running group, unpacked for the loop and the handlers */
	unsigned char *bank[2]; /* registers of its frame, constants of its function */
	struct frame *frame;
	uint32_t active;  /* its lanes */
	uint32_t current; /* its index in group[] */
	/* set by handlers: a load that may see another thread's write (volatile, relaxed, acquire,
	 * atomic), a clock, a sleep */
	bool polled;
	bool effect; /* set by handlers: global or shared memory changed its value (a store that
		      * wrote what was there already is none; local memory does not count). Only
		      * ever set, never cleared, by handlers: once it is set they need not
		      * compare */
	/* an instruction is executed for several groups together: bank[0] is made for it */
	bool joint;
	bool timed;       /* set by handlers: what the thread does depends on the clock */
	bool made_effect; /* effects folded away in this slice */
	bool turn;        /* the running group is not the one at the least PC: it runs ahead */
	/* op index at which the running group must stop to meet others; NO_PC: none */
	uint32_t watch;
	struct cta *cta;
	struct worker *worker;
	struct machine *machine;
	uint32_t index; /* in the CTA */
	uint32_t lanes; /* that exist: all ones but for the last warp */
	uint32_t live;  /* that have not exited */
	uint32_t ngroups;
	uint32_t run_pc; /* where the straight run of the loop began, for the clock */
	/* fair: masks are disjoint; lockstep: a stack, the last one runs, those below wait for
	 * it */
	struct group group[MAX_GROUPS];
	/* of lanes that exited while others lived: where, in the kernel's own code */
	uint32_t exit_pc[LANES];
	uint32_t tid[3][LANES];
	/* local memory of the 32 threads: memory_local_reserve() makes it; layout is memory_local's
	 * business */
	unsigned char *local;
	uint32_t local_bytes; /* a thread */
	bool lockstep;
	/* What modules keep of it (keeper.h); NULL until it is needed. */
	struct gathering *gather;     /* sync/gather.c */
	struct copy_groups *groups;   /* sync/async.c */
	struct mbarrier_waits *waits; /* memory/mbarrier_wait.c */
	struct weak_warp *weak;       /* weak/weak.h: the lanes' views */
};

enum cta_state { CTA_NEW, CTA_READY, CTA_DONE };
struct cta {
	struct launch *launch;
	uint64_t linear;
	uint32_t ctaid[3];
	struct warp *warp; /* [nwarps] */
	uint32_t nwarps;
	uint32_t live; /* set of warps with live lanes */
	uint8_t state;
	/* shared_bytes of static, then dynamic shared memory; 16 bytes more may be touched */
	unsigned char *shared;
	/* --check=init, else NULL: [shared_bytes] a set bit = it was written */
	unsigned char *shared_defined;
	uint32_t shared_bytes;
	uint32_t ready; /* set of warps that may have something to run */
	struct arena arena;
	struct cta *next; /* in a queue */
	/* cluster.h; never NULL: without clusters one of its own */
	struct cluster *cluster;
	uint32_t cluster_rank;
	/* What modules keep of it (keeper.h); NULL until it is needed. */
	struct frames *frames;       /* state/frame.c */
	struct order_counts *order;  /* memory/order.c */
	struct mbarriers *mbarriers; /* memory/mbarrier_record.c */
	struct barriers *barriers;   /* sync/barrier.c */
	struct granule *granules;    /* sync/async_check.c */
	struct polls *polls;         /* stuck/poll.c: [nwarps] */
	struct turns *turns;         /* machine/cta.h: never NULL */
};

struct launch {
	struct machine_launch ask; /* params copied */
	const struct code_func *code;
	uint32_t number; /* 0, 1, .. in the machine */
	uint64_t nctas;
	uint32_t cluster_ctas;          /* CTAs of a cluster, 1 without */
	uint64_t unit_step, unit_first; /* the order in which units are begun (schedule.c) */
	/* units of work: clusters; next_cta and done_ctas count these too */
	uint64_t nunits, next_cta, done_ctas;
	/* CTAs that may be in flight at once: what a large GPU would hold */
	uint64_t resident_limit;
	uint32_t threads, nwarps;
	uint32_t shared_bytes; /* static and dynamic */
	/* cooperative: address of its zeroed grid workspace (what %envreg1 and %envreg2 show), 0
	 * otherwise */
	uint64_t workspace;
	bool running, done;
	bool splits; /* random: warps part although no branch parts them (schedule.c) */
};

/* A host thread's own. */
struct worker {
	struct machine *machine;
	unsigned index;
	/* [2 * (ncount + 1)] differences: thread (even) and warp (odd) executions of op k = sum of
	 * count[0..k] */
	int64_t *count;
	uint32_t ncount;
	uint64_t steps;    /* warp instructions */
	uint64_t unlooked; /* of them, since the worker last looked at the clock */
	uint64_t clock;    /* machine clock when the slice of the running warp began */
	/* warp instructions of the present slice before the present straight run */
	uint64_t slice_steps;
	/* barriers, atomics, divergent_branches, bytes_*: handlers add here, each to its own warp's
	 * worker */
	struct machine_stats stats;
	struct cta *spare; /* CTA memory to be used again */
	/* combine.h: the allocation that has reductions still to be applied, or NULL */
	const struct memory_block *combining;
	/* What modules keep of it; NULL until it is needed. */
	struct combine *combine; /* memory/combine.h: these reductions */
};

/* --- the machine --- */

struct machine {
	const struct ir_module *module;
	struct machine_options options;
	struct diags *findings;
	struct arena arena;
	/* memory_new() fills var_at of .global and .const with addresses */
	struct code code;
	/* what is asked of the sampler (weak_memory.h); NULL with --memory=fast */
	const struct weak_memory *weak_memory;
	struct text output; /* what vprintf printed; under output_lock */
	pthread_mutex_t output_lock;
	pthread_mutex_t fault_lock;
	_Atomic int stop; /* enum machine_status + 1 once the machine must stop */
	/* enum diag_code of the budget that ran out, until it is reported (limits.c) */
	_Atomic int over;
	/* virtual cycles = nanoseconds; grows with executed instructions and when all sleep */
	_Atomic uint64_t clock;
	_Atomic uint64_t steps;   /* warp instructions, added slice by slice */
	_Atomic uint64_t effects; /* slices that had an effect */
	bool clock_frozen;        /* the livelock check runs: time stands still */
	struct chooser *chooser;  /* own_chooser unless somebody gave one */
	struct chooser own_chooser;
	struct observer *observers;
	uint32_t interest;     /* of all observers together */
	struct worker *worker; /* [nworkers] */
	unsigned nworkers;
	double seconds;                /* running time of kernels */
	VEC(struct launch *) launches; /* in order of the calls */
	uint64_t *by_form, *by_insn;   /* [isa_forms], [module->ninsns], for machine_stats */
	/* What modules keep of it. */
	struct memory *memory;            /* memory/memory.h */
	struct watch *async_global;       /* sync/async_global.c; NULL: not installed */
	struct weak *weak;                /* weak/weak.h; NULL with --memory=fast */
	struct schedule *schedule;        /* machine/schedule.c: streams, queue, workers */
	struct kept_registers *registers; /* machine/registers.c; NULL: nobody asks */
};

/* --- for handlers --- */

/* The 32 lanes (or the predicate word) of operand I of OP, in the running frame. */
static inline void *op_place(const struct warp *w, uint32_t at)
{
	return w->bank[at & 1u] + (at & ~1u);
}
static inline void *op_lanes(const struct warp *w, const struct op *op, unsigned i)
{
	return op_place(w, op->at[i]);
}
/* Lane LANE of operand I as a zero-extended number (op->width[i] bytes; a predicate is 0 or 1; of
 * 16 bytes the low 8). */
uint64_t op_value(const struct warp *w, const struct op *op, unsigned i, unsigned lane);
/* Writes lane LANE of operand I, cut to its width. */
void op_set(const struct warp *w, const struct op *op, unsigned i, unsigned lane, uint64_t value);

/* The virtual clock as the running instruction OP sees it: grows by one an instruction of the
 * slice. (%clock, %clock64, %globaltimer) */
uint64_t warp_clock(const struct warp *w, const struct op *op);

/* Raises a fault at OP for lane LANE (of the running group). Returns a record to which labels, help
 * and notes may be added before fault_end(), or NULL when another worker's fault came first (then
 * there is nothing to end). Kernel, CTA, thread and the call chain are added here. The handler then
 * returns FLOW_STOP. */
struct diag *fault_begin(struct warp *w, const struct op *op, unsigned lane, enum diag_code code,
	const char *fmt, ...) __attribute__((format(printf, 5, 6)));
void fault_end(struct warp *w);
/* Both, without additions. Always FLOW_STOP. */
enum flow fault(struct warp *w, const struct op *op, unsigned lane, enum diag_code code,
	const char *fmt, ...) __attribute__((format(printf, 5, 6)));
/* A finding that does not stop the machine (misuse that hardware lets pass); the same code at the
 * same instruction is reported once and counted. Returns the record. */
struct diag *finding(struct warp *w, const struct op *op, unsigned lane, enum diag_code code,
	const char *fmt, ...) __attribute__((format(printf, 5, 6)));

/* Stops the machine with STATUS unless it stops already. */
void machine_halt(struct machine *m, enum machine_status status);

static inline const struct ir_insn *op_insn(const struct warp *w, const struct op *op)
{
	return &w->machine->module->insn[op->insn];
}
static inline bool sync_checks(const struct warp *w)
{
	return (w->machine->options.checks & CHECK_SYNC) != 0;
}
static inline bool machine_watches(const struct machine *m, enum interest what)
{
	return (m->interest & (uint32_t)what) != 0;
}
#define EVERY_LANE(lane) for (unsigned lane = 0; lane < LANES; lane++)
#define EVERY_GROUP(k, w) for (uint32_t k = 0; k < (w)->ngroups; k++)
static inline unsigned lane_first(uint32_t mask) { return (unsigned)__builtin_ctz(mask); }
#define FOR_LANES(lane, mask) \
	for (uint32_t lanes_left_ = (mask), lane; \
		lanes_left_ && (lane = (uint32_t)__builtin_ctz(lanes_left_), 1); \
		lanes_left_ &= lanes_left_ - 1)

/* --- what the core asks of the memory side (memory*.c, runtime_*.c) --- */

/* Makes m->memory: allocates the module's .global and .const variables (m->var_at gets their
 * addresses), writes initialisers and relocations. False with a finding. */
bool memory_new(struct machine *m);
void memory_free(struct machine *m);
uint64_t memory_alloc(struct machine *m, uint64_t size, const char *name, bool initialised);
bool memory_host_write(struct machine *m, uint64_t address, const void *data, uint64_t size);
bool memory_host_read(
	struct machine *m, uint64_t address, void *data, uint64_t size, uint8_t *defined);
/* The generic address of a .global or .const variable. (var_at has the offset in the .const window:
 * what ld.const takes.) */
uint64_t memory_var_address(const struct machine *m, uint32_t var);
/* Makes w->local at least BYTES a thread (contents kept, new bytes zero), sets w->local_bytes;
 * false without memory. The bound on the stack is the core's. */
bool memory_local_reserve(struct warp *w, uint32_t bytes);
/* Copies BYTES of the local memory of the lanes in MASK (call parameters). */
void memory_local_copy(struct warp *w, uint32_t mask, uint32_t to, uint32_t from, uint32_t bytes);
/* One lane's local bytes. */
void memory_local_read(struct warp *w, unsigned lane, uint32_t from, void *data, uint32_t bytes);
void memory_local_write(
	struct warp *w, unsigned lane, uint32_t to, const void *data, uint32_t bytes);
/* The bytes of w->local as they lie, for a snapshot of the thread's state: w->local_bytes * LANES
 * bytes at w->local. */

/* Calls the provided function (code/provided.def) of number WHICH for the lanes of MASK:
 * ARG[k][lane] are the arguments' bits (k < NARGS), RET[lane] takes the result. */
enum flow runtime_call(struct warp *w, const struct op *op, uint32_t mask, int which,
	const uint64_t (*arg)[LANES], unsigned nargs, uint64_t *ret);
#endif
