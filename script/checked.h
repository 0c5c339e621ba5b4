/* What checking one file gave, and how it is printed: text, JSON, JUnit XML or TAP. */
#ifndef PTXI_SCRIPT_CHECKED_H
#define PTXI_SCRIPT_CHECKED_H
#include "script/check.h"

/* One case: what is left of it when the program is gone. */
struct checked_case {
	char *name;    /* path, or path:case */
	char *reason;  /* "" for PASS */
	char *detail;  /* rendered records of a FAIL */
	char *json;    /* the object of LANGUAGE.md, for --format=json */
	enum verdict verdict;
	int fold;      /* what it adds to the exit status: 0, 1, 2 or 8 */
	double seconds;
};
struct checked {
	VEC(struct checked_case) cases;
};
struct check_totals {
	uint32_t passed, failed, skipped, printed;
	bool usage, failure, unsupported;
};

/* Loads PATH and judges its cases. NAMED: the user named this very file, so that it must have an expectation. */
void checked_run(const struct check_request *q, const char *path, bool named, struct checked *out);
void checked_begin(const struct check_request *q, struct text *out);
void checked_print(const struct check_request *q, const struct checked *c, struct check_totals *totals, struct text *out);
void checked_end(const struct check_request *q, const struct check_totals *totals, struct text *out);
void checked_free(struct checked *c);
/* 2 over 1 over 8 over 0: a broken test says nothing about what it tests. */
int checked_status(const struct check_totals *t);

#endif
