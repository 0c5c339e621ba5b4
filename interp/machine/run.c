/* The execution loop for unobserved runs. */
#include "interp/state/warp.h"

#define RUN_NAME run_plain
#include "interp/machine/run_loop.h"
