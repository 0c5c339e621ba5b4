/* The file of a file("...") initialiser. */
#ifndef PTXI_SCRIPT_INIT_FILE_H
#define PTXI_SCRIPT_INIT_FILE_H
#include "script/lang/script.h"

/* Finds the file of T and its size in bytes. It must lie inside the folder of the file that
 * contains the directive, or inside one of S->allow. On failure reports to DIAGS and returns
 * false. */
bool init_file_find(const struct script *s, struct stmt *t, struct arena *arena,
	struct diags *diags, uint64_t *size);
/* Reports that the file of T cannot be read, and why. Always returns false. */
bool init_file_wrong(
	const struct stmt *t, struct arena *arena, struct diags *diags, const char *why);

/* Whether PATH, from realpath(), lies below FOLDER. */
bool path_is_below(const char *path, const char *folder);

#endif
