/* The native engine: translates functions of a machine to C (native/), lets the system's compiler
 * make a library of them, and loads it. */
#ifndef PTXI_BACKEND_NATIVE_H
#define PTXI_BACKEND_NATIVE_H
#include "base/text.h"
#include "interp/machine.h"

/* Gives M the engine that its options select, if it is one that translates and M's run can use it.
 */
void native_attach(struct machine *m);
void native_detach(struct machine *m);
/* Which engine ran M, in words. */
void native_describe(const struct machine *m, struct text *out);

#endif
