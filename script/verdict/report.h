/* The result of a case: its output, findings, outcomes and verdict. */
#ifndef PTXI_SCRIPT_REPORT_H
#define PTXI_SCRIPT_REPORT_H
#include "base/map.h"
#include "interp/machine.h"
#include "script/lang/script.h"

/* What one expression of a print directive printed. */
struct printed {
	const char *name;  /* the object, or the text of an expression */
	const char *shown; /* NULL, or the C++ name of the object */
	bool is_expr;
	uint8_t type;                   /* of an element; expressions: TYPE_NONE */
	uint64_t low, high, count;      /* elements shown; count of the object */
	const uint8_t *bytes, *defined; /* of the elements shown; defined has one byte per byte */
	struct value *value;            /* expressions: [high - low + 1] */
	bool scalar;                    /* the object has one element and no index was written */
};

/* One distinct final state, and how often it occurred. */
struct outcome {
	const char **text; /* [report.nstate], as JSON values */
	uint64_t count;
	const char *printed; /* long output, kept to show where it differs, or NULL */
	size_t nprinted;
	bool forbidden;
	uint8_t allowed; /* enum allowed: whether exploration finds this outcome too */
};
enum allowed { ALLOWED_UNKNOWN, ALLOWED_YES, ALLOWED_NO };

struct judged_condition {
	const struct stmt *stmt;
	const char *kind, *text;
	bool holds, decided;
	uint64_t positive; /* number of executions in which it is true */
};

enum verdict { VERDICT_PASS, VERDICT_FAIL, VERDICT_SKIP };

/* What explore --verify found. */
struct report_verified {
	uint64_t executions, unverified; /* verified; too large to verify */
	bool broken;
	/* violated by an execution; NULL: no order of its writes has its outcome */
	const char *axiom;
	const char **event; /* the events of the cycle; NULL after the last */
};

struct report {
	struct arena arena;
	struct diags findings; /* of the machine, and failed expectations */
	VEC(struct printed) prints;
	struct text output; /* of the kernels */
	enum machine_status ended;
	/* a directive could not be executed; in an exploration: it did not cover everything */
	bool incomplete;
	bool opened; /* the module could be loaded */
	bool has_stats;
	struct machine_stats stats;
	uint64_t *by_form;
	const struct profile_count *profile; /* of each instruction of the module, or NULL */
	const char **state;                  /* names of the values in an outcome */
	struct expr **state_part;
	uint32_t nstate;
	VEC(struct outcome) outcomes;
	struct map seen; /* hash of a state to its outcome */
	VEC(struct judged_condition) conditions;
	uint64_t executions;
	size_t keep;                            /* bytes left for outcome.printed */
	const struct report_verified *verified; /* or NULL */
	/* the command that reproduces the run with these findings if it was not the first run;
	 * otherwise NULL */
	const char *repeat;
	const char *how;      /* the options of that run: "--schedule=random --seed=7" */
	uint64_t seed;        /* of that run */
	int status;           /* exit status of `run` */
	enum verdict verdict; /* verdict of `check` */
	/* why it is FAIL or SKIP, in one line; for PASS a caveat or NULL */
	const char *reason;
	double seconds;
	struct text listing; /* explore, litmus_run: their complete printed text */
	struct text why;     /* explore --why: of the listing, the explanations */
	/* litmus_run: which threads share CTAs; NULL: the file itself launches the kernels */
	const char *placement;
};
/* The outcome whose state is TEXTS; adds it if it is new. */
struct outcome *report_outcome(struct report *r, const char *const *texts);
/* Keeps what the new outcome O printed, if R has room for it. */
void report_keep_printed(struct report *r, struct outcome *o, const char *text, size_t n);
/* The two most frequent outcomes whose printed text is kept, or NULL. */
void report_usual(const struct report *r, const struct outcome *usual[2]);
/* The first line, counted from 1, in which O's printed text differs from that of the most frequent
 * other outcome; TEXT[0..*n) is that line of O. 0: unknown. */
uint32_t report_difference(
	const struct outcome *usual[2], const struct outcome *o, const char **text, size_t *n);
/* Appends the outcome as "a=1; b=2;". */
void report_put_outcome(const struct report *r, const struct outcome *o, struct text *out);
/* Whether R has a finding with the code and location of D. */
bool report_has(const struct report *r, const struct diag *d);
/* Adds a copy of finding D. */
struct diag *report_copy(struct report *r, const struct diag *d);
/* Adds the findings of one of several executions to the report of all. */
void report_merge(struct report *whole, struct report *one);
/* The same for a report of several executions, including outcomes and conditions. */
void report_join(struct report *whole, struct report *some);
void report_free(struct report *r);

#endif
