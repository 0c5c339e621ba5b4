/* Host memory of a case: what goes into buffers, and what expressions read back. */
#ifndef PTXI_SCRIPT_FILL_H
#define PTXI_SCRIPT_FILL_H
#include "script/args.h"
#include "script/backend.h"

struct fill {
	struct backend *backend;
	struct args_context *args; /* addresses of the objects are known */
	struct diags *diags;
};
/* Writes COUNT elements of TYPE at ADDRESS from T's initialiser; false after a report. */
bool fill_elements(const struct fill *f, const struct stmt *t, enum type type, uint64_t address, uint64_t count);
/* Bytes of the file of a file("...") initialiser; false after a report. */
bool fill_file_size(const struct stmt *t, struct arena *arena, struct diags *diags, uint64_t *size);

#endif
