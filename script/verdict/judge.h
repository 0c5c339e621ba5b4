/* Judges a case by what came of it: its expect lines, findings, outcomes and conditions. */
#ifndef PTXI_SCRIPT_JUDGE_H
#define PTXI_SCRIPT_JUDGE_H
#include "script/lang/expr.h"
#include "script/verdict/report.h"

/* What came of a case, for its lines to be judged by: a state of memory and registers, and what was
 * printed and found until then. One run gives a state at each expect line and one at its end; an
 * exploration and the hardware harness give one for each outcome. */
struct evidence {
	const struct script_case *in;
	struct report *report; /* findings and printed text; the judge's records go there */
	struct eval eval;      /* reads the state */
	/* whether time is over, and that was said; it gets eval.self. NULL: nobody limits it */
	bool (*late)(void *self);
	bool explored; /* every execution, not one */
	/* not everything was carried out or explored: what has not come may come yet */
	bool open;
	uint8_t unlooked; /* set of enum machine_check: nobody looked for what these find */
};

enum { JUDGE_LOOK = 1 << 12 }; /* elements between two looks at the time */

/* --- the state --- */

/* An expect line with an expression or with prints: the record X... when it does not hold, or
 * NULL. */
struct diag *judge_expectation(const struct evidence *e, const struct stmt *t);
/* The record that an expression has no value, and why. */
struct diag *judge_no_value(struct report *r, const struct eval *e);
/* Whether X is true in every element of its ranges; false, with E's error, when it has no value
 * (*known). */
bool judge_true(struct evidence *e, const struct expr *x, bool *known);

/* --- outcomes --- */

/* Names in R what an outcome of case IN shows; ALL: also what expect and print lines name, when no
 * line says what it shows. */
void judge_prepare(
	const struct script_case *in, const struct ir_module *m, bool all, struct report *r);
/* What an outcome of R shows, [R->nstate] JSON values, as E finds them; in E's arena. */
const char **judge_state(const struct report *r, struct eval *e);
/* Outcome O of WHOLE has been seen COUNT times, and E is its state: what that says of every
 * condition. True when an allow or forbid condition is true in it, or any is broken. */
bool judge_seen(struct evidence *e, struct report *whole, struct outcome *o, uint64_t count);
/* Enters the state at the end of one execution into WHOLE. */
void judge_outcome(struct evidence *e, struct report *whole);

/* --- findings --- */

/* Whether a line of the case expects record D; whether D fails the case, since none does. */
bool judge_is_expected(const struct script_case *in, const struct diag *d);
bool judge_is_failure(const struct script_case *in, const struct diag *d);
/* The first record of R that is no warning and whose code begins with one of LETTERS, or NULL. */
const struct diag *judge_first(const struct report *r, const char *letters);
/* A finding that a line of the case expects and that is not in the report, or NULL. */
const struct stmt *judge_missing(const struct evidence *e);
/* The same of those that nobody has looked for, by --check or -W. */
const struct stmt *judge_not_looked_for(const struct evidence *e);
/* Whether R has a warning that no line of IN expects: it is shown, although the case passes. */
bool judge_warned(const struct report *r, const struct script_case *in);

/* --- the end of the case --- */

/* Records for what has not come, and for what `expect clean` refuses; the first of them, or
 * NULL. */
const struct diag *judge_findings(const struct evidence *e);
/* Records for the conditions that do not hold. */
void judge_conditions(const struct evidence *e);
/* "an uninitialised read": what T expects to be found, in R's arena. */
const char *judge_wanted(struct report *r, const struct stmt *t);
/* The case fails, for this reason unless it has one. */
void judge_fail(struct report *r, const char *reason);
/* The verdict, the reason and the status of a case that ran. BROKEN: a line could not be carried
 * out. */
void judge_case(const struct evidence *e, bool broken);

#endif
