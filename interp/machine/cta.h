/* CTAs: a worker's unit of work. */
#ifndef PTXI_INTERP_CTA_H
#define PTXI_INTERP_CTA_H
#include "interp/state/warp.h"

/* The scheduling state of a CTA. */
struct turns {
	uint32_t next_warp; /* the warp that runs next */
	uint32_t asleep;    /* set of warps that wait for the clock */
	/* set of warps that have only polled since the last change in the cluster */
	uint32_t quiet;
	bool sleeping; /* until `wake` */
	uint64_t wake;
};

enum cta_result {
	CTA_FINISHED,
	CTA_SPUN,     /* every warp that can run only polls */
	CTA_SLICE,    /* its instruction budget is used up */
	CTA_SLEEPING, /* nothing can run before c->turns->wake */
	CTA_STUCK,    /* deadlock: every live thread waits for another */
	CTA_STOPPED,  /* the machine stops */
};

/* Starts unit UNIT of LAUNCH, a CTA or a cluster. Returns its first CTA, which represents the
 * unit here and in the scheduler. Reuses the memory of SPARE (or NULL) when it fits. NULL: out
 * of memory. */
struct cta *cta_begin(struct machine *m, struct launch *l, uint64_t unit, struct cta *spare);
void cta_free(struct cta *c);
/* Runs C, with its cluster, on worker K for about BUDGET instructions. *EFFECT: whether anything
 * changed that other CTAs can observe. */
enum cta_result cta_run(struct worker *k, struct cta *c, uint64_t budget, bool *effect);
/* Adds the instructions that K has executed since the last time to the machine's, and to its clock.
 */
void worker_tell(struct worker *k);

/* Livelock check of a quiet CTA with a frozen clock: runs each group of lanes alone until its
 * state repeats. *TIMED is set when a thread depends on the clock. */
enum quiet_result {
	QUIET_PROVEN,   /* every group repeats its state forever, or waits for groups that do */
	QUIET_PROGRESS, /* a group changed something after all */
	QUIET_UNPROVEN, /* a state did not repeat within the bound */
};
enum quiet_result quiet_check(struct worker *k, struct cta *c, bool *timed);

#endif
