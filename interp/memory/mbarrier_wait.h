/* The waits of a warp's lanes on mbarriers: the last that returned false, the last that returned
 * true, and which lanes sleep in a try_wait. Used by the next wait, by findings, and by the
 * report of a hang. */
#ifndef PTXI_INTERP_MBARRIER_WAIT_H
#define PTXI_INTERP_MBARRIER_WAIT_H
#include "interp/state/keeper.h"
#include "interp/state/state.h"

struct mbarrier_wait {
	struct cta *cta; /* the CTA whose shared memory holds the mbarrier */
	uint32_t offset;
	uint32_t insn, user_call; /* of a wait that returned false */
	uint64_t phase;           /* of a wait that returned true */
};

/* The waits of W; created on first use. */
struct mbarrier_waits *mbarrier_waits_of(struct warp *w);
/* A wait by lane LANE returned false. */
void mbarrier_wait_begins(
	struct mbarrier_waits *s, unsigned lane, const struct mbarrier_wait *wait);
/* The lane no longer waits. */
void mbarrier_wait_ends(struct mbarrier_waits *s, unsigned lane);
/* A wait by the lane for phase PHASE of the mbarrier at OFFSET of C returned true; PARITY: it
 * named a parity. True when the wait is stale: the lane had waited for that phase before, or
 * PHASE precedes the first phase. */
bool mbarrier_wait_passes(struct mbarrier_waits *s, unsigned lane, struct cta *c, uint32_t offset,
	uint64_t phase, bool parity);
/* The lanes that sleep in a try_wait or have just woken up in one, each waiting for phase
 * PHASE[lane]. */
uint32_t mbarrier_sleepers(const struct mbarrier_waits *s);
uint64_t mbarrier_sleep_phase(const struct mbarrier_waits *s, unsigned lane);
void mbarrier_put_to_sleep(struct mbarrier_waits *s, uint32_t mask, const uint64_t *phase);
void mbarrier_wake(struct mbarrier_waits *s, uint32_t mask);

/* What lane LANE waits for, or NULL. */
const struct mbarrier_wait *mbarrier_waiting(const struct warp *w, unsigned lane);
/* The lane's last wait that returned true, or NULL. */
const struct mbarrier_wait *mbarrier_passed(const struct warp *w, unsigned lane);
/* Whether that wait named a parity and was stale. */
bool mbarrier_passed_stale(const struct warp *w, unsigned lane);

extern const struct keeper mbarrier_wait_keeper;

#endif
