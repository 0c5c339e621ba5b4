/* Which registers decide what a loop does: a count of its rounds that nothing asks for does not. */
#ifndef PTXI_CODE_RELEVANT_H
#define PTXI_CODE_RELEVANT_H
#include "code/code.h"

/* Whether the ops of CODE that SEEN marks, executed again and again by one group of lanes while
 * memory stands still, go on for ever as they did between two moments at the same op, whose
 * register files were BEFORE and NOW (code->frame_bytes each): all registers are equal but such as
 * only go into registers of that kind. */
bool relevant_same(const struct ir_module *m, const struct code_func *code, const uint8_t *seen,
	const unsigned char *before, const unsigned char *now);

#endif
