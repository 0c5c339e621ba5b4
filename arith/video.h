/* The video instructions (PTX ISA 9.7.20): found by name, executed lane by lane as a control word
 * specifies. */
#ifndef PTXI_ARITH_VIDEO_H
#define PTXI_ARITH_VIDEO_H
#include "arith/arith.h"
/* As arith_find. Returns false if there is no video instruction of this form. */
bool video_find(const struct arith_query *q, struct arith_op *op);
#endif
