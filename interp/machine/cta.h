/* CTAs: the unit of work of a worker. */
#ifndef PTXI_INTERP_CTA_H
#define PTXI_INTERP_CTA_H
#include "interp/state/warp.h"

/* What the scheduler keeps of a CTA. */
struct turns {
	uint32_t next_warp; /* whose turn it is */
	uint32_t asleep;    /* set of warps that wait for the clock */
	/* set of warps that have only polled since anything changed in the cluster */
	uint32_t quiet;
	bool sleeping; /* until `wake` */
	uint64_t wake;
};

enum cta_result {
	CTA_FINISHED,
	CTA_SPUN,     /* every warp that can run only polls */
	CTA_SLICE,    /* its share of instructions is over */
	CTA_SLEEPING, /* nothing to do before c->turns->wake */
	CTA_STUCK,    /* every live thread waits for another: deadlock */
	CTA_STOPPED,  /* the machine stops */
};

/* The CTAs of unit UNIT of LAUNCH (one CTA, or a cluster), ready to run: the first, which stands
 * for all of them here and in the schedule; uses SPARE's memory when it fits (SPARE may be NULL).
 * NULL: no memory. */
struct cta *cta_begin(struct machine *m, struct launch *l, uint64_t unit, struct cta *spare);
void cta_free(struct cta *c);
/* Runs C (with its cluster) on worker K for about BUDGET instructions; *EFFECT: whether something
 * changed that others could see. */
enum cta_result cta_run(struct worker *k, struct cta *c, uint64_t budget, bool *effect);

/* Livelock check of a quiet CTA with the clock standing still: goes on with each group of lanes
 * alone until its state repeats. */
enum quiet_result {
	QUIET_PROVEN,   /* every group repeats its state for ever, or waits for such */
	QUIET_PROGRESS, /* something happened after all */
	QUIET_UNPROVEN, /* a state that did not repeat within the bound */
};
enum quiet_result quiet_check(struct worker *k, struct cta *c, bool *timed);

#endif
