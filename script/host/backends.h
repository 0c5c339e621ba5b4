/* The available backends, and what each of them supports. */
#ifndef PTXI_SCRIPT_BACKENDS_H
#define PTXI_SCRIPT_BACKENDS_H
#include "backend/backend.h"

/* Opens the backend of R. If the module cannot run on it, reports why in R's findings and returns
 * false. */
bool backend_open(const struct backend_request *r, struct backend *out);
/* Why the requirement NEED of a needs directive is not met; NULL if it is met. */
const char *backend_lacks(enum backend_kind kind, const char *need);
/* The set of enum machine_check that the backend supports. */
unsigned backend_checks(enum backend_kind kind);

#endif
