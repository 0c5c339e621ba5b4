/* The file of run --trace. */
#ifndef PTXI_SCRIPT_TRACE_FILE_H
#define PTXI_SCRIPT_TRACE_FILE_H
#include "script/lang/options.h"
#include <stdio.h>

struct trace_file {
	const char *path;
	FILE *file;
	struct trace *trace;
};

/* Makes the file before anything runs, so that what cannot be written is said at once, and names
 * the trace in OPTIONS. A PATH that ends in .json gets what viewers read, others JSON lines; "-" is
 * standard output; none of the N INPUTs is overwritten. False after a report. */
bool trace_file_open(struct trace_file *t, const char *path, bool atomics,
	const char *const *inputs, uint32_t n, struct run_options *options, struct diags *diags);
/* False after a report: not everything could be written. */
bool trace_file_close(struct trace_file *t, struct diags *diags);

#endif
