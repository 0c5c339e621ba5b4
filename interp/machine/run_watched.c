/* The execution loop for runs with instruction observers, a director or --check=init. */
#include "interp/machine/observe_insn.h"
#include "interp/state/warp.h"

#define RUN_NAME run_watched
#define RUN_BEFORE observe_insn
#define RUN_LEAVES directed_away
#include "interp/machine/run_loop.h"
