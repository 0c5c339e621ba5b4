/* Runs one case of a script as a host program, and reports the result. */
#ifndef PTXI_SCRIPT_HOST_H
#define PTXI_SCRIPT_HOST_H
#include "base/map.h"
#include "backend/backend.h"
#include "script/options.h"
#include "script/script.h"

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
};

enum verdict { VERDICT_PASS, VERDICT_FAIL, VERDICT_SKIP };

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

struct host_request {
	const struct ir_module *module;
	struct script_case *in; /* resolved; addresses of its objects are written */
	struct run_options options;
	/* check: findings that are expected are no failures, needs lines are obeyed, other
	 * schedules are tried */
	bool judge;
	/* judge: that share the deadline, this one included; further runs leave them their time. 0:
	 * 1 */
	unsigned cases_left;
	/* judge: the file and its options as for `ptxi run`, to name a run by; NULL: not known */
	const char *arguments;
	void (*output)(void *self, const char *text, size_t n); /* as kernels print, or NULL */
	void (*show)(void *self, const struct printed *p);      /* as print lines come, or NULL */
	/* Another backend than options name, or NULL (the explorer: nothing runs). */
	bool (*open)(void *self, const struct backend_request *r, struct backend *out);
	void *self;
};
/* What the set lines of IN say, over the defaults of the command line in OUT. */
void host_set_options(const struct script_case *in, struct run_options *out);
/* Runs the case once, or as often as options.runs says. */
void host_run(const struct host_request *r, struct report *out);
/* The options that the case has, by its own lines too. */
void host_options(const struct host_request *r, struct run_options *out);
void report_free(struct report *r);

#endif
