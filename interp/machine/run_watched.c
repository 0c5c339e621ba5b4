/* The execution loop for runs with instruction observers or --check=init. */
#include "interp/machine/observe_insn.h"
#include "interp/state/warp.h"

#define RUN_NAME run_watched
#define RUN_BEFORE observe_insn
#include "interp/machine/run_loop.h"
