/* The tracer: every synchronisation event as text, JSON lines or the events of a Chrome trace (Perfetto, chrome://tracing): a row a warp, a row an mbarrier or
 * barrier with its phases as spans. */
#ifndef PTXI_INTERP_TRACE_H
#define PTXI_INTERP_TRACE_H
#include "interp/state.h"

/* Adds the observer when the options ask for a trace. */
void trace_install(struct machine *m);
void trace_free(struct machine *m);

#endif
