/* The GPU backend. */
#ifndef PTXI_GPU_BACKEND_H
#define PTXI_GPU_BACKEND_H
#include "backend/backend.h"

/* Opens the backend. If the module cannot run on a GPU here, reports why in the request's findings
 * and returns false. */
bool backend_open_gpu(const struct backend_request *r, struct backend *out);
/* Why no GPU can be used on this machine, or NULL if one can. */
const char *gpu_lacks(void);

#endif
