/* The interpreter as a backend, with the checkers, the tracer and the sampler that its options
 * name. */
#ifndef PTXI_BACKEND_INTERP_H
#define PTXI_BACKEND_INTERP_H
#include "backend/backend.h"

/* False with a record in findings: the module cannot run here. */
bool backend_open_interp(const struct backend_request *r, struct backend *out);

#endif
