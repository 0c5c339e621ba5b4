/* The results of a class, as they are reported, stored as JSON and merged. They refer to the suite
 * only by index. */
#ifndef PTXI_GRADE_RESULT_H
#define PTXI_GRADE_RESULT_H
#include "base/arena.h"
#include "base/vec.h"
#include "script/verdict/report.h"

enum graded_state {
	GRADED_MISSING,    /* not handed in */
	GRADED_REFUSED,    /* not a regular file, too large, ... */
	GRADED_UNFINISHED, /* the run was interrupted before it was judged */
	GRADED_REJECTED,   /* not valid PTX */
	GRADED_JUDGED,     /* its cases were judged */
	GRADED_STATES
};

/* The result of one case or requirement. */
struct graded_part {
	uint8_t verdict;    /* enum verdict */
	const char *reason; /* "" for PASS */
	const char *detail; /* findings, as text */
	uint64_t amount;    /* case: warp instructions; requirement: instructions counted */
};

struct graded_exercise {
	uint8_t state;    /* enum graded_state */
	const char *file; /* path below the folder, or "" */
	const char *reason, *detail;
	uint64_t hash;                            /* of its bytes; only REJECTED and JUDGED */
	uint64_t ignored;                         /* //@ lines of the submission */
	struct graded_part *cases, *requirements; /* [as in the exercise]; only GRADED_JUDGED */
	uint64_t points;
};

struct graded_student {
	const char *name;
	struct graded_exercise *exercises; /* [exercises of the suite] */
	uint64_t points;
};

/* What the report needs to know about the suite. */
struct graded_case_info {
	const char *name, *text;
	bool hidden;
	uint64_t points;
};
struct graded_requirement_info {
	const char *text;
	uint64_t points;
};
struct graded_exercise_info {
	const char *name, *title, *file, *limits;
	uint64_t points, weight;
	struct graded_case_info *cases;
	struct graded_requirement_info *requirements;
	uint32_t ncases, nrequirements;
};

struct graded_unknown {
	const char *path, *why;
};

struct graded {
	struct arena arena;
	const char *title;
	uint32_t shard, shards; /* 1/1: everything */
	bool for_students;      /* hidden cases have neither directives nor findings */
	struct graded_exercise_info *exercises;
	uint32_t nexercises;
	VEC(struct graded_student) students; /* by name */
	VEC(struct graded_unknown) unknown;  /* by path */
};

/* The reason of a submission in the state GRADED_UNFINISHED. */
extern const char graded_not_judged[];
/* Computes the points of an exercise from its parts, and adds them to those of the student. */
void graded_count(const struct graded *g, struct graded_student *s, uint32_t exercise);
uint64_t graded_maximum(const struct graded *g);
/* How many submissions were not judged because the run was interrupted; *OF: of how many. */
uint32_t graded_unfinished(const struct graded *g, uint32_t *of);
/* Whether part PART of a judged exercise failed the whole exercise. */
bool graded_gate(const struct graded_requirement_info *i, const struct graded_part *part);
/* Sorts the students and the unknown files by name. */
void graded_sort(struct graded *g);
/* Removes what students may not see of hidden cases. */
void graded_redact(struct graded *g);
void graded_free(struct graded *g);

#endif
