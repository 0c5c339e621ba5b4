/* Prints reports as text and as JSON. */
#ifndef PTXI_SCRIPT_SHOW_H
#define PTXI_SCRIPT_SHOW_H
#include "script/verdict/report.h"
#include "script/lang/program.h"

/* Appends "c[0..63] = 1 2 3 ...", wrapped and ending with a newline. */
void show_printed(const struct printed *p, struct text *out);
/* Appends the name of what was printed, which is its key in JSON: "c", "c[0..3]", "c[2]". */
void show_label(const struct printed *p, bool json, struct text *out);
/* Appends element p->low + K, or "?" (in JSON null) if it was never written. */
void show_element(const struct printed *p, uint64_t k, bool json, struct text *out);
/* Names of the state spaces that struct machine_stats counts bytes for. */
extern const char *const show_spaces[6];
/* Appends the table of --stats=lines. */
void show_profile(const struct program *p, const struct report *r, struct text *out);
/* Appends the table of --stats. */
void show_stats(const struct report *r, struct text *out);
/* Appends the histogram of --runs=N, followed by the conditions. */
void show_outcomes(const struct report *r, struct text *out);
/* Lists the module's kernels and shows how to launch one from the command line. */
void show_kernels(const struct program *p, struct text *out);

/* Appends one JSON object in the form described in LANGUAGE.md, without a newline. R NULL: nothing
 * ran. EXTRA (may be NULL) is inserted before the closing brace: ", \"key\": value". */
void json_report(struct program *p, const struct script_case *c, struct report *r,
	const char *extra, struct text *out);

#endif
