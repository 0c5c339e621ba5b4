/* The explorer's interface to a program: a fixed number of threads, each a deterministic function
 * of the values that its reads return. The explorer advances a thread until it ends or needs a
 * value. A register holds a value or is unknown, and an instruction with an unknown input gives an
 * unknown result. When a read is resolved, its thread is replayed from its first unresolved read;
 * so a thread's state is plain bytes that may be copied. */
#ifndef PTXI_EXPLORE_PROGRAM_H
#define PTXI_EXPLORE_PROGRAM_H
#include "base/vec.h"
#include "model/event.h"
#include <stddef.h>

enum action_kind {
	ACTION_READ,
	ACTION_WRITE,
	ACTION_FENCE,
	ACTION_PROXY_FENCE,
	ACTION_BARRIER,
	ACTION_ISSUE, /* issues an asynchronous operation: thread HELPER */
	/* The remaining kinds make no event; the thread stops. */
	ACTION_STALL, /* needs a value that is not known yet, for a branch or a guard */
	ACTION_END,
	/* has returned to an earlier state, and has written nothing since then, or only atoms that
	   wrote back the value they read */
	ACTION_SPIN,
	ACTION_BOUND, /* a loop exceeded its bound */
	ACTION_FAULT  /* the program did something undefined; text says what */
};

/* When a barrier completes. Arrivals with the same OBJECT (below) are at the same barrier. Its
 * participants are the threads for which may_arrive(object) holds and that have not ended. */
enum barrier_rule {
	BARRIER_SITE, /* .litmus: OBJECT is an instruction position in a CTA. Uncounted: completes
		       * when all participants have arrived; those with equal NUMBER synchronise.
		       * Counted: opens when COUNT threads have reached NUMBER and stays open; later
		       * arrivals are ordered after the earlier ones */
	/* PTX bar, barrier: OBJECT is a barrier of a CTA, which is reused phase after phase.
	   Counted: in warps of 32 threads; uncounted: all participants */
	BARRIER_NUMBER,
	/* bar.warp.sync: all participants; the n-th execution by one thread meets the n-th by the
	   others */
	BARRIER_WARP,
	/* lanes that execute an instruction: any subset of those present continues together, or
	   waits for more; COUNT not 0: a lane that continues may return */
	BARRIER_TOGETHER,
	BARRIER_PHASE /* separate arrivals and waits (barrier.cluster; one kernel after another):
		       * the n-th wait of a thread completes when COUNT threads, or all
		       * participants, have arrived n times */
};

/* Reads of whose value little depends. QUIET_ATOM and above: atoms that commute with those of the
 * same number. */
enum quiet {
	QUIET_NOT,
	/* an mbarrier wait: only whether the phase is complete matters; if not, it retries, leaving
	 * no trace
	 */
	QUIET_WAIT,
	QUIET_POLL /* may be such a wait: asks_again() decides */,
	QUIET_ATOM,
	QUIET_MBARRIER = QUIET_ATOM,
	QUIET_INTEGER
};

/* Filled in by the program; the explorer fills in a read's value_known and value for `answer`. */
struct action {
	uint8_t kind, sem, scope, proxy, size;
	bool address_known;
	bool value_known; /* value is valid: of a write, or of a read in answer() */
	bool reduction;   /* the read of a red */
	bool rmw;         /* a write that forms an atom with the thread's last read */
	/* of a read: enum quiet. Of an atom: only its own write uses the value, and value[0] is the
	 * number of arrivals; -1: one more is expected in this phase */
	uint8_t quiet;
	bool none;  /* a write that turns out not to happen (failed cas) */
	bool maybe; /* a write that may or may not happen: not known yet */
	/* of a MAYBE: it happens if its cas reads value[1], and then writes value[0] */
	bool swaps;
	/* of the read of a cas: its thread does not come to this place again */
	bool once;
	/* an element that follows the event before it: the write of an atom or a copy */
	bool paired;
	uint8_t where; /* set of enum event_where, of accesses and fences */
	/* belongs to the same vector access as the event before it, and is unordered with that */
	bool element;
	/* out, from answer(): with this value, the read, so far relaxed, acquires (a successful
	 * wait) */
	bool acquires;
	/* of an access: its size is the program's choice (a copy's), so it may be torn, and a race
	 * with an access of another size is an ordinary race */
	bool sizeless;
	/* in, for answer(): there was only one write that this read could read from */
	bool only;
	/* set by the explorer: this is the piece at byte PART of an access of WHOLE bytes */
	uint8_t part, whole;
	/* barriers */
	bool arrive_only; /* arrives without waiting */
	bool wait_only;   /* PHASE: waits without arriving */
	bool unordered;   /* an arrival that orders no memory (barrier.cluster.arrive.relaxed) */
	uint8_t rule;     /* enum barrier_rule */
	uint32_t number, count; /* count 0: uncounted */
	uint64_t object;
	uint32_t helper; /* ISSUE: the thread */
	/* ISSUE: the operation releases, so acquiring from it also orders what came before it */
	bool releases;
	const void *payload;  /* ISSUE: the argument of start() */
	uint32_t spin_events; /* SPIN: events since the earlier state */
	uint32_t place;       /* instruction, for messages and may_write */
	uint64_t virt, phys;  /* addresses */
	/* NUMBER: [1] in: a predicate for bar.red; out, in answer(): see VOTES_TRUE. WARP,
	 * TOGETHER: [1] in: any value (number: the lane); out, once value_known: the address of 33
	 * numbers, the set of lanes that met and the value of each lane. */
	uint64_t value[2];
	const char *text; /* FAULT */
	bool unsupported; /* FAULT: valid PTX that the explorer does not support */
	/* in: this worker's scratch_size bytes for the program, 64-byte aligned */
	void *scratch;
};

