/* What came of a case: what was printed, found and seen, and the verdict. */
#ifndef PTXI_SCRIPT_REPORT_H
#define PTXI_SCRIPT_REPORT_H
#include "base/map.h"
#include "interp/machine.h"
#include "script/lang/script.h"

/* What a print line showed. */
struct printed {
	const char *name; /* the object, or the text of an expression */
	bool is_expr;
	uint8_t type;                   /* of an element; expressions: TYPE_NONE */
	uint64_t low, high, count;      /* elements shown; count of the object */
	const uint8_t *bytes, *defined; /* of the elements shown; defined a byte a byte */
	struct value *value;            /* expressions: [high - low + 1] */
	bool scalar;                    /* the object has one element and no index was written */
};

/* One of the outcomes of --runs=N. */
struct outcome {
	const char **text; /* [report.nstate], as JSON values */
	uint64_t count;
	bool forbidden;
	uint8_t allowed; /* enum allowed: compared with explore's */
};
enum allowed { ALLOWED_UNKNOWN, ALLOWED_YES, ALLOWED_NO };

struct judged_condition {
	const struct stmt *stmt;
	const char *kind, *text;
	bool holds, decided;
	uint64_t positive; /* executions in which it is true */
};

enum verdict { VERDICT_PASS, VERDICT_FAIL, VERDICT_SKIP };

/* What explore --verify found. */
struct report_verified {
	uint64_t executions, unverified; /* judged; too large for that */
	bool broken;
	const char *axiom;  /* that one breaks; NULL: no order of its writes gives its outcome */
	const char **event; /* the cycle; NULL after the last */
};

struct report {
	struct arena arena;
	struct diags findings; /* of the machine, and expectations that failed */
	VEC(struct printed) prints;
	struct text output; /* of the kernels */
	enum machine_status ended;
	/* a line could not be carried out; explored: not everything was seen */
	bool incomplete;
	bool opened; /* the module could be loaded */
	bool has_stats;
	struct machine_stats stats;
	uint64_t *by_form;
	const char **state; /* names of what an outcome shows */
	struct expr **state_part;
	uint32_t nstate;
	VEC(struct outcome) outcomes;
	struct map seen; /* hash of a state to its outcome */
	VEC(struct judged_condition) conditions;
	uint64_t executions;
	const struct report_verified *verified; /* or NULL */
	/* the command that repeats the run whose findings these are, when it is not the first one;
	 * otherwise NULL */
	const char *repeat;
	const char *how;      /* the options that make it so: "--schedule=random --seed=7" */
	uint64_t seed;        /* of that run */
	int status;           /* as `run` exits */
	enum verdict verdict; /* as `check` judges */
	/* of FAIL and SKIP, one line; of PASS what it does not say, or NULL */
	const char *reason;
	double seconds;
	struct text listing; /* explore, litmus_run: what they print, in full */
	/* litmus_run: which threads share CTAs; NULL: the launches are the file's own */
	const char *placement;
};
/* The outcome whose state is TEXTS, entered when it is new. */
struct outcome *report_outcome(struct report *r, const char *const *texts);
/* "a=1; b=2;" */
void report_put_outcome(const struct report *r, const struct outcome *o, struct text *out);
/* Whether R has a finding of the code and place of record D. */
bool report_has(const struct report *r, const struct diag *d);
/* Adds a copy of record D. */
struct diag *report_copy(struct report *r, const struct diag *d);
/* Takes what one of many executions found into the report of all. */
void report_merge(struct report *whole, struct report *one);
/* The same for a report of several executions: outcomes and conditions, too. */
void report_join(struct report *whole, struct report *some);
void report_free(struct report *r);

#endif
