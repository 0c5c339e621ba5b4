/* Where lanes that part at a branch meet again. */
#ifndef PTXI_CODE_RECONVERGE_H
#define PTXI_CODE_RECONVERGE_H
#include "code/code.h"

/* Fills op.reconverge of all ops of C: the immediate post-dominator, NO_PC where there is none
 * before the exit. */
void code_reconverge(struct code_func *c);

#endif
