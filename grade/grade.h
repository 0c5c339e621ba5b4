/* ptxi grade and ptxi merge, without the command line. */
#ifndef PTXI_GRADE_GRADE_H
#define PTXI_GRADE_GRADE_H
#include "grade/report.h"
#include "grade/suite.h"

struct grade_request {
	const char *suite, *folder;
	const char *earlier; /* the JSON result of an interrupted run, or NULL */
	unsigned jobs;
	uint32_t shard, shards; /* 1/1: everything */
	const _Atomic int *interrupted;
	void (*progress)(void *self, uint32_t done, uint32_t of); /* or NULL */
	void *self;
};
/* Grades the submissions in a folder. Returns false after an error that leaves nothing to report.
 * Otherwise graded_unfinished() says whether the user interrupted or no process could be made
 * (reported to DIAGS). */
bool grade_run(const struct grade_request *r, struct graded *out, struct diags *diags);
/* Judges the file PATH by the first exercise of a suite in memory; OUT then has one student. Unlike
 * in a report of a class, findings include warnings, which may name the cause of an error. */
bool grade_file(const char *path, struct source *suite, const _Atomic int *interrupted,
	struct graded *out, struct diags *diags);
/* Fills G with what reports say about the suite. */
void graded_describe(struct graded *g, const struct suite *suite);
/* Joins the results in the files; false after an error, which is reported. */
bool grade_merge(const char *const *files, uint32_t n, struct graded *out, struct diags *diags);
/* The name of the report of a student in a folder: a name that is safe in every file system. */
const char *grade_file_name(const char *student, const char *end, struct arena *arena);
/* The results of student K alone; refers to G. Free with graded_free(). */
void grade_only(const struct graded *g, uint32_t k, struct graded *out);

#endif
