/* The functions of programs that are compiled for a default stream of each thread: those of others,
 * called while the thread says so. */
#include "cudart/runtime.h"

#define RT(name, parameters)
#define RS(name, suffix, parameters, arguments) \
	cudaError_t name##suffix parameters \
	{ \
		int before = __ptxi_per_thread(1); \
		cudaError_t error = name arguments; \
\
		__ptxi_per_thread(before); \
		return error; \
	}
#include "cudart/functions.def"
#undef RT
