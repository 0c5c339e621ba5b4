/* Whether registers of lanes that have exited may hold anything. */
#ifndef PTXI_CODE_LOOSE_H
#define PTXI_CODE_LOOSE_H
#include "code/code.h"

/* Whether nothing looks at them while C, which is a kernel, runs: it calls nothing, no instruction
 * passes values between lanes, and none polls, after which all registers of a group are compared
 * with what they were before. C is decoded. */
bool code_is_loose(const struct code_func *c);

#endif
