/* The commands that look at a stopped program, or set stops. */
#ifndef PTXI_DEBUG_LOOK_H
#define PTXI_DEBUG_LOOK_H
#include "debug/state.h"

/* Carries out the command LINE, whose first word is spelled out; appends to e->out. */
void look(struct engine *e, const char *line);

#endif
