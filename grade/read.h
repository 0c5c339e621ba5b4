/* Reads results that ptxi grade wrote as JSON. */
#ifndef PTXI_GRADE_READ_H
#define PTXI_GRADE_READ_H
#include "grade/result.h"

/* Fills G, with texts in ARENA; reports what is wrong with the file PATH and returns false. */
bool graded_read(struct graded *g, const char *path, struct arena *arena, struct diags *diags);

#endif
