/* Judges a case: expectations, findings, outcomes. */
#ifndef PTXI_SCRIPT_JUDGE_H
#define PTXI_SCRIPT_JUDGE_H
#include "script/args.h"
#include "script/expr.h"
#include "script/host.h"

/* Memory of one object as the host last read it: SIZE bytes from FIRST on. */
struct snapshot {
	unsigned char *bytes, *defined;
	uint64_t first, size;
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
	uint64_t looks;           /* elements read */
	bool late;                /* time was over outside of kernels, or the user interrupted */
	const struct stmt *at;    /* the line that is carried out */
};

/* Waits for all that is queued; false when the machine has stopped, now or before. */
bool host_sync(struct host *h);
/* Whether the machine has ended with a finding that says why, so that its memory cannot be read: the host has then no more to say. */
bool host_lost(struct host *h);
/* With bytes OFFSET to OFFSET + N - 1 of the object, or unreadable. */
const struct snapshot *host_snapshot(struct host *h, int object, uint64_t offset, uint64_t n);
/* Whether the time is over or the user wants an end; says so the first time. Loops over elements ask once in HOST_LOOK of them. */
bool host_late(struct host *h);
enum { HOST_LOOK = 1 << 12 };
/* One execution. FINAL runs at its end, while memory can still be read. */
void host_execute(struct host *h, void (*final)(struct host *h, void *arg), void *arg);
/* RUNS executions with seeds one after another; the first with findings lends them to the report. (many.c) */
void host_execute_many(struct host *h, uint64_t runs);
/* The case again under other schedules and memories, unless it asks for one itself; what only these find goes to the report. (seeds.c) */
void host_execute_seeds(struct host *h);
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
/* Whether a run before has a finding of the code and place of record D. */
bool judge_has(const struct report *whole, const struct diag *d);
/* Adds a copy of record D. */
struct diag *judge_copy(struct report *whole, const struct diag *d);
/* Whether no line of the case expects record D, so that it fails the case; whether one does. */
bool judge_is_failure(const struct host *h, const struct diag *d);
bool judge_is_expected(const struct host *h, const struct diag *d);
/* Whether every finding that a line of the case expects is in the report. */
bool judge_all_found(const struct host *h);
/* An expected finding that has not come because --check leaves out what would find it, or -W turns it off, or NULL. */
const struct stmt *judge_not_looked_for(const struct host *h);
/* Whether R has a warning that no line of IN expects: it is shown, although the case passes. */
bool judge_warned(const struct report *r, const struct script_case *in);
/* The verdict, the reason and the status. */
void judge_case(struct host *h);

#endif
