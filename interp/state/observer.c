/* The observer list: telling those who asked. */
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

#define TELL(name, what) \
	void observers_##name(const struct machine *m, const struct name##_event *e) \
	{ \
		for (struct observer *o = m->observers; o; o = o->next) \
			if (o->interest & (what)) \
				o->name(o, e); \
	}
TELL(access, INTEREST_ACCESS)
TELL(sync, INTEREST_SYNC)
TELL(life, INTEREST_LIFE)
TELL(memory, INTEREST_MEMORY)
