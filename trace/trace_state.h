/* What the tracer's parts share: an event as trace.c understands it, the waits that are open, and
 * the two writers. Internal to trace*.c. */
#ifndef PTXI_TRACE_TRACE_STATE_H
#define PTXI_TRACE_TRACE_STATE_H
#include "base/map.h"
#include "interp/state/state.h"
#include "trace/trace.h"

struct copy;
struct chrome;

enum trace_kind {
	TRACE_RUN_BEGINS,
	TRACE_RUN_ENDS,
	TRACE_LAUNCH_BEGINS,
	TRACE_LAUNCH_ENDS,
	TRACE_CTA_BEGINS,
	TRACE_CTA_ENDS,
	TRACE_EXIT,
	TRACE_INIT,
	TRACE_INVAL,
	TRACE_ARRIVE,
	TRACE_EXPECT_TX,
	TRACE_COMPLETE_TX,
	TRACE_PHASE_FLIPS,
	TRACE_WAIT_BEGINS,
	TRACE_WAIT_ENDS,
	TRACE_WARP_SYNC,
	TRACE_FENCE,
	TRACE_PROXY_FENCE,
	TRACE_COPY_ISSUED,
	TRACE_COPY_LANDED,
	TRACE_COPIES_AWAITED,
	TRACE_ACCESS,
};

enum trace_object_kind {
	OBJECT_NONE,
	OBJECT_BARRIER,
	OBJECT_MBARRIER,
	OBJECT_CLUSTER,
	OBJECT_WARP
};
/* What is arrived at and waited for, as it is after the event. */
struct trace_object {
	uint8_t kind; /* enum trace_object_kind */
	/* in whose shared memory an mbarrier lies; rank 0 of a cluster */
	struct trace_cta *cta;
	uint32_t number;            /* barrier; offset of an mbarrier */
	uint64_t phase;             /* of the event: that ended, or is waited for */
	uint64_t word;              /* mbarrier.h */
	uint32_t arrived, expected; /* barriers: threads */
};

enum trace_outcome { WAIT_COMPLETE, WAIT_ABANDONED, WAIT_NEVER };
/* Lanes of a warp that wait. */
struct trace_wait {
	const struct warp *warp;
	const struct op *op;
	struct trace_object object;
	uint32_t lanes, all;  /* that still wait; that ever did */
	uint64_t begin, last; /* LAST: when they looked last */
	uint32_t row;         /* the writer's own */
};

/* A CTA that has begun and whose memory no other has taken since. */
struct trace_cta {
	const struct cta *cta;  /* may be gone once it has ended */
	uint64_t linear, ended; /* ENDED: 0 while it runs */
	struct launch *launch;
	uint32_t number; /* in the trace */
	VEC(struct trace_wait) wait;
	void *writer; /* the writer's own */
};

struct trace_event {
	enum trace_kind kind;
	uint64_t time;
	struct launch *launch;
	struct trace_cta *cta;   /* whose thread did it; NULL: runs, launches */
	const struct warp *warp; /* NULL: CTAs */
	const struct op *op;
	uint32_t mask;
	struct trace_object object;
	uint64_t count; /* arrivals, bytes, which groups of copies */
	enum sem sem;
	enum scope scope;
	const struct copy *copy;    /* issued or landed; that landing did this */
	struct trace_wait *wait;    /* WAIT_BEGINS, WAIT_ENDS */
	enum trace_outcome outcome; /* WAIT_ENDS */
	const struct access_event *access;
};

struct trace {
	FILE *out;
	enum trace_format format;
	bool atomics, failed;
	struct observer observer;
	struct machine *machine; /* the one that runs */
	uint32_t runs, ctas;
	/* where this machine's clock began in the trace; time of the last event */
	uint64_t base, now;
	uint64_t clock, steps; /* the machine's at the last event */
	/* lanes of one instruction come one by one and are told together */
	struct trace_event held;
	bool holding;
	struct map at; /* struct cta -> index in cta[] */
	VEC(struct trace_cta *) cta;
	struct text line; /* being written */
	struct chrome *chrome;
};

/* --- what writers ask (trace_show.c) --- */

extern const char *const trace_kind_name[];
uint32_t trace_line(const struct trace *t, const struct op *op);
/* The opcode of an instruction with its modifiers, as the source has it; *LEN its length. */
const char *trace_opcode(const struct trace *t, const struct op *op, size_t *len);
/* "bar[1]", "bar + 4" or "0x10": the shared variable at OFFSET, to OUT. */
void trace_variable(
	const struct trace *t, const struct trace_cta *c, uint32_t offset, struct text *out);
/* How the machine stands: "done", "deadlock", ... */
const char *trace_outcome_of(const struct machine *m);

/* --- to the file (trace_emit.c) --- */

void trace_emit(struct trace *t, const struct trace_event *e);
/* What T->line holds goes to the file. */
void trace_put(struct trace *t);

/* --- waits (trace_wait.c) --- */

/* Lanes that looked and were told to wait; that were told to go on; that exited or whose run is
 * over. They emit WAIT_BEGINS and WAIT_ENDS. */
void trace_waiting(struct trace *t, const struct trace_event *e);
void trace_waited(struct trace *t, const struct trace_event *e);
void trace_wait_over(struct trace *t, struct trace_cta *c, const struct warp *w, uint32_t mask,
	enum trace_outcome outcome);
/* All that wait for what E is about, of the lanes that ARRIVED[warp] has (NULL: all), go on. */
void trace_release(
	struct trace *t, const struct trace_event *e, struct trace_cta *c, const uint32_t *arrived);

/* --- writers --- */

void lines_event(struct trace *t, const struct trace_event *e);
void chrome_open(struct trace *t);
void chrome_event(struct trace *t, const struct trace_event *e);
/* C's memory is taken by another CTA, or the run is over: what is open ends. */
void chrome_forget(struct trace *t, struct trace_cta *c);
void chrome_close(struct trace *t);

#endif
