/* The loop for runs that nobody watches. */
#include "interp/warp.h"

#define RUN_NAME run_plain
#include "interp/run_loop.h"
