/* The loop for runs with observers of instructions, or with --check=init. */
#include "interp/machine/observe_insn.h"
#include "interp/state/warp.h"

#define RUN_NAME run_watched
#define RUN_BEFORE observe_insn
#include "interp/machine/run_loop.h"
