/* Whether a loop makes progress, judged by the registers that can influence it; an iteration
 * counter that is never tested cannot. */
#ifndef PTXI_CODE_RELEVANT_H
#define PTXI_CODE_RELEVANT_H
#include "code/code.h"

/* Whether a loop repeats itself for ever. SEEN marks the ops of CODE that one group of lanes
 * executes repeatedly while memory does not change; BEFORE and NOW are its register files
 * (code->frame_bytes each) at two visits of the same op. True when all relevant registers are
 * equal: those that do more than feed irrelevant ones (relevant.c). */
bool relevant_same(const struct ir_module *m, const struct code_func *code, const uint8_t *seen,
	const unsigned char *before, const unsigned char *now);

#endif
