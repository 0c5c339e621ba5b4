/* The tracer: every synchronisation event of a run, as JSON lines (trace_lines.c) or as the events
 * that trace viewers read (trace_chrome.c: Chrome's Trace Viewer, Perfetto). docs/TRACE.md has the
 * fields. One trace may see several machines, one after the other (--runs, several cases). */
#ifndef PTXI_TRACE_TRACE_H
#define PTXI_TRACE_TRACE_H
#include <stdbool.h>
#include <stdio.h>

struct machine;
struct trace;

enum trace_format { TRACE_LINES, TRACE_CHROME };

/* Writes to OUT, which the caller closes; ATOMICS: atomic and other strong accesses to memory, too.
 * machine_options.trace takes it. */
struct trace *trace_new(FILE *out, enum trace_format format, bool atomics);
/* Writes the end. False when OUT did not take everything. */
bool trace_free(struct trace *t);

/* For a machine that was just made: adds the observer when its options name a trace. Before
 * machine_free(): the run is over, for whatever reason. */
void trace_install(struct machine *m);
void trace_uninstall(struct machine *m);

#endif
