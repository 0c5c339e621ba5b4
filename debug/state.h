/* What the processes of a session share, and what each of them has.
 *
 * The front process reads commands. Engines are processes that run the case: at any time one of
 * them, the runner, is where the user is, and the others are its earlier selves, asleep
 * (checkpoints). The session is in memory that all of them share; only one process at a time works
 * on it. */
#ifndef PTXI_DEBUG_STATE_H
#define PTXI_DEBUG_STATE_H
#include "debug/debug.h"
#include "debug/trail.h"
#include "interp/state/state.h"
#include <signal.h>
#include <string.h>
#include <sys/types.h>

enum { SLOTS = 40, STOPS = 64, LINE = 1024, HIT_TEXT = 512, CAPTURED = 1 << 20, STOP_INSNS = 32 };

/* SLOT_ENDS: its process was killed, and may still take what is written for the next one. */
enum slot_state { SLOT_FREE, SLOT_RUNNER, SLOT_CHECKPOINT, SLOT_ENDS };
struct slot {
	pid_t pid; /* 0: it has not started yet */
	uint8_t state;
	uint64_t step; /* CHECKPOINT: it is before this step */
};

enum stop_kind {
	STOP_PLACE,    /* an instruction */
	STOP_BARRIER,  /* a phase of a CTA's barrier is complete */
	STOP_MBARRIER, /* of an mbarrier */
	STOP_WRITE,
	STOP_READ,
	STOP_ACCESS, /* reads and writes */
	STOP_FINDING,
};
enum filter { FILTER_CTA = 1, FILTER_WARP = 2, FILTER_LANE = 4, FILTER_PHASE = 8 };
/* Elements of memory. */
struct place {
	const char *name, *shown;
	uint16_t space; /* W_global, W_shared, W_local, W_param */
	uint64_t address;
	uint32_t launch;
	uint64_t cta;              /* shared, local: whose */
	uint32_t warp, lanes;      /* local: of these threads */
	uint32_t lane;             /* the one of them that is read */
	uint8_t type;              /* of an element */
	uint64_t low, high, count; /* elements; COUNT: of all of it */
};

/* A breakpoint or watchpoint, as the user named it. */
struct stop {
	uint32_t number; /* 0: only for one search */
	uint8_t kind;    /* enum stop_kind */
	bool once;
	char what[LINE];   /* "23", "reduce.cu:12", "loop", "0", "bar[1]", "out[3]" */
	struct turn where; /* WRITE, READ: whose shared memory */
	struct turn only;  /* applies to this thread alone, as far as `filter` says */
	uint8_t filter;    /* set of enum filter */
	uint64_t phase;    /* FILTER_PHASE: of barriers and mbarriers */
	bool fixed;        /* WRITE, READ: of local memory, whose place was found once: */
	struct place place;
	uint32_t ninsns, insn[STOP_INSNS]; /* PLACE: instructions of the module */
};

/* What happened. */
struct hit {
	uint32_t stop; /* its number */
	uint64_t step;
	bool any;
	struct turn who;
	uint32_t insn;
	char text[HIT_TEXT];
};

enum order_kind { ORDER_RUN, ORDER_LOOK };
enum goal {
	GOAL_NONE,
	GOAL_WARP,      /* the focus executes the step */
	GOAL_NEXT,      /* the same, in the same function or a caller */
	GOAL_OUT,       /* in a caller */
	GOAL_LINE,      /* the focus executes the step, and is at another line of its source */
	GOAL_NEXT_LINE, /* the same, in the same function or a caller */
};
struct order {
	enum order_kind kind;
	char line[LINE]; /* LOOK: the command */
	/* RUN: */
	uint64_t until;
	bool stops; /* breakpoints count */
	bool last;  /* to UNTIL; reports the last step before it that would have stopped */
	bool mute;  /* nothing is printed */
	enum goal goal;
	uint32_t depth;      /* of the calls of the focus, for the goals */
	bool fresh;          /* stops count at the first step, too */
	bool resumes;        /* goes on with the order before, which was interrupted */
	struct stop *search; /* the only stop that counts, or NULL */
};

