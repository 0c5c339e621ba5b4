/* Finds the submissions below a folder and assigns them to students and exercises. */
#ifndef PTXI_GRADE_SUBMISSION_H
#define PTXI_GRADE_SUBMISSION_H
#include "grade/result.h"
#include "grade/suite.h"

/* A file that was handed in; FOLDER is "" for one in the folder itself. */
struct submission {
	uint32_t student, exercise; /* in graded.students */
	const char *folder, *file;  /* the bytes of their names */
	/* what an interrupted run found out about a file of this name, or NULL */
	const struct graded_exercise *earlier;
};
struct submissions {
	VEC(struct submission) list; /* sorted by student and exercise */
};

/* A name as reports show it: bytes that are not printable UTF-8 become \xHH, and \ becomes \\. Two
 * names are never shown alike. */
const char *shown_name(struct arena *arena, const char *name);

/* Fills G's students (those of its shard, sorted) and unknown files, and OUT. Reports a folder that
 * cannot be read, and returns false. */
bool submissions_find(struct submissions *out, const struct suite *suite, const char *path,
	struct graded *g, struct diags *diags);
/* Reads a submitted file of at most LIMIT bytes below the folder PATH. No symbolic link is
 * followed. Returns NULL with the reason in *WHY (in ARENA). */
char *submission_read(const char *path, const struct submission *s, uint64_t limit,
	struct arena *arena, size_t *size, const char **why);

#endif
