/* The interpreter as a backend, with the checkers, tracer and sampler that its options select. */
#ifndef PTXI_BACKEND_INTERP_H
#define PTXI_BACKEND_INTERP_H
#include "backend/backend.h"

/* Returns false and reports a finding if the module cannot run here. */
bool backend_open_interp(const struct backend_request *r, struct backend *out);

#endif
