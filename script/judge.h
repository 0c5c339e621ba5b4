/* Judges a case: expectations, findings, outcomes. */
#ifndef PTXI_SCRIPT_JUDGE_H
#define PTXI_SCRIPT_JUDGE_H
#include "script/expr.h"
#include "script/host_state.h"

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
/* An expected finding that has not come because --check leaves out what would find it, or -W turns
 * it off, or NULL. */
const struct stmt *judge_not_looked_for(const struct host *h);
/* Whether R has a warning that no line of IN expects: it is shown, although the case passes. */
bool judge_warned(const struct report *r, const struct script_case *in);
/* The verdict, the reason and the status. */
void judge_case(struct host *h);

#endif
