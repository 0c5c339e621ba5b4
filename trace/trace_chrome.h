/* Single events of a viewer's trace, and the state of its writer. Internal to trace_chrome*.c. */
#ifndef PTXI_TRACE_TRACE_CHROME_H
#define PTXI_TRACE_TRACE_CHROME_H
#include "trace/trace_state.h"

/* A launch that has not ended. */
struct running {
	struct launch *launch;
	uint64_t begin;
};
struct chrome {
	bool any;
	uint64_t arrows;
	struct map streams; /* streams that have a row */
	VEC(struct running) running;
};

/* Starts an event of type PHASE (a letter of the trace event format) at TIME, in nanoseconds. The
 * caller appends further fields and calls chrome_end(). */
void chrome_start(
	struct trace *t, const char *name, char phase, uint64_t time, uint32_t pid, uint32_t row);
void chrome_end(struct trace *t);
/* Name a row and a process. Viewers show them in the order of their numbers. */
void chrome_row(struct trace *t, uint32_t pid, uint32_t row, const char *name);
void chrome_process(struct trace *t, uint32_t pid, const char *name);
/* Starts a span; COLOUR is a colour name of the viewer, or NULL. The caller may append args and
 * calls chrome_end(). */
void chrome_span(struct trace *t, const char *name, uint64_t from, uint64_t to, uint32_t pid,
	uint32_t row, const char *colour);
/* Write the two ends of arrow ID. Each must lie within a span of its row. */
void chrome_arrow_begins(
	struct trace *t, uint64_t id, const char *name, uint64_t time, uint32_t pid, uint32_t row);
void chrome_arrow_ends(
	struct trace *t, uint64_t id, const char *name, uint64_t time, uint32_t pid, uint32_t row);
/* Appends "args" for lanes MASK executing OP, without the closing brace. */
void chrome_args(struct trace *t, const struct op *op, uint32_t user_call, uint32_t mask);

#endif