/* The result of bar.red: the number of true predicates, whether all were true, whether any was. */
#define VOTES_TRUE(v) ((uint32_t)(v))
#define VOTES_ALL(v) ((v) >> 32 & 1)
#define VOTES_ANY(v) ((v) >> 33 & 1)

enum observable_kind { OBSERVE_REGISTER, OBSERVE_MEMORY };
struct observable {
	const char *name; /* as outcomes print it: "P1:r1", "x" */
	uint8_t kind, size;
	uint32_t thread, reg;
	uint64_t phys;
};

struct range {
	uint64_t phys, size;
	bool swaps; /* all that may still be written there is in reach.swap */
};

/* What a cas may still do: write VALUE where it reads OVER. */
struct swap {
	uint64_t phys, value, over;
	uint8_t size, scope;
};

/* Bytes of memory that a thread may still write. ANYWHERE: unknown, so RANGE does not count. */
struct reach {
	VEC(struct range) range;
	VEC(struct swap) swap;
	bool anywhere;
	uint32_t steps; /* that computing it took */
};

/* How much work the search did. With one worker it is deterministic, so tests notice an increase.
 */
enum explore_work {
	WORK_SEARCHES, /* started, including restarts with smaller pieces or with all orders */
	WORK_BRANCHES,
	WORK_CHOICES,
	WORK_READS,  /* examined with their candidates */
	WORK_ROUNDS, /* of running threads and completing barriers until nothing changes */
	WORK_STEPS,  /* of threads */
	WORK_REACHES,
	WORK_REACH_STEPS,
	WORK_LAST_WRITES, /* tried */
	WORK_CONFLICTS,   /* pairs examined for a race */
	WORK_COUNT
};

/* How fences are treated, to determine what they forbid: as written; fence.sc as .acq_rel; every
 * fence as .sc; none at all. */
enum explore_fences { FENCES_WRITTEN, FENCES_ACQ_REL, FENCES_SC, FENCES_NONE };

