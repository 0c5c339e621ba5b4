/* Host memory of a case: what goes into buffers, and what expressions read back. */
#ifndef PTXI_SCRIPT_FILL_H
#define PTXI_SCRIPT_FILL_H
#include "script/args.h"
#include "backend/backend.h"

struct fill {
	struct backend *backend;
	struct args_context *args; /* addresses of the objects are known */
	struct diags *diags;
	bool (*late)(void *self); /* whether time is over (and was said so), or NULL */
	void *self;
};
/* Writes COUNT elements of TYPE at ADDRESS from T's initialiser; false after a report. */
bool fill_elements(const struct fill *f, const struct stmt *t, enum type type, uint64_t address,
	uint64_t count);
/* Finds the file of a file("...") initialiser, and its size: below the folder of the file that the
 * line stands in, or one of S->allow. False after a report. */
bool fill_find_file(const struct script *s, struct stmt *t, struct arena *arena,
	struct diags *diags, uint64_t *size);

#endif
