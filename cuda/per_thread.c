/* The functions of programs that are compiled for a default stream of each thread: those of others,
 * called while the thread says so. */
#include "cuda/host.h"

#define CU(name, symbol, since, parameters)
#define CS(name, symbol, since, suffix, parameters, arguments) \
	CUresult symbol##suffix parameters \
	{ \
		int before = __ptxi_per_thread(1); \
		CUresult r = symbol arguments; \
\
		__ptxi_per_thread(before); \
		return r; \
	}
#include "cuda/functions.def"
#undef CU
