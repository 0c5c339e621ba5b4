/* The session in one process, for hosts that have no others: whoever asks the runner for something
 * lets it run again from the beginning to where it was. The memory of a run before is not given
 * back. Course programs run in milliseconds; the session of a page is a few commands long. */
#include "debug/processes.h"
#include <setjmp.h>

/* How the run that is under way answers. */
static struct {
	void (*engine)(struct session *s);
	bool ended[SLOTS]; /* the runner of this slot is at the end of the run */
	bool returning;    /* it runs to where the runner was */
	struct order order;
	jmp_buf front;
} alone;

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
	if (setjmp(alone.front) == 0)
		alone.engine(s); /* ends in processes_done */
	s->slot[s->runner].step = s->at.step;
	alone.ended[s->runner] = s->at.ended;
	return true;
}

bool processes_ask(struct session *s)
{
	const uint32_t slot = s->runner;

	alone.order = s->order;
	alone.returning = true;
	s->order = (struct order){.kind = ORDER_RUN,
		.until = alone.ended[slot] ? UINT64_MAX : s->slot[slot].step,
		.mute = true};
	return play(s);
}

bool processes_wake(struct session *s, uint32_t slot, bool keep)
{
	uint32_t k = 1;

	(void)slot; /* there is only the beginning */
	while (keep && k == s->runner)
		k++;
	s->slot[k] = (struct slot){.state = SLOT_RUNNER};
	s->runner = k;
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
	(void)slot;
	if (!alone.returning)
		longjmp(alone.front, 1);
	alone.returning = false;
	s->order = alone.order;
}
