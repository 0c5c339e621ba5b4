/* Explores a case of a PTX file or a litmus test: for `ptxi explore`, and for `ptxi check` if the
 * case has allow, forbid or always or the file is a .litmus file. */
#ifndef PTXI_SCRIPT_EXPLORER_H
#define PTXI_SCRIPT_EXPLORER_H
#include "explore/search/part.h"
#include "picture/picture.h"
#include "script/host/host.h"
#include "script/lang/program.h"

/* time limit of check without --timeout; explore has none */
enum { EXPLORER_JUDGE_SECONDS = 60 };

struct explorer_request {
	/* PTX, assembled and resolved; or PROGRAM_LITMUS, with its text in program->source */
	struct program *program;
	struct script_case *in; /* NULL for litmus */
	struct run_options options;
	unsigned jobs;
	const char *graph;       /* --graph=FILE.dot, or NULL */
	struct picture *picture; /* or NULL, to which the executions are added */
	const char *why;         /* --why=COND ("" means every condition of the case), or NULL */
	bool semantic_deps;      /* --deps=semantic */
	bool verify;             /* --verify */
	bool stats;              /* end the listing with statistics of the search */
	bool any_grid; /* --any-grid: a proof for each launch instead of a search; PTX only */
	/* verbose: list one execution per outcome, however many outcomes there are; judge: as check
	 * does, findings fail the case */
	bool verbose, judge;
	/* litmus: also report races and stuck threads as findings, not only in the listing */
	bool records;
	/* as in struct explore_options: one part of the search, its result as text, and results to
	 * join */
	uint32_t shard, shards;
	struct text *part;
	struct explore_parts *parts;
	/* or NULL: asked about every new outcome, its values as in struct outcome, each followed by
	 * a semicolon, and which of the conditions are true in it; true ends the exploration at
	 * once
	 */
	bool (*enough)(void *arg, const char *values, const bool *condition);
	void *enough_arg;
	/* as in struct explore_options, or NULL */
	void (*progress)(void *self, uint64_t executions, uint64_t outcomes, double part);
	void *self;
};
/* Fills OUT: state, outcomes, conditions, executions, findings, status, verdict and reason. */
void explorer_run(const struct explorer_request *r, struct report *out);

#endif