struct explore_program {
	uint32_t nthreads;
	/* the last NHELPERS threads are asynchronous operations, which start when another thread
	 * issues them */
	uint32_t nhelpers;
	const struct placement *place; /* [nthreads] */
	/* [nthreads] warp of each thread; NULL: each thread is a warp of its own */
	const uint32_t *warp;
	/* [nthreads] the stage of each thread: threads of a stage begin when all threads of earlier
	 * stages have ended, and see all that these have written; or NULL */
	const uint32_t *stage;
	uint32_t nstages;
	/* [nthreads] threads with the same number differ only in their identity, on which nothing
	 * depends (UINT32_MAX: no twins); or NULL */
	const uint32_t *twin;
	size_t state_size;   /* bytes of a thread's state, a multiple of 8 */
	size_t scratch_size; /* bytes of scratch memory for step */
	const struct observable *observable;
	uint32_t nobservables;
	/* some memory is reached through several virtual addresses or proxies */
	bool aliases;
	const void *client;
	/* NULL, or why the program is not explored: the fault of this thread at this place, which
	 * it reaches whatever the others do, unless it faults or waits forever before */
	const char *refusal;
	uint32_t refused_thread, refused_place;
	/* The callbacks are called from several host threads at once and must change only STATE. */
	void (*begin)(const struct explore_program *p, uint32_t thread, void *state);
	/* Like begin, for a thread whose stage begins now: it waits for no other. NULL without
	 * stages. */
	void (*resume)(const struct explore_program *p, uint32_t thread, void *state);
	/* Whether memory at PHYS lasts longer than the stage that uses it. NULL without stages. */
	bool (*lasts)(const struct explore_program *p, uint64_t phys);
	/* Initialises HELPER's state when it is issued. NULL without helpers. */
	void (*start)(
		const struct explore_program *p, uint32_t helper, void *state, const void *payload);
	/* Runs THREAD up to its next event or stop, and describes that in A, which is zeroed except
	 * for scratch. */
	void (*step)(
		const struct explore_program *p, uint32_t thread, void *state, struct action *a);
	/* Called after a read or a completed barrier: A as step filled it, with value_known and
	 * value. */
	void (*answer)(
		const struct explore_program *p, uint32_t thread, void *state, struct action *a);
	/* Whether THREAD, stopped at PLACE, may still write to SIZE bytes at PHYS; true when in
	 * doubt. */
	bool (*may_write)(const struct explore_program *p, uint32_t thread, uint32_t place,
		uint64_t phys, uint32_t size);
	/* Whether the access that THREAD makes at PLACE, whose address is not known yet, may touch
	 * SIZE bytes at PHYS. NULL: always. */
	bool (*may_touch)(const struct explore_program *p, uint32_t thread, uint32_t place,
		uint64_t phys, uint32_t size);
	/* More precise than may_write: fills OUT (zeroed) with all that THREAD, which stopped in
	 * STATE, may still write. Equal keys (below 2^63) have equal answers. NULL: not available.
	 */
	uint64_t (*reach_key)(const struct explore_program *p, uint32_t thread, void *state);
	void (*reach)(const struct explore_program *p, uint32_t thread, const void *state,
		void *scratch, struct reach *out);
	/* Whether no thread ever writes to any of SIZE bytes at PHYS; false when in doubt. NULL:
	 * never. */
	bool (*is_constant)(const struct explore_program *p, uint64_t phys, uint32_t size);
	/* Whether only threads of THREAD's CTA ever access any of SIZE bytes at AT, which THREAD
	 * accesses; SIZE 0: whether barrier object AT orders them alone, or all threads before all
	 * later ones. NULL: never. */
	bool (*is_inside)(
		const struct explore_program *p, uint32_t thread, uint64_t at, uint32_t size);
	/* Whether THREAD, when its QUIET_POLL at PLACE reads VALUE, only repeats the read and keeps
	 * no trace of VALUE. */
	bool (*asks_again)(const struct explore_program *p, uint32_t thread, uint32_t place,
		const uint64_t value[2], void *scratch);
	/* Whether some other thread may ever write to SIZE bytes at PHYS with a write that is not
	 * morally strong with a strong access of THREAD with scope SCOPE; true when in doubt. NULL:
	 * always. */
	bool (*may_race)(const struct explore_program *p, uint32_t thread, uint8_t scope,
		uint64_t phys, uint32_t size);
	/* Whether THREAD, at whatever position, may be a participant of the barrier. */
	bool (*may_arrive)(
		const struct explore_program *p, uint32_t thread, uint8_t rule, uint64_t object);
	void (*initial)(
		const struct explore_program *p, uint64_t phys, uint32_t size, uint64_t value[2]);
	uint64_t (*reg)(
		const struct explore_program *p, uint32_t thread, const void *state, uint32_t reg);
};

static inline bool explore_is_inside(
	const struct explore_program *p, uint32_t thread, uint64_t at, uint32_t size)
{
	return p->is_inside && p->is_inside(p, thread, at, size);
}

/* Accesses of SIZE bytes at PLACE are split into pieces of PIECE bytes, because smaller accesses
 * overlap them. */
struct explore_cut {
	uint32_t place;
	uint8_t size, piece;
};

/* Two instructions, the first of which writes, whose overlapping accesses of different sizes race;
 * the least such pair. */
struct explore_mixed {
	bool some;
	uint32_t thread[2], place[2];
};
/* Whether A is less than B, or B is empty. */
bool explore_mixed_less(const struct explore_mixed *a, const struct explore_mixed *b);
void explore_mixed_merge(struct explore_mixed *to, const struct explore_mixed *from);

#endif
