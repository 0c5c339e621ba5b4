/* The state of a running machine shared by all of interp/: frames, groups of lanes, warps, CTAs,
 * launches, workers. Internal to interp/, and readable by its observers and by weak/. State that
 * only one module needs is private to that module, behind a pointer (keeper.h).
 *
 * launch.c and cta.c create launches, CTAs and warps; warp.c changes groups; run_loop.h
 * executes. The memory side (memory*.c, exec_mem.c, exec_warp.c, exec_sreg.c, runtime_*.c) owns
 * the contents and layout of warp.local and the exec functions of its instructions (bind.c). It
 * may read everything here, and write registers under their mask, memory, warp.polled,
 * warp.effect, and the statistics of warp.worker.
 *
 * Only one host thread (the worker of the slice) runs a CTA at a time, so CTAs, warps, shared
 * and local memory need no locks. Global memory is accessed by relaxed atomics. */
#ifndef PTXI_INTERP_STATE_H
#define PTXI_INTERP_STATE_H
#include "base/arena.h"
#include "base/lock.h"
#include "base/rng.h"
#include "base/text.h"
#include "base/vec.h"
#include "code/code.h"
#include "interp/state/chooser.h"
#include "interp/director.h"
#include "interp/machine.h"
#include "interp/observer.h"
#include "ir/ir.h"
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

enum { MAX_GROUPS = 64, MAX_WARPS = 32 };
/* Maximum .local memory of one frame: CUDA's limit per thread. */
enum { LOCAL_BYTES = 512 << 10 };

struct warp;
struct cluster;
struct memory_block;
struct weak_memory;
struct engine;

/* --- lanes --- */

/* One activation of a function by lanes of a warp. Groups of lanes that diverge inside it share
 * it. */
struct frame {
	struct frame *caller; /* NULL: the kernel itself; also links the free list */
	const struct code_func *code;
	unsigned char *regs; /* bank 0; 64-byte aligned */
	uint32_t lanes;      /* that have not returned or exited */
	uint32_t return_pc;  /* index of the caller's op after the call */
	uint32_t call_pc;
	/* 1 + the innermost call on the way here that is written in the user's own source; 0: none
	 */
	uint32_t user_call;
	uint32_t local_base; /* start of its local_bytes in each thread's local memory */
	uint32_t local_top;  /* end of what any lane uses there */
	/* [LANES] bytes allocated by alloca above local_bytes, less those released by
	 * stackrestore; NULL: none */
	uint32_t *taken;
	uint32_t stack_used; /* bytes of the bounded stack up to and including this frame */
	uint32_t depth;
	/* --check=init, else NULL: [frame_bytes / 4], word p / 4 is the set of lanes in which
	 * place p holds a defined value */
	uint32_t *defined;
	/* likewise: [frame_bytes], laid out as regs: undefined bits of partly undefined
	 * registers (see undefined.c) */
	uint8_t *bits;
	/* likewise: [code->nops] by op: lanes in which all its places are known to hold defined
	 * values; NULL: too many ops */
	uint32_t *sure;
	uint32_t sure_room;
	bool any_sure; /* some of them is not 0 */
};

enum group_state {
	GROUP_READY,
	GROUP_BARRIER, /* waits for CTA barrier `wait` */
	GROUP_GATHER,  /* waits at a .sync instruction for the lanes of `wait` */
	GROUP_SLEEP,   /* sleeps until machine clock `wake` */
	GROUP_REJOIN,  /* lockstep: waits for the other lanes at its reconvergence point */
	GROUP_CLUSTER, /* waits for the barrier of the cluster */
	GROUP_ALIGNED, /* waits at an .aligned instruction for the rest of the warp */
};

