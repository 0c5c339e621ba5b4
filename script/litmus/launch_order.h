/* The order of a host program's launches, given by streams, events and //@ sync. Sets of launches
 * are bit masks. */
#ifndef PTXI_SCRIPT_LAUNCH_ORDER_H
#define PTXI_SCRIPT_LAUNCH_ORDER_H
#include "explore/ptx/ptx.h"

enum { MAX_EVENTS = 64 };

struct launch_order {
	/* number of launches so far; set of those before the last //@ sync */
	uint32_t count;
	uint64_t synced;
	uint64_t after[PTX_MAX_LAUNCHES]; /* set of launches ordered before each launch */
	uint32_t stream[PTX_MAX_LAUNCHES];
	struct {
		uint32_t which;
		uint64_t launches;
		/* event `which`: the launches it comes after; wait: launches ordered before later
		 * launches in stream `which` */
	} event[MAX_EVENTS], wait[MAX_EVENTS];
	uint32_t nevents, nwaits;
};

/* Adds a launch in STREAM (0: the default stream). Launches beyond PTX_MAX_LAUNCHES are only
 * counted. */
void order_launch(struct launch_order *o, uint32_t stream);
void order_sync(struct launch_order *o);
/* Return false if there are too many events or waits. */
bool order_record(struct launch_order *o, uint32_t event, uint32_t stream);
bool order_wait(struct launch_order *o, uint32_t event, uint32_t stream);

#endif
