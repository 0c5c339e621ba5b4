/* A suite: the exercises of a class, with their cases, requirements, points and limits. */
#ifndef PTXI_GRADE_SUITE_H
#define PTXI_GRADE_SUITE_H
#include "grade/requirement.h"
#include "script/lang/lex.h"
#include "script/lang/script.h"

/* Points are counted in hundredths. */
enum { POINT = 100, MAX_POINTS = 1000000 * POINT };

/* Directives that are parsed together: a case of the suite, or a file of directives with several
 * cases. */
struct suite_unit {
	struct script_lines lines;
	struct script script;
	uint32_t first, ncases; /* its cases in exercise.cases */
};

struct suite_case {
	const char *name;
	const char *text; /* its directives, for the teacher's report */
	bool hidden;
	uint64_t points;
};

struct suite_requirement {
	const char *text;
	struct instruction_kind kind;
	enum relation relation;
	uint64_t bound;
	uint64_t points; /* 0: an exercise that does not meet it gets no points */
};

/* What one submission may use. */
struct limits {
	uint64_t steps;       /* warp instructions of a case: the measure of its work */
	double seconds;       /* processor time for all cases: the guard */
	uint64_t memory;      /* bytes */
	uint64_t output;      /* bytes that a case may print */
	uint64_t source_size; /* bytes of the submitted file */
};

struct exercise {
	const char *name, *title, *file;
	struct span span;
	struct limits limits;
	uint64_t points; /* of a submission that passes everything */
	uint64_t weight; /* sum of the points of its cases and requirements */
	VEC(struct suite_case) cases;
	VEC(struct suite_unit) units;
	VEC(struct suite_requirement) requirements;
	bool warnings; /* findings of failed cases include warnings */
};

struct suite {
	struct arena arena;
	const char *title;
	VEC(const char *) patterns; /* where submissions are: "{student}/{file}" */
	VEC(struct exercise) exercises;
	struct limits limits; /* of exercises that set none */
	struct script_lines lines;
};

/* Reads the suite in SOURCE, or the file PATH, and reports errors. Returns false if there were any.
 */
bool suite_parse(struct suite *s, struct source *source, struct diags *diags);
bool suite_read(struct suite *s, const char *path, struct diags *diags);
void suite_free(struct suite *s);

/* Parses what points_put() prints. */
bool points_parse(const char *s, uint64_t *out);
/* Appends "10" or "7.5". */
void points_put(struct text *out, uint64_t points);
/* Appends "512 MB", "64 KB" or "100 bytes". */
void bytes_put(struct text *out, uint64_t bytes);

#endif
