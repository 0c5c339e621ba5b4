/* Convergence inside a warp: lanes that wait for other lanes of their warp. */
#ifndef PTXI_INTERP_GATHER_H
#define PTXI_INTERP_GATHER_H
#include "interp/state/state.h"

/* The common case: MASK is all live lanes of the warp, and operand K, their membermask, is the same
 * for all and includes them. Nothing is left to do for them to meet. */
bool warp_all_here(const struct warp *w, const struct op *op, uint32_t mask, unsigned k);

/* For instructions with a membermask (.sync): MEMBERS[lane] is the membermask given by that lane
 * of MASK. Returns the lanes of MASK whose non-exited members are all in MASK. The caller
 * executes the operation for these, each among the lanes of its own membermask, and then returns
 * warp_gathered(w, op, mask, ready): the other lanes wait at OP until the missing members reach
 * it, or reach the same instruction elsewhere. In that case warp_gather() calls the handler
 * itself, with a copy of OP whose operands are a merged copy of all the lanes' operands, so a
 * handler may use only op_lanes(), op_value(), op_set() and the members of struct op. A lane
 * outside its own membermask is a finding (--check=sync) made here; it counts as a member. */
uint32_t warp_gather(struct warp *w, const struct op *op, uint32_t mask, const uint32_t *members);
enum flow warp_gathered(struct warp *w, const struct op *op, uint32_t mask, uint32_t ready);
/* Called by a handler that warp_gather() runs (w->joint): the lanes of STRAY read the value of a
 * lane that does not take part. */
void warp_gather_stray(struct warp *w, uint32_t stray);

/* For instructions that the warp executes as a whole (.aligned) but that do not wait. False:
 * other lanes can still run, so the group waits at OP (the handler returns FLOW_SWITCH) until
 * they reach it too, exit, or wait for something else. True: execute now; lanes of w->live that
 * are not active cannot reach OP. */
bool warp_together(struct warp *w, const struct op *op);
/* No group of W can run: releases the groups that wait at .aligned instructions. True when there
 * was one. */
bool warp_release_aligned(struct warp *w);

#endif
