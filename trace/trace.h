/* The tracer: writes every synchronisation event of a run as JSON lines (trace_lines.c) or in the
 * format of trace viewers (trace_chrome.c; Chrome's Trace Viewer, Perfetto), or draws them
 * (trace_picture.c). docs/TRACE.md describes the fields. One trace may cover several machines in
 * sequence (--runs, several cases). */
#ifndef PTXI_TRACE_TRACE_H
#define PTXI_TRACE_TRACE_H
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

struct machine;
struct picture;
struct trace;

enum trace_format { TRACE_LINES, TRACE_CHROME, TRACE_PICTURE };

/* A trace that writes to OUT, which the caller closes, for machine_options.trace. ATOMICS: include
 * atomic and other strong accesses to memory. */
struct trace *trace_new(FILE *out, enum trace_format format, bool atomics);
/* A machine may have several: NEXT, which may be NULL, follows T in machine_options.trace. */
void trace_chain(struct trace *t, struct trace *next);
/* TRACE_PICTURE, which writes nothing to a file: a case begins, whose NAME outlives it and that is
 * run RUNS times; it has ended, and its picture is added to OUT: of the first run with a finding,
 * or of the first run. */
void trace_case_begins(struct trace *t, const char *name, uint64_t runs);
void trace_case_ends(struct trace *t, struct picture *out);
/* Writes everything so far to OUT, and returns the text that would complete it. */
const char *trace_pause(struct trace *t);
/* Ends the trace and frees it. False if not everything could be written to OUT. */
bool trace_free(struct trace *t);

/* trace_install() is called for a new machine, and adds the observer if its options name a trace.
 * trace_uninstall() is called before machine_free(), when the run is over for any reason. */
void trace_install(struct machine *m);
void trace_uninstall(struct machine *m);

#endif
