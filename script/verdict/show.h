/* Reports as text and as JSON. */
#ifndef PTXI_SCRIPT_SHOW_H
#define PTXI_SCRIPT_SHOW_H
#include "script/verdict/report.h"
#include "script/lang/program.h"

/* "c[0..63] = 1 2 3 ...", wrapped; ends with a newline. */
void show_printed(const struct printed *p, struct text *out);
/* The name of what was printed, as it is a key in JSON: "c", "c[0..3]", "c[2]". */
void show_label(const struct printed *p, struct text *out);
/* Its element K (from p->low on): "?" or null where it was never written. */
void show_element(const struct printed *p, uint64_t k, bool json, struct text *out);
/* Names of the spaces of struct machine_stats' bytes. */
extern const char *const show_spaces[6];
/* The table of --stats. */
void show_stats(const struct report *r, struct text *out);
/* The histogram of --runs=N, with the conditions below it. */
void show_outcomes(const struct report *r, struct text *out);
/* Which kernels the module has and how one is launched from the command line. */
void show_kernels(const struct program *p, struct text *out);

/* One object of LANGUAGE.md's form, without a newline. R NULL: nothing ran. EXTRA (may be NULL) is
 * put in front of the closing brace: ", \"key\": value". */
void json_report(struct program *p, const struct script_case *c, struct report *r,
	const char *extra, struct text *out);

#endif
