/* Streams, events, the queue of launches, and the workers that take CTAs from it. */
#ifndef PTXI_INTERP_SCHEDULE_H
#define PTXI_INTERP_SCHEDULE_H
#include "interp/state/state.h"

struct schedule *schedule_new(struct machine *m);
void schedule_free(struct schedule *s);
/* Appends a launch, an event record or a wait to a stream. The machine owns L. */
void schedule_launch(struct schedule *s, struct launch *l);
void schedule_record(struct schedule *s, uint32_t event, uint32_t stream);
void schedule_wait(struct schedule *s, uint32_t event, uint32_t stream);
/* BEFORE[order - machine->settled_order]: whether an earlier launch, or work of the host, precedes
 * that of ORDER through streams, events, or a host wait. For observers, while it begins. */
void schedule_before(const struct schedule *s, uint32_t order, bool *before);
/* clusterlaunchcontrol.try_cancel: removes a unit that has not begun from L; *UNIT is its
 * number. False: there is none. */
bool schedule_cancel(struct schedule *s, struct launch *l, uint64_t *unit);
void schedule_work(
	struct schedule *s, uint32_t stream, uint32_t order, void (*work)(void *self), void *self);
/* The host has waited for STREAM or EVENT; for everything that was ever queued. */
void schedule_host_stream(struct schedule *s, uint32_t stream);
void schedule_host_event(struct schedule *s, uint32_t event);
void schedule_settle(struct schedule *s);
/* Whether much has been queued since then; whether all of it is in STREAM. */
bool schedule_is_long(const struct schedule *s);
bool schedule_is_only(const struct schedule *s, uint32_t stream);
/* Items that have not run. */
uint32_t schedule_queued(const struct schedule *s);
/* Runs until the queue is empty or the machine stops. */
void schedule_run(struct schedule *s);
/* Allocates K's counters for all ops decoded so far. (stats.c) */
void worker_counters(struct worker *k);
void worker_done(struct worker *k);
/* What it has counted for ops that the machine does not have any more does not count. */
void worker_uncount(struct worker *k);

#endif
