/* Registers of the first launch as its threads leave them, for a host that asks
 * (machine_keep_registers). */
#ifndef PTXI_INTERP_REGISTERS_H
#define PTXI_INTERP_REGISTERS_H
#include "interp/state/state.h"

/* L was made. */
void registers_launch(struct machine *m, const struct launch *l);
/* The lanes of MASK exit with the registers of F, the kernel's own frame. Only when the machine has
 * registers. */
void registers_exit(struct warp *w, const struct frame *f, uint32_t mask);

#endif
