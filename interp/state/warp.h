/* Groups of lanes: splitting, converging, selecting which runs; what control flow and barriers
 * need of a warp. */
#ifndef PTXI_INTERP_WARP_H
#define PTXI_INTERP_WARP_H
#include "interp/state/weak_memory.h"

enum warp_result {
	WARP_EXITED,   /* no live lanes */
	WARP_BLOCKED,  /* every group waits for other warps or lanes */
	WARP_SLEEPING, /* the same, but some groups sleep */
	WARP_SPUN,     /* every group that can run has spun in a polling loop without effect */
	WARP_SLICE,    /* its instruction budget is used up */
	WARP_STOP,     /* the machine stops */
};

/* Runs W for at most BUDGET instructions; w->used gets their number. */
enum warp_result warp_run(struct warp *w, uint64_t budget);
/* The same for W whose turn has begun, with a budget of at most WARP_RUN: its only group runs, with
 * all of it, and came back with FLOW and LEFT instructions. */
enum { WARP_RUN = 1 << 16 };
enum warp_result warp_run_on(struct warp *w, enum flow flow, uint32_t left);
static inline void warp_run_begins(struct warp *w, uint32_t budget)
{
	w->budget = w->most = budget;
	w->used = 0;
	w->quantum = UINT32_MAX;
	w->settled = 0;
}
/* The running group comes back with FLOW and LEFT instructions. Whether, with the fair schedule,
 * the next run is of a group of the same frame, which then is the running one, and nothing else is
 * due before. Otherwise the loop of turns goes on, with w->settled. */
bool warp_run_next(struct warp *w, enum flow flow, uint32_t left);
/* With the fair schedule, the only group of W parts at branch AT, and its parts run, all branches
 * leading on, until one is at op PC before the others have caught up with it: groups are what they
 * are then, and that one is the running group. TAKEN[k]: the lanes that take the branch at AT + k.
 */
void warp_part_again(struct warp *w, uint32_t at, uint32_t pc, const uint32_t *taken);
static inline void warp_fold_effect(struct warp *w)
{
	w->made_effect |= w->effect;
	w->effect = w->polled = 0;
}

/* The loop itself (run_loop.h): runs the current group until it must be rescheduled or *LEFT
 * instructions have been executed. */
enum flow run_plain(struct warp *w, uint32_t *left);
enum flow run_watched(struct warp *w, uint32_t *left);
/* As run_plain(), by translated code (engine.h) where there is some. */
enum flow run_engine(struct warp *w, uint32_t *left);
static inline enum flow warp_loop(struct warp *w, uint32_t *left)
{
	if (w->machine->weak)
		return w->machine->weak_memory->run(w, left);
	return (w->machine->interest & INTEREST_INSN) || (w->machine->options.checks & CHECK_INIT)
		? run_watched(w, left)
		: w->machine->engine ? run_engine(w, left)
				     : run_plain(w, left);
}
/* Makes group G the running one. */
void warp_enter(struct warp *w, uint32_t g);
/* The index of OP in the running frame's code. */
static inline uint32_t op_index(const struct warp *w, const struct op *op)
{
	return (uint32_t)(op - w->frame->code->op);
}

/* The place in the kernel's own code from which PC of frame F was reached: PC itself, or a call. */
static inline uint32_t kernel_pc(const struct frame *f, uint32_t pc)
{
	for (; f->caller; f = f->caller)
		pc = f->call_pc;
	return pc;
}

/* Moves the lanes of MASK from the running group into a new group at the same place and with the
 * same state; returns its index. All lanes: returns the running group. */
uint32_t warp_split(struct warp *w, uint32_t mask);
enum { INDEPENDENT_SM = 70 }; /* the first target with independent thread scheduling */
/* lockstep: the running group waits at a .sync instruction for lanes that the stack keeps from
 * running. From sm_70 on these lanes may arrive from anywhere, so the stack is dissolved into
 * separate groups until all lanes converge. False: the stack remains. */
bool warp_unstack(struct warp *w);
/* Where some lanes of the running group continue. */
struct destination {
	uint32_t lanes, pc;
	struct frame *frame;
};
/* Distributes the lanes of the running group to N destinations (disjoint; together all of the
 * group). They reconverge at REJOIN_PC of REJOIN_FRAME, where lockstep waits for them; NO_PC:
 * never. */
void warp_scatter(struct warp *w, unsigned n, const struct destination *to, uint32_t rejoin_pc,
	struct frame *rejoin_frame);
/* The lanes of MASK, a proper subset of the group, take branch OP; the others fall through. */
void warp_branch(struct warp *w, const struct op *op, uint32_t mask);
/* The lanes of MASK in the running group exit. */
void warp_exit(struct warp *w, uint32_t mask);
/* lockstep: the top of the stack, after removing groups that have reached their reconvergence
 * points; -1 when it waits. */
int warp_top(struct warp *w);
/* Removes groups without lanes. */
void warp_sweep(struct warp *w);

/* Pushes a frame of CODE. */
struct frame *frame_push(
	struct warp *w, const struct code_func *code, struct frame *caller, uint32_t lanes);
/* The maximum, over LANES, of the bytes that alloca has allocated in frame F and stackrestore
 * has not released. */
uint32_t frame_taken(const struct frame *f, uint32_t lanes);
/* LANES leave frame F, which is freed when none is left. */
void frame_leave(struct warp *w, struct frame *f, uint32_t lanes);

/* Counts: ops START to END - 1 of CODE were executed by LANES lanes. */
static inline void worker_count(struct worker *k, const struct code_func *code, uint32_t start,
	uint32_t end, unsigned lanes)
{
	int64_t *c = k->count + 2 * (size_t)code->count_base;

	c[2 * (size_t)start] += lanes;
	c[2 * (size_t)start + 1] += 1;
	c[2 * (size_t)end] -= lanes;
	c[2 * (size_t)end + 1] -= 1;
	k->slice_steps += end - start;
}

/* Lanes STAY of the running group will execute OP, at index AT, again: it is counted then, not
 * now. */
static inline void worker_count_later(const struct warp *w, uint32_t at, uint32_t stay)
{
	int64_t *c = w->worker->count + 2 * ((size_t)w->frame->code->count_base + at);
	int warps = stay == w->active;

	c[0] -= __builtin_popcount(stay);
	c[1] -= warps;
	c[2] += __builtin_popcount(stay);
	c[3] += warps;
}

#endif
