/* Lanes that wait for each other inside a warp. */
#ifndef PTXI_INTERP_GATHER_H
#define PTXI_INTERP_GATHER_H
#include "interp/state/state.h"

/* Instructions that want company (.sync): MEMBERS[lane] is the membermask that lane of MASK gave.
 * Returns the lanes of MASK whose non-exited members are all here (in MASK); do the operation for
 * these, each among the lanes of its own membermask, then return warp_gathered(w, op, mask, ready):
 * the other lanes stay at OP until the missing ones come, there or to the same instruction
 * elsewhere. The handler is then called from within warp_gather, with a copy of OP on a common copy
 * of all lanes' operands, so it may use only op_lanes, op_value, op_set and the members of struct
 * op. A lane outside its own membermask is a finding (--check=sync) made here; it counts as a
 * member. */
uint32_t warp_gather(struct warp *w, const struct op *op, uint32_t mask, const uint32_t *members);
enum flow warp_gathered(struct warp *w, const struct op *op, uint32_t mask, uint32_t ready);
/* From within warp_gather (w->joint): the lanes of STRAY got the value of a lane that takes no
 * part. */
void warp_gather_stray(struct warp *w, uint32_t stray);

/* Instructions that the warp executes as a whole (.aligned) and that do not wait themselves. False:
 * lanes that are elsewhere can still run, so the group stays at OP (the handler returns
 * FLOW_SWITCH) until they are here too, or have exited, or wait for something else. True: now;
 * lanes of w->live that are not here will not come. */
bool warp_together(struct warp *w, const struct op *op);
/* No group of W can run: those that wait at an .aligned instruction need not wait for the others
 * any more. Whether there were any. */
bool warp_release_aligned(struct warp *w);

#endif
