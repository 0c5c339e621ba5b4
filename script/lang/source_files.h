/* The files that the PTX was compiled from, read when a message shows a line of one. */
#ifndef PTXI_SCRIPT_SOURCE_FILES_H
#define PTXI_SCRIPT_SOURCE_FILES_H
#include "diag/origin.h"

/* Lets S's places show their lines, from the folder of the file PATH and from the N folders of
 * SOURCE_PATH ("none": nothing is read). Text is kept in arena A. */
void source_files_open(struct source *s, const char *path, const char *const *source_path,
	unsigned n, struct arena *a);

#endif
