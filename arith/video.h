/* The video instructions (PTX ISA 9.7.18): found by their names, run lane by lane from a control
 * word. */
#ifndef PTXI_ARITH_VIDEO_H
#define PTXI_ARITH_VIDEO_H
#include "arith/arith.h"
/* False: no video instruction of this form. */
bool video_find(const struct arith_query *q, struct arith_op *op);
#endif
