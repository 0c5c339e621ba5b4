/* The list of observers, and reporting events to them. */
#include "interp/state/state.h"

void machine_observe(struct machine *m, struct observer *o)
{
	struct observer **at = &m->observers;

	while (*at)
		at = &(*at)->next;
	o->next = NULL;
	*at = o;
	m->interest |= o->interest;
}

#define REPORT(name, what) \
	void observers_##name(const struct machine *m, const struct name##_event *e) \
	{ \
		for (struct observer *o = m->observers; o; o = o->next) \
			if (o->interest & (what)) \
				o->name(o, e); \
	}
REPORT(access, INTEREST_ACCESS)
REPORT(sync, INTEREST_SYNC)
REPORT(life, INTEREST_LIFE)
REPORT(memory, INTEREST_MEMORY)
