/* --check=sync for the registers of wgmma. */
#ifndef PTXI_INTERP_WGMMA_CHECK_H
#define PTXI_INTERP_WGMMA_CHECK_H
#include "interp/state/keeper.h"

struct machine;

extern const struct keeper wgmma_keeper;
/* Installs the observer if the module contains wgmma.mma_async. */
void wgmma_check_install(struct machine *m);

#endif