/* The lanes of a warp that are at the same place together. */
struct group {
	uint32_t mask;
	uint32_t pc; /* op index in frame->code */
	struct frame *frame;
	uint8_t state; /* enum group_state */
	bool arrived;  /* BARRIER: its arrival has been counted */
	/* completed an iteration of a polling loop without effect in the current round */
	bool spun;
	bool passed; /* had its turn in the current round */
	/* GATHER: at a bar.warp.sync, whose lanes may meet at different places */
	bool warp_sync;
	/* has waited for the rest of the warp at the .aligned instruction that it executes next */
	bool waited;
	uint32_t wait;      /* BARRIER: its number; GATHER: live lanes of its membermask */
	uint32_t rejoin_pc; /* lockstep: its stack entry ends here, in rejoin_frame */
	struct frame *rejoin_frame;
	uint64_t wake;
	uint64_t digest; /* hash of its registers at its last iteration of a polling loop */
	uint32_t rounds; /* such iterations, with different registers each time */
};

struct warp {
	/* the running group, copied here for the loop and the handlers */
	unsigned char *bank[2]; /* registers of its frame, constants of its function */
	struct frame *frame;
	uint32_t active;  /* its lanes */
	uint32_t current; /* its index in group[] */
	/* set by handlers: a load that may read another thread's write (volatile, relaxed,
	 * acquire, atomic), a clock read, a sleep */
	bool polled;
	/* set by handlers: a value in global or shared memory changed (storing the value that is
	 * already there is not an effect; local memory does not count). Handlers only set it and
	 * never clear it; once it is set they need not compare */
	bool effect;
	/* an instruction is being executed for several groups jointly: bank[0] is their merged
	 * copy */
	bool joint;
	bool timed;       /* set by handlers: the thread depends on the clock */
	bool made_effect; /* effects in this slice that were cleared from `effect` */
	bool turn;        /* the running group is not the one at the least PC */
	/* op index at which the running group must stop to converge with another; NO_PC: none */
	uint32_t watch;
	struct cta *cta;
	struct worker *worker;
	struct machine *machine;
	uint32_t index; /* in the CTA */
	uint32_t lanes; /* that exist: all except perhaps in the last warp */
	uint32_t live;  /* that have not exited */
	uint32_t ngroups;
	uint32_t run_pc; /* start of the current straight run, for the clock */
	/* of its turn: the instructions that it may execute, and those that it had executed when
	 * the running group began its run; of that run: its quantum, and what it may execute */
	uint64_t budget, used;
	uint32_t quantum, most;
	bool settled; /* what the running group has executed is already in `used` */
	/* fair, random: disjoint masks. lockstep: a stack; the last runs, those below wait for
	 * it */
	struct group group[MAX_GROUPS];
	/* of lanes that exited while others were live: the place in the kernel's own code */
	uint32_t exit_pc[LANES];
	uint32_t tid[3][LANES];
	/* local memory of the 32 threads, allocated and laid out by memory_local.c */
	unsigned char *local;
	uint32_t local_bytes; /* per thread */
	bool lockstep;
	/* State private to modules (keeper.h); NULL until needed. */
	struct gathering *gather;     /* sync/gather.c */
	struct copy_groups *groups;   /* sync/async.c */
	struct wgmma_warp *wgmma;     /* sync/wgmma_check.c */
	struct mbarrier_waits *waits; /* memory/mbarrier_wait.c */
	struct weak_warp *weak;       /* weak/weak.h: the lanes' views */
	struct native_state *native;  /* native.h */
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
	/* shared_bytes of static, then dynamic shared memory; wide accesses may touch a few
	 * bytes more */
	unsigned char *shared;
	/* --check=init, else NULL: [shared_bytes] set bit: written */
	unsigned char *shared_defined;
	uint32_t shared_bytes;
	uint32_t ready; /* set of warps that may be able to run */
	struct arena arena;
	struct cta *next; /* in a queue */
	/* cluster.h; never NULL: without clusters, a cluster of one CTA */
	struct cluster *cluster;
	uint32_t cluster_rank;
	/* State private to modules (keeper.h); NULL until needed. */
	struct frames *frames;       /* state/frame.c */
	struct order_counts *order;  /* memory/order.c */
	struct mbarriers *mbarriers; /* memory/mbarrier_record.c */
	struct barriers *barriers;   /* sync/barrier.c */
	struct granule *granules;    /* sync/async_check.c */
	struct tcgen_memory *tensor; /* sync/tensor_memory.c */
	struct polls *polls;         /* stuck/poll.c: [nwarps] */
	struct turns *turns;         /* machine/cta.h: never NULL */
};

