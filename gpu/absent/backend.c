/* The GPU backend where programs cannot start processes and load libraries: there is no GPU. */
#include "gpu/backend.h"

const char *gpu_lacks(void) { return "this build of ptxi cannot use a GPU"; }

bool backend_open_gpu(const struct backend_request *r, struct backend *out)
{
	(void)out;
	diag_plain(r->findings, DIAG_U0901, "%s", gpu_lacks());
	return false;
}
