/* Interface of `ptxi explore`, and of `ptxi check` for a case with allow, forbid or always and for
 * a .litmus file. */
#ifndef PTXI_SCRIPT_EXPLORER_H
#define PTXI_SCRIPT_EXPLORER_H
#include "script/host/host.h"
#include "script/lang/program.h"

/* check explores no longer than this unless told; explore goes on */
enum { EXPLORER_JUDGE_SECONDS = 60 };

struct explorer_request {
	/* PTX, assembled and resolved; or PROGRAM_LITMUS: program->source has the text */
	struct program *program;
	struct script_case *in; /* NULL for litmus */
	struct run_options options;
	unsigned jobs;
	const char *graph;  /* --graph=FILE.dot, or NULL */
	const char *why;    /* --why=COND ("": every condition of the case), or NULL */
	bool semantic_deps; /* --deps=semantic */
	bool verify;        /* --verify */
	bool stats;         /* the listing ends with how much the search did */
	/* one execution for each outcome, however many; check: findings fail the case */
	bool verbose, judge;
	/* litmus: races and stuck threads are wanted as findings, too, not in the listing alone */
	bool records;
	void (*progress)(void *self, uint64_t executions); /* on a terminal, or NULL */
	void *self;
};
/* Fills OUT: state, outcomes, conditions, executions, findings, status, verdict and reason. */
void explorer_run(const struct explorer_request *r, struct report *out);

#endif
