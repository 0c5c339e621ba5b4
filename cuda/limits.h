/* Numbers of the modelled GPU that the driver's functions share. */
#ifndef PTXI_CUDA_LIMITS_H
#define PTXI_CUDA_LIMITS_H
#include "interp/machine.h"

enum {
	DEFAULT_SHARED = 48 << 10, /* of a block, unless a function's attribute allows more */
	RESERVED_SHARED = 1 << 10, /* of a block, for the system */
	STACK_BYTES = MACHINE_STACK_BYTES,
	OUTPUT_BYTES = MACHINE_OUTPUT,
	HEAP_BYTES = MACHINE_HEAP_BYTES,
};

#endif
