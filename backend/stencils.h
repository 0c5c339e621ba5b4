/* Functions of a machine as pieces of machine code (stencil/), in memory that can be executed. */
#ifndef PTXI_BACKEND_STENCILS_H
#define PTXI_BACKEND_STENCILS_H
#include "interp/machine.h"

struct stencils;
/* WARMS: faster code may replace it. */
struct stencils *stencils_new(bool warms);
/* Translates the functions of M that are decoded and that nothing has been made of yet. */
void stencils_translate(struct stencils *x, struct machine *m);
void stencils_free(struct stencils *x);
/* How many functions were translated; why others were not, or NULL. */
uint32_t stencils_count(const struct stencils *x, const char **why);

#endif
