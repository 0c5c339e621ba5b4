/* Documented functions that are not served. A program that calls one hears its name. */
#include "cudart/runtime.h"
#include <stdatomic.h>
#include <stdio.h>

static cudaError_t is_missing(const char *name, atomic_flag *said)
{
	if (!atomic_flag_test_and_set(said))
		fprintf(stderr,
			"ptxi: %s is not served (docs/CUDA.md says what is), and returns cudaErrorNotSupported\n",
			name);
	return runtime_end(cudaErrorNotSupported);
}

/* Whatever their arguments are. */
#define MISSING(name) \
	SHOWN cudaError_t name(void); \
	cudaError_t name(void) \
	{ \
		static atomic_flag said = ATOMIC_FLAG_INIT; \
\
		return is_missing(#name, &said); \
	}
#include "cudart/missing.def"
#undef MISSING
