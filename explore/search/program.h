/* What the explorer asks of a program: a fixed number of threads, each a deterministic function of
 * the values that its reads return. The explorer advances a thread until it ends or needs a value;
 * registers hold a value or are unknown, and an instruction with an unknown input gives an unknown
 * result. A thread is replayed from its first unresolved read when that read is resolved, so a
 * state is plain bytes that may be copied. */
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
	ACTION_ISSUE, /* begins an asynchronous operation, helper HELPER */
	/* The remaining ones make no event; the thread stops. */
	ACTION_STALL, /* needs a value that is not known: a branch, a guard */
	ACTION_END,
	/* came back to an earlier state since which it wrote nothing, or only, by atoms, what they
	   had read */
	ACTION_SPIN,
	ACTION_BOUND, /* a loop went round too often */
	ACTION_FAULT  /* the program did something that has no meaning; text says what */
};

/* What makes a barrier complete. OBJECT below tells barriers apart; participants are the threads
 * for which may_arrive(object) holds and that have not ended. */
enum barrier_rule {
	BARRIER_SITE, /* .litmus: OBJECT is a static place in a CTA; uncounted: all participants,
		       * who then meet by NUMBER; counted: opens when COUNT have come to NUMBER, and
		       * stays open, who comes later comes after them */
	/* PTX bar, barrier: OBJECT is a barrier of a CTA, used phase after phase; counted by warps
	   of 32 threads; uncounted: all participants */
	BARRIER_NUMBER,
	/* bar.warp.sync: all participants; the n-th execution of one meets the n-th of the
	 * others */
	BARRIER_WARP,
	/* lanes that execute an instruction: any of those that are there go on together, or wait
	   for more; COUNT not 0: who goes on may come again */
	BARRIER_TOGETHER,
	BARRIER_PHASE /* arrivals and waits apart (barrier.cluster; one kernel after another): a
		       * wait completes when COUNT threads, or all participants, have arrived as
		       * often as it has waited */
};

/* Reads of which little depends on the value. QUIET_ATOM and up: atoms that commute with those of
 * the same number. INIT: no read, but the write of an mbarrier.init, and the fence that orders
 * these alone: for who waits at a relaxed barrier.cluster. */
enum quiet {
	QUIET_NOT,
	/* of an mbarrier: only whether the phase is over; a no leaves no trace, and it asks again
	 */
	QUIET_WAIT,
	QUIET_POLL /* may be such a wait: asks_again() says */,
	QUIET_ATOM,
	QUIET_MBARRIER = QUIET_ATOM,
	QUIET_INTEGER
};

/* Filled by the program; a read's value_known and value are filled by the explorer for `answer`. */
struct action {
	uint8_t kind, sem, scope, proxy, size;
	bool address_known;
	bool value_known; /* of a write: value holds. of a read, answered: value holds */
	bool reduction;   /* the read of a red */
	bool rmw;         /* a write that belongs to the thread's last read */
	/* of a read: nobody uses its value but the write of its atom, which commutes with others of
	 * the same number (enum quiet); value[0]: arrivals */
	uint8_t quiet;
	bool none;  /* a write that does not happen after all (failed cas) */
	bool maybe; /* a write of which it is not known yet whether it happens */
	/* an element that comes after the event before it: the write of an atom or a copy */
	bool paired;
	uint8_t where; /* set of enum event_where, of accesses and fences */
	/* belongs to the same vector access as the event before, with which it has no order */
	bool element;
	/* out, of answer(): what this read saw makes it acquire nothing (a wait that says no) */
	bool relax;
	/* of an access: its size is the program's choice (a copy's), so it may be torn and races
	 * with accesses of other sizes like any other */
	bool sizeless;
	/* in, of answer(): there was one write that this read could read from */
	bool only;
	/* the explorer's: the access is the piece at byte PART of one of WHOLE bytes */
	uint8_t part, whole;
	/* barriers */
	bool arrive_only; /* does not wait */
	bool wait_only;   /* PHASE: a wait */
	bool unordered;   /* an arrival that orders nothing (barrier.cluster.arrive.relaxed) */
	uint8_t rule;     /* enum barrier_rule */
	uint32_t number, count; /* count 0: uncounted */
	uint64_t object;
	uint32_t helper; /* ISSUE: the thread */
	/* ISSUE: the operation releases, so who acquires from it gets what came before it, too */
	bool releases;
	const void *payload;  /* ISSUE: what start() gets */
	uint32_t spin_events; /* SPIN: events since the earlier state */
	uint32_t place;       /* instruction, for messages and may_write */
	uint64_t virt, phys;  /* addresses */
	/* NUMBER: [1] is a predicate in, for bar.red; VOTES_TRUE and so on out, in answer(). WARP,
	 * TOGETHER: [1] is any value in (number: the lane); out, once value_known, the address of
	 * 33 numbers: the set of lanes that met, and what each brought. */
	uint64_t value[2];
	const char *text; /* FAULT */
	bool unsupported; /* FAULT: valid PTX that the explorer does not know */
	/* in: the program's scratch_size bytes, 64-byte aligned, of this worker */
	void *scratch;
};

