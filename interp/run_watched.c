/* The loop for runs with observers of instructions, or with --check=init. */
#include "interp/observe_insn.h"
#include "interp/warp.h"

#define RUN_NAME run_watched
#define RUN_BEFORE observe_insn
#include "interp/run_loop.h"