struct launch {
	struct machine_launch ask; /* params copied */
	const struct code_func *code;
	const char *name; /* of the kernel, for messages */
	uint32_t number;  /* in order of launch, from 0 */
	uint32_t order;   /* the same, where work of the host counts as well */
	uint64_t nctas;
	uint32_t cluster_ctas;          /* CTAs per cluster; 1 without clusters */
	uint64_t unit_step, unit_first; /* the order in which units begin (schedule.c) */
	/* in units of work, each a cluster (or a CTA without clusters) */
	uint64_t nunits, next_cta, done_ctas;
	_Atomic uint64_t ended; /* units, at once and without a lock: for the listener */
	/* maximum number of units in flight: what a large GPU would hold */
	uint64_t resident_limit;
	uint32_t threads, nwarps;
	uint32_t shared_bytes; /* static and dynamic */
	/* cooperative: address of its zeroed grid workspace (shown by %envreg1 and %envreg2),
	 * else 0 */
	uint64_t workspace;
	bool running, done;
	bool splits; /* random: warps may diverge at any instruction (schedule.c) */
};

/* Work of the host in a stream (machine_work). */
struct host_work {
	struct machine *machine;
	const char *what; /* in words */
	uint32_t order;
	void (*work)(void *self);
	void *self;
};

/* Bytes between what two host threads write: processors exchange lines of memory, two at a time. */
enum { APART = 128 };

/* The state of one host thread. */
struct worker {
	char apart[APART]; /* from the one before, in an array */
	struct machine *machine;
	unsigned index;
	/* [2 * (ncount + 1)] differences: the thread (even) and warp (odd) executions of op k
	 * are the sums of the entries up to k */
	int64_t *count;
	uint32_t ncount;
	uint64_t steps;    /* warp instructions */
	uint64_t unlooked; /* of them, since the worker last checked the deadline */
	uint64_t untold;   /* of them, not yet in machine.clock and machine.steps */
	uint64_t clock;    /* machine clock at the start of the current slice */
	/* warp instructions of the current slice before the current straight run */
	uint64_t slice_steps;
	/* barriers, atomics, divergent_branches, bytes_*: handlers count in their warp's worker */
	struct machine_stats stats;
	struct cta *spare; /* CTA memory for reuse */
	/* warps that wait at a barrier and have not been counted (machine/round.h), or NULL */
	struct turns_of_units *waits;
	/* for translated code: round_settle(), warp_run_next(), warp_part_again() */
	void (*settle)(struct turns_of_units *waits);
	bool (*run_next)(struct warp *w, enum flow flow, uint32_t left);
	void (*part_again)(struct warp *w, uint32_t at, uint32_t pc, const uint32_t *taken);
	/* the allocation with reductions not yet applied (combine.h), or NULL */
	const struct memory_block *combining;
	/* State private to a module; NULL until needed. */
	struct combine *combine; /* memory/combine_table.h */
};

/* --- the machine --- */

