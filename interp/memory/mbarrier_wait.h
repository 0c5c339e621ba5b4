/* The waits of a warp's lanes on mbarriers: which said no last, which returned true last, and who
 * sleeps in one. For the next wait, for findings, and for the report of who waits for what. */
#ifndef PTXI_INTERP_MBARRIER_WAIT_H
#define PTXI_INTERP_MBARRIER_WAIT_H
#include "interp/state/keeper.h"
#include "interp/state/state.h"

/* What is kept of W, for who executes its waits; made when it is first asked for. */
struct mbarrier_waits *mbarrier_waits_of(struct warp *w);
/* Instruction INSN of lane LANE waits for the mbarrier at OFFSET of C, and is told no. */
void mbarrier_wait_begins(
	struct mbarrier_waits *s, unsigned lane, struct cta *c, uint32_t offset, uint32_t insn);
/* It waits no more. */
void mbarrier_wait_ends(struct mbarrier_waits *s, unsigned lane);
/* Its wait for phase PHASE of the mbarrier at OFFSET of C returned true; PARITY: it gave a parity.
 * Whether the lane had waited for that phase before, or it is the one before the first. */
bool mbarrier_wait_passes(struct mbarrier_waits *s, unsigned lane, struct cta *c, uint32_t offset,
	uint64_t phase, bool parity);
/* Lanes that sleep in a try_wait, or have just woken in one, each for PHASE[lane]. */
uint32_t mbarrier_held(const struct mbarrier_waits *s);
uint64_t mbarrier_held_phase(const struct mbarrier_waits *s, unsigned lane);
void mbarrier_hold(struct mbarrier_waits *s, uint32_t mask, const uint64_t *phase);
void mbarrier_let_go(struct mbarrier_waits *s, uint32_t mask);

struct mbarrier_wait {
	struct cta *cta; /* whose mbarrier */
	uint32_t offset;
	uint32_t insn;  /* of one that said no */
	uint64_t phase; /* of one that returned true */
};
/* What lane LANE waits for; NULL: nothing. */
const struct mbarrier_wait *mbarrier_waiting(const struct warp *w, unsigned lane);
/* The last of its waits that returned true; NULL: none has. */
const struct mbarrier_wait *mbarrier_passed(const struct warp *w, unsigned lane);
/* Whether that one gave a parity and returned at once, for a phase that it had waited for before or
 * before the first. */
bool mbarrier_passed_stale(const struct warp *w, unsigned lane);

extern const struct keeper mbarrier_wait_keeper;

#endif
