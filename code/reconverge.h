/* Where lanes that diverge at a branch reconverge. */
#ifndef PTXI_CODE_RECONVERGE_H
#define PTXI_CODE_RECONVERGE_H
#include "code/code.h"

/* Fills op.reconverge of all ops of C: the immediate post-dominator, or NO_PC when that is the exit
 * or the op never reaches the exit. */
void code_reconverge(struct code_func *c);

#endif