struct machine {
	const struct ir_module *module;
	struct machine_options options;
	struct diags *findings;
	struct arena arena;
	/* memory_new() sets var_at of .global and .const variables */
	struct code code;
	/* the sampler's functions (weak_memory.h); NULL with --memory=fast */
	const struct weak_memory *weak_memory;
	struct engine *engine; /* translates functions (engine.h); NULL: none does */
	struct text output;    /* printed by vprintf; under output_lock */
	size_t passed;         /* bytes of it given to options.print */
	pthread_mutex_t output_lock;
	pthread_mutex_t fault_lock;
	_Atomic int stop; /* enum machine_status + 1 once the machine must stop */
	/* enum diag_code of the limit that was reached, until it is reported (limits.c) */
	_Atomic int over;
	/* virtual cycles = nanoseconds; advances with executed instructions, and when all
	 * threads sleep */
	_Atomic uint64_t clock;
	_Atomic uint64_t steps; /* warp instructions; workers add theirs from time to time */
	/* not used, except as a fence that ThreadSanitizer understands (exec_warp.c); written often
	 */
	char before_effects[APART];
	_Atomic uint64_t effects;
	char after_effects[APART];
	bool clock_frozen;       /* the livelock check is running */
	struct chooser *chooser; /* own_chooser unless another was given */
	struct chooser own_chooser;
	struct observer *observers;
	uint32_t interest;     /* of all observers together */
	uint32_t looked;       /* instructions that async_check_install() has seen */
	struct worker *worker; /* [nworkers] */
	unsigned nworkers;
	double seconds; /* time during which kernels ran */
	/* in order of launch, those that the host has not waited for yet; the number of the first
	 */
	VEC(struct launch *) launches;
	uint32_t settled;
	/* the order of the next launch or work, and of the first that the host has not waited for
	 */
	uint32_t next_order, settled_order;
	const struct host_work *work; /* that is being done, or NULL */
	uint64_t settled_ctas;
	struct arena launch_arena; /* of these launches */
	/* for machine_stats: [isa_forms], [module->ninsns], [module->ninsns] */
	uint64_t *by_form, *by_insn, *warps_by_insn;
	/* State private to modules. */
	struct memory *memory;            /* memory/memory.h */
	struct watch *async_global;       /* sync/async_global.c; NULL: not installed */
	struct weak *weak;                /* weak/weak.h; NULL with --memory=fast */
	struct schedule *schedule;        /* machine/schedule.c: streams, queue, workers */
	struct kept_registers *registers; /* machine/registers.c; NULL: not requested */
};

/* --- for handlers --- */

/* The 32 lanes, or the predicate word, at a place of the running frame; of operand I of OP. */
static inline void *op_place(const struct warp *w, uint32_t at)
{
	return w->bank[at & 1u] + (at & ~1u);
}
/* The same in frame F of W's. */
static inline void *frame_place(const struct warp *w, const struct frame *f, uint32_t at)
{
	return (at & 1u ? code_constants(f->code, w->cta->cluster_rank) : f->regs) + (at & ~1u);
}
static inline void *op_lanes(const struct warp *w, const struct op *op, unsigned i)
{
	return op_place(w, op->at[i]);
}
/* Lane LANE of operand I, zero-extended from op->width[i] bytes; a predicate is 0 or 1; of 16
 * bytes the low 8. */
uint64_t op_value(const struct warp *w, const struct op *op, unsigned i, unsigned lane);
/* Writes lane LANE of operand I, truncated to its width. */
void op_set(const struct warp *w, const struct op *op, unsigned i, unsigned lane, uint64_t value);

/* The virtual clock as the running instruction OP reads it: it advances by one per instruction
 * of the slice. (%clock, %clock64, %globaltimer) */
uint64_t warp_clock(const struct warp *w, const struct op *op);

/* Raises a fault at OP for lane LANE of the running group, with kernel, CTA, thread and call
 * chain. Returns a record to which labels, help and notes may be added before fault_end(), or
 * NULL when the machine stops already (then fault_end() must not be called). The handler returns
 * FLOW_STOP. */
struct diag *fault_begin(struct warp *w, const struct op *op, unsigned lane, enum diag_code code,
	const char *fmt, ...) __attribute__((format(printf, 5, 6)));
void fault_end(struct warp *w);
/* Both, without additions. Always returns FLOW_STOP. */
enum flow fault(struct warp *w, const struct op *op, unsigned lane, enum diag_code code,
	const char *fmt, ...) __attribute__((format(printf, 5, 6)));
/* Raises a finding, which does not stop the machine: misuse that hardware does not detect. The
 * same code at the same instruction is reported once and counted. Returns the record. */
struct diag *finding(struct warp *w, const struct op *op, unsigned lane, enum diag_code code,
	const char *fmt, ...) __attribute__((format(printf, 5, 6)));

/* --- the director (interp/director.h) --- */

