/* The register values with which the threads of the first launch exit, for the host
 * (machine_keep_registers). */
#ifndef PTXI_INTERP_REGISTERS_H
#define PTXI_INTERP_REGISTERS_H
#include "interp/state/state.h"

/* Called when L is created. */
void registers_launch(struct machine *m, const struct launch *l);
/* The lanes of MASK exit with the registers of F, the kernel's frame. Requires
 * machine.registers. */
void registers_exit(struct warp *w, const struct frame *f, uint32_t mask);

#endif
