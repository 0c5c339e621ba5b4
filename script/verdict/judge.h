/* Judges a case by its results: expect directives, findings, outcomes and conditions. */
#ifndef PTXI_SCRIPT_JUDGE_H
#define PTXI_SCRIPT_JUDGE_H
#include "script/lang/expr.h"
#include "script/verdict/report.h"

/* What a case's directives are judged by: a state of memory and registers, and what had been
 * printed and found by then. A run produces one state at each expect directive and one at its end;
 * an exploration and the hardware harness produce one for each outcome. */
struct evidence {
	const struct script_case *in;
	/* findings and printed text; the judge adds its own findings to it */
	struct report *report;
	struct eval eval; /* reads the state */
	/* whether the time limit has passed, which it reports itself; its argument is eval.self.
	 * NULL: no limit */
	bool (*late)(void *self);
	bool explored; /* the evidence covers every execution, not one */
	/* not everything was executed or explored: a missing finding might still have occurred */
	bool open;
	uint8_t unchecked; /* set of enum machine_check: checks that were not enabled */
};

enum { JUDGE_TIME_STEP = 1 << 12 }; /* elements between two checks of the time limit */

/* --- the state --- */

/* Judges an expect directive with an expression or prints: NULL if it holds, otherwise the finding
 * (code X...). */
struct diag *judge_expectation(const struct evidence *e, const struct stmt *t);
/* Reports that an expression has no value, and why. */
struct diag *judge_no_value(struct report *r, const struct eval *e);
/* Whether X is true for every element of its ranges. If it has no value, sets *known to false and
 * E's error, and returns false. */
bool judge_true(struct evidence *e, const struct expr *x, bool *known);

/* --- outcomes --- */

/* Determines which values an outcome of case IN consists of, and stores their names in R. ALL: if
 * the case has neither conditions nor observe directives, these are the values that its expect and
 * print directives name. */
void judge_prepare(
	const struct script_case *in, const struct ir_module *m, bool all, struct report *r);
/* The values of an outcome of R, read through E: [R->nstate] JSON values in E's arena. */
const char **judge_state(const struct report *r, struct eval *e);
/* Updates the conditions of WHOLE after COUNT executions that ended in outcome O; E is its state.
 * Returns true if an allow or forbid condition is true in that state or a condition is violated. */
bool judge_seen(struct evidence *e, struct report *whole, struct outcome *o, uint64_t count);
/* Records the final state of one execution in WHOLE. */
void judge_outcome(struct evidence *e, struct report *whole);

/* --- findings --- */

/* Whether a directive of the case expects finding D, and whether D fails the case because none
 * does. */
bool judge_is_expected(const struct script_case *in, const struct diag *d);
bool judge_is_failure(const struct script_case *in, const struct diag *d);
/* The first finding of R that is not a warning and whose code begins with one of LETTERS, or
 * NULL. */
const struct diag *judge_first(const struct report *r, const char *letters);
/* A directive whose expected finding is not in the report, or NULL. */
const struct stmt *judge_missing(const struct evidence *e);
/* The same, but only for findings that could not occur because --check or -W disables them. */
const struct stmt *judge_unchecked(const struct evidence *e);
/* Whether R has a warning that no directive of IN expects: it is shown even if the case passes. */
bool judge_warned(const struct report *r, const struct script_case *in);

/* --- the end of the case --- */

/* Reports expected findings that are missing and findings that violate `expect clean`. Returns the
 * first report, or NULL. */
const struct diag *judge_findings(const struct evidence *e);
/* Reports the conditions that do not hold. */
void judge_conditions(const struct evidence *e);
/* The finding that T expects, for messages ("an uninitialised read"); in R's arena. */
const char *judge_wanted(struct report *r, const struct stmt *t);
/* Makes the case fail for this reason, unless it has failed already. */
void judge_fail(struct report *r, const char *reason);
/* Sets the verdict, reason and status of a case that ran. BROKEN: a directive could not be
 * executed. */
void judge_case(const struct evidence *e, bool broken);

#endif
