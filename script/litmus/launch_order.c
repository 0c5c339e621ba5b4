/* The order of launches: the work queued in a stream so far, and what events and syncs add to
 * it. */
#include "script/litmus/launch_order.h"

/* Launches before now in STREAM (the default one is in all of them), with all that those come
 * after. */
static uint32_t launches_of(const struct launch_order *o, uint32_t stream)
{
	uint32_t set = o->synced;
	for (uint32_t k = 0; k < o->count && k < PTX_MAX_LAUNCHES; k++) {
		if (!stream || !o->stream[k] || o->stream[k] == stream)
			set |= 1u << k | o->after[k];
	}
	for (uint32_t k = 0; k < o->nwaits; k++) {
		if (!stream || !o->wait[k].which || o->wait[k].which == stream)
			set |= o->wait[k].launches;
	}
	return set;
}

void order_launch(struct launch_order *o, uint32_t stream)
{
	if (o->count < PTX_MAX_LAUNCHES) {
		o->after[o->count] = launches_of(o, stream);
		o->stream[o->count] = stream;
	}
	o->count++;
}

void order_sync(struct launch_order *o)
{
	o->synced = o->count < 32 ? (1u << o->count) - 1 : UINT32_MAX;
}

bool order_record(struct launch_order *o, uint32_t event, uint32_t stream)
{
	uint32_t k = 0;
	while (k < o->nevents && o->event[k].which != event)
		k++;
	if (k == EVENTS_MOST)
		return false;
	o->nevents += k == o->nevents;
	o->event[k].which = event;
	o->event[k].launches = launches_of(o, stream);
	return true;
}

bool order_wait(struct launch_order *o, uint32_t event, uint32_t stream)
{
	uint32_t k = 0;
	while (k < o->nevents && o->event[k].which != event)
		k++;
	if (k == o->nevents)
		return true; /* never recorded: nothing is waited for */
	if (o->nwaits == EVENTS_MOST)
		return false;
	o->wait[o->nwaits].which = stream;
	o->wait[o->nwaits++].launches = o->event[k].launches;
	return true;
}
