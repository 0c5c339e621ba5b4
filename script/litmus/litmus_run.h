/* `ptxi run FILE.litmus`: a litmus test executed many times, on the interpreter an instance a run,
 * on a GPU through the harness; what came is compared with what the explorer allows, and the test's
 * condition is judged over it. */
#ifndef PTXI_SCRIPT_LITMUS_RUN_H
#define PTXI_SCRIPT_LITMUS_RUN_H
#include "script/host/host.h"
#include "script/lang/program.h"

struct litmus_request {
	struct program *program; /* PROGRAM_LITMUS: program->source has the text */
	struct run_options options;
	unsigned jobs;
	bool verbose;
};
/* Fills OUT: state, outcomes (with allowed), conditions, executions, placement, findings, status,
 * verdict, reason, and as listing litmus7's histogram. */
void litmus_run(const struct litmus_request *r, struct report *out);
/* A line an outcome: file, placement, outcome as a JSON object, count, allowed (yes, no, or unknown
 * when exploration had no end); a case that did not run has the placement "-" and the reason
 * instead, a kernel that was launched as it stands has none. */
void litmus_tsv(const char *name, const struct report *r, struct text *out);

#endif
