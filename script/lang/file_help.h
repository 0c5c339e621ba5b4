/* What to type instead, when a file is not what a command takes. */
#ifndef PTXI_SCRIPT_LANG_FILE_HELP_H
#define PTXI_SCRIPT_LANG_FILE_HELP_H
#include "base/arena.h"
#include "diag/diag.h"
#include "base/text.h"
#include "diag/source.h"

/* PATH cannot be opened: suggests a file of that folder with nearly this name. */
void file_help_missing(struct diags *diags, struct diag *d, const char *path);
/* PATH is a directory where a file is required. */
void file_help_directory(struct diags *diags, struct diag *d, const char *path);
/* Reports that PATH cannot be written, for the reason ERROR (errno). */
void file_unwritable(struct diags *diags, const char *path, int error);
/* Whether S is CUDA C++, machine code or another file that is not PTX; if so, reports how to get
 * PTX from it. */
bool file_is_foreign(struct diags *diags, const struct source *s, const char *path);

#endif
