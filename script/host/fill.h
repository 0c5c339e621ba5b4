/* What goes into buffers before a kernel runs. */
#ifndef PTXI_SCRIPT_FILL_H
#define PTXI_SCRIPT_FILL_H
#include "script/lang/args.h"
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

#endif
