/* The output file of run --trace. */
#ifndef PTXI_SCRIPT_TRACE_FILE_H
#define PTXI_SCRIPT_TRACE_FILE_H
#include "script/lang/options.h"
#include <stdio.h>

struct trace_file {
	const char *path;
	FILE *file;
	struct trace *trace;
};

/* Creates the file before anything runs, so that errors are reported at once, and stores the trace
 * in OPTIONS. If PATH ends in .json, the file has the format that trace viewers read, otherwise
 * JSON lines; "-" is standard output. Refuses to overwrite one of the N INPUTS. On failure reports
 * it and returns false. */
bool trace_file_open(struct trace_file *t, const char *path, bool atomics,
	const char *const *inputs, uint32_t n, struct run_options *options, struct diags *diags);
/* Writes what the trace has so far. Returns the file's descriptor; *ENDING: what completes it, for
 * a handler that ends the process. */
int trace_file_pause(struct trace_file *t, const char **ending);
/* If not everything could be written, reports that and returns false. */
bool trace_file_close(struct trace_file *t, struct diags *diags);

#endif