/* Whether the director names a turn that is not W's. */
static inline bool directed_elsewhere(const struct warp *w)
{
	const struct director *d = w->machine->options.director;

	return d && d->directs &&
		(d->turn.warp != w->index || d->turn.cta != w->cta->linear ||
			d->turn.launch != w->cta->launch->number);
}
/* Whether it names a turn of a warp of C. */
static inline bool directed_to(const struct machine *m, const struct cta *c)
{
	const struct director *d = m->options.director;

	return d && d->directs && d->turn.cta == c->linear && d->turn.launch == c->launch->number;
}
static inline bool is_directed(const struct machine *m)
{
	return m->options.director && m->options.director->directs;
}
/* The turn that the director names cannot be given. */
static inline void direct_refuse(const struct machine *m, const char *why)
{
	struct director *d = m->options.director;

	d->directs = false;
	d->refused(d, why);
}
/* For the run loops: whether the running group must leave before OP, which MASK would execute. */
static inline bool directed_away(struct warp *w, const struct op *op, uint32_t mask)
{
	struct director *d = w->machine->options.director;

	return d && op->first && !d->before(d, w, op, mask, !w->machine->clock_frozen);
}

/* Stops the machine with STATUS, unless it stops already. */
void machine_halt(struct machine *m, enum machine_status status);

/* The lanes that W lacks for good and whose registers nothing looks at, so that they may be
 * computed together with the others. The livelock check compares all registers, and observers may
 * show them.
 */
static inline uint32_t warp_idle(const struct warp *w)
{
	const struct machine *m = w->machine;

	return w->frame->code->loose && w->active == w->live && !m->clock_frozen &&
			!(m->interest & (uint32_t)INTEREST_INSN)
		? ~w->live
		: 0;
}

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

/* --- what the core uses of the memory side (memory*.c, runtime_*.c) --- */

/* Creates m->memory. */
void memory_new(struct machine *m);
/* Allocates the .global and .const ones of N variables of the module from VAR on (m->code.var_at
 * gets their addresses), writes initialisers and relocations. False with a finding. */
bool memory_load(struct machine *m, uint32_t var, uint32_t n);
/* Frees them while no kernel runs. WHERE: in words, for messages. */
void memory_unload(struct machine *m, uint32_t var, uint32_t n, const char *where);
void memory_free(struct machine *m);
uint64_t memory_alloc(struct machine *m, uint64_t size, const char *name, bool initialised);
struct memory_block;
/* The host has written SIZE bytes at ADDRESS, which are in one allocation; or read them. */
void memory_overwritten(struct machine *m, uint64_t address, uint64_t size);
void memory_was_read(struct machine *m, uint64_t address, uint64_t size);
/* What is known of accesses to B is forgotten. */
void memory_forget(struct machine *m, const struct memory_block *b);
/* Frees B while no kernel runs. WHERE: in words, for messages. */
void memory_release(struct machine *m, struct memory_block *b, const char *where);
bool memory_host_write(struct machine *m, uint64_t address, const void *data, uint64_t size);
bool memory_host_read(
	struct machine *m, uint64_t address, void *data, uint64_t size, uint8_t *defined);
/* The generic address of a .global or .const variable. (For .const, var_at has the offset in the
 * .const window, as ld.const takes it.) */
uint64_t memory_var_address(const struct machine *m, uint32_t var);
/* Enlarges w->local to at least BYTES per thread: contents are kept, new bytes are zero,
 * w->local_bytes is set. False when out of memory. The caller enforces the limit on the stack. */
bool memory_local_reserve(struct warp *w, uint32_t bytes);
/* Copies BYTES within the local memory of each lane in MASK (call parameters). */
void memory_local_copy(struct warp *w, uint32_t mask, uint32_t to, uint32_t from, uint32_t bytes);
/* Read or write bytes of one lane's local memory. */
void memory_local_read(struct warp *w, unsigned lane, uint32_t from, void *data, uint32_t bytes);
void memory_local_write(
	struct warp *w, unsigned lane, uint32_t to, const void *data, uint32_t bytes);
/* A snapshot of the threads' state copies w->local as it is: w->local_bytes * LANES bytes. */

/* Calls provided function number WHICH (code/provided.def) for the lanes of MASK: ARG[k][lane]
 * are the arguments' bits, k < NARGS; RET[lane] gets the result. */
enum flow runtime_call(struct warp *w, const struct op *op, uint32_t mask, int which,
	const uint64_t (*arg)[LANES], unsigned nargs, uint64_t *ret);
#endif
