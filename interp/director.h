/* A director: decides by hand which threads run next, and may stop the world before any
 * instruction, as a debugger does. A machine has at most one; without one, no instruction pays for
 * it. The machine's own schedule (fair, lockstep, random) decides wherever the director names no
 * turn. A machine with a director runs on one worker. */
#ifndef PTXI_INTERP_DIRECTOR_H
#define PTXI_INTERP_DIRECTOR_H
#include "interp/observer.h"

/* Who runs next: the group of lanes of a warp that contains LANE. */
struct turn {
	uint32_t launch; /* number of the launch */
	uint64_t cta;    /* linear index in its grid */
	uint32_t warp;
	uint32_t lane; /* TURN_ANY_LANE: the group that the schedule prefers */
};
#define TURN_ANY_LANE UINT32_MAX

struct director {
	void *self;
	/* Called before OP, the first op of an instruction, for the lanes of MASK (0: all lanes
	 * skip it). False: the instruction does not execute now, because the director has just set
	 * `directs`. Only when MAY_LEAVE; the check for a livelock runs each group by itself. */
	bool (*before)(struct director *d, struct warp *w, const struct op *op, uint32_t mask,
		bool may_leave);
	/* Set by the director: the next instruction is one of `turn`. The director clears it when
	 * `before` is called for that turn. */
	bool directs;
	struct turn turn;
	/* Called when the turn cannot be given, after `directs` was cleared; WHY completes the
	 * sentence "it ..." */
	void (*refused)(struct director *d, const char *why);
	/* events that it also receives; added to the machine's observers */
	struct observer observer;
	struct machine *machine; /* set by machine_new */
};

#endif
