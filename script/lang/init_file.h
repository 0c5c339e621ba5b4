/* The file of a file("...") initialiser. */
#ifndef PTXI_SCRIPT_INIT_FILE_H
#define PTXI_SCRIPT_INIT_FILE_H
#include "script/lang/script.h"

/* Finds the file of T, and its size: below the folder of the file that the line stands in, or one
 * of S->allow. False after a report. */
bool init_file_find(const struct script *s, struct stmt *t, struct arena *arena,
	struct diags *diags, uint64_t *size);
/* Reports that it cannot be read, and why. Always false. */
bool init_file_wrong(
	const struct stmt *t, struct arena *arena, struct diags *diags, const char *why);

#endif
