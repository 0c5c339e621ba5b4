/* Which launches of a host program come before which, as sets of launches: by streams, events and
 * //@ sync. */
#ifndef PTXI_SCRIPT_LAUNCH_ORDER_H
#define PTXI_SCRIPT_LAUNCH_ORDER_H
#include "explore/ptx/ptx.h"

enum { EVENTS_MOST = 64 };

struct launch_order {
	uint32_t count, synced;           /* launches so far; the set before the last //@ sync */
	uint32_t after[PTX_MAX_LAUNCHES]; /* what each launch comes after */
	uint32_t stream[PTX_MAX_LAUNCHES];
	struct {
		uint32_t which, launches;
		/* event: launches that it comes after; wait: those that later launches of stream
		 * `which` come after */
	} event[EVENTS_MOST], wait[EVENTS_MOST];
	uint32_t nevents, nwaits;
};

/* One more launch in STREAM (0: the default one); launches beyond PTX_MAX_LAUNCHES are only
 * counted. */
void order_launch(struct launch_order *o, uint32_t stream);
void order_sync(struct launch_order *o);
/* False: there are too many. */
bool order_record(struct launch_order *o, uint32_t event, uint32_t stream);
bool order_wait(struct launch_order *o, uint32_t event, uint32_t stream);

#endif
