/* Loads and stores for pieces. */
#ifndef PTXI_STENCIL_ACCESS_H
#define PTXI_STENCIL_ACCESS_H
#include "stencil/run.h"

/* Of elements of 1 << LOG2_BYTES bytes in global, or SHARED, memory by addresses of 8 bytes if
 * WIDE, else of 4 (SHARED only). Lanes that are not in the mask may get any value. */
stencil_access *stencil_access_of(_Bool store, _Bool wide, _Bool shared, unsigned log2_bytes);

#endif
