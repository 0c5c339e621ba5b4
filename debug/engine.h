/* The process that runs the case. */
#ifndef PTXI_DEBUG_ENGINE_H
#define PTXI_DEBUG_ENGINE_H
#include "debug/state.h"

/* Sleeps before the beginning of the run; then runs, stops and answers as the session orders. */
void engine_main(struct session *s);

#endif