/* What bar.red gives its participants: how many predicates were true, whether all, whether any. */
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
};

/* Bytes of memory that a thread may still write; ANYWHERE: not even the ranges say it. */
struct reach {
	VEC(struct range) range;
	bool anywhere;
	uint32_t steps; /* that it took to find out */
};

/* How much the search did: with one worker always the same, so a test notices when it became more.
 */
enum explore_work {
	WORK_SEARCHES, /* begun: again with smaller pieces, or with all orders */
	WORK_BRANCHES,
	WORK_CHOICES,
	WORK_READS,  /* looked at, with what they could read from */
	WORK_ROUNDS, /* of threads and barriers, until nothing moved */
	WORK_STEPS,  /* of threads */
	WORK_REACHES,
	WORK_REACH_STEPS,
	WORK_LAST_WRITES, /* tried */
	WORK_CONFLICTS,   /* of which it was asked whether they race */
	WORK_COUNT
};

/* What fences count as, for asking what they forbid: as written; each fence.sc as if .acq_rel;
 * every fence as if .sc; none at all. */
enum explore_fences { FENCES_WRITTEN, FENCES_ACQ_REL, FENCES_SC, FENCES_NONE };

struct explore_program {
	uint32_t nthreads;
	/* the last so many threads are asynchronous operations, that begin when another thread
	 * issues them */
	uint32_t nhelpers;
	const struct placement *place; /* [nthreads] */
	const uint32_t *warp;          /* [nthreads] warp of each thread, or NULL: each its own */
	/* [nthreads] threads of one number are alike but for their identity, which nobody looks at
	 * (UINT32_MAX: like none), or NULL */
	const uint32_t *twin;
	size_t state_size;   /* bytes of a thread's state, a multiple of 8 */
	size_t scratch_size; /* bytes that step may use as it likes */
	const struct observable *observable;
	uint32_t nobservables;
	/* some memory is reached through several virtual addresses or proxies */
	bool aliases;
	const void *client;
	/* All callbacks are called from several host threads at once; they change nothing but
	 * STATE. */
	void (*begin)(const struct explore_program *p, uint32_t thread, void *state);
	/* HELPER's state when it is issued. NULL without helpers. */
	void (*start)(
		const struct explore_program *p, uint32_t helper, void *state, const void *payload);
	/* Runs THREAD up to its next event or stop, and says what that is; A comes zeroed but for
	 * scratch. */
	void (*step)(
		const struct explore_program *p, uint32_t thread, void *state, struct action *a);
	/* After a read, or a completed barrier: A as step filled it, with value_known and value. */
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
	/* Closer than may_write: OUT (zeroed) becomes all that THREAD, which stopped in STATE, may
	 * still write. Equal keys (under 2^63) have equal answers. NULL: unknown. */
	uint64_t (*reach_key)(const struct explore_program *p, uint32_t thread, void *state);
	void (*reach)(const struct explore_program *p, uint32_t thread, const void *state,
		void *scratch, struct reach *out);
	/* Whether THREAD, when its QUIET_POLL at PLACE reads VALUE, does nothing but read again,
	 * with no trace of it. */
	bool (*asks_again)(const struct explore_program *p, uint32_t thread, uint32_t place,
		const uint64_t value[2], void *scratch);
	/* Whether some other thread may ever write there without being morally strong with a strong
	 * access of THREAD of scope SCOPE; true when in doubt. NULL: always. */
	bool (*may_race)(const struct explore_program *p, uint32_t thread, uint8_t scope,
		uint64_t phys, uint32_t size);
	/* Whether THREAD, wherever it is, may belong to the participants of a barrier. */
	bool (*may_arrive)(
		const struct explore_program *p, uint32_t thread, uint8_t rule, uint64_t object);
	void (*initial)(
		const struct explore_program *p, uint64_t phys, uint32_t size, uint64_t value[2]);
	uint64_t (*reg)(
		const struct explore_program *p, uint32_t thread, const void *state, uint32_t reg);
};

/* Accesses of SIZE bytes at PLACE are made in pieces of PIECE bytes, since smaller ones overlap
 * them. */
struct explore_cut {
	uint32_t place;
	uint8_t size, piece;
};

/* Two instructions, the first of which writes, whose accesses overlap, are of different sizes, and
 * race; the least of all. */
struct explore_mixed {
	bool some;
	uint32_t thread[2], place[2];
};
/* Whether A is less than B, or B nothing. */
bool explore_mixed_less(const struct explore_mixed *a, const struct explore_mixed *b);
void explore_mixed_merge(struct explore_mixed *to, const struct explore_mixed *from);

#endif
