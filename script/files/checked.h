/* The result of checking one file, and its printed forms: text, JSON, JUnit XML and TAP. */
#ifndef PTXI_SCRIPT_CHECKED_H
#define PTXI_SCRIPT_CHECKED_H
#include "script/files/check.h"

/* The result of one case, which does not refer to the program. */
struct checked_case {
	char *name;   /* path, or path:case */
	char *reason; /* "" for PASS */
	char *detail; /* rendered findings of a FAIL */
	char *json;   /* the object of LANGUAGE.md, for --format=json */
	enum verdict verdict;
	/* its contribution to the exit status: OK, FAILED, USAGE, UNSUPPORTED or BUG of enum
	 * ptxi_exit */
	int fold;
	double seconds;
};
struct checked {
	VEC(struct checked_case) cases;
};
struct check_totals {
	uint32_t passed, failed, skipped, printed;
	bool bug, usage, failure, unsupported;
};

/* How checking a file reports its progress and results. */
struct checked_watch {
	/* skip the cases before this one: another worker judged them before it died */
	uint32_t from;
	/* when the file's time limit passes, 0: never; all workers of the file share it */
	double deadline;
	/* case NUMBER of OF, from 0, begins; LIMIT: the seconds it may take, 0: no limit */
	void (*begin)(void *self, uint32_t number, uint32_t of, const char *name, double limit);
	void (*end)(void *self, const struct checked_case *one);
	void *self;
};
enum { CHECKED_FILE = UINT32_MAX }; /* NUMBER in begin while the file itself is being loaded */
/* Loads PATH and judges its cases. NAMED: the user named this file itself, so it must contain an
 * expectation. */
void checked_run(
	const struct check_request *q, const char *path, bool named, const struct checked_watch *w);
/* Fills in the result of a case that ended its worker. */
void checked_lost(const struct check_request *q, const char *name, const char *reason, int fold,
	struct checked_case *out);
void checked_case_free(struct checked_case *c);
void checked_begin(const struct check_request *q, struct text *out);
void checked_print(const struct check_request *q, const struct checked *c,
	struct check_totals *totals, struct text *out);
void checked_end(
	const struct check_request *q, const struct check_totals *totals, struct text *out);
void checked_free(struct checked *c);
/* The exit status. 2 takes precedence over 1, and 1 over 8: a broken test proves nothing about what
 * it tests. */
int checked_status(const struct check_totals *t);

#endif
