/* Which backends there are, and what each can do. */
#ifndef PTXI_SCRIPT_BACKENDS_H
#define PTXI_SCRIPT_BACKENDS_H
#include "backend/backend.h"

/* False with a record in findings: the module cannot run here. */
bool backend_open(const struct backend_request *r, struct backend *out);
/* What a needs line can name; NULL when it is to be had, otherwise why not. */
const char *backend_lacks(enum backend_kind kind, const char *need);
/* The set of enum machine_check that it can look for. */
unsigned backend_checks(enum backend_kind kind);

#endif
