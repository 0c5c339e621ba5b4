/* `ptxi run FILE.litmus`: executes a litmus test many times, on the interpreter with one instance
 * per run, on a GPU in the harness. The outcomes are compared with those that the explorer finds,
 * and the test's condition is judged on them. */
#ifndef PTXI_SCRIPT_LITMUS_RUN_H
#define PTXI_SCRIPT_LITMUS_RUN_H
#include "script/host/host.h"
#include "script/lang/program.h"

struct litmus_request {
	struct program *program; /* PROGRAM_LITMUS, with its text in program->source */
	struct run_options options;
	unsigned jobs;
	bool verbose;
	void (*ran)(void *self); /* as in struct host_request */
	void *self;
};
/* Fills OUT: state, outcomes (with allowed), conditions, executions, placement, findings, status,
 * verdict and reason; the listing is a histogram in the form of litmus7. */
void litmus_run(const struct litmus_request *r, struct report *out);
/* Appends one line per outcome: file, placement, outcome as a JSON object, count, and allowed (yes,
 * no, or unknown if the exploration was incomplete). A case that did not run has the placement "-"
 * and the reason in place of the outcome; a case that ran without the harness has an empty
 * placement. */
void litmus_tsv(const char *name, const struct report *r, struct text *out);

#endif