/* A line of the source, or of the PTX where that is not known, in one call. */
struct code_line {
	const void *file; /* NULL: the PTX */
	uint32_t line, depth;
};
/* A step that the focus executes, and its line. */
struct line_step {
	bool any;
	uint64_t step;
	struct code_line at;
};

enum reason {
	REASON_STEP, /* reached UNTIL or the goal */
	REASON_HIT,
	REASON_END,
	REASON_INTERRUPTED,
	REASON_REFUSED,
	REASON_GONE, /* the focus has exited */
};

/* Where the runner is. */
struct position {
	enum reason reason;
	uint64_t step;
	bool ended;       /* every instruction has executed */
	struct turn here; /* who executes the step */
	uint32_t mask;    /* its lanes */
	uint32_t depth;   /* its calls */
	bool leaves;      /* another warp may have the turn */
};

struct session {
	const struct debug_request *request;
	struct slot slot[SLOTS];
	uint32_t new_slot;
	volatile sig_atomic_t interrupted;
	struct order order;
	struct stop search;
	struct position at; /* where the runner is */
	struct hit hit, found;
	struct hit told; /* what the last command that ran stopped for */
	/* a search for the beginning of a line: the first and the last step of the focus */
	struct line_step first, last;
	char refused[HIT_TEXT];
	bool failed;     /* the command was rejected */
	uint32_t runner; /* its slot */
	int order_pipe[SLOTS][2], reply_pipe[2];
	int input; /* -1, or a file whose input interrupts the run */
	/* what would be printed, instead of that: text for a program that asks */
	bool captures;
	uint32_t ncaptured;
	char captured[CAPTURED];
	/* the user's */
	struct turn focus;
	uint32_t calls; /* the frame in focus is so many calls above the innermost */
	uint32_t nstops, numbers, list_line;
	struct stop stop[STOPS];
	uint32_t ntrail;
	struct trail_entry trail[TRAIL_MAX];
};

/* Prints TEXT, or captures it. */
static inline void session_out(struct session *s, const char *text, size_t n)
{
	if (!s->captures) {
		s->request->out(s->request->self, text, n);
		return;
	}
	if (n > CAPTURED - 1 - s->ncaptured)
		n = CAPTURED - 1 - s->ncaptured;
	memcpy(s->captured + s->ncaptured, text, n);
	s->ncaptured += (uint32_t)n;
	s->captured[s->ncaptured] = 0;
}

/* A stop of the session, ready to be compared. */
struct condition {
	const struct stop *stop;
	bool ready; /* PLACE is known */
	struct place place;
};

struct engine {
	struct session *s;
	struct director director;
	struct machine *machine;
	struct host_request host;
	struct report report;
	struct backend backend; /* before the engine wrapped its functions */
	/* --- where it is --- */
	uint64_t step, from;
	struct warp *w; /* about to execute OP for MASK; NULL: no warp runs */
	const struct op *op;
	uint32_t mask;
	bool may_leave;
	uint32_t next_entry; /* of the trail */
	bool refused, gone;
	VEC(struct cta *) ctas; /* that have begun and not ended */
	size_t shown;           /* bytes of the kernels' output that were printed */
	unsigned findings;      /* reported before this step */
	/* the registers in focus when the last command ran on from here; frame NULL: not known */
	unsigned char *regs;
	const struct frame *regs_frame;
	const struct code_func *regs_code;
	/* --- stops --- */
	struct condition condition[STOPS + 1];
	uint32_t nconditions;
	uint8_t *marked;               /* [module->ninsns] 1: some STOP_PLACE condition names it */
	const struct condition *wrote; /* the hit is a write to element WROTE_AT of it */
	uint64_t wrote_at;
	/* it is a cas, which writes nothing if the element is OLD afterwards: then the hit is the
	 * one before */
	bool wrote_maybe;
	unsigned char old[16];
	struct hit before;
	/* --- processes --- */
	uint32_t slot;
	double next_copy, copy_every; /* processor seconds */
	struct code_line line;        /* where the focus was when the order began, for GOAL_LINE */
	struct text out;
};

#endif
