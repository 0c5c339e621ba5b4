/* The available backends, and what each of them supports. */
#include "script/host/backends.h"
#include "backend/interp.h"
#include "gpu/backend.h"
#include <string.h>

bool backend_open(const struct backend_request *r, struct backend *out)
{
	return r->kind == BACKEND_GPU ? backend_open_gpu(r, out) : backend_open_interp(r, out);
}

unsigned backend_checks(enum backend_kind kind)
{
	return kind == BACKEND_INTERP ? CHECK_BOUNDS | CHECK_SYNC | CHECK_INIT | CHECK_RACE : 0;
}

const char *backend_lacks(enum backend_kind kind, const char *need)
{
	if (strcmp(need, "gpu") == 0)
		return kind == BACKEND_GPU ? gpu_lacks() : "it requires a GPU (--on=gpu)";
	if (strcmp(need, "interp") == 0)
		return kind == BACKEND_INTERP ? NULL : "it requires the interpreter (--on=interp)";
	if (strcmp(need, "weak") == 0)
		return NULL;
	if (strcmp(need, "race") == 0)
		return backend_checks(kind) & CHECK_RACE
			? NULL
			: "only the interpreter finds races (--on=interp)";
	if (strcmp(need, "init") == 0)
		return backend_checks(kind) & CHECK_INIT
			? NULL
			: "only the interpreter finds uninitialised reads (--on=interp)";
	if (strcmp(need, "explore") == 0)
		return kind == BACKEND_INTERP ? NULL
					      : "only the interpreter explores (--on=interp)";
	return NULL; /* sm_NN: the interpreter executes every target */
}
