/* The mbarriers that a CTA's shared memory holds: what their 64 bits do not say, and who arrived,
 * for findings and for the report of a deadlock. */
#ifndef PTXI_INTERP_MBARRIER_RECORD_H
#define PTXI_INTERP_MBARRIER_RECORD_H
#include "interp/state/keeper.h"
#include "interp/state/state.h"

enum { MBARRIER_ARRIVALS = 12 };
#define MBARRIER_ORDERED UINT32_MAX

/* Lanes of one warp that arrived at one instruction in the present phase. */
struct mbarrier_arrival {
	const struct cta *cta;
	uint32_t warp, mask, insn, count;
	uint8_t async; /* counted by completed cp.async operations */
};

struct mbarrier_record {
	uint32_t offset;
	bool live;     /* initialised and not invalidated */
	bool was_live; /* at some time */
	uint32_t init_insn, init_count, inval_insn;
	/* who initialised it, and in which order_epoch of the CTA; MBARRIER_ORDERED: it has
	 * synchronised since */
	uint32_t init_thread, init_epoch;
	/* the cluster's events when a release beyond the CTA made that visible; 0: none has */
	uint32_t init_released;
	uint64_t phase;
	/* phases that some wait found complete: all below this number */
	uint64_t seen;
	uint64_t word;                      /* the object as the last operation left it */
	uint64_t expected_tx, delivered_tx; /* of the present phase */
	uint32_t expect_insn;
	/* the finding that tells that its phases got out of step, or NULL: a program that hangs
	 * then hangs for that */
	struct diag *skewed;
	/* a wait that returned at once, for a phase that the thread had waited for before or before
	 * the first; IR_NONE: none */
	uint32_t stale_insn, stale_thread;
	/* the finding that tells of that wait, or NULL: what else follows from it is told there */
	struct diag *told;
	uint64_t stale_phase;    /* UINT64_MAX: before the first */
	bool twice;              /* some thread arrived twice in one phase */
	uint32_t arrivals, more; /* arrival[] in use; arrivals that found no room in it */
	struct mbarrier_arrival arrival[MBARRIER_ARRIVALS];
	/* lanes of the CTA's own warps that arrived in this phase, in any */
	uint32_t now[MAX_WARPS], ever[MAX_WARPS];
	uint32_t dropped[MAX_WARPS]; /* that left by arrive_drop */
};

/* The record of the object at OFFSET of C, good until the next one is made: NULL where none is, */
struct mbarrier_record *mbarrier_find(struct cta *c, uint32_t offset);
/* where a wait has found one before, */
struct mbarrier_record *mbarrier_known(struct cta *c, uint32_t offset);
/* made where none is. */
struct mbarrier_record *mbarrier_make(struct cta *c, uint32_t offset);
/* [*N] all of C. */
struct mbarrier_record *mbarrier_all(struct cta *c, uint32_t *n);
/* The object at which the last successful wait of lane LANE of W returned at once, for a phase that
 * it had waited for before or before the first one; else NULL. */
struct mbarrier_record *mbarrier_stale(const struct warp *w, unsigned lane);
/* With machine.fault_lock held. D, a finding of what W did, follows from the wait on R that
 * returned at once: it says so. */
void mbarrier_tell(const struct warp *w, struct mbarrier_record *r, struct diag *d);
/* With machine.fault_lock held. CODE at instruction INSN follows from what D tells, too. */
void mbarrier_tell_more(struct machine *m, struct diag *d, enum diag_code code, uint32_t insn);
/* A finding that a wait on R which returned at once may have led to, one for each such wait; R
 * NULL: none has. */
void mbarrier_finding(struct warp *w, const struct op *op, unsigned lane, struct mbarrier_record *r,
	enum diag_code code, const char *fmt, ...) __attribute__((format(printf, 6, 7)));
/* Adds to T which wait on R returned at once. */
void mbarrier_say_stale(const struct warp *w, const struct mbarrier_record *r, struct text *t);

extern const struct keeper mbarrier_keeper;

#endif
