/* Single events of the viewer's file, and what its writer keeps. Internal to trace_chrome*.c. */
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
	struct map streams; /* that have a row */
	VEC(struct running) running;
};

/* An event of kind PHASE (one letter of the format) at TIME, in nanoseconds; the caller adds what
 * is missing, then calls chrome_end(). */
void chrome_start(
	struct trace *t, const char *name, char phase, uint64_t time, uint32_t pid, uint32_t row);
void chrome_end(struct trace *t);
/* Rows and processes are shown in the order of their numbers. */
void chrome_row(struct trace *t, uint32_t pid, uint32_t row, const char *name);
void chrome_process(struct trace *t, uint32_t pid, const char *name);
/* A span; COLOUR: one of the viewer's names, or NULL. The caller may add args, then calls
 * chrome_end(). */
void chrome_span(struct trace *t, const char *name, uint64_t from, uint64_t to, uint32_t pid,
	uint32_t row, const char *colour);
/* The two ends of arrow ID; each lies in a span of its row. */
void chrome_arrow_begins(
	struct trace *t, uint64_t id, const char *name, uint64_t time, uint32_t pid, uint32_t row);
void chrome_arrow_ends(
	struct trace *t, uint64_t id, const char *name, uint64_t time, uint32_t pid, uint32_t row);
/* "args" of what lanes MASK do at OP, without the closing brace. */
void chrome_args(struct trace *t, const struct op *op, uint32_t mask);

#endif
