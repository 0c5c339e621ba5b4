/* Shared by the parts of the tracer: events, open waits, and the interface of the two writers.
 * Internal to trace*.c. */
#ifndef PTXI_TRACE_TRACE_STATE_H
#define PTXI_TRACE_TRACE_STATE_H
#include "base/map.h"
#include "interp/state/state.h"
#include "trace/trace.h"

struct copy;
struct chrome;
struct recording;

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
/* A synchronisation object, in its state after the event. */
struct trace_object {
	uint8_t kind; /* enum trace_object_kind */
	/* mbarrier: the CTA whose shared memory contains it; cluster barrier: rank 0 */
	struct trace_cta *cta;
	uint32_t number; /* number of a barrier; offset of an mbarrier */
	uint64_t phase;  /* the phase that the event belongs to; for a wait, the phase waited for */
	uint64_t word;   /* mbarrier: its state, see mbarrier.h */
	uint32_t arrived, expected; /* barriers: threads */
};

enum trace_outcome { WAIT_COMPLETE, WAIT_ABANDONED, WAIT_NEVER };
/* A wait of lanes of one warp that began together. */
struct trace_wait {
	const struct warp *warp;
	const struct op *op;
	uint32_t user_call; /* of the frame */
	struct trace_object object;
	uint32_t lanes, all;  /* lanes that still wait; all lanes of the wait */
	uint64_t begin, last; /* LAST: time of the last poll */
	uint32_t row;         /* used by the writer */
};

/* A CTA that has begun and whose struct cta has not been reused by another one. */
struct trace_cta {
	const struct cta *cta;  /* may be invalid after it has ended */
	uint64_t linear, ended; /* ENDED: 0 while it runs */
	struct launch *launch;
	uint32_t number; /* in the trace */
	VEC(struct trace_wait) wait;
	void *writer; /* used by the writer */
};

struct trace_event {
	enum trace_kind kind;
	uint64_t time;
	struct launch *launch;
	struct trace_cta *cta;   /* CTA of the thread; NULL for runs and launches */
	const struct warp *warp; /* NULL for CTAs */
	const struct op *op;
	uint32_t user_call; /* of the frame in which OP ran */
	uint32_t mask;
	struct trace_object object;
	uint64_t count; /* arrivals, bytes, or the kind of copy groups */
	enum sem sem;
	enum scope scope;
	/* the copy that was issued or landed, or whose landing caused the event */
	const struct copy *copy;
	struct trace_wait *wait;    /* WAIT_BEGINS, WAIT_ENDS */
	enum trace_outcome outcome; /* WAIT_ENDS */
	const struct access_event *access;
};

struct trace {
	FILE *out;
	enum trace_format format;
	bool atomics, failed;
	struct observer observer;
	struct machine *machine; /* the current machine */
	uint32_t runs, ctas;
	/* trace time at which this machine's clock started; time of the last event */
	uint64_t base, now;
	uint64_t clock, steps; /* the machine's values at the last event */
	/* lanes of one instruction are reported one by one, and merged into one event */
	struct trace_event held;
	bool holding;
	struct map at; /* struct cta -> index in cta[] */
	VEC(struct trace_cta *) cta;
	struct text line; /* text not yet written */
	struct chrome *chrome;
	struct recording *recording; /* TRACE_PICTURE: trace_record.h */
	struct trace *next;
};

/* --- helpers of the writers (trace_show.c) --- */

extern const char *const trace_kind_name[];
/* Writes the keys of OP's place: "line" of the PTX, and "source" if that is known. */
void trace_place(struct trace *t, const struct op *op, uint32_t user_call);
/* The opcode of an instruction with its modifiers, as written in the source; *LEN is its length. */
const char *trace_opcode(const struct trace *t, const struct op *op, size_t *len);
/* Appends the shared variable at OFFSET: "bar[1]", "bar + 4" or "0x10". */
void trace_variable(
	const struct trace *t, const struct trace_cta *c, uint32_t offset, struct text *out);
/* The state of the machine: "done", "deadlock", ... */
const char *trace_outcome_of(const struct machine *m);

/* --- output (trace_emit.c) --- */

/* Passes an event to the writer, and writes its text to the file. */
void trace_emit(struct trace *t, const struct trace_event *e);
/* Writes T->line to the file and clears it. */
void trace_put(struct trace *t);

/* --- waits (trace_wait.c) --- */

/* Called for lanes whose poll failed, whose poll succeeded, and which exited or whose run ended.
 * These functions emit WAIT_BEGINS and WAIT_ENDS. */
void trace_waiting(struct trace *t, const struct trace_event *e);
void trace_waited(struct trace *t, const struct trace_event *e);
void trace_wait_over(struct trace *t, struct trace_cta *c, const struct warp *w, uint32_t mask,
	enum trace_outcome outcome);
/* Ends the waits for the object of E by the lanes in ARRIVED[warp], or by all lanes if ARRIVED is
 * NULL. */
void trace_release(
	struct trace *t, const struct trace_event *e, struct trace_cta *c, const uint32_t *arrived);

/* --- writers --- */

void record_open(struct trace *t);
void picture_event(struct trace *t, const struct trace_event *e);
void record_close(struct trace *t);
void lines_event(struct trace *t, const struct trace_event *e);
void chrome_open(struct trace *t);
void chrome_event(struct trace *t, const struct trace_event *e);
/* Closes everything that is open in C, because its struct cta is reused or the run is over. */
void chrome_close_cta(struct trace *t, struct trace_cta *c);
void chrome_close(struct trace *t);
extern const char chrome_ending[]; /* what completes the file */

#endif
