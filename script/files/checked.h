/* What checking one file gave, and how it is printed: text, JSON, JUnit XML or TAP. */
#ifndef PTXI_SCRIPT_CHECKED_H
#define PTXI_SCRIPT_CHECKED_H
#include "script/files/check.h"

/* One case: what is left of it when the program is gone. */
struct checked_case {
	char *name;   /* path, or path:case */
	char *reason; /* "" for PASS */
	char *detail; /* rendered records of a FAIL */
	char *json;   /* the object of LANGUAGE.md, for --format=json */
	enum verdict verdict;
	/* what it adds to the exit status: OK, FAILED, USAGE, UNSUPPORTED or BUG of enum
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

/* What a worker tells while it checks a file. */
struct checked_watch {
	/* cases before this one were judged by another worker, which came to its end */
	uint32_t from;
	/* when the file's time is over, 0: never; its workers share it */
	double deadline;
	/* the case; LIMIT: seconds it may take, 0: any */
	void (*begin)(void *self, uint32_t number, const char *name, double limit);
	void (*end)(void *self, const struct checked_case *one);
	void *self;
};
enum { CHECKED_FILE = UINT32_MAX }; /* the number of the file itself, while it is loaded */
/* Loads PATH and judges its cases. NAMED: the user named this very file, so that it must have an
 * expectation. */
void checked_run(
	const struct check_request *q, const char *path, bool named, const struct checked_watch *w);
/* A case that a worker did not survive. */
void checked_lost(const struct check_request *q, const char *name, const char *reason, int fold,
	struct checked_case *out);
void checked_case_free(struct checked_case *c);
void checked_begin(const struct check_request *q, struct text *out);
void checked_print(const struct check_request *q, const struct checked *c,
	struct check_totals *totals, struct text *out);
void checked_end(
	const struct check_request *q, const struct check_totals *totals, struct text *out);
void checked_free(struct checked *c);
/* 2 over 1 over 8 over 0: a broken test says nothing about what it tests. */
int checked_status(const struct check_totals *t);

#endif
