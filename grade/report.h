/* Prints the results of a class: as text, JSON, JUnit XML, CSV, or a static HTML page. None of them
 * contains a time or the name of a machine, so the same class gives the same bytes everywhere. */
#ifndef PTXI_GRADE_REPORT_H
#define PTXI_GRADE_REPORT_H
#include "grade/result.h"

void report_json(const struct graded *g, struct text *out);
void report_junit(const struct graded *g, struct text *out);
void report_csv(const struct graded *g, struct text *out);
void report_html(const struct graded *g, struct text *out);
/* VERBOSE: also what passed, and the findings. */
void report_text(const struct graded *g, bool verbose, struct text *out);

/* "graded", "not handed in", ... */
extern const char *const graded_states[];
/* "pass", "fail", "skip" */
extern const char *const graded_verdicts[];

#endif
