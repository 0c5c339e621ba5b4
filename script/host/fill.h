/* Fills buffers and variables with initial values. */
#ifndef PTXI_SCRIPT_FILL_H
#define PTXI_SCRIPT_FILL_H
#include "script/lang/args.h"
#include "backend/backend.h"

struct fill {
	struct backend *backend;
	struct args_context *args; /* with the objects' addresses filled in */
	struct diags *diags;
	/* whether the time limit has passed, which it reports itself; or NULL */
	bool (*late)(void *self);
	void *self;
	bool fresh; /* the memory was allocated as initialised: it is zero, and nothing has written
		       it */
};
/* Writes COUNT elements of TYPE at ADDRESS from T's initialiser. On failure reports it and returns
 * false. */
bool fill_elements(const struct fill *f, const struct stmt *t, enum type type, uint64_t address,
	uint64_t count);

#endif
