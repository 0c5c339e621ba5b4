/* A GPU as a backend. */
#ifndef PTXI_GPU_BACKEND_H
#define PTXI_GPU_BACKEND_H
#include "backend/backend.h"

/* False with a record in findings: the module cannot run here. */
bool backend_open_gpu(const struct backend_request *r, struct backend *out);
/* Why there is no GPU to use here, or NULL when there is one. */
const char *gpu_lacks(void);

#endif
