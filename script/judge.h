/* Judges a case: expectations, findings, outcomes. */
#ifndef PTXI_SCRIPT_JUDGE_H
#define PTXI_SCRIPT_JUDGE_H
#include "script/args.h"
#include "script/expr.h"
#include "script/host.h"

/* Memory of one object as the host last read it. */
struct snapshot {
	unsigned char *bytes, *defined;
	bool unreadable;
};

/* A case that is running. */
struct host {
	const struct host_request *request;
	struct report *report;
	struct report *outcomes;  /* where outcomes and conditions are gathered: the report, or the one of all runs */
	struct run_options options;
	struct backend backend;
	struct args_context args;
	struct snapshot *snapshot; /* by object */
	bool queued;              /* something is not waited for yet */
	bool stopped;             /* nothing more is launched */
	bool broken;              /* a line could not be carried out */
};

/* Waits for all that is queued; false when the machine has stopped, now or before. */
bool host_sync(struct host *h);
const struct snapshot *host_snapshot(struct host *h, int object);
/* One execution. FINAL runs at its end, while memory can still be read. */
void host_execute(struct host *h, void (*final)(struct host *h, void *arg), void *arg);
/* RUNS executions with seeds one after another; the first with findings lends them to the report. (many.c) */
void host_execute_many(struct host *h, uint64_t runs);
/* For expressions over the memory as it is now. */
struct eval host_eval(struct host *h);

/* An expect line with an expression or with prints: a finding X... when it does not hold. */
void judge_expectation(struct host *h, const struct stmt *t);
/* Names what an outcome shows. */
void judge_prepare(struct host *h);
/* What an outcome of R shows, [R->nstate] JSON values, as E finds them; in E's arena. */
const char **judge_state(const struct report *r, struct eval *e);
/* Outcome O was seen, and C's condition is TRUTH there. */
void judge_seen(struct judged_condition *c, bool truth, struct outcome *o);
/* The state at the end of one execution. */
void judge_outcome(struct host *h, void *unused);
/* Takes what one of many executions found into the report of all. */
void judge_merge(struct report *whole, struct report *one);
/* The same for a report of several executions: outcomes and conditions too. */
void judge_join(struct report *whole, struct report *some);
/* Whether R has a warning that no line of IN expects: it is shown, although the case passes. */
bool judge_warned(const struct report *r, const struct script_case *in);
/* The verdict, the reason and the status. */
void judge_case(struct host *h);

#endif
