/* Values that may be anything: of a clock, of vprintf, of an absent lane (enum ptx_open). */
#ifndef PTXI_EXPLORE_PTX_OPEN_H
#define PTXI_EXPLORE_PTX_OPEN_H
#include "explore/ptx/thread.h"

/* The value there may be anything, and is shown as 0; WHY is an enum ptx_open, 0: for a reason that
 * came before. */
void ptx_mark_open(struct ptx_bench *b, struct ptx_state *s, uint16_t slot, uint8_t why);
/* Somebody goes on by a value that may be anything. */
void ptx_refuse_open(const struct ptx_state *s, struct action *a);
/* Whether OP, which is carried out, goes on by a value that may be anything. Memory and calls look
 * themselves at what they pass on. */
bool ptx_decided_openly(const struct ptx_bench *b, struct ptx_state *s, const struct op *op,
	const struct ptx_op *o);
/* Whether OP is a selp that is known not to select its open operand. */
bool ptx_selects_other(const struct ptx_bench *b, struct ptx_state *s, const struct op *op);
/* Whether an observed register of THREAD, which has ended, may hold anything. */
bool ptx_shows_open(const struct explore_program *p, uint32_t thread, const struct ptx_code *code,
	struct ptx_state *s);

#endif
