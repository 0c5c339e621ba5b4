/* The tracer: writes every synchronisation event of a run as JSON lines (trace_lines.c) or in the
 * format of trace viewers (trace_chrome.c; Chrome's Trace Viewer, Perfetto). docs/TRACE.md
 * describes the fields. One trace may cover several machines in sequence (--runs, several
 * cases). */
#ifndef PTXI_TRACE_TRACE_H
#define PTXI_TRACE_TRACE_H
#include <stdbool.h>
#include <stdio.h>

struct machine;
struct trace;

enum trace_format { TRACE_LINES, TRACE_CHROME };

/* A trace that writes to OUT, which the caller closes, for machine_options.trace. ATOMICS: include
 * atomic and other strong accesses to memory. */
struct trace *trace_new(FILE *out, enum trace_format format, bool atomics);
/* Writes everything so far to OUT, and returns the text that would complete it. */
const char *trace_pause(struct trace *t);
/* Ends the trace and frees it. False if not everything could be written to OUT. */
bool trace_free(struct trace *t);

/* trace_install() is called for a new machine, and adds the observer if its options name a trace.
 * trace_uninstall() is called before machine_free(), when the run is over for any reason. */
void trace_install(struct machine *m);
void trace_uninstall(struct machine *m);

#endif
