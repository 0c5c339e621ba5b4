/* The session in one process, for hosts that have no others: whoever asks the runner for something
 * lets it run again from the beginning to where it was. The memory of a run before is not given
 * back. Course programs run in milliseconds; the session of a page is a few commands long. */
#include "debug/processes.h"
#include <setjmp.h>

enum {
	RUNNERS = 3 /* slots 1 and 2: of a search that leaves the runner where it is, and the runner
		     */
};

/* Where a runner is, and what led there. */
struct runner {
	struct position at;
	uint64_t begun; /* the step where its last order to run began, if that was not mute; or NONE
			 */
	struct turn focus; /* then */
	uint32_t ntrail;
	struct trail_entry trail[TRAIL_MAX];
};
static const uint64_t NONE = UINT64_MAX;

/* The run that is under way. */
static struct {
	void (*engine)(struct session *s);
	struct runner runner[RUNNERS];
	/* it returns to where the runner was: first to `begun`, where it looks at the registers */
	enum { THERE, TO_BEGUN, TO_RUNNER } returning;
	/* the session as the user sees it, meanwhile */
	struct order order;
	struct hit hit, found;
	struct runner user; /* its trail and focus */
	bool captures;
	uint32_t ncaptured;
	jmp_buf front;
} alone;

static void trail_copy(struct runner *to, const struct session *s)
{
	to->ntrail = s->ntrail;
	memcpy(to->trail, s->trail, s->ntrail * sizeof *s->trail);
}

static void trail_give(struct session *s, const struct runner *from)
{
	s->ntrail = from->ntrail;
	memcpy(s->trail, from->trail, from->ntrail * sizeof *s->trail);
}

bool processes_begin(struct session *s, void (*engine)(struct session *s))
{
	alone.engine = engine;
	s->slot[0] = (struct slot){.state = SLOT_CHECKPOINT};
	return true;
}

void processes_drop(struct session *s, uint32_t slot)
{
	s->slot[slot] = (struct slot){.state = SLOT_FREE};
}

void processes_end(struct session *s)
{
	for (uint32_t k = 0; k < SLOTS; k++)
		processes_drop(s, k);
}

static bool play(struct session *s)
{
	struct runner *r = &alone.runner[s->runner];

	if (setjmp(alone.front) == 0)
		alone.engine(s); /* ends in processes_done */
	r->at = s->at;
	trail_copy(r, s);
	return true;
}

static void order_return(struct session *s, uint64_t step, bool ended, bool mute)
{
	s->order = (struct order){
		.kind = ORDER_RUN, .until = ended ? UINT64_MAX : step, .mute = mute};
}

bool processes_ask(struct session *s)
{
	struct runner *r = &alone.runner[s->runner];

	alone.order = s->order;
	alone.hit = s->hit;
	alone.found = s->found;
	alone.captures = s->captures;
	alone.ncaptured = s->ncaptured;
	trail_copy(&alone.user, s);
	alone.user.focus = s->focus;
	trail_give(s, r);
	s->captures = true; /* what was printed before is not printed again */
	if (r->begun != NONE) {
		alone.returning = TO_BEGUN;
		order_return(s, r->begun, false, true);
		s->focus = r->focus;
	} else {
		alone.returning = TO_RUNNER;
		order_return(s, r->at.step, r->at.ended, true);
	}
	if (alone.order.kind == ORDER_RUN) {
		r->begun = alone.order.mute ? NONE : r->at.step;
		r->focus = alone.user.focus;
	}
	return play(s);
}

bool processes_wake(struct session *s, uint32_t slot, bool keep)
{
	uint32_t k = keep && s->runner == 1 ? 2 : 1;

	(void)slot; /* there is only the beginning */
	s->slot[k] = (struct slot){.state = SLOT_RUNNER};
	s->runner = k;
	alone.runner[k].begun = NONE;
	alone.returning = THERE;
	return play(s);
}

uint32_t processes_nearest(const struct session *s, uint64_t step)
{
	(void)s;
	(void)step;
	return 0;
}

uint32_t processes_sleep(struct session *s, uint32_t slot)
{
	(void)slot;
	return s->runner;
}

bool processes_copy(struct session *s, uint32_t *slot, uint64_t step, uint32_t most)
{
	(void)s;
	(void)slot;
	(void)step;
	(void)most;
	return false;
}

void processes_done(struct session *s, uint32_t slot)
{
	const struct runner *r = &alone.runner[s->runner];

	(void)slot;
	switch (alone.returning) {
	case TO_BEGUN:
		order_return(s, r->at.step, r->at.ended, false);
		alone.returning = TO_RUNNER;
		return;
	case TO_RUNNER:
		s->order = alone.order;
		s->hit = alone.hit;
		s->found = alone.found;
		s->at = r->at;
		trail_give(s, &alone.user);
		s->focus = alone.user.focus;
		s->captures = alone.captures;
		s->ncaptured = alone.ncaptured;
		s->captured[s->ncaptured] = 0;
		alone.returning = THERE;
		return;
	case THERE:
	default: longjmp(alone.front, 1);
	}
}
