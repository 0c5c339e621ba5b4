/* Reads results that ptxi grade wrote as JSON. */
#ifndef PTXI_GRADE_READ_H
#define PTXI_GRADE_READ_H
#include "grade/result.h"

/* Fills G, with texts in ARENA; reports what is wrong with SOURCE, or the file PATH, and returns
 * false. */
bool graded_parse(
	struct graded *g, struct source *source, struct arena *arena, struct diags *diags);
bool graded_read(struct graded *g, const char *path, struct arena *arena, struct diags *diags);

#endif
