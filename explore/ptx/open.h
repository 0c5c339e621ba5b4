/* Open values, which may be any value: of a clock, of vprintf, of an absent lane (enum ptx_open).
 */
#ifndef PTXI_EXPLORE_PTX_OPEN_H
#define PTXI_EXPLORE_PTX_OPEN_H
#include "explore/ptx/thread.h"

/* Marks SLOT as open, with the value 0. WHY: an enum ptx_open; 0: it derives from another open
 * value. */
void ptx_mark_open(struct ptx_bench *b, struct ptx_state *s, uint16_t slot, uint8_t why);
/* Stops the thread with a fault because an open value decides something. */
void ptx_refuse_open(const struct ptx_state *s, struct action *a);
/* Whether an open value decides what OP, which is executed, does. Memory ops and calls check the
 * values that they pass on themselves. */
bool ptx_open_decides(const struct ptx_bench *b, struct ptx_state *s, const struct op *op,
	const struct ptx_op *o);
/* Whether OP is a selp that selects an operand that is not open. */
bool ptx_selects_closed(const struct ptx_bench *b, struct ptx_state *s, const struct op *op);
/* Whether an observed register of THREAD, which has ended, is open. */
bool ptx_open_observed(const struct explore_program *p, uint32_t thread,
	const struct ptx_code *code, struct ptx_state *s);

#endif
