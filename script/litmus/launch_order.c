/* Tracks the order of launches: the work queued in each stream, and the order that events and syncs
 * add. */
#include "script/litmus/launch_order.h"

/* The launches queued so far in STREAM, and those ordered before them. The default stream (0) is
 * ordered with every other stream. */
static uint64_t launches_of(const struct launch_order *o, uint32_t stream)
{
	uint64_t set = o->synced;
	for (uint32_t k = 0; k < o->count && k < PTX_MAX_LAUNCHES; k++) {
		if (!stream || !o->stream[k] || o->stream[k] == stream)
			set |= UINT64_C(1) << k | o->after[k];
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
	o->synced = o->count < 64 ? (UINT64_C(1) << o->count) - 1 : UINT64_MAX;
}

bool order_record(struct launch_order *o, uint32_t event, uint32_t stream)
{
	uint32_t k = 0;
	while (k < o->nevents && o->event[k].which != event)
		k++;
	if (k == MAX_EVENTS)
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
		return true; /* never recorded: nothing to wait for */
	if (o->nwaits == MAX_EVENTS)
		return false;
	o->wait[o->nwaits].which = stream;
	o->wait[o->nwaits++].launches = o->event[k].launches;
	return true;
}
