/* What a stopped program looks like, in lines for dap.c: fields are separated by tabs. */
#ifndef PTXI_DEBUG_PROTOCOL_H
#define PTXI_DEBUG_PROTOCOL_H
#include "debug/state.h"

/* Carries out the command "protocol WORDS". */
void show_protocol(struct engine *e, const char *words);

#endif
